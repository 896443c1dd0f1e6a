"""What the classes of all client libraries share: a login, and one request of it."""

from __future__ import annotations

import logging
import os
import re
import time
import warnings
from typing import Any, Literal, TypeVar

from ._core import Clients, Exchange
from ._errors import (
    BodyNeeded,
    InsecureBasicWarning,
    Reason,
    Refusal,
    ServerProofWrong,
    _refusals,
)

log = logging.getLogger("countersign_http")
log.addHandler(logging.NullHandler())

BasicChoice = Literal[False, "https", "anywhere"]

#: Seconds between two looks whether it is a request's turn.
PAUSE = 0.01
#: Seconds after which a login in flight no longer holds up the others.
PATIENCE = 5.0

STALE = re.compile(r'\bstale\s*=\s*"?true', re.IGNORECASE)

Self = TypeVar("Self", bound="Login")


class Login:
    """A user name and a password for one server.

    They go to `origin`, such as `"http://cam:8080"`, or to the origin of the first request, and to no
    other, also not after a redirect; to `realm`, or to each realm of the origin. Only hashes
    of the password are sent, by Digest, unless `basic` is `"https"`, or `"anywhere"`, where others may
    read it.

    Keep one object: then later requests are not challenged. Threads and tasks may share it. Equality,
    `pickle` and `copy` are of the login, and not of what its server said.

    rfc2069: answer challenges without qop, too, as some cameras and printers send.
    require_proof: raise `ServerProofWrong` for each response, unless the server proves that it knows
        the password.
    auth_int: answers cover the body where the server offers that.
    max_answers: how many answers to one request a server may refuse.
    """

    _proof_error: type[ServerProofWrong] = ServerProofWrong

    def __init__(
        self,
        username: str | bytes,
        password: str | bytes,
        *,
        origin: str | None = None,
        realm: str | None = None,
        basic: BasicChoice = False,
        rfc2069: bool = False,
        require_proof: bool = False,
        auth_int: bool = False,
        max_answers: int = 3,
    ) -> None:
        self._username = _text("username", username)
        self._password = _text("password", password)
        self._options: dict[str, Any] = {
            "origin": origin,
            "realm": realm,
            "basic": basic,
            "rfc2069": rfc2069,
            "require_proof": require_proof,
            "auth_int": auth_int,
            "max_answers": max_answers,
        }
        self._start(origin)
        if basic == "anywhere":
            text = 'basic="anywhere" sends the password in the clear if a server asks for it by http'
            warnings.warn(text, InsecureBasicWarning, stacklevel=2)

    def _start(self, origin: str | None) -> None:
        options = dict(self._options)
        options.pop("origin")
        account = {name: options.pop(name) for name in ("realm", "basic")}
        self._clients = Clients(**options)
        self._clients.add_account(origin, self._username, self._password, **account)
        # How many requests were let in. It only ever has to differ.
        self._let_in = 0
        # The process and the attempt that logs in now.
        self._turn: dict[int, Attempt] = {}

    @property
    def origin(self) -> str | None:
        """The origin that the login is for, or `None` before the first request."""
        origins = self._clients.origins
        return origins[0] if origins else None

    def forget(self) -> None:
        """Forgets what the server asked for, accepted and refused: after a new password at the server,
        or if its login was changed. The origin stays."""
        self._clients.forget()

    def _attempt(
        self,
        method: str,
        url: str,
        *,
        target: str | bytes | None = None,
        body: bytes | None = None,
    ) -> Attempt:
        return Attempt(self, method, url, target, body)

    def _not_for(self, request: object) -> TypeError:
        """The classes of requests and httpx have the same name, and either may be imported."""
        kind, library = type(self), type(request).__module__.partition(".")[0]
        name = f"{kind.__module__}.{kind.__qualname__}"
        return TypeError(f"{name} is not for {library}: use the class of countersign_http.{library}")

    def __repr__(self) -> str:
        kind = type(self)
        defaults = Login.__init__.__kwdefaults__ or {}
        given = self._options.items()
        options = "".join(f", {name}={value!r}" for name, value in given if value != defaults[name])
        return f"{kind.__module__}.{kind.__qualname__}({self._username!r}, '***'{options})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Login)
        mine = self._username, self._password, self._options
        return mine == (other._username, other._password, other._options)

    def __hash__(self) -> int:
        return hash((type(self), self._username))

    def __reduce__(self) -> tuple[Any, ...]:
        return _copy, (type(self), self._username, self._password, self._options, self.origin)


def _copy(kind: type[Self], username: str, password: str, options: Any, origin: str | None) -> Self:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureBasicWarning)
        login = kind(username, password, **options)
    # A copy goes nowhere else than the original.
    login._start(origin)
    return login


def _text(what: str, value: object) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise ValueError(f"{what}: expected a str, or bytes in UTF-8") from None
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected a str, not {type(value).__name__}")
    return value


