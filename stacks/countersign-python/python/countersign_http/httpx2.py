"""Authentication for httpx2: `DigestAuth` for a `Client` and for an `AsyncClient`."""

from __future__ import annotations

import httpx2

from . import _errors
from ._httpx import FlowLogin
from ._login import Login

__all__ = ["DigestAuth", "ServerProofWrong"]


class ServerProofWrong(_errors.ServerProofWrong, httpx2.RequestError):
    __doc__ = _errors.ServerProofWrong.__doc__


class DigestAuth(FlowLogin, httpx2.Auth):
    __doc__ = Login.__doc__
    _proof_error = ServerProofWrong
    _byte_stream = httpx2.ByteStream
    _cookies = httpx2.Cookies
