"""Sends a request to each URL again and again with one session of a library; prints the statuses.
With nothing behind the library, prints its version.

client.py LIBRARY SCHEME "URL ..." USER PASSWORD METHOD BODY COUNT
"""

import asyncio
import sys


def print_version(library):
    if library == "libsoup":
        import gi

        gi.require_version("Soup", "3.0")
        from gi.repository import Soup

        print(Soup.MAJOR_VERSION, Soup.MINOR_VERSION, sep=".")
    elif library == "urllib":
        print(sys.version)
    else:
        from importlib import import_module, metadata

        import_module(library)
        print(metadata.version(library))


if len(sys.argv) == 2:
    print_version(sys.argv[1])
    sys.exit()
library, scheme, urls, user, password, method, body, count = sys.argv[1:]
body = body.encode() or None
is_basic = scheme == "basic"
urls = urls.split() * int(count)
origin = "/".join(urls[0].split("/")[:3])


def with_requests(name):
    from importlib import import_module

    auth = import_module(name + ".auth")
    session = import_module(name).Session()
    session.trust_env = False
    if is_basic:
        session.auth = auth.HTTPBasicAuth(user.encode(), password.encode())
    else:
        session.auth = auth.HTTPDigestAuth(user, password)
    for url in urls:
        print(session.request(method, url, data=body, timeout=10).status_code)


def with_httpx():
    import httpx

    auth = (httpx.BasicAuth if is_basic else httpx.DigestAuth)(user, password)
    with httpx.Client(auth=auth, timeout=10, trust_env=False) as client:
        for url in urls:
            print(client.request(method, url, content=body).status_code)


async def with_aiohttp():
    import aiohttp

    if is_basic:
        options = {"auth": aiohttp.BasicAuth(user, password, encoding="utf-8")}
    else:
        options = {"middlewares": (aiohttp.DigestAuthMiddleware(user, password),)}
    options["timeout"] = aiohttp.ClientTimeout(10)
    async with aiohttp.ClientSession(**options) as client:
        for url in urls:
            async with client.request(method, url, data=body) as response:
                await response.read()
                print(response.status)


def with_urllib():
    from urllib import error, request

    passwords = request.HTTPPasswordMgrWithDefaultRealm()
    passwords.add_password(None, origin, user, password)
    handler = request.HTTPBasicAuthHandler if is_basic else request.HTTPDigestAuthHandler
    opener = request.build_opener(request.ProxyHandler({}), handler(passwords))
    for url in urls:
        message = request.Request(url, data=body, method=method)
        try:
            print(opener.open(message, timeout=10).status)
        except error.HTTPError as refusal:
            print(refusal.code)


def with_pycurl():
    import pycurl

    handle = pycurl.Curl()
    handle.setopt(handle.HTTPAUTH, handle.HTTPAUTH_BASIC if is_basic else handle.HTTPAUTH_DIGEST)
    handle.setopt(handle.USERNAME, user.encode())
    handle.setopt(handle.PASSWORD, password.encode())
    handle.setopt(handle.NOPROXY, "*")
    handle.setopt(handle.TIMEOUT, 10)
    handle.setopt(handle.WRITEFUNCTION, lambda data: None)
    if body:
        handle.setopt(handle.POSTFIELDS, body)
    for url in urls:
        handle.setopt(handle.URL, url.encode())
        handle.perform()
        print(handle.getinfo(handle.RESPONSE_CODE))


def with_httplib2():
    import httplib2

    client = httplib2.Http(timeout=10, proxy_info=None)
    client.add_credentials(user, password)
    for url in urls:
        print(client.request(url, method, body=body)[0].status)


def with_mechanize():
    import mechanize

    browser = mechanize.Browser()
    browser.set_handle_robots(False)
    browser.set_proxies({})
    browser.add_password(origin, user, password)
    for url in urls:
        try:
            print(browser.open(mechanize.Request(url, data=body, method=method), timeout=10).code)
        except mechanize.HTTPError as refusal:
            print(refusal.code)


def with_libsoup():
    import gi

    gi.require_version("Soup", "3.0")
    from gi.repository import GLib, Soup

    def authenticate(message, auth, is_retry):
        if not is_retry:
            auth.authenticate(user, password)
        return not is_retry

    session = Soup.Session(timeout=10, proxy_resolver=None)
    for url in urls:
        message = Soup.Message.new(method, url)
        message.connect("authenticate", authenticate)
        if body:
            message.set_request_body_from_bytes("text/plain", GLib.Bytes.new(body))
        session.send_and_read(message, None)
        print(int(message.get_status()))


match library:
    case "requests" | "niquests":
        with_requests(library)
    case "aiohttp":
        asyncio.run(with_aiohttp())
    case name:
        globals()["with_" + name]()