class Attempt:
    """One request of a login: its exchange, its turn, and its lines in the log."""

    __slots__ = ("exchange", "_login", "_where", "_seen", "_answered", "_deadline")

    def __init__(
        self, login: Login, method: str, url: str, target: str | bytes | None, body: bytes | None
    ) -> None:
        self.exchange = Exchange(login._clients, method, url, target=target, body=body)
        self._login, self._where = login, (method, url)
        self._seen, self._answered, self._deadline = login._let_in, False, 0.0

    def authorize(self) -> str | None:
        """The value of `Authorization` for the next request. Raises `BodyNeeded`."""
        answer = self.exchange.authorize()
        self._answered = answer is not None
        self._seen = self._login._let_in
        if answer is not None and log.isEnabledFor(logging.DEBUG):
            log.debug("%s: %s", self._name(), _summary(answer))
        return answer

    def authorize_or_refuse(self) -> tuple[str | None, bool]:
        """The value of `Authorization`, and whether there is none because its body is not at hand."""
        try:
            return self.authorize(), False
        except BodyNeeded:
            return None, True

    def must_wait_to_start(self) -> bool:
        """Whether another request of the login is logging in now: look again after a `PAUSE`.

        Otherwise this request would carry an answer that nobody knows to be right, and of twenty tasks
        with a wrong password each would count as a guess, which locks the account of many a camera.
        """
        first = self._login._turn.get(os.getpid())
        return first is not None and first._deadline > time.monotonic()

    def must_wait(self, status: int, challenges: list[str]) -> bool:
        """Whether it is another request's turn to answer a challenge: look again after a `PAUSE`."""
        login = self._login
        if status != 401 or login._let_in != self._seen:
            return False
        # The password was right, so it is no guess, and the response to this may take long.
        if any(STALE.search(value) for value in challenges):
            return False
        # By process, because a fork copies a login in flight that nobody there will end. One call,
        # so that of two threads one is first.
        now = time.monotonic()
        self._deadline = now + PATIENCE
        first = login._turn.setdefault(os.getpid(), self)
        if first is self:
            return False
        if first._deadline > now:
            return True
        login._turn[os.getpid()] = self
        return False

    def received(self, response: object, status: int, challenges: Any, info: Any) -> bool:
        """Takes a response; returns whether to send the request again. Raises the library's
        `ServerProofWrong`."""
        try:
            again = self.exchange.received(status, challenges, info)
        except ServerProofWrong as wrong:
            self.done()
            log.warning("%s: %s", self._name(), wrong)
            raise
        if again:
            return True
        if status != 401 and self._answered:
            self._login._let_in += 1
        self.done()
        why = self.exchange.refusal
        if status == 407:
            text = "a proxy asks for credentials, which belong into the URL of the proxy"
            why = Refusal(Reason.PROXY, text)
        if why is not None:
            self.refuse(response, why)
        return False

    def refuse(self, response: object, why: Refusal | None = None) -> None:
        """Notes why the response is handed on, by default what the exchange says."""
        why = why or self.exchange.refusal
        assert why is not None
        self.done()
        _refusals[response] = why
        log.warning("%s: %s", self._name(), why)

    def refuse_body(self, response: object) -> None:
        """The request would have to be sent again, and its body is gone."""
        text = (
            "the server asked for the login after the body was sent, and the body was a stream that "
            "cannot be sent again: send a small request with this login first, or pass bytes or a file"
        )
        self.refuse(response, Refusal(Reason.BODY_NOT_REPEATABLE, text))

    def done(self) -> None:
        """Lets the next request log in. Does no harm if called twice."""
        turns, here = self._login._turn, os.getpid()
        if turns.get(here) is self:
            del turns[here]

    def _name(self) -> str:
        method, url = self._where
        # A query may hold a secret, and so may what stands before an `@`.
        return f"{method} {re.sub('//[^/?#]*@', '//', re.split('[?#]', url, maxsplit=1)[0])}"


def _summary(answer: str) -> str:
    if not answer.startswith("Digest "):
        return "sends a Basic answer"
    found = dict(re.findall(r"\b(algorithm|qop|nc)=\"?([\w-]+)", answer))
    return f"sends a Digest answer, {', '.join(found.values())}"


def is_iterator(body: object) -> bool:
    """Whether a body that is iterated is used up: an iterator is its own."""
    return hasattr(body, "__next__") or hasattr(body, "__anext__")


def position(body: object) -> int | None:
    """Where a file is, to go back there; `None` if it cannot."""
    seekable = getattr(body, "seekable", None)
    try:
        if not hasattr(body, "seek") or (seekable is not None and not seekable()):
            return None
        return int(body.tell())  # type: ignore[attr-defined]
    except (AttributeError, OSError, TypeError, ValueError):
        return None


def rewind(body: Any, start: int | None) -> bool:
    """Makes a body ready to be sent again; returns whether it could."""
    if body is None or isinstance(body, (bytes, bytearray, str)):
        return True
    if start is not None:
        try:
            body.seek(start)
        except (OSError, ValueError):
            return False
        return True
    return not hasattr(body, "read") and not is_iterator(body)
