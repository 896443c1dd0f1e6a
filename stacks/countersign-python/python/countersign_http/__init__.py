"""HTTP Digest and Basic authentication, for clients and servers.

A class for each library is in the module of its name, such as `countersign_http.requests.DigestAuth`.
`asgi.Auth`, `wsgi.Auth`, `fastapi.Digest`, `flask.Digest` and `django.DigestMiddleware` are for servers.
The objects here do no I/O: with `Clients` and `Exchange` other HTTP libraries log in, with `Server` other
servers check requests.
"""

from ._core import Clients, Exchange, Verdict, __version__
from ._errors import (
    BodyNeeded,
    CountersignError,
    InsecureBasicWarning,
    Reason,
    Refusal,
    ServerProofWrong,
    refusal,
)
from ._server import Server

__all__ = [
    "BodyNeeded",
    "Clients",
    "CountersignError",
    "Exchange",
    "InsecureBasicWarning",
    "Reason",
    "Refusal",
    "Server",
    "ServerProofWrong",
    "Verdict",
    "__version__",
    "refusal",
]
