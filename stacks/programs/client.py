"""One request by a client of a Python package: client.py NAME URL [METHOD FILE-WITH-BODY]."""

import asyncio
import importlib
import sys

USER, PASSWORD = "Mufasa", "Circle of Life"
name, url = sys.argv[1:3]
method = sys.argv[3] if len(sys.argv) > 3 else "GET"
body = None
if len(sys.argv) > 4:
    with open(sys.argv[4], "rb") as file:
        body = file.read() or None

if name in ("requests", "niquests"):
    library = importlib.import_module(name)
    auth = importlib.import_module(name + ".auth").HTTPDigestAuth(USER, PASSWORD)
    library.request(method, url, data=body, auth=auth, timeout=10)
elif name == "httpx":
    import httpx

    auth = httpx.DigestAuth(USER, PASSWORD)
    with httpx.Client(auth=auth, timeout=10, trust_env=False, follow_redirects=True) as client:
        client.request(method, url, content=body)
elif name == "aiohttp":
    import aiohttp

    async def fetch():
        digest = aiohttp.DigestAuthMiddleware(USER, PASSWORD)
        async with aiohttp.ClientSession(middlewares=(digest,)) as session:
            async with session.request(method, url, data=body) as response:
                await response.read()

    asyncio.run(fetch())
elif name == "urllib":
    import urllib.error
    import urllib.request as library

    known = library.HTTPPasswordMgrWithDefaultRealm()
    known.add_password(None, url, USER, PASSWORD)
    opener = library.build_opener(
        library.ProxyHandler({}),
        library.HTTPDigestAuthHandler(known),
        library.HTTPBasicAuthHandler(known),
    )
    try:
        opener.open(library.Request(url, data=body, method=method), timeout=10)
    except urllib.error.HTTPError:
        pass
