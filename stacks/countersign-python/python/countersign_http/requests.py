"""Authentication for requests: `requests.get(url, auth=DigestAuth("Mufasa", "Circle of Life"))`."""

from __future__ import annotations

import requests
from requests.auth import AuthBase
from requests.cookies import extract_cookies_to_jar

from . import _errors
from ._login import Login
from ._requests import SyncHookLogin

__all__ = ["DigestAuth", "ServerProofWrong"]


class ServerProofWrong(_errors.ServerProofWrong, requests.RequestException):
    __doc__ = _errors.ServerProofWrong.__doc__


class DigestAuth(SyncHookLogin, AuthBase):
    __doc__ = Login.__doc__
    _proof_error = ServerProofWrong

    _take_cookies = staticmethod(extract_cookies_to_jar)
