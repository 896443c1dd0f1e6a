"""Authentication for views of Flask.

login_required = Digest(Server("files"), find)

@app.get("/private")
@login_required
def private(): ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import flask

from ._server import Find, Gate, Server, report
from .wsgi import check, path_of

__all__ = ["Digest"]

View = TypeVar("View", bound=Callable[..., Any])


class Digest:
    """A decorator for views that only users may see.

    `find(name)` returns what `server.ha1` made, or a pair of it and an account of your own, or `None`.
    `flask.g.user` is the account, or else the user's name. For a whole application use `wsgi.Auth`.
    """

    def __init__(self, server: Server, find: Find, *, encrypted: bool | None = None) -> None:
        self._gate = Gate(server, find, (), encrypted)

    def __call__(self, view: View) -> View:
        @functools.wraps(view)
        def checked(*arguments: Any, **options: Any) -> Any:
            environ = flask.request.environ
            verdict = check(self._gate, environ)
            if not verdict:
                report(verdict, flask.request.method, path_of(environ))
                return flask.Response(status=verdict.status, headers=verdict.headers)
            flask.g.user = verdict.user if verdict.account is None else verdict.account
            returned = flask.current_app.ensure_sync(view)(*arguments, **options)
            response = flask.make_response(returned)
            response.headers.extend(verdict.headers)
            return response

        return checked  # type: ignore[return-value]
