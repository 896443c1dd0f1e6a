"""The client libraries, each with its own class and with this package's."""

from __future__ import annotations

import asyncio

import aiohttp
import countersign_http.aiohttp
import countersign_http.httpx
import countersign_http.httpx2
import countersign_http.niquests
import countersign_http.requests
import httpx
import httpx2
import niquests
import requests
from requests.auth import HTTPDigestAuth

OURS = {
    "requests": countersign_http.requests.DigestAuth,
    "httpx": countersign_http.httpx.DigestAuth,
    "httpx async": countersign_http.httpx.DigestAuth,
    "httpx2": countersign_http.httpx2.DigestAuth,
    "aiohttp": countersign_http.aiohttp.DigestAuthMiddleware,
    "niquests": countersign_http.niquests.DigestAuth,
    "niquests async": countersign_http.niquests.AsyncDigestAuth,
}
THEIRS = {
    "requests": HTTPDigestAuth,
    "httpx": httpx.DigestAuth,
    "aiohttp": aiohttp.DigestAuthMiddleware,
}
#: What an `except` clause of a user of the library catches.
ERRORS = {
    "requests": requests.RequestException,
    "httpx": httpx.HTTPError,
    "httpx async": httpx.HTTPError,
    "httpx2": httpx2.HTTPError,
    "aiohttp": aiohttp.ClientError,
    "niquests": niquests.RequestException,
    "niquests async": niquests.RequestException,
}

#: One of each flow: the others call the same lines of this package.
FLOWS = ["requests", "httpx", "aiohttp"]

#: Options of clients of httpx; reading the certificates takes longer than the rest.
QUICK = {"trust_env": False, "follow_redirects": True, "verify": False}


class Reply:
    """What the tests look at of a response."""

    def __init__(self, status, sent, text, response):
        self.status, self.sent, self.text, self.response = status, sent, text, response
        self.refusal = countersign_http.refusal(response)

    def __repr__(self):
        return f"<{self.status} {self.refusal}>"


def _of(response):
    sent = response.request.headers.get("Authorization", "")
    return Reply(response.status_code, sent, response.text, response)


def sender(library, auth, **options):
    """A function of a method, a URL and a body, which sends a request by a session with `auth`."""
    if library in ("requests", "niquests"):
        module = requests if library == "requests" else niquests
        session = module.Session()
        session.trust_env, session.auth = False, auth
        return lambda method, url, body=None: _of(session.request(method, url, data=body, **options))
    if library in ("httpx", "httpx2"):
        module = httpx if library == "httpx" else httpx2
        client = module.Client(auth=auth, **QUICK)
        return lambda method, url, body=None: _of(client.request(method, url, content=body))
    return lambda method, url, body=None: asyncio.run(send(library, auth, method, url, body))


async def send(library, auth, method, url, body=None):
    if library == "httpx async":
        async with httpx.AsyncClient(auth=auth, **QUICK) as client:
            return _of(await client.request(method, url, content=body))
    if library == "niquests async":
        async with niquests.AsyncSession() as session:
            session.trust_env, session.auth = False, auth
            return _of(await session.request(method, url, data=body))
    async with aiohttp.ClientSession(middlewares=[auth]) as session:
        async with session.request(method, url, data=body) as response:
            text = await response.text()
            sent = response.request_info.headers.get("Authorization", "")
            return Reply(response.status, sent, text, response)
