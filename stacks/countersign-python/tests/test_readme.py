"""The programs of the README run, against servers of the README."""

from __future__ import annotations

import pathlib
import re
import threading
from wsgiref.simple_server import make_server

import pytest
from scripted import NAME, PASSWORD, protected, serve
from test_frameworks import Quiet

README = pathlib.Path(__file__).parent.parent.joinpath("README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SITE = "http://127.0.0.1:8080"


def test_each_block_is_run():
    assert len(BLOCKS) == 6


@pytest.mark.parametrize("block", [it for it in BLOCKS if "login = DigestAuth" in it])
def test_clients(block):
    names = {}
    with serve(protected()) as server:
        exec(block.replace(SITE, server.url), names)
        assert names["response"].status_code == 200 and len(server.requests) == 2


@pytest.mark.parametrize("block", [it for it in BLOCKS if "\napp = " in it])
def test_servers(block):
    from clients import OURS, sender

    names = {}
    exec(block, names)
    app = names["app"]
    if hasattr(app, "test_client"):
        with make_server("127.0.0.1", 0, app, handler_class=Quiet) as server:
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/reports/7"
            reply = sender("requests", OURS["requests"](NAME, PASSWORD))("GET", url)
            server.shutdown()
    else:
        from starlette.testclient import TestClient

        reply = TestClient(app).get("/reports/7", auth=OURS["httpx2"](NAME, PASSWORD))
        reply.status = reply.status_code
    assert reply.status == 200 and NAME in reply.text


@pytest.mark.parametrize("block", [it for it in BLOCKS if "Exchange(" in it])
def test_without_io(block, capsys):
    exec(block, {})
    assert capsys.readouterr().out == f"{NAME} 200 None\n"
