"""One login in flight: threads, tasks and processes that share a login."""

from __future__ import annotations

import asyncio
import os
import threading

import httpx
import pytest
import trio
from clients import ERRORS, OURS, QUICK, send, sender
from scripted import NAME, PASSWORD, challenge, protected, serve


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


@pytest.mark.parametrize("library", OURS)
def test_a_request_that_fails_gives_up_its_turn(library):
    def answer(server, request):
        if request.fields:
            raise ConnectionAbortedError
        return 401, [("WWW-Authenticate", challenge())], b""

    with serve(answer) as server:
        login = OURS[library](NAME, PASSWORD)
        with pytest.raises(ERRORS[library]) as caught:
            sender(library, login)("GET", server.url)
        # The frames of the traceback live on.
        assert caught.tb and not login._turn


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
        assert [it.params.get("nc") for it in server.requests] == [
            None,
            "00000001",
            None,
            "00000001",
            "00000002",
        ]
