"""A server whose challenges and checks a test writes. It computes Digest on its own, with hashlib."""

from __future__ import annotations

import contextlib
import hashlib
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

NAME, PASSWORD, REALM = "Mufasa", "Circle of Life", "files"


def digest(algorithm, text):
    text = text if isinstance(text, bytes) else text.encode()
    name = algorithm.upper().replace("-SESS", "").replace("SHA-512-256", "SHA512_256")
    return hashlib.new(name.replace("SHA-256", "sha256").lower(), text).hexdigest()


def params(value):
    found = re.finditer(r'([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))', value)

    def quoted(it):
        return re.sub(r"\\(.)", r"\1", it[2]) if it[2] is not None else it[3]

    return {it[1].lower(): quoted(it) for it in found}


def challenge(algorithm="SHA-256", extra="", qop="auth", nonce="n1", realm=REALM):
    qop = f' qop="{qop}",' if qop else ""
    return f'Digest realm="{realm}",{qop} algorithm={algorithm}, nonce="{nonce}"{extra}'


class Request:
    """One request that arrived."""

    def __init__(self, handler, body):
        self.method, self.target = handler.command, handler.path
        self.headers, self.body = handler.headers, body
        self.fields = handler.headers.get_all("authorization") or []
        self.params = {}
        if len(self.fields) == 1 and self.fields[0].lower().startswith("digest "):
            text = self.fields[0][7:].encode("latin-1").decode("utf-8", "replace")
            self.params = params(text)

    def right(self, name=NAME, password=PASSWORD, realm=REALM, qops=("auth",), encoding="utf-8"):
        """Whether it has the right answer, by RFC 7616."""
        p = self.params
        if not p or p.get("realm") != realm or p.get("uri") != self.target:
            return False
        algorithm = p.get("algorithm", "MD5")
        user = p.get("username") or unquote(p.get("username*", "").split("'")[-1])
        if p.get("userhash") == "true":
            if user != digest(algorithm, f"{name}:{realm}"):
                return False
        elif user != name:
            return False
        ha1 = digest(algorithm, f"{name}:{realm}:{password}".encode(encoding))
        if algorithm.lower().endswith("-sess"):
            ha1 = digest(algorithm, f"{ha1}:{p['nonce']}:{p['cnonce']}")
        return p.get("qop") in qops and p.get("response") == self.response(ha1, self.method)

    def response(self, ha1, method, body=None):
        p = self.params
        algorithm, qop = p.get("algorithm", "MD5"), p.get("qop")
        ha2 = f"{method}:{self.target}"
        if qop == "auth-int":
            ha2 += ":" + digest(algorithm, self.body if body is None else body)
        middle = [p["nc"], p["cnonce"], qop] if qop else []
        return digest(algorithm, ":".join([ha1, p["nonce"], *middle, digest(algorithm, ha2)]))

    def proof(self, name=NAME, password=PASSWORD, realm=REALM):
        """The `Authentication-Info` of a server that knows the password."""
        p = self.params
        ha1 = digest(p.get("algorithm", "MD5"), f"{name}:{realm}:{password}")
        value = self.response(ha1, "")
        return f'rspauth="{value}", cnonce="{p["cnonce"]}", nc={p["nc"]}, qop={p["qop"]}'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Header and body are two writes, and the second would wait for a delayed ACK of the first: 40 ms.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def read_body(self):
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def serve(self):
        server = self.server
        request = Request(self, self.read_body())
        with server.lock:
            server.requests.append(request)
            status, headers, body = server.answer(server, request)
        if server.delay:
            time.sleep(server.delay)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_HEAD = do_OPTIONS = do_DELETE = serve


class Scripted(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128

    def __init__(self, answer, host="127.0.0.1", delay=0.0):
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.answer, self.delay = answer, delay
        self.requests, self.lock, self.state = [], threading.Lock(), {}
        super().__init__((host, 0), Handler)
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{self.server_port}"

    def handle_error(self, *_):
        pass

    @property
    def statuses(self):
        return len(self.requests)

    @property
    def guesses(self):
        return sum(1 for request in self.requests if request.fields)

    def once(self, request):
        """Whether this count of the nonce is new, as servers check that refuse replays."""
        seen = self.state.setdefault("seen", set())
        count = (request.params.get("nonce"), request.params.get("nc"))
        is_new = count not in seen
        seen.add(count)
        return is_new


@contextlib.contextmanager
def serve(answer, **options):
    """`answer(server, request)` returns a status, headers and a body."""
    server = Scripted(answer, **options)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def protected(right=None, challenges=None, granted=None, **options):
    """An answer function: what `right(server, request)` lets in gets 200, all else the challenges."""
    right = right or (lambda server, request: request.right(**options) and server.once(request))
    challenges = challenges or (lambda server: [challenge(nonce=f"n{len(server.requests)}")])

    def answer(server, request):
        found = right(server, request)
        if found:
            headers = granted(server, request) if granted else []
            return 200, headers, b"hello %d" % len(request.body)
        return 401, [("WWW-Authenticate", it) for it in challenges(server)], b"denied"

    return answer
