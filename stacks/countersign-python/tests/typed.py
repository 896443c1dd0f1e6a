"""A user's program, which mypy --strict and pyright accept as it is, with an error in each marked line.
It is not run."""

from collections.abc import Callable

import aiohttp
import countersign_http.asgi
import countersign_http.wsgi
import httpx
import requests
from countersign_http import Clients, Exchange, Reason, Refusal, Server, Verdict, refusal
from countersign_http.aiohttp import DigestAuthMiddleware
from countersign_http.httpx import DigestAuth as HttpxAuth
from countersign_http.requests import DigestAuth as RequestsAuth
from typing_extensions import assert_type

requests.get("http://cam/", auth=RequestsAuth("a", "b"))
session = requests.Session()
session.auth = RequestsAuth("a", "b", origin="http://cam", realm="x", basic="https")
client = httpx.AsyncClient(auth=HttpxAuth("a", "b"))
httpx.get("http://cam/", auth=HttpxAuth("a", "b", rfc2069=True, require_proof=True))


async def by_aiohttp() -> int:
    login = DigestAuthMiddleware("a", "b", auth_int=True, max_answers=2)
    async with aiohttp.ClientSession(middlewares=[login]) as opened:
        async with opened.get("http://cam/", middlewares=(login,)) as response:
            why = refusal(response)
            return response.status if why is None else 0


why = refusal(requests.get("http://cam/", auth=RequestsAuth("a", "b")))
assert_type(why, Refusal | None)
if why and why.reason is Reason.WRONG_CREDENTIALS:
    raise SystemExit(str(why))
login = RequestsAuth("a", "b")
login.forget()
assert_type(login.origin, str | None)

server = Server("files", algorithms=["SHA-256", "MD5"], basic="https")
users = {"a": server.ha1("a", "b")}
verdict: Verdict = server.check("GET", "/", ["Basic x"], users.get, encrypted=True)
server.check("GET", b"/", None, lambda name: (users[name], object()))
find: Callable[[str], str | None] = users.get


async def look_up(name: str) -> tuple[str, int] | None:
    return (users[name], 1) if name in users else None


async def check() -> Verdict:
    return await server.acheck("GET", "/", b"Basic x", look_up)


async def app(scope: object, receive: object, send: object) -> None: ...


countersign_http.asgi.Auth(app, server, look_up, exclude=["/open"])

clients = Clients(rfc2069=True)
clients.add_account("http://cam", "a", "b", realm="x")
exchange = Exchange(clients, "GET", "http://cam/", body=b"")
again: bool = exchange.received(401, ["Basic"], ())
assert_type(exchange.authorize(), str | None)

RequestsAuth("a", 1)  # wrong
RequestsAuth("a", "b", max_answer=2)  # wrong
RequestsAuth("a", "b", basic=True)  # wrong
HttpxAuth("a", "b", rfc2069="yes")  # wrong
requests.get("http://cam/", auth=HttpxAuth("a", "b"))  # wrong
server.check("GET", "/", [], look_up)  # wrong
Server("files", algorithms="MD5")  # wrong
Exchange(clients, "GET", "http://cam/", body="x")  # wrong
countersign_http.wsgi.Auth(app, server, users.get)  # wrong
why.reason  # wrong
