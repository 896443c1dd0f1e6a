"""Bodies that have to be sent again after a challenge."""

from __future__ import annotations

import asyncio
import hashlib
import io

import aiohttp
import httpx
import pytest
import requests
import scripted
from clients import OURS, sender
from countersign_http import Reason
from scripted import NAME, PASSWORD, protected, serve
from test_table import each, fresh


def generator():
    for _ in range(10):
        yield b"y" * 1000


async def async_generator():
    for part in generator():
        yield part


class Again:
    def __iter__(self):
        return generator()


class AsyncAgain:
    def __aiter__(self):
        return async_generator()


def at_10():
    file = io.BytesIO(b"x" * 10_000)
    file.seek(10)
    return file


SYNC = {"requests", "httpx", "httpx2", "niquests"}
BODIES = {
    "bytes": (lambda: b"x" * 10_000, SYNC | {"httpx async", "aiohttp", "niquests async"}, 10_000),
    "a file": (lambda: io.BytesIO(b"x" * 10_000), SYNC | {"aiohttp", "niquests async"}, 10_000),
    "a file at 10": (at_10, {"requests", "niquests", "aiohttp"}, 9_990),
    "what can be iterated again": (Again, SYNC, 10_000),
    "what can be iterated again, async": (AsyncAgain, {"httpx async"}, 10_000),
    "a generator": (generator, SYNC, None),
    "an async generator": (async_generator, {"httpx async", "aiohttp"}, None),
}


@pytest.mark.parametrize(
    ("body", "library"), [(body, it) for body in BODIES for it in sorted(BODIES[body][1])]
)
@pytest.mark.parametrize("qop", ["auth", "auth-int"])
def test_bodies(body, library, qop):
    make, _, size = BODIES[body]
    with serve(protected(challenges=each(fresh(qop=qop)), qops=(qop,))) as server:
        request = sender(library, OURS[library](NAME, PASSWORD))
        reply = request("POST", server.url, make())
        if size is not None:
            assert (reply.status, reply.text) == (200, f"hello {size}")
            return
        # Never half a body, nor none.
        assert reply.status == 401 and len(server.requests) == 1
        assert reply.refusal.reason is Reason.BODY_NOT_REPEATABLE
        assert "send a small request with this login first" in str(reply.refusal)
        if qop == "auth":
            assert request("GET", server.url).status == 200
            assert request("POST", server.url, make()).text == "hello 10000"


@pytest.mark.parametrize("library", ["requests", "httpx", "httpx async", "httpx2", "aiohttp", "niquests"])
def test_a_body_that_is_redirected(library):
    def answer(server, request):
        if not (request.right() and server.once(request)):
            nonce = f"n{len(server.requests)}"
            return 401, [("WWW-Authenticate", scripted.challenge(nonce=nonce))], b""
        if request.target == "/moved":
            return 307, [("Location", "/there")], b""
        return 200, [], b"hello %d" % len(request.body)

    with serve(answer) as server:
        request = sender(library, OURS[library](NAME, PASSWORD))
        for _ in range(2):
            assert request("POST", server.url + "/moved", b"x" * 5000).text == "hello 5000"


def test_forms_with_files():
    with serve(protected()) as server:
        login = OURS["httpx"](NAME, PASSWORD)
        files = {"f": io.BytesIO(b"x" * 5000)}
        reply = httpx.post(server.url, files=files, auth=login)
        assert reply.status_code == 200 and len(server.requests[-1].body) > 5000
        assert len(server.requests[0].body) == len(server.requests[1].body)
        login = OURS["requests"](NAME, PASSWORD)
        reply = requests.post(server.url, files={"f": io.BytesIO(b"x" * 5000)}, auth=login)
        assert reply.status_code == 200

        async def post():
            form = aiohttp.FormData()
            form.add_field("f", io.BytesIO(b"x" * 5000), filename="n")
            async with aiohttp.ClientSession(middlewares=[OURS["aiohttp"](NAME, PASSWORD)]) as session:
                async with session.post(server.url, data=form) as response:
                    return response.status

        assert asyncio.run(post()) == 200 and len(server.requests[-1].body) > 5000


#: A program that uploads 32 MB to each URL, and prints by how many kilobytes its memory grew at most.
UPLOAD = """
import asyncio, importlib, resource, sys, tempfile
name, *urls = sys.argv[1:]
library = importlib.import_module(name)
ours = importlib.import_module("countersign_http." + name)
async def by_aiohttp(url, file):
    middlewares = [ours.DigestAuthMiddleware("Mufasa", "Circle of Life")]
    async with library.ClientSession(middlewares=middlewares) as session:
        async with session.post(url, data=file) as response:
            return response.status
def upload(url):
    file = tempfile.TemporaryFile()
    file.truncate(32_000_000)
    if name == "aiohttp":
        return asyncio.run(by_aiohttp(url, file))
    login = ours.DigestAuth("Mufasa", "Circle of Life")
    body = {"content" if name == "httpx" else "data": file}
    return library.post(url, auth=login, timeout=60, **body).status_code
memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = memory()
print([upload(url) for url in urls], memory() - before, sep="\\n")
"""


@pytest.mark.parametrize("library", ["requests", "httpx", "aiohttp"])
def test_an_upload_is_never_in_memory(library, run_python, monkeypatch):
    sizes, hashes = [], []

    def read_body(handler):
        left, hashed = int(handler.headers["content-length"]), hashlib.sha256()
        sizes.append(left)
        while left:
            part = handler.rfile.read(min(left, 1 << 20))
            hashed.update(part)
            left -= len(part)
        hashes.append(hashed.hexdigest())
        return b""

    monkeypatch.setattr(scripted.Handler, "read_body", read_body)
    # The body that the check hashes is empty here, so that it takes the hash of what came.
    own = scripted.digest
    monkeypatch.setattr(scripted, "digest", lambda name, it: hashes[-1] if it == b"" else own(name, it))
    with serve(protected(challenges=each(fresh()))) as auth:
        with serve(protected(challenges=each(fresh(qop="auth-int")), qops=("auth-int",))) as auth_int:
            statuses, memory = run_python(UPLOAD, library, auth.url, auth_int.url).splitlines()
    assert statuses == "[200, 200]" and sizes == [32_000_000] * 4
    assert int(memory) < 16_000
