"""Authentication for WSGI applications: Flask, Django, Bottle.

app.wsgi_app = Auth(app.wsgi_app, Server("files"), {"Mufasa": ha1}.get)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http.client import responses
from typing import Any
from urllib.parse import quote

from ._core import Verdict
from ._server import Find, Gate, Server, report

__all__ = ["Auth"]

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]


class Auth:
    """Lets in requests of users only.

    `find(name)` returns what `server.ha1` made, or a pair of it and an account of your own, or `None`.
    The user's name is `environ["REMOTE_USER"]`, Flask's `request.remote_user`, and the account
    `environ["countersign_http.account"]`.

    exclude: paths that need no login; one that ends in `/` stands for all below it.
    encrypted: whether clients come by TLS, if a proxy in front says so and `wsgi.url_scheme` does not.

    The server has to pass on the request-target as it was sent, as gunicorn, uWSGI, mod_wsgi and
    Werkzeug do. With others, such as wsgiref, `%2F` in a path leads to 400.
    """

    def __init__(
        self,
        app: App,
        server: Server,
        find: Find,
        *,
        exclude: Iterable[str] = (),
        encrypted: bool | None = None,
    ) -> None:
        self.app, self._gate = app, Gate(server, find, exclude, encrypted)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], path_of(environ)
        names = "HTTP_ORIGIN", "HTTP_ACCESS_CONTROL_REQUEST_METHOD"
        if self._gate.is_open(method, path, all(name in environ for name in names)):
            return self.app(environ, start_response)
        verdict = check(self._gate, environ)
        if not verdict:
            report(verdict, method, path)
            status = f"{verdict.status} {responses.get(verdict.status, '')}"
            start_response(status, [*verdict.headers, ("Content-Length", "0")])
            return [b""]

        def with_info(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            return start_response(status, [*headers, *verdict.headers], *rest)

        granted = {"REMOTE_USER": verdict.user, "countersign_http.account": verdict.account}
        return self.app({**environ, **granted}, with_info)


def path_of(environ: Environ) -> str:
    """The decoded path, as ASGI and frameworks have it."""
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return str(path.encode("latin-1").decode("utf-8", "replace"))


def check(gate: Gate, environ: Environ) -> Verdict:
    """Checks the request of an environment."""
    target = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if target is None:
        path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
        target = quote(path, safe="/!$&'()*+,;=:@~", encoding="latin-1")
        if environ.get("QUERY_STRING"):
            target += "?" + environ["QUERY_STRING"]
    values = [environ["HTTP_AUTHORIZATION"]] if "HTTP_AUTHORIZATION" in environ else []
    encrypted = gate.is_encrypted(environ["wsgi.url_scheme"])
    method = environ["REQUEST_METHOD"]
    find: Any = gate.find
    return gate.server.check(method, target, values, find, encrypted=encrypted)
