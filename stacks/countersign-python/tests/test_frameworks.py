"""Servers: each framework under the servers that people run, checked by requests of this package's
classes, by raw ones, and by countersign-testing where its example is built."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from wsgiref.simple_server import WSGIRequestHandler, make_server

import countersign_http
import countersign_http.httpx
import fastapi
import httpx
import pytest
import requests
import sites
import websockets
from countersign_http import Clients, Exchange, Reason
from countersign_http.requests import DigestAuth
from django.test import override_settings
from programs import Program, free_port
from scripted import NAME, PASSWORD
from starlette.applications import Starlette
from starlette.authentication import requires
from starlette.responses import PlainTextResponse
from starlette.routing import Route

HERE = pathlib.Path(__file__).parent
UVICORN = ["-m", "uvicorn", "--log-level", "warning", "--port", "{port}"]
GUNICORN = ["-m", "gunicorn", "--log-level", "warning", "--bind", "127.0.0.1:{port}"]
SITES = {
    "Starlette, uvicorn": [*UVICORN, "sites:starlette_app"],
    "Starlette, uvicorn with h11": [*UVICORN, "--http", "h11", "sites:starlette_app"],
    "FastAPI, uvicorn": [*UVICORN, "sites:fastapi_app"],
    "Flask's decorator, gunicorn": [*GUNICORN, "--threads", "4", "sites:flask_app"],
    "Flask in wsgi.Auth, gunicorn": [*GUNICORN, "--threads", "4", "sites:wrapped_app"],
    "Flask in wsgi.Auth, Werkzeug": [
        "-c",
        "import sites; sites.wrapped_app.run(port={port}, threaded=True)",
    ],
    "Django, gunicorn": [*GUNICORN, "sites:django_wsgi"],
    "Django, uvicorn": [*UVICORN, "sites:django_asgi"],
}
MOUNTING = [*UVICORN, "sites:mounting_app"]
FORKING = [*GUNICORN, "--preload", "-w", "4", "--threads", "4", "--keep-alive", "30", "sites:wrapped_app"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """All sites. They take a second each to import, which is why they start at once."""
    started = {}
    for name, command in {**SITES, "mounting": MOUNTING, "forking": FORKING}.items():
        port, folder = free_port(), tmp_path_factory.mktemp("site")
        environment = {"PYTHONPATH": str(HERE)}
        if "django" in command[-1]:
            environment["SITES_DATABASE"] = str(folder / "db")
        command = [sys.executable, *(it.replace("{port}", str(port)) for it in command)]
        started[name] = Program(command, port, folder / "log", **environment)
    yield started
    for program in started.values():
        program.stop()


@pytest.fixture(scope="module", params=SITES)
def site(request, programs):
    return programs[request.param].url


def raw(url, path, *fields, method="GET"):
    """The status and all fields of a response to exactly this request-target."""
    host = url.removeprefix("http://")
    name, port = host.split(":")
    with socket.create_connection((name, int(port)), 10) as connection:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *fields]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        head = connection.makefile("rb").read().split(b"\r\n\r\n")[0].decode().split("\r\n")
    return int(head[0].split()[1]), [line.partition(": ")[::2] for line in head[1:]]


def values(fields, name):
    return [value for found, value in fields if found.lower() == name]


def answer(url, path, method="GET", password=PASSWORD, sent=None):
    """An answer to a challenge for a target, and what came of it."""
    clients = Clients()
    clients.add_account(url, NAME, password)
    exchange = Exchange(clients, method, url + path)
    status, fields = raw(url, path, method=method)
    assert status == 401 and exchange.received(401, values(fields, "www-authenticate"))
    return f"Authorization: {exchange.authorize()}"


def test_users_get_in(site):
    login = DigestAuth(NAME, PASSWORD, require_proof=True)
    with requests.Session() as session:
        for path in ("/a", "/a%2Fb%20c?x=%41&y", "/a(b)!c:d@e,f;g=1", "/%C3%A9~", "/x//y"):
            reply = session.get(site + path, auth=login)
            assert reply.status_code == 200, (path, countersign_http.refusal(reply))
            assert NAME in reply.text
        assert session.post(site + "/a", data=b"x" * 100_000, auth=login).status_code == 200
    reply = requests.get(site + "/a", auth=DigestAuth(NAME, "wrong"))
    assert reply.status_code == 401
    assert countersign_http.refusal(reply).reason is Reason.WRONG_CREDENTIALS
    assert requests.get(site + "/a", auth=DigestAuth("nobody", PASSWORD)).status_code == 401


def test_what_is_refused(site):
    status, fields = raw(site, "/a")
    challenges = ", ".join(values(fields, "www-authenticate"))
    assert status == 401 and challenges.index("SHA-256") < challenges.index("algorithm=MD5")
    field = answer(site, "/a?b")
    assert raw(site, "/a?c", field)[0] == 400
    assert raw(site, "/a?b", field, method="DELETE")[0] == 401
    assert raw(site, "/a?b", field, field)[0] in (400, 401)
    assert raw(site, "/a?b", field)[0] == 200
    assert raw(site, "/a?b", field)[0] == 401
    assert raw(site, "/a", "Authorization: Digest x")[0] == 401
    assert raw(site, "/a", "Authorization: Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl")[0] == 401


def test_what_is_open(site):
    assert requests.get(site + "/open").status_code == 200
    for path in ("/open/../a", "/open/%2e%2e/a", "/open%00", "/OPEN", "/open/"):
        assert raw(site, path)[0] in (400, 401, 404, 307, 308), path


@pytest.fixture(scope="module")
def checks(programs):
    """The example of countersign-testing for each site, where it is built. It waits for clocks."""
    built = pathlib.Path(os.environ.get("CHECK_SERVER", HERE / "../../target/debug/examples/check_server"))
    if not built.exists():
        pytest.skip(f"no {built.name}: cargo build -p countersign-testing --example check_server")

    def check(url):
        command = [built, "--user", f"{NAME}:{PASSWORD}", url + "/private"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    with ThreadPoolExecutor(len(SITES)) as pool:
        yield {url: pool.submit(check, url) for url in (programs[name].url for name in SITES)}


def test_countersign_testing_finds_no_fault(site, checks):
    done = checks[site].result()
    assert done.returncode == 0, done.stdout + done.stderr


def connections_to(url, workers):
    """A connection to each worker: `/open` says which it is."""
    found = {}
    with contextlib.ExitStack() as opened:
        for _ in range(10_000):
            connection = HTTPConnection(url.removeprefix("http://"))
            connection.request("GET", "/open")
            process = connection.getresponse().read()
            if found.setdefault(process, connection) is not connection:
                opened.callback(connection.close)
            if len(found) == workers:
                return [*found.values()]
    raise AssertionError(f"{len(found)} workers of {workers} took a connection")


def test_no_replay_is_granted_by_workers_that_were_forked(programs):
    url = programs["forking"].url
    clients = Clients()
    clients.add_account(url, NAME, PASSWORD)
    workers = connections_to(url, 4)

    def ask(worker, **headers):
        worker.request("GET", "/a", headers=headers)
        response = worker.getresponse()
        response.read()
        return response

    for n in range(200):
        exchange = Exchange(clients, "GET", url + "/a")
        answer = exchange.authorize()
        if answer is None:
            assert exchange.received(401, ask(workers[n % 4]).headers.get_all("www-authenticate"))
            answer = exchange.authorize()
        responses = [ask(worker, Authorization=answer) for worker in workers]
        # The worker that made the nonce lets it in, once; the others, which hold what was its key before
        # the fork, ask anew.
        assert sorted(it.status for it in responses) == [200, 401, 401, 401]
        clients.forget()
    for worker in workers:
        worker.close()
    # A worker that does not know the nonce asks once more; a connection stays with one worker.
    login = DigestAuth(NAME, PASSWORD)
    for _ in range(10):
        with requests.Session() as session:
            assert [session.get(url + "/a", auth=login).status_code for _ in range(3)] == [200] * 3


def test_a_site_that_is_mounted(programs):
    url, login = programs["mounting"].url, DigestAuth(NAME, PASSWORD)
    assert requests.get(url + "/open").status_code == 200
    assert requests.get(url + "/private/a").status_code == 401
    for path in ("/private/a%20b?x", "/private/mounted/b"):
        reply = requests.get(url + path, auth=login)
        assert (reply.status_code, reply.text) == (200, f"hello {NAME}\n")


def test_paths_below_a_middleware(programs):
    url = programs["Starlette, uvicorn"].url
    reply = requests.get(url + "/mounted/a", auth=DigestAuth(NAME, PASSWORD))
    assert reply.text == f"hello {NAME}\n"
    preflight = {"Origin": "http://a", "Access-Control-Request-Method": "PUT"}
    assert requests.options(url + "/a", headers=preflight).status_code != 401
    assert requests.options(url + "/a").status_code == 401
    assert requests.get(url + "/a", headers=preflight).status_code == 401
    assert requests.get(url + "/static/x").text == "open\n"
    assert raw(url, "/static/../a")[0] == raw(url, "/static/%2e%2e/a")[0] == 401
    assert requests.get(url + "/static").status_code == 401
    asyncio.run(websocket(url))


async def websocket(url):
    target = url.replace("http", "ws") + "/ws"
    with pytest.raises(websockets.InvalidStatus) as refused:
        await websockets.connect(target)
    response = refused.value.response
    assert response.status_code == 401
    clients = Clients()
    clients.add_account(url, NAME, PASSWORD)
    exchange = Exchange(clients, "GET", url + "/ws")
    assert exchange.received(401, response.headers.get_all("WWW-Authenticate"))
    headers = {"Authorization": exchange.authorize()}
    async with websockets.connect(target, additional_headers=headers) as socket:
        await socket.send("hi")
        assert await socket.recv() == f"hi {NAME}"
        info = socket.response.headers.get_all("Authentication-Info")
        assert info and not exchange.received(101, (), info) and exchange.refusal is None


def test_an_excluded_path_has_a_user_who_is_not_logged_in():
    from countersign_http.httpx2 import DigestAuth
    from starlette.testclient import TestClient

    async def page(request):
        user = request.user
        return PlainTextResponse(f"{user.is_authenticated} {user.display_name!r} {request.auth.scopes}")

    routes = [
        Route("/closed", page),
        Route("/open", page),
        Route("/open/closed", requires("authenticated")(page)),
    ]
    app = Starlette(routes=routes)
    client = TestClient(
        countersign_http.asgi.Auth(app, sites.server, sites.find, exclude=["/open", "/open/"])
    )
    login = DigestAuth(NAME, PASSWORD)
    assert client.get("/closed", auth=login).text == f"True '{NAME}' ['authenticated']"
    # Also with a right answer, at which nobody looked.
    for auth in (None, login):
        assert client.get("/open", auth=auth).text == "False '' []"
        assert client.get("/open/closed", auth=auth).status_code == 403
    # A user of a middleware around it stays.
    around = countersign_http.asgi.Auth(client.app, sites.server, sites.find)
    assert TestClient(around).get("/open", auth=DigestAuth(NAME, PASSWORD)).text.startswith("True")


def test_fastapi_documents_the_scheme():
    described = sites.fastapi_app.openapi()
    scheme = described["components"]["securitySchemes"]["Digest"]
    assert scheme == {"type": "http", "scheme": "digest"}
    assert described["paths"]["/raw"]["get"]["security"] == [{"Digest": []}]
    assert "security" not in described["paths"]["/open"]["get"]


def test_fastapi_without_the_middleware():
    from countersign_http.httpx2 import DigestAuth
    from fastapi.testclient import TestClient

    client = TestClient(sites.fastapi_site(with_fields=False))
    refused = client.get("/a")
    assert refused.status_code == 401
    assert "SHA-256" in refused.headers["www-authenticate"]
    login = DigestAuth(NAME, PASSWORD, require_proof=True)
    assert client.get("/a", auth=login).json() == {"name": NAME}
    login = DigestAuth(NAME, PASSWORD)
    assert client.get("/raw", auth=login).text == f"hello {NAME}\n"


def test_fastapi_lets_strangers_in_where_it_should():
    from fastapi.testclient import TestClient

    maybe = countersign_http.fastapi.Digest(sites.server, sites.find, auto_error=False)
    app = fastapi.FastAPI()

    @app.get("/")
    async def who(user=fastapi.Depends(maybe)):
        return user

    client = TestClient(app)
    assert client.get("/").json() is None
    assert "www-authenticate" not in client.get("/").headers


def test_flask_with_its_test_client():
    client = sites.flask_app.test_client()
    refused = client.get("/a")
    assert refused.status_code == 401 and len(refused.headers.getlist("WWW-Authenticate")) == 2
    clients = Clients()
    clients.add_account("http://localhost", NAME, PASSWORD)
    exchange = Exchange(clients, "GET", "http://localhost/a")
    assert exchange.received(401, refused.headers.getlist("WWW-Authenticate"))
    granted = client.get("/a", headers={"Authorization": exchange.authorize()})
    assert granted.status_code == 200 and granted.text == f"hello {NAME}\n"


def test_django_says_that_it_does_not_know_a_user(caplog):
    sites.migrate()
    find = {"stranger": sites.server.ha1("stranger", PASSWORD)}.get
    with override_settings(COUNTERSIGN={"server": sites.server, "find": find}):
        transport = httpx.WSGITransport(sites.get_wsgi_application())
    login = countersign_http.httpx.DigestAuth("stranger", PASSWORD)
    with httpx.Client(transport=transport, base_url="http://site", auth=login) as client:
        assert client.get("/a b").status_code == 403
    assert "GET /a%20b refused: Django has no active user of this name" in caplog.text


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def test_wsgiref_decodes_the_target(caplog):
    with make_server("127.0.0.1", 0, sites.wrapped_app, handler_class=Quiet) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        for path in ("/a", "/a%20b", "/a(b)", "/a!b:c@d", "/%C3%A9", "/a?x=%20y", "/a,b;c=1", "/~u"):
            assert requests.get(url + path, auth=DigestAuth(NAME, PASSWORD)).status_code == 200, path
        assert requests.get(url + "/a%2Fb", auth=DigestAuth(NAME, PASSWORD)).status_code == 400
        assert "does not pass the target on" in caplog.text
        server.shutdown()


@pytest.mark.parametrize("options", [{"exclude": "/open"}, {"find": {}}, {"server": None}])
def test_wrong_settings_are_refused_at_once(options):
    settings = {"server": sites.server, "find": sites.find, **options}
    with pytest.raises(TypeError, match="expected"):
        countersign_http.asgi.Auth(sites.starlette_app, **settings)
    with pytest.raises(TypeError, match="expected"):
        countersign_http.wsgi.Auth(sites.flask_app, **settings)


def test_an_excluded_path_that_matches_nothing_is_refused():
    # Each is looked at, also of a generator.
    for exclude in (["health"], ["/open", "static/"], (path for path in ["/", "*"]), [""]):
        with pytest.raises(ValueError, match="^exclude: a path begins with /, not '"):
            countersign_http.asgi.Auth(sites.starlette_app, sites.server, sites.find, exclude=exclude)
    paths = (path for path in ["/open", "/static/"])
    gate = countersign_http.wsgi.Auth(sites.flask_app, sites.server, sites.find, exclude=paths)._gate
    assert gate.is_open("GET", "/open", False) and gate.is_open("GET", "/static/x", False)
