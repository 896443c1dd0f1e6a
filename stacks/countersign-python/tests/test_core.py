"""`Clients`, `Exchange`, `Server` and `Verdict`, which do no I/O."""

from __future__ import annotations

import asyncio
import inspect
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading

import countersign_http
import pytest
from countersign_http import BodyNeeded, Clients, Exchange, Reason, Server, ServerProofWrong, Verdict
from scripted import NAME, PASSWORD, challenge

URL = "http://127.0.0.1:8080/a?b"


def pair(**options):
    server = Server("files", **options)
    clients = Clients()
    clients.add_account("http://127.0.0.1:8080", NAME, PASSWORD)
    return server, clients, {NAME: server.ha1(NAME, PASSWORD)}.get


def values(verdict, name):
    return [value for found, value in verdict.headers if found == name]


def run(server, clients, find, body=None, **options):
    """One request of a client to a server; returns all verdicts."""
    exchange, verdicts = Exchange(clients, "GET", URL, body=body), []
    while True:
        answer = exchange.authorize()
        verdicts.append(server.check("GET", "/a?b", answer, find, body=body, **options))
        challenges = values(verdicts[-1], "www-authenticate")
        info = values(verdicts[-1], "authentication-info")
        if not exchange.received(verdicts[-1].status, challenges, info):
            assert bool(exchange.refusal) is not bool(verdicts[-1])
            return verdicts


@pytest.mark.parametrize(
    "algorithms",
    [
        ["SHA-256"],
        ["MD5"],
        ["SHA-512-256"],
        ["SHA-256-sess"],
        ["MD5-sess"],
        ["SHA-256", "MD5"],
        ["sha256"],
    ],
)
@pytest.mark.parametrize("auth_int", [False, True])
def test_a_client_and_a_server(algorithms, auth_int):
    server, clients, find = pair(algorithms=algorithms, auth_int=auth_int)
    first, second = run(server, clients, find, b"body")
    assert (first.status, first.user, first.reason, bool(first)) == (401, None, "no-credentials", False)
    assert len(first.headers) == len(algorithms)
    assert (second.status, second.user, second.reason, bool(second)) == (200, NAME, "granted", True)
    assert second.account is None and not second.is_guess
    assert [it.status for it in run(server, clients, find, b"body")] == [200]
    wrong = Clients()
    wrong.add_account("http://127.0.0.1:8080", NAME, "wrong")
    assert run(server, wrong, find, b"body")[-1].is_guess
    assert run(server, wrong, lambda name: None, b"body")[-1].reason == "wrong-credentials"


def test_bodies_of_auth_int():
    def exchange_of(body=None, **options):
        return Exchange(Clients(**options), "PUT", URL, body=body)

    clients = Clients(auth_int=True)
    clients.add_account(None, NAME, PASSWORD)
    whole, parts = (Exchange(clients, "PUT", URL, body=it) for it in (b"x" * 100_000, None))
    for exchange in (whole, parts):
        assert exchange.received(401, [challenge(qop="auth-int")])
    assert "auth-int" in whole.authorize()
    with pytest.raises(BodyNeeded, match="SHA-256"):
        parts.authorize()
    for _ in range(10):
        parts.hash_body(b"x" * 10_000)
    assert "auth-int" in parts.authorize()
    with pytest.raises(ValueError, match="not asked for"):
        whole.hash_body(b"x")
    # Without the body, another qop is taken if there is one.
    either = Exchange(clients, "PUT", URL)
    assert either.received(401, [challenge(qop="auth, auth-int", nonce="n2")])
    with pytest.raises(BodyNeeded):
        either.authorize()
    assert "qop=auth," in either.authorize()
    alone = Exchange(clients, "PUT", URL)
    assert alone.received(401, [challenge(qop="auth-int", nonce="n3")])
    for _ in range(2):
        with pytest.raises(BodyNeeded):
            alone.authorize()
    assert alone.refusal.reason is Reason.BODY_NEEDED
    assert exchange_of(b"").authorize() is None


def test_a_replay_and_another_target():
    server, clients, find = pair()
    exchange = Exchange(clients, "GET", URL)
    exchange.received(401, values(server.check("GET", "/a?b", None, find), "www-authenticate"))
    answer = exchange.authorize()
    assert server.check("GET", "/other", answer, find).status == 400
    assert server.check("POST", "/a?b", answer, find).status == 401
    assert server.check("GET", "/a?b", [answer, answer], find).reason == "multiple-credentials"
    assert server.check("GET", b"/a?b", [answer.encode()], find).status == 200
    assert server.check("GET", "/a?b", (answer,), find).reason == "replayed"


def test_a_server_that_does_not_know_the_password():
    clients = Clients(require_proof=True)
    clients.add_account(None, NAME, PASSWORD)
    exchange = Exchange(clients, "GET", URL)
    assert exchange.received(401, [challenge()])
    exchange.authorize()
    with pytest.raises(ServerProofWrong):
        exchange.received(200)


