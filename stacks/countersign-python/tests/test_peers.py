"""The clients against servers of others, with the settings of the library's own tests. Those that are not
installed or built are skipped."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from clients import FLOWS, OURS, sender
from countersign_http import Reason
from programs import free_port, running

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
    root.mkdir(exist_ok=True)
    command = [it.replace("@PORT@", str(port)) for it in command]
    with running(command, port, root / "log") as url:
        yield url


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
    with started(root, "httpd.conf", AT_APACHE, command) as url:
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
    command = [lighttpd, "-D", "-f", str(root / "conf")]
    with started(root, "lighttpd.conf", AT_LIGHTTPD, command) as url:
        yield url


@pytest.fixture(scope="module")
def microhttpd(root):
    compiler, built = program("cc"), str(root / "microhttpd")
    command = [compiler, PEERS / "microhttpd.c", "-o", built, "-lmicrohttpd"]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no libmicrohttpd")
    with started(root, None, [], [built, "@PORT@"]) as url:
        yield url


SERVE = {
    "SHA-256": [],
    "SHA-512-256-sess": ["--algorithm", "SHA-512-256-sess"],
    "auth-int": ["--qop", "auth-int"],
    "nextnonce": ["--nextnonce"],
    "MD5, SHA-256": ["--algorithm", "MD5,SHA-256"],
}


@pytest.fixture(scope="module", params=SERVE)
def serve(request, tmp_path_factory):
    built = ROOT / "target/debug/examples/serve"
    if not built.exists():
        pytest.skip("no serve: cargo build --example serve")
    command = [str(built), "--listen", "127.0.0.1:@PORT@", "--user", f"{NAME}:{PASSWORD}"]
    with started(tmp_path_factory.mktemp("serve"), None, [], [*command, *SERVE[request.param]]) as url:
        yield url


def grants(url, library):
    request = sender(library, OURS[library](NAME, PASSWORD))
    for query in ("", "?a=b", "?a=%20"):
        reply = request("GET", url + query)
        assert reply.status == 200, reply


def refuses(*urls):
    """A wrong password is refused to each library at each URL. All at once, because lighttpd takes a second
    for each."""

    def wrong(url, library):
        return sender(library, OURS[library](NAME, "wrong"))("GET", url)

    with ThreadPoolExecutor(100) as pool:
        asked = [pool.submit(wrong, url, library) for url in urls for library in FLOWS]
    for reply in (it.result() for it in asked):
        assert reply.status == 401 and reply.refusal.reason is Reason.WRONG_CREDENTIALS


FLOW = pytest.mark.parametrize("library", FLOWS)
AT_APACHE = "digest", "short"
AT_LIGHTTPD = "md5", "sha-256", "sha-512-256", "md5-hashed", "sha-256-hashed", "sha-512-256-hashed", "all"
AT_MICROHTTPD = "md5", "sha256"


@FLOW
@pytest.mark.parametrize("path", AT_APACHE)
def test_apache(apache, library, path):
    grants(f"{apache}/{path}/", library)


@FLOW
@pytest.mark.parametrize("path", AT_LIGHTTPD)
def test_lighttpd(lighttpd, library, path):
    grants(f"{lighttpd}/{path}/", library)


@FLOW
@pytest.mark.parametrize("path", AT_MICROHTTPD)
def test_libmicrohttpd(microhttpd, library, path):
    grants(f"{microhttpd}/{path}", library)


@FLOW
def test_serve(serve, library):
    grants(serve + "/files", library)


def test_a_wrong_password_at_apache(apache):
    refuses(*(f"{apache}/{path}/" for path in AT_APACHE))


def test_a_wrong_password_at_lighttpd(lighttpd):
    refuses(*(f"{lighttpd}/{path}/" for path in AT_LIGHTTPD))


def test_a_wrong_password_at_libmicrohttpd(microhttpd):
    refuses(*(f"{microhttpd}/{path}" for path in AT_MICROHTTPD))


def test_a_wrong_password_at_serve(serve):
    refuses(serve + "/files")
