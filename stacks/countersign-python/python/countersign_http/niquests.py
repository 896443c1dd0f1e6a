"""Authentication for niquests: `DigestAuth` for a `Session`, `AsyncDigestAuth` for an `AsyncSession`."""

from __future__ import annotations

import asyncio
import inspect
import re
from typing import Any
from urllib.parse import quote

import niquests
from niquests.auth import AsyncAuthBase, AuthBase
from niquests.cookies import extract_cookies_to_jar

from . import _errors
from ._login import PAUSE, Login, position
from ._requests import HookLogin, SyncHookLogin, fields

__all__ = ["AsyncDigestAuth", "DigestAuth", "ServerProofWrong"]


class ServerProofWrong(_errors.ServerProofWrong, niquests.RequestException):
    __doc__ = _errors.ServerProofWrong.__doc__


class _Target:
    @staticmethod
    def _target(path_url: str) -> str:
        """The target as urllib3 sends it: other than requests, niquests leaves the escapes to it."""
        target = quote(path_url, safe="%/?:@!$&'()*+,;=-._~")
        return re.sub("%[0-9a-f]{2}", lambda it: it[0].upper(), target, flags=re.IGNORECASE)


class DigestAuth(_Target, SyncHookLogin, AuthBase):
    __doc__ = Login.__doc__
    _proof_error = ServerProofWrong

    @staticmethod
    def _take_cookies(*arguments: Any) -> None:
        extract_cookies_to_jar(*arguments)


class AsyncDigestAuth(_Target, HookLogin, AsyncAuthBase):
    __doc__ = Login.__doc__
    _proof_error = ServerProofWrong

    @staticmethod
    def _take_cookies(*arguments: Any) -> None:
        extract_cookies_to_jar(*arguments)

    async def __call__(self, request: Any) -> Any:
        first, start = self._attempt_of(request), position(request.body)
        while first.must_wait_to_start():
            await asyncio.sleep(PAUSE)
        self._authorize(first, request, start)
        unused = [first]

        async def hook(response: Any, **options: Any) -> Any:
            sent = response.request
            is_first = sent is request and unused
            attempt = unused.pop() if is_first else self._attempt_of(sent)
            try:
                while True:
                    status, (challenges, info) = response.status_code, fields(response)
                    while attempt.must_wait(status, challenges):
                        await asyncio.sleep(PAUSE)
                    if not attempt.received(response, status, challenges, info):
                        break
                    again = self._again(attempt, response, start)
                    if again is None:
                        break
                    for it in (response.content, response.close()):
                        if inspect.isawaitable(it):
                            await it
                    following = await response.connection.send(again, **options)
                    following.history = [*response.history, response]
                    following.request = again
                    response = following
            except _errors.ServerProofWrong as why:
                closed = response.close()
                if inspect.isawaitable(closed):
                    await closed
                raise ServerProofWrong(str(why), request=response.request, response=response) from None
            finally:
                attempt.done()
            if response.is_redirect:
                sent.headers.pop("Authorization", None)
            return response

        request.register_hook("response", hook)
        return request
