"""Sites of each framework, for the tests and for `uvicorn sites:NAME` and `gunicorn sites:NAME`."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import countersign_http.asgi
import countersign_http.fastapi
import countersign_http.flask
import countersign_http.wsgi
import django.conf
import fastapi
import flask
from countersign_http import Server
from scripted import NAME, PASSWORD
from starlette.applications import Starlette
from starlette.authentication import requires
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute

server = Server("files", algorithms=["SHA-256", "MD5"], capacity=1000)
USERS = {NAME: server.ha1(NAME, PASSWORD)}
find = USERS.get
ALL_METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS"]


async def find_async(name):
    await asyncio.sleep(0)
    ha1 = USERS.get(name)
    return ha1 and (ha1, {"name": name})


# Starlette: a middleware.


@requires("authenticated")
async def hello(request):
    return PlainTextResponse(f"hello {request.user.display_name}\n")


async def open_page(request):
    return PlainTextResponse("open\n")


async def echo(socket):
    await socket.accept()
    await socket.send_text(f"{await socket.receive_text()} {socket.user}")
    await socket.close()


routes = [
    Route("/open", open_page),
    Route("/static/{path:path}", open_page),
    WebSocketRoute("/ws", echo),
    Mount("/mounted", Starlette(routes=[Route("/{path:path}", hello, methods=ALL_METHODS)])),
    Route("/{path:path}", hello, methods=ALL_METHODS),
]
starlette_app = countersign_http.asgi.Auth(
    Starlette(routes=routes), server, find, exclude=["/open", "/static/"]
)
#: The middleware around a part of a site.
mounting_app = Starlette(
    routes=[
        Mount("/private", countersign_http.asgi.Auth(Starlette(routes=routes), server, find)),
        Route("/open", open_page),
    ]
)

# FastAPI: a dependency.

digest = countersign_http.fastapi.Digest(server, find_async)
CurrentUser = Annotated[dict, fastapi.Depends(digest)]


def fastapi_site(with_fields=True):
    app = fastapi.FastAPI()
    if with_fields:
        app.add_middleware(countersign_http.fastapi.Fields)
    router = fastapi.APIRouter(dependencies=[fastapi.Depends(digest)])

    @app.get("/open")
    async def open_route():
        return "open"

    @router.get("/raw")
    async def raw(user: CurrentUser):
        return PlainTextResponse(f"hello {user['name']}\n")

    @router.api_route("/{path:path}", methods=ALL_METHODS)
    async def me(path: str, user: CurrentUser):
        return user

    app.include_router(router)
    return app


fastapi_app = fastapi_site()

# Flask: a decorator, and a middleware.

flask_app = flask.Flask("decorated")
login_required = countersign_http.flask.Digest(server, find)


@flask_app.get("/open")
def flask_open():
    return "open"


@flask_app.route("/<path:path>", methods=ALL_METHODS)
@login_required
def flask_private(path):
    return f"hello {flask.g.user}\n"


wrapped_app = flask.Flask("wrapped")


@wrapped_app.get("/open")
def wrapped_open():
    return str(os.getpid())


@wrapped_app.route("/<path:path>", methods=ALL_METHODS)
def wrapped_private(path):
    return f"hello {flask.request.remote_user}\n"


wrapped_app.wsgi_app = countersign_http.wsgi.Auth(wrapped_app.wsgi_app, server, find, exclude=["/open"])

# Django: a middleware.

if not django.conf.settings.configured:
    django.conf.settings.configure(
        SECRET_KEY="x",
        ROOT_URLCONF="sites",
        ALLOWED_HOSTS=["*"],
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": os.environ.get("SITES_DATABASE", "file:sites?mode=memory&cache=shared"),
            }
        },
        MIDDLEWARE=["countersign_http.django.DigestMiddleware"],
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        COUNTERSIGN={"server": server, "find": find, "exclude": ["/open"]},
    )
    django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import re_path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402


@csrf_exempt
def django_hello(request, path):
    return HttpResponse(f"hello {request.user.get_username() if hasattr(request, 'user') else 'all'}\n")


urlpatterns = [re_path("^(.*)$", django_hello)]


def migrate():
    call_command("migrate", verbosity=0, run_syncdb=True)
    if not get_user_model().objects.filter(username=NAME).exists():
        get_user_model().objects.create_user(NAME)


if "SITES_DATABASE" in os.environ:
    migrate()
django_wsgi, django_asgi = get_wsgi_application(), get_asgi_application()