def test_accounts_of_the_store():
    server, clients, find = pair()
    account = object()
    verdict = run(server, clients, lambda name: (find(name), account))[-1]
    assert verdict.user == NAME and verdict.account is account


def test_basic():
    server, clients, find = pair(basic="https", algorithms=[])
    field = "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl"
    assert server.check("GET", "/", field, find, encrypted=True).user == NAME
    # Nothing is offered in the clear.
    assert server.check("GET", "/", field, find).status == 403
    anywhere = Server("files", basic="anywhere")
    assert anywhere.check("GET", "/", field, find).user == NAME


def test_a_store_that_is_awaited():
    server, clients, find = pair()
    asked = []

    async def look_up(name):
        await asyncio.sleep(0)
        asked.append(name)
        return find(name)

    async def go():
        exchange = Exchange(clients, "GET", URL)
        first = await server.acheck("GET", "/a?b", None, look_up)
        assert first.status == 401 and not asked
        exchange.received(401, values(first, "www-authenticate"))
        answer = exchange.authorize()
        # Nobody is looked up for what is refused anyway.
        assert (await server.acheck("GET", "/other", answer, look_up)).status == 400 and not asked
        assert (await server.acheck("GET", "/a?b", answer, look_up)).user == NAME
        assert asked == [NAME]
        assert (await server.acheck("GET", "/a?b", answer, find)).reason == "replayed"

    asyncio.run(go())
    with pytest.raises(TypeError, match=r"find is async: await Server.acheck\(\)"):
        run(server, clients, look_up)


ARGUMENTS = [
    (lambda: Server("a\nb"), ValueError, "realm: control"),
    (lambda: Server("x", algorithms=["SHA-1"]), ValueError, "MD5"),
    (lambda: Server("x", algorithms="MD5"), TypeError, "list"),
    (lambda: Server("x", algorithms=[]), ValueError, "basic"),
    (lambda: Server("x", algorithms=[3]), TypeError, None),
    (lambda: Server("x", basic=True), ValueError, "anywhere"),
    (lambda: Server("x", nonce_lifetime=-1), ValueError, "0 to"),
    (lambda: Server("x", nonce_lifetime=2**32), ValueError, "0 to"),
    (lambda: Server("x", capacity=-1), ValueError, "0 to"),
    (lambda: Server("x", capacity=2**40), ValueError, "0 to"),
    (lambda: Server("x", domain="/a\n"), ValueError, "domain"),
    (lambda: Server(), TypeError, "realm"),
    (lambda: Server("x").ha1("a:b", "c"), ValueError, "colon"),
    (lambda: Server("x").check("GET", "/", 3, print), TypeError, None),
    (lambda: Server("x").check("GET", "/", [3], print), TypeError, "int"),
    (lambda: Server("x").check("GET", "/\u0100", None, print), ValueError, "U\\+00FF"),
    (lambda: Server("x").check("GET", "/\ud800", None, print), ValueError, "U\\+00FF"),
    (lambda: Clients(max_answers=256), ValueError, "1 to 255"),
    (lambda: Clients().add_account("http://a@:80", "a", "b"), ValueError, "host"),
    (lambda: Clients().add_account("x", "a", "b"), ValueError, "://"),
    (lambda: Clients().add_account("http://[::1", "a", "b"), ValueError, "host"),
    (lambda: Exchange(Clients(), "GET", "http://a:b/"), ValueError, "port"),
    (lambda: Exchange(Clients(), "GET", "/a"), ValueError, "://"),
    (lambda: Exchange(None, "GET", URL), TypeError, None),
    (lambda: Exchange(Clients(), "G T", URL).authorize(), ValueError, "token"),
    (lambda: Exchange(Clients(), "GET", URL, target="/\r\n").authorize(), ValueError, "control"),
    (lambda: Exchange(Clients(), "GET", URL).received(70_000), OverflowError, None),
]


