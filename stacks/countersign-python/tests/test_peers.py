"""The clients against servers of others, with the settings of the library's own tests. Those that are not
installed or built are skipped."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import pytest
from clients import OURS, sender
from countersign_http import Reason
from test_frameworks import free_port

ROOT = pathlib.Path(__file__).parent.parent.parent.parent
PEERS = ROOT / "tests/peers"
NAME, PASSWORD, REALM = "Mufasa", "Circle Of Life", "test realm"


def hashed(name):
    text = f"{NAME}:{REALM}:{PASSWORD}".encode()
    return f"{NAME}:{REALM}:{hashlib.new(name, text).hexdigest()}\n"


def program(name):
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
    return found or pytest.skip(f"no {name}")


@contextlib.contextmanager
def started(root, config, paths, command):
    port = free_port()
    for path in paths:
        folder = root / "www" / path
        folder.mkdir(parents=True)
        (folder / "index.html").write_text("hello")
    if config:
        text = (PEERS / config).read_text().replace("@ROOT@", str(root)).replace("@PORT@", str(port))
        (root / "conf").write_text(text)
    process = subprocess.Popen([it.replace("@PORT@", str(port)) for it in command])
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def root():
    with tempfile.TemporaryDirectory() as name:
        # Apache, started by root, serves as another user.
        os.chmod(name, 0o755)
        yield pathlib.Path(name)


@pytest.fixture(scope="module")
def apache(root):
    apache2, root = program("apache2"), root / "apache"
    root.mkdir()
    (root / "htdigest").write_text(hashed("md5"))
    command = [apache2, "-X", "-f", str(root / "conf")]
    with started(root, "httpd.conf", ["digest", "short"], command) as url:
        yield url


@pytest.fixture(scope="module")
def lighttpd(root):
    lighttpd, root = program("lighttpd"), root / "lighttpd"
    root.mkdir()
    (root / "plain").write_text(f"{NAME}:{PASSWORD}\n")
    for name in ("md5", "sha-256", "sha-512-256"):
        algorithm = {"sha-256": "sha256", "sha-512-256": "sha512_256"}.get(name, name)
        user = hashlib.new(algorithm, f"{NAME}:{REALM}".encode()).hexdigest()
        (root / f"{name}.users").write_text(hashed(algorithm))
        (root / f"{name}.hashed").write_text(f"{hashed(algorithm).strip()}:{user}\n")
    paths = ["md5", "sha-256", "sha-512-256", "md5-hashed", "sha-256-hashed", "sha-512-256-hashed"]
    paths.append("all")
    command = [lighttpd, "-D", "-f", str(root / "conf")]
    with started(root, "lighttpd.conf", paths, command) as url:
        yield url


@pytest.fixture(scope="module")
def microhttpd(root):
    compiler, built = program("cc"), str(root / "microhttpd")
    command = [compiler, PEERS / "microhttpd.c", "-o", built, "-lmicrohttpd"]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no libmicrohttpd")
    with started(root, None, [], [built, "@PORT@"]) as url:
        yield url


def serve_example(tmp_path, *options):
    built = ROOT / "target/debug/examples/serve"
    if not built.exists():
        pytest.skip("no serve: cargo build --example serve")
    command = [str(built), "--listen", "127.0.0.1:@PORT@", "--user", f"{NAME}:{PASSWORD}", *options]
    return started(tmp_path, None, [], command)


def check(url, library):
    login = OURS[library](NAME, PASSWORD)
    request = sender(library, login)
    for query in ("", "?a=b", "?a=%20"):
        reply = request("GET", url + query)
        assert reply.status == 200, reply
    reply = sender(library, OURS[library](NAME, "wrong"))("GET", url)
    assert reply.status == 401 and reply.refusal.reason is Reason.WRONG_CREDENTIALS


ALL = pytest.mark.parametrize("library", [*OURS])


@ALL
@pytest.mark.parametrize("path", ["digest", "short"])
def test_apache(apache, library, path):
    check(f"{apache}/{path}/", library)


@ALL
@pytest.mark.parametrize(
    "path",
    ["md5", "sha-256", "sha-512-256", "md5-hashed", "sha-256-hashed", "sha-512-256-hashed", "all"],
)
def test_lighttpd(lighttpd, library, path):
    check(f"{lighttpd}/{path}/", library)


@ALL
@pytest.mark.parametrize("path", ["md5", "sha256"])
def test_libmicrohttpd(microhttpd, library, path):
    check(f"{microhttpd}/{path}", library)


@ALL
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--algorithm", "SHA-512-256-sess"],
        ["--qop", "auth-int"],
        ["--nextnonce"],
        ["--algorithm", "MD5,SHA-256"],
    ],
)
def test_serve(tmp_path, library, options):
    with serve_example(tmp_path, *options) as url:
        check(url + "/files", library)
