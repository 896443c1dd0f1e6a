"""Sends a request again and again with one session of a library; prints the status of each.

client.py LIBRARY SCHEME URL USER PASSWORD METHOD BODY COUNT
"""

import asyncio
import sys

library, scheme, url, user, password, method, body, count = sys.argv[1:]
body = body.encode() or None
is_basic = scheme == "basic"
times = range(int(count))


def with_requests(name):
    from importlib import import_module

    auth = import_module(name + ".auth")
    session = import_module(name).Session()
    session.trust_env = False
    if is_basic:
        session.auth = auth.HTTPBasicAuth(user.encode(), password.encode())
    else:
        session.auth = auth.HTTPDigestAuth(user, password)
    for _ in times:
        print(session.request(method, url, data=body, timeout=10).status_code)


def with_httpx():
    import httpx

    auth = (httpx.BasicAuth if is_basic else httpx.DigestAuth)(user, password)
    with httpx.Client(auth=auth, timeout=10, trust_env=False) as client:
        for _ in times:
            print(client.request(method, url, content=body).status_code)


async def with_aiohttp():
    import aiohttp

    if is_basic:
        options = {"auth": aiohttp.BasicAuth(user, password, encoding="utf-8")}
    else:
        options = {"middlewares": (aiohttp.DigestAuthMiddleware(user, password),)}
    options["timeout"] = aiohttp.ClientTimeout(10)
    async with aiohttp.ClientSession(**options) as client:
        for _ in times:
            async with client.request(method, url, data=body) as response:
                await response.read()
                print(response.status)


def with_urllib():
    from urllib import error, request

    passwords = request.HTTPPasswordMgrWithDefaultRealm()
    passwords.add_password(None, url, user, password)
    handler = request.HTTPBasicAuthHandler if is_basic else request.HTTPDigestAuthHandler
    opener = request.build_opener(request.ProxyHandler({}), handler(passwords))
    for _ in times:
        message = request.Request(url, data=body, method=method)
        try:
            print(opener.open(message, timeout=10).status)
        except error.HTTPError as refusal:
            print(refusal.code)


def with_pycurl():
    import pycurl

    handle = pycurl.Curl()
    handle.setopt(handle.URL, url.encode())
    handle.setopt(handle.HTTPAUTH, handle.HTTPAUTH_BASIC if is_basic else handle.HTTPAUTH_DIGEST)
    handle.setopt(handle.USERNAME, user.encode())
    handle.setopt(handle.PASSWORD, password.encode())
    handle.setopt(handle.NOPROXY, "*")
    handle.setopt(handle.TIMEOUT, 10)
    handle.setopt(handle.WRITEFUNCTION, lambda data: None)
    if body:
        handle.setopt(handle.POSTFIELDS, body)
    for _ in times:
        handle.perform()
        print(handle.getinfo(handle.RESPONSE_CODE))


match library:
    case "requests" | "niquests":
        with_requests(library)
    case "httpx":
        with_httpx()
    case "aiohttp":
        asyncio.run(with_aiohttp())
    case "urllib":
        with_urllib()
    case "pycurl":
        with_pycurl()
