"""Authentication for FastAPI, as a dependency.

digest = Digest(Server("files"), find)
CurrentUser = Annotated[User, Depends(digest)]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.openapi.models import HTTPBase
from fastapi.security.base import SecurityBase

from ._server import AsyncFind, Gate, Server, report
from .asgi import FIELDS, Fields, check, fields_of

__all__ = ["Digest", "Fields"]


class Digest(SecurityBase):
    """A dependency that is the user who was let in, and answers other requests by 401.

    `find(name)` returns what `server.ha1` made, or a pair of it and an account of your own, or `None`;
    it may be async. The dependency is the account, or else the user's name.

    Handlers that return a `Response` need `app.add_middleware(Fields)`, or the server's proof and its
    next nonce do not reach the client.
    """

    def __init__(
        self,
        server: Server,
        find: AsyncFind,
        *,
        scheme_name: str = "Digest",
        description: str | None = None,
        auto_error: bool = True,
        encrypted: bool | None = None,
    ) -> None:
        self._gate = Gate(server, find, (), encrypted)
        self.model = HTTPBase(scheme="digest", description=description)
        self.scheme_name, self.auto_error = scheme_name, auto_error

    async def __call__(self, request: Request, response: Response) -> Any:
        """Raises `HTTPException`, or returns `None` if `auto_error` is off."""
        seen = request.scope.setdefault("countersign_http.users", {})
        # A router and its handler may both depend on it, and a second check would be a replay.
        if self._gate in seen:
            return seen[self._gate]
        verdict = await check(self._gate, request.scope)
        fields = request.scope.get(FIELDS)
        if fields is not None:
            fields.extend(fields_of(verdict))
        elif verdict:
            for name, value in verdict.headers:
                response.headers.append(name, value)
        if verdict:
            user = verdict.user if verdict.account is None else verdict.account
            seen[self._gate] = user
            return user
        report(verdict, request.method, request.scope["path"])
        if not self.auto_error:
            return None
        headers = {} if fields is not None else _joined(verdict.headers)
        raise HTTPException(verdict.status, headers=headers)


def _joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """One value for each name (RFC 9110, section 5.3): an exception cannot carry more."""
    joined: dict[str, str] = {}
    for name, value in headers:
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined
