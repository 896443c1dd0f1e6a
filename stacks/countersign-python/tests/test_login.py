"""What the classes of all client libraries have in common."""

from __future__ import annotations

import asyncio
import copy
import io
import logging
import os
import pickle
import threading
import warnings

import aiohttp
import countersign_http
import httpx
import pytest
import requests
import trio
from clients import ERRORS, OURS, QUICK, send, sender
from countersign_http import InsecureBasicWarning, Reason, ServerProofWrong, refusal
from scripted import NAME, PASSWORD, challenge, protected, serve
from test_table import BASIC, each, fresh, proof

ALL = pytest.mark.parametrize("library", [*OURS])


@ALL
def test_it_is_a_value(library):
    kind = OURS[library]
    login = kind("admin", "s3cret", origin="http://cam:8080", rfc2069=True)
    name = f"{kind.__module__}.{kind.__name__}"
    assert repr(login) == f"{name}('admin', '***', origin='http://cam:8080', rfc2069=True)"
    same = kind("admin", "s3cret", origin="http://cam:8080", rfc2069=True)
    assert login == same and hash(login) == hash(same)
    assert login != kind("admin", "other", origin="http://cam:8080", rfc2069=True)
    assert login != "admin"
    for copied in (copy.copy(login), copy.deepcopy(login), pickle.loads(pickle.dumps(login))):
        assert copied == login and type(copied) is kind and copied.origin == "http://cam:8080"
    assert "s3cret" not in repr(login) and login.__doc__ and kind.__doc__


@ALL
@pytest.mark.parametrize(
    ("arguments", "options", "error", "says"),
    [
        (("ad:min", "x"), {}, ValueError, "colon"),
        (("admin", None), {}, TypeError, "password: expected a str, not NoneType"),
        (("admin", 1234), {}, TypeError, "not int"),
        ((b"admin", b"\xff"), {}, ValueError, "UTF-8"),
        (("ad\nmin", "x"), {}, ValueError, "control"),
        (("a", "b"), {"origin": "cam:8080"}, ValueError, "://"),
        (("a", "b"), {"origin": "http://cam:99999"}, ValueError, "port"),
        (("a", "b"), {"origin": "ftp://cam"}, ValueError, "port"),
        (("a", "b"), {"origin": "http://"}, ValueError, "host"),
        (("a", "b"), {"basic": True}, ValueError, "https"),
        (("a", "b"), {"basic": "always"}, ValueError, "anywhere"),
        (("a", "b"), {"max_answers": 0}, ValueError, "1 to 255"),
        (("a", "b"), {"max_answers": 10**30}, OverflowError, None),
        (("a", "b"), {"max_answer": 2}, TypeError, "max_answer"),
        (("a", "b"), {"realm": 3}, TypeError, None),
    ],
)
def test_bad_arguments_are_refused_at_once(library, arguments, options, error, says):
    with pytest.raises(error, match=says):
        OURS[library](*arguments, **options)


@ALL
def test_bytes_are_text_in_utf8(library):
    assert OURS[library](b"admin", "é".encode()) == OURS[library]("admin", "é")


@ALL
def test_basic_in_the_clear_warns(library):
    with pytest.warns(InsecureBasicWarning) as caught:
        login = OURS[library]("a", "b", basic="anywhere")
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(login))
        OURS[library]("a", "b", basic="https")


REFUSALS = {
    "wrong password": (
        {},
        protected(password="other"),
        Reason.WRONG_CREDENTIALS,
        "the server refused the user name or the password",
    ),
    "Basic, not allowed": ({}, protected(challenges=each(BASIC)), Reason.NEEDS_BASIC, "asks for Basic"),
    "Basic over http": (
        {"basic": "https"},
        protected(challenges=each(BASIC)),
        Reason.NEEDS_BASIC,
        "others on the way could read",
    ),
    "no qop": ({}, protected(challenges=each(fresh("MD5", qop=None))), Reason.NEEDS_RFC2069, "without qop"),
    "another realm": ({"realm": "x"}, protected(), Reason.OTHER_REALM, "another realm"),
    "another origin": ({"origin": "http://cam:81"}, protected(), Reason.OTHER_ORIGIN, "for http://cam:81"),
    "an unknown scheme": ({}, protected(challenges=each("Negotiate")), Reason.UNUSABLE_CHALLENGE, "scheme"),
    "an unknown algorithm": (
        {},
        protected(challenges=each(fresh("SHA-3"))),
        Reason.UNUSABLE_CHALLENGE,
        "algorithm",
    ),
    "a challenge without end": (
        {},
        protected(challenges=each('Digest realm="files')),
        Reason.UNUSABLE_CHALLENGE,
        "cannot be read",
    ),
    "-sess without qop": (
        {"rfc2069": True},
        protected(challenges=each(fresh("MD5-sess", qop=None))),
        Reason.UNUSABLE_CHALLENGE,
        "-sess",
    ),
    "no proof": (
        {"require_proof": True, "rfc2069": True},
        protected(challenges=each(fresh("MD5", qop=None))),
        Reason.UNUSABLE_CHALLENGE,
        "cannot prove",
    ),
    "too long": (
        {},
        protected(challenges=each(fresh(extra=f', opaque="{"x" * 5000}"'))),
        Reason.UNUSABLE_CHALLENGE,
        "4 KiB",
    ),
    "no challenge": ({}, protected(challenges=each()), Reason.NO_CHALLENGE, "without a challenge"),
    "always stale": (
        {},
        protected(lambda *_: False, each(fresh(extra=", stale=true"))),
        Reason.TOO_MANY_ANSWERS,
        "one answer to this request after another",
    ),
    "a proxy": (
        {},
        lambda *_: (407, [("Proxy-Authenticate", 'Digest realm="x", nonce="n", qop="auth"')], b""),
        Reason.PROXY,
        "proxy",
    ),
}


@ALL
@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_says_what_to_do(name, library, caplog):
    options, answer, reason, says = REFUSALS[name]
    with serve(answer) as server, caplog.at_level(logging.DEBUG, "countersign_http"):
        login = OURS[library](NAME, PASSWORD, **options)
        reply = sender(library, login)("GET", server.url + "/a?token=t0ken")
    assert reply.refusal is not None and reply.refusal.reason is reason
    assert says in str(reply.refusal)
    # No name of Rust, and none of a protection that could be turned off.
    for word in ("::", "with_", "Quirk", "Policy", "rfc2069=", "basic="):
        assert word not in str(reply.refusal)
    assert reply.status in (401, 407)
    lines = [it.getMessage() for it in caplog.records if it.levelno == logging.WARNING]
    assert lines == [f"GET {server.url}/a: {reply.refusal}"]
    assert PASSWORD not in caplog.text and "t0ken" not in caplog.text


@ALL
def test_a_wrong_password_is_sent_less_and_less_often(library):
    with serve(protected()) as server:
        login = OURS[library](NAME, "wrong")
        request = sender(library, login)
        tried = [request("GET", server.url).refusal.tried for _ in range(6)]
        assert tried == [True, True, False, True, False, False]
        assert server.guesses == 3
        assert "forget()" in str(request("GET", server.url).refusal)
        login.forget()
        assert request("GET", server.url).refusal.tried


@ALL
def test_the_password_goes_to_the_first_origin_only(library):
    with serve(protected()) as first, serve(protected()) as second:
        login = OURS[library](NAME, PASSWORD)
        assert login.origin is None
        request = sender(library, login)
        assert request("GET", first.url).status == 200
        assert login.origin == first.url
        for other in (login, copy.deepcopy(login), pickle.loads(pickle.dumps(login))):
            reply = sender(library, other)("GET", second.url)
            assert reply.status == 401 and reply.refusal.reason is Reason.OTHER_ORIGIN
            assert first.url in str(reply.refusal) and second.url in str(reply.refusal)
        assert second.guesses == 0
        login.forget()
        assert login.origin == first.url
        assert request("GET", second.url).status == 401
        assert request("GET", first.url).status == 200


