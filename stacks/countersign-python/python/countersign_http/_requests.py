"""What the classes for requests and for niquests share: the hook that sends a request again."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from ._errors import ServerProofWrong
from ._login import PAUSE, Attempt, Login, position, rewind

#: What a request needs: `PAUSE`, and calls whose result niquests may have to await; at last its result.
Steps = Generator[Any, Any, Any]
Replies = Callable[[Any, dict[str, Any]], Steps]


class HookLogin(Login):
    """A login that requests and niquests call for each request that is prepared."""

    #: The `extract_cookies_to_jar` of the library.
    _take_cookies: Callable[..., Any]

    def _hook(self, replies: Replies) -> Callable[..., Any]:
        """The hook that runs `replies`."""
        raise NotImplementedError

    @staticmethod
    def _target(path_url: str) -> str:
        """The request-target as it is sent."""
        return path_url

    def _attempt_of(self, request: Any) -> Attempt:
        body = request.body
        if isinstance(body, str):
            body = body.encode()
        elif body is None:
            body = b""
        return self._attempt(
            request.method,
            request.url,
            target=self._target(request.path_url),
            body=bytes(body) if isinstance(body, (bytes, bytearray)) else None,
        )

    def _authorize(self, attempt: Attempt, request: Any, start: int | None) -> bool:
        """Sets the field of a request; returns whether the request can be sent."""
        answer, needs_body = attempt.authorize_or_refuse()
        if needs_body:
            for part in _parts(request.body, start):
                attempt.exchange.hash_body(part)
            answer, needs_body = attempt.authorize_or_refuse()
        request.headers.pop("Authorization", None)
        if answer is not None:
            request.headers["Authorization"] = answer
        return not needs_body

    def _again(self, attempt: Attempt, response: Any, start: int | None) -> Any:
        """The request to send again, or `None` if it cannot be."""
        again = response.request.copy()
        if not rewind(again.body, start):
            attempt.refuse_body(response)
            return None
        if not self._authorize(attempt, again, start):
            attempt.refuse(response)
            return None
        # Replies of the library's doubles have no raw response that cookies could be in.
        if hasattr(response.raw, "_original_response"):
            self._take_cookies(again._cookies, response.request, response.raw)
        again.prepare_cookies(again._cookies)
        return again

    def _prepare(self, request: Any) -> Steps:
        """Gives a request its field, and a hook that answers the challenges of its responses."""
        if not hasattr(request, "register_hook"):
            raise self._not_for(request)
        # A file is at its start now.
        first, start = self._attempt_of(request), position(request.body)
        while first.must_wait_to_start():
            yield PAUSE
        self._authorize(first, request, start)
        unused = [first]
        # Weak, or each request would be a cycle that waits for the garbage collector.
        prepared = weakref.ref(request)

        def replies(response: Any, options: dict[str, Any]) -> Steps:
            sent = response.request
            # A redirect comes here, too: another request, perhaps to another origin. So does a
            # request that was prepared once and is sent a second time.
            is_first = sent is prepared() and unused
            attempt = unused.pop() if is_first else self._attempt_of(sent)
            try:
                while True:
                    status, (challenges, info) = response.status_code, _fields(response)
                    while attempt.must_wait(status, challenges):
                        yield PAUSE
                    if not attempt.received(response, status, challenges, info):
                        break
                    again = self._again(attempt, response, start)
                    if again is None:
                        break
                    # The connection is used again once the response was read.
                    yield partial(getattr, response, "content")
                    yield response.close
                    following = yield partial(response.connection.send, again, **options)
                    following.history = [*response.history, response]
                    following.request = again
                    response = following
            except ServerProofWrong as why:
                yield response.close
                kind: Any = self._proof_error
                raise kind(str(why), request=response.request, response=response) from None
            finally:
                attempt.done()
            # Otherwise it would go along to the next target, which it does not fit.
            if response.is_redirect:
                sent.headers.pop("Authorization", None)
            return response

        request.register_hook("response", self._hook(replies))
        return request


class SyncHookLogin(HookLogin):
    def __call__(self, request: Any) -> Any:
        return self._run(self._prepare(request))

    def _hook(self, replies: Replies) -> Callable[..., Any]:
        return lambda response, **options: self._run(replies(response, options))

    @staticmethod
    def _run(steps: Steps) -> Any:
        done = None
        with closing(steps):
            while True:
                try:
                    step = steps.send(done)
                except StopIteration as end:
                    return end.value
                if step is PAUSE:
                    time.sleep(PAUSE)
                else:
                    done = step()


def _fields(response: Any) -> tuple[list[str], list[str]]:
    """All values of the two fields that a client reads."""
    headers: Any = getattr(response.raw, "headers", None)
    if hasattr(headers, "getlist"):
        return headers.getlist("www-authenticate"), headers.getlist("authentication-info")
    # An adapter of one's own may have no raw response: the library joins the values.
    headers = response.headers
    names = "www-authenticate", "authentication-info"
    challenges, info = ([headers[name]] if name in headers else [] for name in names)
    return challenges, info


def _parts(body: Any, start: int | None) -> Iterator[bytes]:
    """The parts of a body that can be read twice, which is then where it was."""
    if start is not None:
        while part := body.read(1 << 16):
            yield part.encode() if isinstance(part, str) else part
        body.seek(start)
    elif rewind(body, None):
        yield from body
