"""What the classes of all server frameworks share."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import quote

from . import _core
from ._core import Verdict

log = logging.getLogger("countersign_http")

Account = str | tuple[str, Any] | None
Find = Callable[[str], Account]
AsyncFind = Callable[[str], Account | Awaitable[Account]]
Values = list[bytes] | list[str] | tuple[bytes, ...] | tuple[str, ...] | bytes | str | None


class Server(_core.Server):
    __doc__ = _core.Server.__doc__

    async def acheck(
        self,
        method: str,
        target: str | bytes,
        authorization: Values,
        find: AsyncFind,
        *,
        encrypted: bool = False,
        body: bytes | None = None,
    ) -> Verdict:
        """Like `check`, with a `find` that may be async."""
        found: Any = None
        name = self.claimed(method, target, authorization, encrypted=encrypted)
        if name is not None:
            found = find(name)
            if inspect.isawaitable(found):
                found = await found
        return self.check(method, target, authorization, lambda _: found, encrypted=encrypted, body=body)


class Gate:
    """The settings of a middleware: who is let in, and where nobody is asked."""

    def __init__(
        self,
        server: Server,
        find: AsyncFind,
        exclude: Iterable[str] = (),
        encrypted: bool | None = None,
    ) -> None:
        if not isinstance(server, Server):
            raise TypeError(f"server: expected a Server, not {type(server).__name__}")
        if not callable(find):
            raise TypeError("find: expected a function of a user name, such as a dict's `get`")
        if isinstance(exclude, str):
            raise TypeError("exclude: expected a list of paths, not a str")
        paths = [*exclude]
        for path in paths:
            if not path.startswith("/"):
                raise ValueError(f"exclude: a path begins with /, not {path!r}")
        self.server, self.find, self.encrypted = server, find, encrypted
        self._exact = {path for path in paths if not path.endswith("/")}
        self._below = tuple(path for path in paths if path.endswith("/"))

    def is_open(self, method: str, path: str, has_preflight_fields: bool) -> bool:
        """Whether a request needs no login: an excluded path, or the preflight of CORS, which browsers
        send without credentials."""
        if method == "OPTIONS" and has_preflight_fields:
            return True
        # What a framework may resolve to another path is never open.
        if "/.." in path or "\\" in path:
            return False
        return path in self._exact or path.startswith(self._below)

    def is_encrypted(self, scheme: str) -> bool:
        return scheme in ("https", "wss") if self.encrypted is None else self.encrypted


def report(verdict: Verdict, method: str, path: str) -> None:
    """Writes a refused request to the log."""
    if verdict.reason == "uri-mismatch":
        hint = " (a server such as wsgiref that decodes %2F does not pass the target on as it was sent)"
        log.warning("%s %s refused: the answer is for another target%s", method, line(path), hint)
    elif verdict.is_guess:
        log.warning("%s %s refused: %s", method, line(path), verdict.reason)
    else:
        log.debug("%s %s refused: %s", method, line(path), verdict.reason)


def line(path: str) -> str:
    """A path as a line of the log can have it."""
    return quote(path, safe="/!$&'()*+,;=:@~")
