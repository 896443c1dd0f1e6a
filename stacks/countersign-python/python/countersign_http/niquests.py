"""Authentication for niquests: `DigestAuth` for a `Session`, `AsyncDigestAuth` for an `AsyncSession`."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import quote

import niquests
from niquests.auth import AsyncAuthBase, AuthBase
from niquests.cookies import extract_cookies_to_jar

from . import _errors
from ._login import PAUSE, Login
from ._requests import HookLogin, Replies, Steps, SyncHookLogin

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
    _take_cookies = staticmethod(extract_cookies_to_jar)


class AsyncDigestAuth(_Target, HookLogin, AsyncAuthBase):
    __doc__ = Login.__doc__
    _proof_error = ServerProofWrong
    _take_cookies = staticmethod(extract_cookies_to_jar)

    async def __call__(self, request: Any) -> Any:
        return await self._run(self._prepare(request))

    def _hook(self, replies: Replies) -> Callable[..., Any]:
        async def hook(response: Any, **options: Any) -> Any:
            return await self._run(replies(response, options))

        return hook

    @staticmethod
    async def _run(steps: Steps) -> Any:
        done = None
        with closing(steps):
            while True:
                try:
                    step = steps.send(done)
                except StopIteration as end:
                    return end.value
                done = asyncio.sleep(PAUSE) if step is PAUSE else step()
                # A response that was read at once has nothing to await.
                if inspect.isawaitable(done):
                    done = await done
