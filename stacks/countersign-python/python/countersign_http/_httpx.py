"""What the classes for httpx and httpx2 share: the flow of one request."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator
from typing import Any

from ._errors import ServerProofWrong
from ._login import PAUSE, Attempt, Login, is_iterator, position, rewind


class FlowLogin(Login):
    """A login whose flow httpx runs for each request."""

    #: The `ByteStream`, `Cookies` and `sleep` of the library.
    _byte_stream: type
    _cookies: type
    requires_request_body = False
    requires_response_body = False

    # Only other libraries call it. Without a result, so that type checkers refuse it for them.
    def __call__(self, request: object, *_: object) -> None:
        raise self._not_for(request)

    def _attempt_of(self, request: Any) -> Attempt:
        url, stream = request.url, request.stream
        is_whole = isinstance(stream, self._byte_stream)
        body = b"".join(stream) if is_whole else None  # one part, and no copy of it
        return self._attempt(request.method, str(url), target=url.raw_path, body=body)

    def _flow(self, request: Any) -> Generator[Any, Any, None]:
        """Yields requests to send; `PAUSE`, to go on later; and `_Hash`, to hash a body."""
        attempt, body = self._attempt_of(request), _Body(request.stream)
        try:
            while attempt.must_wait_to_start():
                yield PAUSE
            yield from self._authorize(attempt, request, body)
            while True:
                response = yield request
                status, fields = response.status_code, response.headers
                sent = response.request
                if sent is not request:
                    # Redirected within the client, which took the answer for one target along to
                    # another. Strict servers, such as Apache, refuse that by 400.
                    if sent.stream is not request.stream:
                        body = _Body(sent.stream)
                    request = sent
                    attempt.done()
                    attempt = self._attempt_of(request)
                    is_read = request.method in ("GET", "HEAD")
                    if status == 400 and is_read and "authorization" in request.headers:
                        yield from self._authorize(attempt, request, body)
                        continue
                challenges = fields.get_list("www-authenticate")
                while attempt.must_wait(status, challenges):
                    yield PAUSE
                info = fields.get_list("authentication-info")
                if not attempt.received(response, status, challenges, info):
                    return
                if not body.rewind():
                    attempt.refuse_body(response)
                    return
                if not (yield from self._authorize(attempt, request, body)):
                    attempt.refuse(response)
                    return
                if response.cookies:
                    self._cookies(response.cookies).set_cookie_header(request)
        except ServerProofWrong as why:
            raise self._proof_error(str(why), request=request) from None  # type: ignore[call-arg]
        finally:
            attempt.done()

    def _authorize(self, attempt: Attempt, request: Any, body: _Body) -> Generator[Any, Any, bool]:
        answer, needs_body = attempt.authorize_or_refuse()
        if needs_body and body.is_repeatable:
            yield _Hash(attempt, request.stream)
            body.rewind()
            answer, needs_body = attempt.authorize_or_refuse()
        elif needs_body:
            answer, needs_body = attempt.authorize_or_refuse()
        request.headers.pop("authorization", None)
        if answer is not None:
            request.headers["authorization"] = answer
        return not needs_body

    def sync_auth_flow(self, request: Any) -> Generator[Any, Any, None]:
        flow, received = self._flow(request), None
        try:
            while True:
                step = flow.send(received)
                received = None
                if step is PAUSE:
                    time.sleep(PAUSE)
                elif isinstance(step, _Hash):
                    for part in step.stream:
                        step.attempt.exchange.hash_body(part)
                else:
                    received = yield step
        except StopIteration:
            return
        finally:
            flow.close()

    async def async_auth_flow(self, request: Any) -> AsyncGenerator[Any, Any]:
        flow, received = self._flow(request), None
        try:
            while True:
                step = flow.send(received)
                received = None
                if step is PAUSE:
                    await _sleep(PAUSE)
                elif isinstance(step, _Hash):
                    async for part in step.stream:
                        step.attempt.exchange.hash_body(part)
                else:
                    received = yield step
        except StopIteration:
            return
        finally:
            flow.close()


async def _sleep(seconds: float) -> None:
    # Of asyncio or trio; httpx depends on it.
    import anyio

    await anyio.sleep(seconds)


class _Hash:
    """Asks to hash a body."""

    def __init__(self, attempt: Attempt, stream: Any) -> None:
        self.attempt, self.stream = attempt, stream


class _Body:
    """Where the body of a request started, to send it again."""

    def __init__(self, stream: Any) -> None:
        # httpx wraps a file or iterable in a stream, and a form in one with a part for each file.
        inner = getattr(stream, "_stream", stream)
        parts = getattr(inner, "fields", [inner])
        self._files = [(it, position(it)) for it in (getattr(part, "file", part) for part in parts)]

    @property
    def is_repeatable(self) -> bool:
        return all(
            start is not None or not (hasattr(it, "read") or is_iterator(it)) for it, start in self._files
        )

    def rewind(self) -> bool:
        """Goes back to the start; returns whether that is possible."""
        return self.is_repeatable and all(start is None or rewind(it, start) for it, start in self._files)
