"""Why a login failed: the reason of a response, and exceptions."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary


class Reason(enum.Enum):
    """Why a response is handed on although it asks for credentials."""

    WRONG_CREDENTIALS = "wrong-credentials"
    """The server refused the user name or the password. Ask for others, or stop: more guesses may
    lock the account."""
    OTHER_ORIGIN = "other-origin"
    """The login is for another origin (scheme, host and port) than the one that asks."""
    OTHER_REALM = "other-realm"
    """The login is for another realm of this origin."""
    NEEDS_BASIC = "needs-basic"
    """The server asks for Basic, which `basic="https"` allows by https, and `basic="anywhere"` also by
    http."""
    NEEDS_RFC2069 = "needs-rfc2069"
    """The server asks for Digest without qop, which `rfc2069=True` allows."""
    UNUSABLE_CHALLENGE = "unusable-challenge"
    """The challenge has an unknown scheme or algorithm, cannot be read, or is weaker than before."""
    NO_CHALLENGE = "no-challenge"
    """The 401 does not say how to log in: most likely an application sent it."""
    TOO_MANY_ANSWERS = "too-many-answers"
    """The server refused `max_answers` answers to one request, or challenged it without end."""
    BODY_NOT_REPEATABLE = "body-not-repeatable"
    """The request has to be sent again, and its body was a stream that is used up."""
    BODY_NEEDED = "body-needed"
    """The server wants an answer that covers the body, and the body is a stream."""
    PROXY = "proxy"
    """A proxy asks for credentials (407)."""


@dataclass(frozen=True)
class Refusal:
    """Why a response is handed on although it asks for credentials, as `reason` and as text (`str`)."""

    reason: Reason
    text: str
    tried: bool = False
    """Whether the last request carried the login: if so, it counts as a guess at the server."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", Reason(self.reason))

    def __str__(self) -> str:
        return self.text


_refusals: WeakKeyDictionary[Any, Refusal] = WeakKeyDictionary()


def refusal(response: object) -> Refusal | None:
    """Why this response of a client library still asks for credentials. `None` if it does not, or if its
    request was not sent with a class of this package."""
    try:
        return _refusals.get(response)
    except TypeError:
        # No weak reference can be made of it, so no library made it.
        return None


class CountersignError(Exception):
    """The base of the exceptions of this package."""


class ServerProofWrong(CountersignError):
    """The server did not prove that it knows the password: do not trust the response.

    The class of each library is also an exception of that library.
    """


class BodyNeeded(CountersignError):
    """The answer covers the body: pass it to `Exchange.hash_body`, and call `authorize` again."""


class InsecureBasicWarning(UserWarning):
    """`basic="anywhere"` sends the password in the clear to a server that asks for it by http."""
