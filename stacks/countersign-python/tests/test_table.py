"""What gets in, in each library beside its own class. A right answer of theirs is not required: the table
says what they do today, and fails if it is no longer so."""

from __future__ import annotations

import base64
import threading

import pytest
from clients import FLOWS, OURS, THEIRS, sender
from scripted import NAME, PASSWORD, REALM, challenge, digest, protected, serve


class Case:
    """A server, the request, and what counts as right: by default, the last of `times` is let in."""

    def __init__(self, theirs, answer=None, *, challenges=None, **options):
        # requests, httpx, aiohttp: "ok", "refused", "error", what else was wrong, or "?": it varies.
        self.theirs = dict(zip(THEIRS, theirs.split(), strict=True))
        self.path, self.method = options.pop("path", "/a"), options.pop("method", "GET")
        self.body, self.times = options.pop("body", None), options.pop("times", 1)
        self.threads, self.sent = options.pop("threads", 0), options.pop("sent", None)
        self.expect, self.wants = options.pop("expect", "ok"), options.pop("wants", "")
        self.login = options.pop("login", (NAME, PASSWORD))
        self.ours = options.pop("ours", {})
        self.answer = answer or protected(challenges=challenges, **options)

    def run(self, library, kind, options):
        with serve(self.answer) as server:
            try:
                send = sender(library, kind(*self.login, **options))
            except Exception as why:
                return f"error:{type(why).__name__}"
            url = server.url + self.path
            if self.threads:
                return self.run_threads(server, send, url)
            try:
                replies = [send(self.method, url, self.body) for _ in range(self.times)]
            except Exception:
                return "error"
            if replies[-1].status != 200:
                return "refused"
            if self.wants not in replies[-1].sent.replace('"', ""):
                return "weaker"
            if self.sent and len(server.requests) > self.sent:
                return "chatty"
            return "ok"

    def run_threads(self, server, send, url):
        send("GET", url)
        refused = []

        def work():
            for _ in range(10):
                reply = send("GET", url)
                if reply.status != 200:
                    refused.append(reply)

        workers = [threading.Thread(target=work) for _ in range(self.threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return "refused" if refused else "ok"


def each(*challenges):
    """The challenges of a server, each with a nonce of its own per response."""
    return lambda server: [it.replace("NONCE", f"n{len(server.requests)}") for it in challenges]


def fresh(algorithm="SHA-256", extra="", qop="auth", realm=REALM):
    return challenge(algorithm, extra, qop, "NONCE", realm)


def proof(wrong=False):
    def granted(server, request):
        value = request.proof()
        right = value[9:73]
        return [("Authentication-Info", value.replace(right, right[::-1]) if wrong else value)]

    return granted


def stale(server, request):
    """The nonce of the first two requests expires with the third."""
    wanted = "n2" if len(server.requests) > 3 else "n1"
    return request.params.get("nonce") == wanted and request.right() and server.once(request)


def stale_challenges(server):
    late = len(server.requests) > 3
    return [challenge(nonce="n2" if late else "n1", extra=", stale=true" if late else "")]


def one_time(server, request):
    """Each nonce is good for one request, and the next one is announced."""
    used = server.state.setdefault("used", 0)
    if request.params.get("nonce") != f"k{used}" or not request.right():
        return False
    server.state["used"] += 1
    return True


def announce(server, request):
    return [("Authentication-Info", f'nextnonce="k{server.state["used"]}"')]


def basic(name=NAME, password=PASSWORD):
    value = "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
    return lambda server, request: request.fields == [value]


def rfc2069(server, request):
    p = request.params
    if not p or "qop" in p:
        return False
    ha1 = digest("MD5", f"{NAME}:{REALM}:{PASSWORD}")
    return p["response"] == request.response(ha1, request.method)


def once_each(server, request):
    """A server that drops its nonces with each restart, every fourth request."""
    era = f"e{len(server.requests) // 4}"
    return request.params.get("nonce") == era and request.right() and server.once(request)


def moved(to):
    """Redirects `/moved`, once let in, to another protected path, and takes answers for that only."""

    def answer(server, request):
        if request.params and request.params.get("uri") != request.target:
            return 400, [], b"uri mismatch"
        if not (request.right() and server.once(request)):
            nonce = f"n{len(server.requests)}"
            return 401, [("WWW-Authenticate", challenge(nonce=nonce))], b""
        if request.target == "/moved":
            return 302, [("Location", to)], b""
        return 200, [], b"there"

    return answer


def with_cookie(server, request):
    """A login whose challenge sets a cookie that the answer needs."""
    if request.right() and "seen=1" in (request.headers.get("cookie") or ""):
        return 200, [], b""
    nonce = f"n{len(server.requests)}"
    return 401, [("WWW-Authenticate", challenge(nonce=nonce)), ("Set-Cookie", "seen=1")], b""


BASIC = f'Basic realm="{REALM}"'
CASES = {
    # The 21 of the first table.
    "MD5": Case("ok ok ok", challenges=each(fresh("MD5"))),
    "SHA-256": Case("ok ok ok", challenges=each(fresh())),
    "SHA-512-256": Case("refused error error", challenges=each(fresh("SHA-512-256"))),
    "MD5-sess": Case("ok ok ok", challenges=each(fresh("MD5-sess"))),
    "SHA-256-sess": Case("refused ok ok", challenges=each(fresh("SHA-256-sess"))),
    "auth-int alone, PUT": Case(
        "refused error ok",
        challenges=each(fresh(qop="auth-int")),
        qops=("auth-int",),
        method="PUT",
        body=b"body",
    ),
    "a name in UTF-8": Case(
        "refused error ok",
        challenges=each(fresh(extra=", charset=UTF-8")),
        name="Jäsøn Doe",
        login=("Jäsøn Doe", PASSWORD),
    ),
    "userhash": Case(
        "weaker weaker weaker", challenges=each(fresh(extra=", userhash=true")), wants="userhash=true"
    ),
    "a realm with quotes": Case(
        "refused refused ok",
        challenges=each(fresh(realm='a \\"b\\", c\\\\d')),
        realm='a "b", c\\d',
    ),
    "MD5, then SHA-256, two lines": Case(
        "ok weaker weaker", challenges=each(fresh("MD5"), fresh()), wants="algorithm=SHA-256"
    ),
    "Basic, then Digest, two lines": Case("ok ok refused", challenges=each(BASIC, fresh())),
    "Basic, then Digest, one line": Case("ok refused refused", challenges=each(f"{BASIC}, {fresh()}")),
    "Digest, then Basic, one line": Case("ok ok ok", challenges=each(f"{fresh()}, {BASIC}")),
    "SHA-256 and MD5, one line": Case("ok ok ok", challenges=each(f"{fresh()}, {fresh('MD5')}")),
    "an unknown qop first": Case("refused ok ok", challenges=each(fresh(qop="x, auth"))),
    ";params in the path": Case("refused ok ok", path="/a;b/c;d?x=1"),
    "{x} and ' in the query": Case("ok ok ok", path="/q?f={x}&g='1'"),
    "stale=true later": Case("ok ok ok", protected(stale, stale_challenges), times=4),
    "a wrong rspauth is noticed": Case("ok ok ok", protected(granted=proof(wrong=True)), expect="error"),
    "nextnonce, one-time nonces": Case(
        "chatty chatty chatty",
        protected(one_time, lambda s: [challenge(nonce=f"k{s.state['used']}")], announce),
        times=3,
        sent=4,
    ),
    "8 threads, counts are checked": Case("? ? ?", challenges=lambda server: [challenge()], threads=8),
    # 20 more.
    "a right rspauth": Case("ok ok ok", protected(granted=proof())),
    "SHA-512-256-sess": Case("refused error error", challenges=each(fresh("SHA-512-256-sess"))),
    "auth-int or auth, PUT": Case(
        "ok ok ok",
        challenges=each(fresh(qop="auth-int,auth")),
        qops=("auth", "auth-int"),
        method="PUT",
        body=b"body",
    ),
    "auth-int alone, no body": Case(
        "refused error ok", challenges=each(fresh(qop="auth-int")), qops=("auth-int",)
    ),
    "opaque": Case("ok ok ok", challenges=each(fresh(extra=', opaque="5ccc"'))),
    "an algorithm in lower case": Case("ok ok ok", challenges=each(fresh("sha-256"))),
    "an algorithm without hyphen": Case("refused error ok", challenges=each(fresh("SHA256"))),
    "an unknown algorithm first": Case("ok error error", challenges=each(fresh("SHA-3"), fresh())),
    "Negotiate first": Case("ok ok refused", challenges=each("Negotiate", fresh())),
    "Bearer with parameters, one line": Case(
        "ok refused refused", challenges=each(f'Bearer realm="x", scope="a b", {fresh()}')
    ),
    "an empty realm": Case("ok ok ok", challenges=each(fresh(realm="")), realm=""),
    "a password in UTF-8": Case(
        "ok ok ok", password="Kärlek", login=(NAME, "Kärlek"), challenges=each(fresh())
    ),
    "escapes and a query without path": Case("ok ok ok", path="/a%2Fb%20c?x=%41&y="),
    "Basic alone, basic=anywhere": Case(
        "refused refused refused", protected(basic(), each(BASIC)), ours={"basic": "anywhere"}
    ),
    "RFC 2069, rfc2069=True": Case(
        "ok ok ok",
        protected(rfc2069, each(fresh("MD5", qop=None))),
        ours={"rfc2069": True},
    ),
    "a restart each fourth request": Case(
        "ok ok ok",
        protected(once_each, lambda s: [challenge(nonce=f"e{(len(s.requests) + 1) // 4}")]),
        times=9,
    ),
    "redirected to another protected path": Case("ok refused ok", moved("/there"), path="/moved"),
    "a challenge with a cookie": Case("ok ok refused", with_cookie),
    "a HEAD": Case("ok ok ok", method="HEAD"),
    "a POST of a megabyte": Case("ok ok ok", method="POST", body=bytes(1 << 20)),
}


#: What depends on the library: how it sends targets, bodies, cookies and text, and reads fields.
OF_EACH = {
    "SHA-256",
    "auth-int alone, PUT",
    "a name in UTF-8",
    "Basic, then Digest, two lines",
    ";params in the path",
    "{x} and ' in the query",
    "a wrong rspauth is noticed",
    "nextnonce, one-time nonces",
    "8 threads, counts are checked",
    "escapes and a query without path",
    "redirected to another protected path",
    "a challenge with a cookie",
    "a HEAD",
    "a POST of a megabyte",
}


@pytest.mark.filterwarnings("ignore::countersign_http.InsecureBasicWarning")
@pytest.mark.parametrize(
    ("name", "library"), [(name, it) for name in CASES for it in OURS if it in FLOWS or name in OF_EACH]
)
def test_ours(name, library):
    case = CASES[name]
    assert case.run(library, OURS[library], case.ours) == case.expect


@pytest.mark.parametrize("library", THEIRS)
@pytest.mark.parametrize("name", CASES)
def test_theirs(name, library):
    case = CASES[name]
    found = case.run(library, THEIRS[library], {})
    assert case.theirs[library] in ("?", found)
