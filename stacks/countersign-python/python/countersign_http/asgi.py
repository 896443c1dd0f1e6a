"""Authentication for ASGI applications: Starlette, FastAPI, Quart, Django.

app.add_middleware(Auth, server=Server("files"), find={"Mufasa": ha1}.get)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import quote

from ._core import Verdict
from ._server import AsyncFind, Gate, Server, report

__all__ = ["Auth", "Fields", "User"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class User(str):
    """The name of a user who was let in, with what Starlette expects of `request.user`."""

    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def display_name(self) -> str:
        return str(self)

    @property
    def identity(self) -> str:
        return str(self)


class _Nobody(User):
    """The user of an excluded path: nobody was asked, also if the request carries a right password."""

    @property
    def is_authenticated(self) -> bool:
        return False


class _Credentials:
    """What Starlette's `requires("authenticated")` looks at."""

    def __init__(self, *scopes: str) -> None:
        self.scopes = [*scopes]


class Auth:
    """Lets in requests and WebSockets of users only.

    `find(name)` returns what `server.ha1` made, or a pair of it and an account of your own, or `None`;
    it may be async. `scope["user"]`, Starlette's `request.user`, is the account, or else the name. On an
    excluded path it is not authenticated, unless a middleware around this has set another.

    exclude: paths that need no login; one that ends in `/` stands for all below it.
    encrypted: whether clients come by TLS, if a proxy in front says so and the scope does not.
    """

    def __init__(
        self,
        app: App,
        server: Server,
        find: AsyncFind,
        *,
        exclude: Iterable[str] = (),
        encrypted: bool | None = None,
    ) -> None:
        self.app, self._gate = app, Gate(server, find, exclude, encrypted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        names = {name for name, _ in scope["headers"]}
        is_preflight = {b"origin", b"access-control-request-method"} <= names
        method = scope.get("method", "GET")
        if self._gate.is_open(method, scope["path"], is_preflight):
            scope = {"user": _Nobody(), "auth": _Credentials(), **scope}
            return await self.app(scope, receive, send)
        verdict = await check(self._gate, scope)
        if not verdict:
            report(verdict, method, scope["path"])
            return await _refuse(verdict, scope, receive, send)
        user = User(verdict.user) if verdict.account is None else verdict.account
        scope = {**scope, "user": user, "auth": _Credentials("authenticated")}
        return await self.app(scope, receive, _adding(fields_of(verdict), send))


class Fields:
    """Adds what `fastapi.Digest` has for the response, whatever kind of response the handler returns."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        fields: list[tuple[bytes, bytes]] = []
        scope = {**scope, FIELDS: fields}
        return await self.app(scope, receive, _adding(fields, send))


#: Where `Fields` takes the fields from.
FIELDS = "countersign_http.fields"


async def check(gate: Gate, scope: Scope) -> Verdict:
    """Checks the request of a scope."""
    target: bytes = scope.get("raw_path") or quote(scope["path"], safe=SAFE).encode()
    if scope["query_string"]:
        target += b"?" + scope["query_string"]
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    encrypted = gate.is_encrypted(scope.get("scheme", "http"))
    method = scope.get("method", "GET")
    return await gate.server.acheck(method, target, values, gate.find, encrypted=encrypted)


#: What clients do not escape in a path (RFC 3986, section 3.3).
SAFE = "/!$&'()*+,;=:@~"


def fields_of(verdict: Verdict) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in verdict.headers]


def _adding(fields: list[tuple[bytes, bytes]], send: Send) -> Send:
    async def adding(message: MutableMapping[str, Any]) -> None:
        # Also to a WebSocket's handshake, and to the response that denies it.
        if message["type"] in STARTS and fields:
            message = {**message, "headers": [*message.get("headers", ()), *fields]}
        await send(message)

    return adding


STARTS = "http.response.start", "websocket.accept", "websocket.http.response.start"


async def _refuse(verdict: Verdict, scope: Scope, receive: Receive, send: Send) -> None:
    kind = "http.response"
    if scope["type"] == "websocket":
        await receive()
        kind = "websocket.http.response"
        if kind not in scope.get("extensions", ()):
            # The server answers 403.
            return await send({"type": "websocket.close", "code": 1008})
    headers = [*fields_of(verdict), (b"content-length", b"0")]
    await send({"type": f"{kind}.start", "status": verdict.status, "headers": headers})
    await send({"type": f"{kind}.body", "body": b""})
