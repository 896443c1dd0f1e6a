"""What the classes of all client libraries have in common."""

from __future__ import annotations

import copy
import gc
import io
import logging
import pickle
import warnings
import weakref

import countersign_http
import httpx
import pytest
import requests
from clients import ERRORS, OURS, sender
from countersign_http import InsecureBasicWarning, Reason, ServerProofWrong, refusal
from countersign_http.requests import DigestAuth
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
def test_bad_arguments_are_refused_at_once(arguments, options, error, says):
    with pytest.raises(error, match=says):
        DigestAuth(*arguments, **options)


@pytest.mark.parametrize(
    ("library", "other"),
    [
        ("requests", "httpx"),
        ("httpx", "requests"),
        ("httpx async", "requests"),
        ("httpx2", "requests"),
        ("httpx2", "httpx"),
        ("niquests", "httpx"),
        ("aiohttp", "httpx"),
    ],
)
def test_the_class_of_another_library_is_refused(library, other):
    name, found = library.split()[0], f"countersign_http.{other}.DigestAuth"
    with pytest.raises(TypeError) as refused:
        sender(library, OURS[other]("a", "b"))("GET", "http://127.0.0.1:1/")
    assert str(refused.value) == f"{found} is not for {name}: use the class of countersign_http.{name}"


def test_bytes_are_text_in_utf8():
    assert DigestAuth(b"admin", "é".encode()) == DigestAuth("admin", "é")


def test_basic_in_the_clear_warns():
    with pytest.warns(InsecureBasicWarning) as caught:
        login = DigestAuth("a", "b", basic="anywhere")
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(login))
        DigestAuth("a", "b", basic="https")


REFUSALS = {
    "wrong password": (
        {},
        protected(password="other"),
        Reason.WRONG_CREDENTIALS,
        "wrong user name or password",
    ),
    "Basic, not allowed": (
        {},
        protected(challenges=each(BASIC)),
        Reason.NEEDS_BASIC,
        "Basic over a cleartext channel",
    ),
    "Basic over http": (
        {"basic": "https"},
        protected(challenges=each(BASIC)),
        Reason.NEEDS_BASIC,
        "would show the password",
    ),
    "no qop": (
        {},
        protected(challenges=each(fresh("MD5", qop=None))),
        Reason.NEEDS_RFC2069,
        "no qop",
    ),
    "another realm": ({"realm": "x"}, protected(), Reason.OTHER_REALM, "another realm"),
    "another origin": (
        {"origin": "http://cam:81"},
        protected(),
        Reason.OTHER_ORIGIN,
        "for http://cam:81",
    ),
    "an unknown scheme": (
        {},
        protected(challenges=each("Negotiate")),
        Reason.UNUSABLE_CHALLENGE,
        "scheme",
    ),
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
        "closing quote",
    ),
    "-sess without qop": (
        {"rfc2069": True},
        protected(challenges=each(fresh("MD5-sess", qop=None))),
        Reason.UNUSABLE_CHALLENGE,
        "session algorithm",
    ),
    "no proof": (
        {"require_proof": True, "rfc2069": True},
        protected(challenges=each(fresh("MD5", qop=None))),
        Reason.UNUSABLE_CHALLENGE,
        "no proof",
    ),
    "too long": (
        {},
        protected(challenges=each(fresh(extra=f', opaque="{"x" * 5000}"'))),
        Reason.UNUSABLE_CHALLENGE,
        "4 KiB",
    ),
    "no challenge": ({}, protected(challenges=each()), Reason.NO_CHALLENGE, "no challenge"),
    "always stale": (
        {},
        protected(lambda *_: False, each(fresh(extra=", stale=true"))),
        Reason.TOO_MANY_ANSWERS,
        "stale",
    ),
    "a proxy": (
        {},
        lambda *_: (407, [("Proxy-Authenticate", 'Digest realm="x", nonce="n", qop="auth"')], b""),
        Reason.PROXY,
        "proxy",
    ),
}


#: What a class may get wrong on its own: to pass on values, none of them, and what is no 401.
OF_EACH = "wrong password", "another origin", "no challenge", "a proxy"


@pytest.mark.parametrize(
    ("name", "library"),
    [(name, it) for name in REFUSALS for it in OURS if it == "requests" or name in OF_EACH],
)
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
        with pytest.raises(ERRORS[library], match="no valid server proof"):
            login = OURS[library](NAME, PASSWORD, require_proof=True)
            sender(library, login)("GET", server.url)
        login = OURS[library](NAME, PASSWORD, require_proof=True)
        assert sender(library, login)("GET", proving.url).status == 200


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


def test_a_request_does_not_wait_for_the_garbage_collector():
    login = DigestAuth(NAME, PASSWORD)
    with serve(protected()) as server, requests.Session() as session:
        gc.disable()
        try:
            for challenged in (True, False):
                response = session.post(server.url, data=b"x", auth=login)
                assert response.status_code == 200 and bool(response.history) == challenged
                sent = [weakref.ref(it.request) for it in [*response.history, response]]
                del response
                assert not any(request() for request in sent)
        finally:
            gc.enable()


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
