"""Microseconds of CPU for an answer and for a whole request, beside the classes of the libraries. Install a
release wheel first; the tests do not run this.

    python tests/speed.py
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time

import aiohttp
import countersign_http.aiohttp
import countersign_http.httpx
import countersign_http.requests
import httpx
import requests
from countersign_http import Clients, Exchange, Server
from multidict import CIMultiDict
from requests.auth import HTTPDigestAuth
from yarl import URL

NAME, PASSWORD = "Mufasa", "Circle of Life"
CHALLENGE = 'Digest realm="files", qop="auth", algorithm={}, nonce="AaIizjc6exrPa3MbFuasnQ5Ywj7nCIcF-gL9LoWF"'
PAGE = "http://127.0.0.1:9000/a.txt"


def best(call, times=20_000, rounds=7):
    took = []
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(times):
            call()
        took.append((time.process_time() - started) / times * 1e6)
    return min(took)


def answers(algorithm):
    challenge = CHALLENGE.format(algorithm)
    own = HTTPDigestAuth(NAME, PASSWORD)
    own.init_per_thread_state()
    own._thread_local.chal = requests.utils.parse_dict_header(challenge[7:])
    own._thread_local.last_nonce = own._thread_local.chal["nonce"]
    yield "requests' own", lambda: own.build_digest_header("GET", PAGE)

    flow = httpx.DigestAuth(NAME, PASSWORD)
    request = httpx.Request("GET", PAGE)
    response = httpx.Response(401, headers={"www-authenticate": challenge}, request=request)
    parsed = flow._parse_challenge(request, response, challenge)
    yield "httpx' own", lambda: flow._build_auth_header(request, parsed)

    class Response:
        status, url, headers = 401, URL(PAGE), CIMultiDict({"www-authenticate": challenge})

    middleware = aiohttp.DigestAuthMiddleware(NAME, PASSWORD)
    middleware._authenticate(Response())

    def encode():
        try:
            middleware._encode("GET", URL(PAGE), b"").send(None)
        except StopIteration:
            pass

    yield "aiohttp's own", encode

    clients = Clients()
    clients.add_account(None, NAME, PASSWORD)
    first = Exchange(clients, "GET", PAGE)
    first.received(401, [challenge])
    first.authorize()
    first.received(200)
    yield "Exchange, authorize", lambda: Exchange(clients, "GET", PAGE).authorize()

    def whole():
        exchange = Exchange(clients, "GET", PAGE)
        exchange.authorize()
        exchange.received(200)

    yield "Exchange, authorize, received", whole

    server = Server("files", algorithms=[algorithm])
    find = {NAME: server.ha1(NAME, PASSWORD)}.get
    own_clients = Clients()
    own_clients.add_account(None, NAME, PASSWORD)

    def both():
        exchange = Exchange(own_clients, "GET", PAGE)
        verdict = server.check("GET", "/a.txt", exchange.authorize(), find)
        values = [value for _, value in verdict.headers]
        if exchange.received(verdict.status, values, values if verdict else ()):
            server.check("GET", "/a.txt", exchange.authorize(), find)
            exchange.received(200)

    yield "a request, the server's check, its proof and the check of that", both


def site(ready):
    """Lets in whatever has an answer, as fast as it can."""

    async def serve():
        async def one(reader, writer):
            try:
                while head := await reader.readuntil(b"\r\n\r\n"):
                    if b"uthorization: Digest" in head:
                        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                    else:
                        lines = "HTTP/1.1 401 No\r\ncontent-length: 0\r\nwww-authenticate: {}\r\n\r\n"
                        writer.write(lines.format(CHALLENGE.format("SHA-256")).encode())
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()

        server = await asyncio.start_server(one, "127.0.0.1", 0)
        ready.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def requests_by(url, kind, times):
    with requests.Session() as session:
        session.trust_env, session.auth = False, kind and kind(NAME, PASSWORD)
        session.get(url)
        return best(lambda: session.get(url), times, 3)


def httpx_by(url, kind, times):
    with httpx.Client(auth=kind and kind(NAME, PASSWORD), trust_env=False, verify=False) as client:
        client.get(url)
        return best(lambda: client.get(url), times, 3)


def aiohttp_by(url, kind, times):
    async def go():
        took = []
        middlewares = [kind(NAME, PASSWORD)] if kind else []
        async with aiohttp.ClientSession(middlewares=middlewares) as session:
            for _ in range(4):
                started = time.process_time()
                for _ in range(times):
                    async with session.get(url) as response:
                        await response.read()
                took.append((time.process_time() - started) / times * 1e6)
        return min(took)

    return asyncio.run(go())


def main():
    for algorithm in ("SHA-256", "MD5"):
        for what, call in answers(algorithm):
            print(f"{algorithm:8} {what}: {best(call):.1f} us", flush=True)
    ready = multiprocessing.Queue()
    process = multiprocessing.Process(target=site, args=(ready,), daemon=True)
    process.start()
    url = f"http://127.0.0.1:{ready.get()}/a.txt"
    kinds = {
        requests_by: (HTTPDigestAuth, countersign_http.requests.DigestAuth),
        httpx_by: (httpx.DigestAuth, countersign_http.httpx.DigestAuth),
        aiohttp_by: (aiohttp.DigestAuthMiddleware, countersign_http.aiohttp.DigestAuthMiddleware),
    }
    for by, (own, ours) in kinds.items():
        # By turns, three times, as other programs use the machine, too.
        took = [[by(url, kind, 400) for kind in (None, own, ours)] for _ in range(3)]
        bare, own_took, ours_took = (min(column) for column in zip(*took, strict=True))
        library = by.__name__.removesuffix("_by")
        print(
            f"{library}: no login {bare:.0f} us, own {own_took:.0f} us, ours {ours_took:.0f} us",
            flush=True,
        )
    process.terminate()


if __name__ == "__main__":
    main()
