"""Authentication for aiohttp: `ClientSession(middlewares=[DigestAuthMiddleware("Mufasa", "…")])`."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, payload

from . import _errors
from ._login import PAUSE, Attempt, Login

__all__ = ["DigestAuthMiddleware", "ServerProofWrong"]


class ServerProofWrong(_errors.ServerProofWrong, aiohttp.ClientError):
    __doc__ = _errors.ServerProofWrong.__doc__


class DigestAuthMiddleware(Login):
    __doc__ = Login.__doc__
    _proof_error = ServerProofWrong

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        url, body = request.url, request.body
        whole: bytes | None = body if isinstance(body, bytes) else None
        if isinstance(body, payload.BytesPayload):
            whole = await body.as_bytes()
        attempt = self._attempt(request.method, str(url), target=url.raw_path_qs, body=whole)
        try:
            while attempt.must_wait_to_start():
                await asyncio.sleep(PAUSE)
            await self._authorize(attempt, request)
            while True:
                response = await handler(request)
                status, fields = response.status, response.headers
                challenges = fields.getall("www-authenticate", [])
                while attempt.must_wait(status, challenges):
                    await asyncio.sleep(PAUSE)
                info = fields.getall("authentication-info", [])
                try:
                    if not attempt.received(response, status, challenges, info):
                        return response
                except _errors.ServerProofWrong as why:
                    response.close()
                    raise ServerProofWrong(str(why)) from None
                # aiohttp goes back to the start of files by itself.
                if getattr(request.body, "consumed", False):
                    attempt.refuse_body(response)
                    return response
                if not await self._authorize(attempt, request):
                    attempt.refuse(response)
                    return response
                # The session learns of cookies after the middlewares.
                request.update_cookies(response.cookies)
                response.release()
        finally:
            attempt.done()

    async def _authorize(self, attempt: Attempt, request: ClientRequest) -> bool:
        """Sets the field of a request; returns whether the request can be sent."""
        answer, needs_body = attempt.authorize_or_refuse()
        body = request.body
        if needs_body:
            # Streams are used up when they are written.
            if not isinstance(body, (bytes, payload.AsyncIterablePayload)):
                await body.write(_Hash(attempt))
            answer, needs_body = attempt.authorize_or_refuse()
        request.headers.pop("Authorization", None)
        if answer is not None:
            request.headers["Authorization"] = answer
        return not needs_body


class _Hash(aiohttp.abc.AbstractStreamWriter):
    """Hashes a body that is written to it."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    async def write(self, chunk: Any) -> None:
        self._attempt.exchange.hash_body(bytes(chunk))

    async def write_eof(self, chunk: bytes = b"") -> None:
        if chunk:
            await self.write(chunk)

    async def drain(self) -> None:
        pass

    def enable_compression(self, *arguments: Any, **options: Any) -> None:
        pass

    def enable_chunking(self) -> None:
        pass

    async def write_headers(self, status_line: str, headers: Any) -> None:
        pass
