"""Authentication for Django, by a middleware and a setting.

MIDDLEWARE = [..., "countersign_http.django.DigestMiddleware"]
COUNTERSIGN = {"server": Server("files"), "find": find}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

from ._core import Verdict
from ._server import Gate, line, log, report
from .wsgi import check

__all__ = ["DigestMiddleware"]


class DigestMiddleware:
    """Lets in requests of users only, and sets `request.user`.

    The setting `COUNTERSIGN` has the arguments of `wsgi.Auth`: `server` and `find`, and if need be
    `exclude` and `encrypted`. `request.user` is the account that `find` returned, or else the active
    user of that name; without such a user the response is 403. Put it after `AuthenticationMiddleware`,
    if that is used, whose `request.user` an excluded path has.
    """

    sync_capable = async_capable = True

    def __init__(self, get_response: Callable[..., Any]) -> None:
        options = getattr(settings, "COUNTERSIGN", None)
        if not isinstance(options, dict):
            raise ImproperlyConfigured('COUNTERSIGN: expected a dict with "server" and "find"')
        try:
            self._gate = Gate(**options)
        except (TypeError, ValueError) as why:
            raise ImproperlyConfigured(f"COUNTERSIGN: {why}") from why
        self._get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        if self._is_async:
            return self._acall(request)
        refused, fields = self._decide(request)
        return refused or _with(self._get_response(request), fields)

    async def _acall(self, request: HttpRequest) -> Any:
        # The look-up of the user is not async in all versions.
        refused, fields = await sync_to_async(self._decide)(request)
        return refused or _with(await self._get_response(request), fields)

    def _decide(self, request: HttpRequest) -> tuple[HttpResponse | None, list[tuple[str, str]]]:
        """The response that refuses a request, or the fields for the one that grants it."""
        method, meta = str(request.method), request.META
        names = "HTTP_ORIGIN", "HTTP_ACCESS_CONTROL_REQUEST_METHOD"
        if self._gate.is_open(method, request.path, all(name in meta for name in names)):
            return None, []
        verdict = self._check(request)
        if verdict:
            user = self._user(verdict)
            if user is not None:
                request.user = user
                return None, verdict.headers
            # Otherwise nobody learns why a right password is not enough.
            log.warning("%s %s refused: Django has no active user of this name", method, line(request.path))
            return HttpResponse(status=403), []
        report(verdict, method, request.path)
        return _with(HttpResponse(status=verdict.status), verdict.headers), []

    def _check(self, request: HttpRequest) -> Verdict:
        environ = {**request.META, "wsgi.url_scheme": request.scheme}
        scope = getattr(request, "scope", None)
        if scope is not None:
            target = scope.get("raw_path") or b""
            if target and scope["query_string"]:
                target += b"?" + scope["query_string"]
            environ["RAW_URI"] = target.decode("latin-1") or request.get_full_path()
        return check(self._gate, environ)

    @staticmethod
    def _user(verdict: Verdict) -> Any:
        if verdict.account is not None:
            return verdict.account
        model = get_user_model()
        name = {model.USERNAME_FIELD: verdict.user}
        return model._default_manager.filter(**name, is_active=True).first()


def _with(response: Any, fields: list[tuple[str, str]]) -> Any:
    """Adds fields, joined where a name occurs twice (RFC 9110, section 5.3): Django has one of each."""
    for name, value in fields:
        response[name] = f"{response[name]}, {value}" if name in response else value
    return response