@ALL
def test_a_redirect_takes_no_password_along(library):
    with serve(protected()) as other:
        with serve(lambda *_: (302, [("Location", other.url + "/x")], b"")) as server:
            reply = sender(library, OURS[library](NAME, PASSWORD))("GET", server.url)
            assert reply.status == 401 and reply.refusal.reason is Reason.OTHER_ORIGIN
            assert other.guesses == 0 and len(other.requests) == 1


@ALL
def test_ipv6(library):
    with serve(protected(), host="::1") as server:
        assert sender(library, OURS[library](NAME, PASSWORD))("GET", server.url).status == 200


@ALL
def test_a_wrong_proof_is_an_error_of_the_library(library, caplog):
    with serve(protected(granted=proof(wrong=True))) as server:
        request = sender(library, OURS[library](NAME, PASSWORD))
        for _ in range(3):
            with pytest.raises(ERRORS[library]) as caught:
                request("GET", server.url)
            assert isinstance(caught.value, ServerProofWrong)
            assert "rspauth" in str(caught.value)
    assert "rspauth" in caplog.text


@ALL
def test_a_missing_proof_is_an_error_if_it_is_required(library):
    with serve(protected()) as server, serve(protected(granted=proof())) as proving:
        with pytest.raises(ERRORS[library], match="require_proof"):
            login = OURS[library](NAME, PASSWORD, require_proof=True)
            sender(library, login)("GET", server.url)
        login = OURS[library](NAME, PASSWORD, require_proof=True)
        assert sender(library, login)("GET", proving.url).status == 200


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


#: A program that uploads 32 MB, and prints by how many kilobytes its memory grew at most.
UPLOAD = """
import asyncio, resource, sys, tempfile
import aiohttp, httpx, requests
from clients import OURS
file = tempfile.TemporaryFile()
file.truncate(32_000_000)
library, url = sys.argv[1:]
login = OURS[library]("Mufasa", "Circle of Life")
memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = memory()
async def by_aiohttp():
    async with aiohttp.ClientSession(middlewares=[login]) as session:
        async with session.post(url, data=file) as response:
            return response.status
if library == "aiohttp":
    status = asyncio.run(by_aiohttp())
elif library == "httpx":
    status = httpx.post(url, content=file, auth=login, timeout=60).status_code
else:
    status = requests.post(url, data=file, auth=login).status_code
print(status, memory() - before)
"""


@pytest.mark.parametrize("library", ["requests", "httpx", "aiohttp"])
@pytest.mark.parametrize("qop", ["auth", "auth-int"])
def test_an_upload_is_never_in_memory(library, qop, run_python, monkeypatch):
    import hashlib

    import scripted

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
    with serve(protected(challenges=each(fresh(qop=qop)), qops=(qop,))) as server:
        status, memory = run_python(UPLOAD, library, server.url).split()
    assert status == "200" and sizes == [32_000_000] * 2
    assert int(memory) < 16_000