@pytest.mark.parametrize(("call", "error", "says"), ARGUMENTS)
def test_what_cannot_be_is_an_exception(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("found", ["s3cret", "0" * 64, "a" * 32, "SHA-512-256:" + "a" * 64, 3, b"x", ("a",)])
def test_what_a_store_must_not_return(found):
    server, clients, _ = pair()
    if found == "SHA-512-256:" + "a" * 64:
        # The user has an HA1, though none of this hash function.
        assert run(server, clients, lambda name: found)[-1].reason == "missing-ha1"
        return
    with pytest.raises((TypeError, ValueError), match="find: expected") as caught:
        run(server, clients, lambda name: found)
    assert "s3cret" not in str(caught.value)


def test_an_exception_of_the_store_comes_through():
    server, clients, _ = pair()
    with pytest.raises(KeyError, match=NAME):
        run(server, clients, {}.__getitem__)


def test_what_to_store():
    ha1 = Server("http-auth@example.org").ha1(NAME, PASSWORD)
    assert ha1 == "7987c64c30e25f1b74be53f966b49b90f2808aa92faf9a00262392d7b4794232"
    both = Server("files", algorithms=["SHA-256", "MD5"])
    assert [it.split(":")[0] for it in both.ha1(NAME, PASSWORD).split()] == ["SHA-256", "MD5"]
    # An HA1 that was stored before an algorithm was added still is that of its own.
    old = Server("files").ha1(NAME, PASSWORD)
    clients = Clients()
    clients.add_account(None, NAME, PASSWORD)
    assert run(both, clients, lambda name: old)[-1].user == NAME


def test_many_of_each():
    """The core aligns some of its objects to 128 bytes and Python to 16: a debug build aborts if they are
    not boxed."""
    server, clients, find = pair()
    kept = []
    for _ in range(200):
        kept += [
            Server("x", capacity=1),
            Clients(),
            Exchange(clients, "GET", URL),
            Clients(max_answers=1),
        ]
        kept.append(server.check("GET", "/", None, find))
    assert run(server, clients, find)[-1].user == NAME
    assert len(kept) == 1000


def test_threads_share_a_server_and_clients():
    server, clients, find = pair()
    run(server, clients, find)
    wrong = []

    def work():
        for _ in range(100):
            if not run(server, clients, find)[-1]:
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_server_in_a_process_that_was_forked_grants_no_replay():
    server, clients, find = pair()
    run(server, clients, find)
    exchange = Exchange(clients, "GET", URL)
    answer = exchange.authorize()
    child = os.fork()
    if child == 0:
        verdict = server.check("GET", "/a?b", answer, find)
        os._exit(0 if verdict.reason == "nonce-foreign" and run(server, clients, find)[-1] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert server.check("GET", "/a?b", answer, find).user == NAME


def test_names_and_texts():
    for kind in (Clients, Exchange, Server, Verdict):
        assert kind.__module__.startswith("countersign_http") and kind.__doc__
        for name, member in inspect.getmembers(kind):
            if not name.startswith("_"):
                assert inspect.getdoc(member), f"{kind.__name__}.{name}"
    assert "basic=False" in str(inspect.signature(Server))
    assert "encrypted=False" in str(inspect.signature(Server.check))
    server = Server("files", algorithms=["sha-256", "MD5"])
    assert repr(server) == "Server(\"files\", algorithms=['SHA-256', 'MD5'])"
    assert server.realm == "files" and server.algorithms == ["SHA-256", "MD5"]
    assert repr(server.check("GET", "/", None, print)) == "<Verdict 401, no-credentials>"
    clients = Clients()
    clients.add_account("HTTP://Cam:80/x", "a", "s3cret")
    clients.add_account("https://[::1]:8443", "a", "s3cret")
    assert repr(clients) == '<Clients for ["http://cam", "https://[::1]:8443"]>'
    assert repr(Exchange(clients, "GET", "http://cam/?t0ken")) == "<Exchange with http://cam>"
    for it in (server, clients):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(it)
    assert countersign_http.__all__ == sorted(countersign_http.__all__)


def test_accounts_for_several_origins():
    clients = Clients()
    clients.add_account("http://a", "u", "p")
    clients.add_account("http://b", "u", "p")
    exchange = Exchange(clients, "GET", "http://c:81/")
    assert not exchange.received(401, [challenge()])
    assert str(exchange.refusal) == "there is no account for http://c:81, only for http://a, http://b"
    assert Exchange(clients, "GET", "http://b/").received(401, [challenge()])


#: As mod_wsgi has them, with one lock for all, where that can be chosen.
SUBINTERPRETER = """
import sys
try:
    import _interpreters as it
    make = lambda: it.create("legacy")
except ImportError:
    import _xxsubinterpreters as it
    make = lambda: it.create(isolated=False)
import countersign_http
done = it.run_string(make(), f"import sys; sys.path[:] = {sys.path!r}\\n" + '''
try:
    import countersign_http
except ImportError as why:
    print("ImportError:", why, flush=True)
''')
import importlib
del sys.modules["countersign_http._core"]
importlib.reload(countersign_http)
print(countersign_http.Server("again"))
"""


def run_by(python, program):
    here = pathlib.Path(countersign_http.__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": str(here)}
    return subprocess.run([python, "-c", program], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("version", ["3.10", "3.12", "3.13"])
def test_the_same_wheel_on_other_versions(version):
    python = shutil.which(f"python{version}")
    done = python and run_by(python, "import countersign_http; print(countersign_http.Server('x'))")
    if not done or done.returncode == 127:
        pytest.skip(f"no Python {version}")
    assert done.stdout.startswith("Server("), done.stderr
    refuses_a_second_interpreter(python)


def test_a_second_interpreter_is_refused_with_a_sentence():
    refuses_a_second_interpreter(sys.executable)


def refuses_a_second_interpreter(python):
    done = run_by(python, SUBINTERPRETER)
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("ImportError: ") and "subinterpreters" in first, done.stderr
    # The first may import it again.
    assert last.startswith("Server("), done.stderr
