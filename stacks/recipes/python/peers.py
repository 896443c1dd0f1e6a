"""Servers that count requests: where to send them, whose credentials it takes, and their number."""
import base64
import contextlib
import http.server
import pathlib
import subprocess
import sys
import threading
import time

EXAMPLES = pathlib.Path(__file__).parent / "../../../target/debug/examples"
NAME, PASSWORD, REALM = "Mufasa", "Circle of Life", "example"


@contextlib.contextmanager
def digest(*options):
    """The example `serve`. The first argument of this program may name another folder for it."""
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES
    command = [folder / "serve", "--user", f"{NAME}:{PASSWORD}", "--realm", REALM, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = process.stdout.readline().removeprefix("listening on ").strip()
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout))

    def requests():
        process.kill()
        process.wait()
        reader.join()
        return len(lines)

    reader.start()
    try:
        yield f"http://{address}", f"http://{address}", requests
    finally:
        requests()


@contextlib.contextmanager
def basic():
    """One that knows nothing but Basic."""
    expected = "Basic " + base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
    lines = []

    def answer(request):
        lines.append(request.requestline)
        granted = request.headers["authorization"] == expected
        request.send_response(200 if granted else 401)
        request.send_header("www-authenticate", f'Basic realm="{REALM}"')

    with serve(answer) as origin:
        yield origin, origin, lambda: len(lines)


@contextlib.contextmanager
def unending(body):
    """Basic, whose refusals have a body that is too long, or takes too long. A client that reads on
    counts as a request more."""
    expected = "Basic " + base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
    lines = []

    def answer(request):
        lines.append(request.requestline)
        if request.headers["authorization"] == expected:
            request.send_response(200)
            return False
        request.send_response(401)
        request.send_header("www-authenticate", f'Basic realm="{REALM}"')
        try:
            body(request)
            lines.append("the client read on")
        except OSError:
            # It has closed the connection.
            request.close_connection = True
        return True

    with serve(answer) as origin:
        yield origin, origin, lambda: len(lines)


def endless(request):
    """Ends after all, so that a client that reads on does not fill the memory."""
    request.send_header("transfer-encoding", "chunked")
    request.end_headers()
    for _ in range(1024):
        request.wfile.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
    request.wfile.write(b"0\r\n\r\n")


def dripping(request):
    request.send_header("content-length", "100")
    request.end_headers()
    for _ in range(100):
        request.wfile.write(b" ")
        time.sleep(0.1)


def stalled(request):
    request.send_header("content-length", "1")
    request.end_headers()
    request.connection.settimeout(10)
    # Nothing comes until the client closes the connection.
    if request.connection.recv(1) == b"":
        raise ConnectionAbortedError


@contextlib.contextmanager
def shared():
    """Basic in one area of an origin, which redirects to another: that must not get the password."""
    expected = "Basic " + base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
    lines = []

    def answer(request):
        lines.append(request.requestline)
        credentials = request.headers["authorization"]
        if request.path.startswith("/theirs/"):
            request.send_response(400 if credentials else 200)
        elif credentials == expected:
            request.send_response(302)
            request.send_header("location", request.path.replace("/mine/", "/theirs/"))
        else:
            request.send_response(401)
            request.send_header("www-authenticate", f'Basic realm="{REALM}"')

    with serve(answer) as origin:
        yield f"{origin}/mine", origin, lambda: len(lines)


@contextlib.contextmanager
def redirected():
    """A Digest server, and another origin that redirects to it."""
    with digest() as (origin, _, requests):

        def answer(request):
            request.send_response(302)
            request.send_header("location", origin + request.path)

        with serve(answer) as elsewhere:
            yield elsewhere, origin, requests


@contextlib.contextmanager
def serve(answer):
    """`answer` returns whether the response has its body."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if not answer(self):
                self.send_header("content-length", "0")
                self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