@pytest.mark.parametrize("library", ["requests", "httpx", "niquests"])
def test_twenty_threads_with_a_wrong_password(library):
    with serve(protected(), delay=0.02) as server:
        login = OURS[library](NAME, "wrong")
        request = sender(library, login)
        # One session each, as connections are not what is tested.
        workers = [
            threading.Thread(target=lambda: sender(library, login)("GET", server.url)) for _ in range(20)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert 1 <= server.guesses <= 5
        assert request is not None and not login._turn


@pytest.mark.parametrize("library", ["httpx async", "aiohttp", "niquests async"])
def test_twenty_tasks(library):
    async def all_of(login, server):
        tasks = [send(library, login, "GET", server.url) for _ in range(20)]
        return [reply.status for reply in await asyncio.gather(*tasks)]

    with serve(protected(), delay=0.02) as server:
        login = OURS[library](NAME, "wrong")
        assert asyncio.run(all_of(login, server)) == [401] * 20
        assert 1 <= server.guesses <= 5 and not login._turn
    with serve(protected(), delay=0.02) as server:
        login = OURS[library](NAME, PASSWORD)
        # Twice, because each run has a loop of its own.
        for _ in range(2):
            assert asyncio.run(all_of(login, server)) == [200] * 20
        assert len(server.requests) <= 60 and not login._turn


def test_trio():
    async def all_of(login, url):
        async with httpx.AsyncClient(auth=login, **QUICK) as client:
            statuses = []

            async def one():
                statuses.append((await client.get(url)).status_code)

            async with trio.open_nursery() as nursery:
                for _ in range(20):
                    nursery.start_soon(one)
            return statuses

    with serve(protected()) as server:
        assert trio.run(all_of, OURS["httpx"](NAME, PASSWORD), server.url) == [200] * 20
        before = server.guesses
        assert trio.run(all_of, OURS["httpx"](NAME, "wrong"), server.url) == [401] * 20
        assert 1 <= server.guesses - before <= 5


def test_a_login_that_hangs_does_not_hold_up_others_for_good(monkeypatch):
    monkeypatch.setattr("countersign_http._login.PATIENCE", 0.2)
    with serve(protected()) as server:
        login = OURS["httpx"](NAME, PASSWORD)
        hanging = login._attempt("GET", server.url)
        assert not hanging.must_wait(401, [])
        assert login._attempt("GET", server.url).must_wait(401, [])
        assert sender("httpx", login)("GET", server.url).status == 200
        # A cancelled request gives up its turn.
        hanging.done()
        assert not login._turn


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_draws_new_cnonces_and_counts():
    with serve(protected()) as server:
        login = OURS["requests"](NAME, PASSWORD)
        request = sender("requests", login)
        assert request("GET", server.url).status == 200
        # Somebody logs in while the process forks.
        assert not login._attempt("GET", server.url).must_wait(401, [])
        child = os.fork()
        if child == 0:
            reply = sender("requests", login)("GET", server.url)
            os._exit(0 if reply.status == 200 else 1)
        assert os.waitpid(child, 0)[1] == 0
        login._turn.clear()
        assert request("GET", server.url).status == 200
        cnonces = [it.params["cnonce"] for it in server.requests if it.params]
        assert len(set(cnonces)) == len(cnonces) == 3
        # The child was challenged, and did not go on with the count of its parent.
        assert [it.params.get("nc") for it in server.requests] == [None, "00000001", None, "00000001", "00000002"]


def test_a_request_that_is_prepared_once_and_sent_again():
    with serve(protected()) as server, requests.Session() as session:
        session.auth = OURS["requests"](NAME, PASSWORD)
        prepared = session.prepare_request(requests.Request("GET", server.url))
        assert [session.send(prepared).status_code for _ in range(3)] == [200] * 3


class Adapter(requests.adapters.BaseAdapter):
    """As test suites have: its raw response is a file."""

    def __init__(self):
        self.sent = 0

    def send(self, request, **_):
        self.sent += 1
        response = requests.Response()
        response.status_code = 401 if self.sent == 1 else 200
        response.headers.update({"WWW-Authenticate": challenge()})
        response.raw, response.connection = io.BytesIO(b""), self
        response.request, response.url = request, request.url
        return response

    def close(self):
        pass


def test_an_adapter_of_ones_own():
    session = requests.Session()
    session.mount("http://", Adapter())
    assert session.get("http://cam/x", auth=OURS["requests"](NAME, PASSWORD)).status_code == 200


def test_a_mock_transport():
    def handle(request):
        status = 200 if "authorization" in request.headers else 401
        return httpx.Response(status, headers={"WWW-Authenticate": challenge()})

    client = httpx.Client(transport=httpx.MockTransport(handle), auth=OURS["httpx"](NAME, PASSWORD))
    assert client.get("http://cam/x").status_code == 200


def test_debug_lines_have_no_secret(caplog):
    with serve(protected()) as server, caplog.at_level(logging.DEBUG, "countersign_http"):
        url = server.url.replace("http://", "http://user:s3cret@")
        requests.get(url + "/a?token=t0ken", auth=OURS["requests"](NAME, PASSWORD))
    assert caplog.messages == [f"GET {server.url}/a: sends a Digest answer, SHA-256, auth, 00000001"]


def test_refusal_of_anything_else_is_none():
    assert refusal(requests.Response()) is None and refusal(object()) is None
    assert countersign_http.__version__.count(".") == 2
