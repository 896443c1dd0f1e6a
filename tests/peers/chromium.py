"""Has headless Chromium open each URL again and again, in one context, and answers when it asks for
a login, as its user would; prints the status of each page. Without arguments, prints the version.

chromium.py SCHEME "URL ..." USER PASSWORD METHOD BODY COUNT
"""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile

import aiohttp

if len(sys.argv) == 1:
    sys.exit(subprocess.run(["chromium", "--version"]).returncode)
_, urls, user, password, method, body, count = sys.argv[1:]
urls = urls.split() * int(count)
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--remote-debugging-port=0",
]


class Browser:
    def __init__(self, socket):
        self.socket, self.number, self.waiting = socket, 0, {}
        self.session, self.asked, self.statuses = None, set(), []

    async def listen(self):
        async for message in self.socket:
            message = json.loads(message.data)
            if message.get("id") in self.waiting:
                self.waiting.pop(message["id"]).set_result(message.get("result", {}))
            elif "method" in message:
                await self.event(message["method"], message["params"])

    async def event(self, name, values):
        if name == "Fetch.authRequired":
            # Who is asked twice for one request gives up.
            first = values["requestId"] not in self.asked
            self.asked.add(values["requestId"])
            answer = {"response": "CancelAuth"}
            if first:
                answer = {"response": "ProvideCredentials", "username": user, "password": password}
            parts = {"requestId": values["requestId"], "authChallengeResponse": answer}
            await self.send("Fetch.continueWithAuth", parts)
        elif name == "Fetch.requestPaused":
            parts = {"requestId": values["requestId"]}
            if body and values["request"]["url"] in urls:
                import base64

                parts["method"] = method
                parts["postData"] = base64.b64encode(body.encode()).decode()
            await self.send("Fetch.continueRequest", parts)
        elif name == "Network.responseReceived" and values["type"] == "Document":
            self.statuses.append(values["response"]["status"])

    async def send(self, name, values=None):
        self.number += 1
        message = {"id": self.number, "method": name, "params": values or {}}
        if self.session:
            message["sessionId"] = self.session
        await self.socket.send_str(json.dumps(message))
        return self.number

    async def call(self, name, values=None):
        result = asyncio.get_running_loop().create_future()
        self.waiting[self.number + 1] = result
        await self.send(name, values)
        return await asyncio.wait_for(result, 15)


async def drive(address):
    timeout = aiohttp.ClientTimeout(25)
    async with aiohttp.ClientSession(timeout=timeout) as client:
        async with client.ws_connect(address, max_msg_size=0) as socket:
            browser = Browser(socket)
            listener = asyncio.create_task(browser.listen())
            target = await browser.call("Target.createTarget", {"url": "about:blank"})
            attach = {"targetId": target["targetId"], "flatten": True}
            attached = await browser.call("Target.attachToTarget", attach)
            browser.session = attached["sessionId"]
            await browser.call("Network.enable")
            await browser.call("Page.enable")
            await browser.call("Network.setCacheDisabled", {"cacheDisabled": True})
            everything = [{"urlPattern": "*/a*"}]
            await browser.call("Fetch.enable", {"handleAuthRequests": True, "patterns": everything})
            for n, url in enumerate(urls):
                await browser.call("Page.navigate", {"url": url})
                for _ in range(100):
                    if len(browser.statuses) > n:
                        break
                    await asyncio.sleep(0.05)
            listener.cancel()
            for status in browser.statuses:
                print(status)


directory = tempfile.mkdtemp()
chromium = subprocess.Popen(
    ["chromium", *OPTIONS, f"--user-data-dir={directory}", "about:blank"],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE,
    text=True,
)
try:
    for line in chromium.stderr:
        if "DevTools listening on" in line:
            asyncio.run(drive(line.split()[-1]))
            break
finally:
    chromium.terminate()
    try:
        chromium.wait(10)
    except subprocess.TimeoutExpired:
        chromium.kill()
    shutil.rmtree(directory, ignore_errors=True)
