"""Logins by clients that people have."""
import asyncio
import collections
import subprocess
import time

from stage import find
from wire import PASSWORDS

PASSWORD = PASSWORDS["Mufasa"]


def curl(url, *options):
    write = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "20"]
    return subprocess.run(["curl", *write, *options, url], capture_output=True, text=True)


def logged(stage, line, least):
    """The lines of nginx's log that begin so. nginx writes them after it has answered."""
    for _ in range(100):
        found = [it for it in (stage.dir / "access.log").read_text().splitlines() if it.startswith(line)]
        if len(found) >= least:
            break
        time.sleep(0.1)
    return found


def sent(shown):
    """The credentials that curl sent, by its log."""
    return [line for line in shown.stderr.split("\n") if line.startswith("> Authorization: ")][-1]


def check_clients(rows, nginx, everything):
    stage, url = nginx.stage, f"http://127.0.0.1:{nginx.ports['main']}"
    login = ["--digest", "-u", f"Mufasa:{PASSWORD}"]
    shown = curl(f"{url}/a.txt", *login, "-v")
    rows.check("curl: login", shown.stdout, "200")
    rows.check("curl: by SHA-256", "algorithm=SHA-256" in sent(shown), True)
    rows.check("curl: the server's proof arrives", "rspauth=" in shown.stderr, True)
    rows.check("curl: wrong password", curl(f"{url}/a.txt", "--digest", "-u", "Mufasa:no").stdout, "401")
    rows.check("curl: no login", curl(f"{url}/a.txt").stdout, "401")
    rows.check("curl: 404 with the proof", "rspauth" in curl(f"{url}/none", *login, "-v").stderr, True)
    (stage.dir / "upload").write_text("x" * 1_000_000)
    got = curl(f"{url}/app/x", *login, "--data-binary", f"@{stage.dir}/upload")
    rows.check("curl: POST of 1 MB", got.stdout, "200")
    rows.check("curl: GET / with index", curl(f"{url}/?index", *login).stdout, "200")
    rows.check("curl: GET / with index takes two requests", len(logged(stage, "GET /?index", 2)), 2)
    try:
        import httpx
        import requests
    except ImportError:
        rows.skip("httpx and requests: not installed")
        return
    paths = ["/a.txt", "/", "/dir/", "/try/none", "/rewrite/a.txt", "/closed/x", "/app/x"]
    expected = [200, 200, 200, 200, 200, 502, 200]
    with requests.Session() as session:
        session.auth = requests.auth.HTTPDigestAuth("Mufasa", PASSWORD)
        rows.check("requests: internal redirects", [session.get(url + it).status_code for it in paths], expected)
    auth = httpx.DigestAuth("Mufasa", PASSWORD)
    with httpx.Client(auth=auth, trust_env=False) as client:
        rows.check("httpx: internal redirects", [client.get(url + it).status_code for it in paths], expected)
    try:
        import h2  # noqa: F401
        rows.check("httpx: HTTP/2, 50 at once, with index", asyncio.run(at_once(nginx)), {200: 50})
    except ImportError:
        rows.skip("httpx: HTTP/2: no h2")
    if everything:
        check_chromium(rows, nginx)
        check_prometheus(rows, nginx)


async def at_once(nginx):
    import httpx

    url = f"https://127.0.0.1:{nginx.ports['tls']}/"
    auth = httpx.DigestAuth("Mufasa", PASSWORD)
    async with httpx.AsyncClient(http2=True, verify=False, auth=auth, trust_env=False) as client:
        await client.get(f"{url}a.txt")
        responses = await asyncio.gather(*[client.get(f"{url}?{i}") for i in range(50)])
        assert {it.http_version for it in responses} == {"HTTP/2"}
        return dict(collections.Counter(it.status_code for it in responses))


def check_chromium(rows, nginx):
    chromium = find("chromium")
    if not chromium:
        rows.skip("Chromium: not installed")
        return
    stage = nginx.stage
    images = "".join(f"<img src=/a.txt?{i}>" for i in range(100))
    (stage.dir / "www" / "images.html").write_text(f"<html>{images}</html>")
    before = len((stage.dir / "access.log").read_text().splitlines())
    port = nginx.ports["main"]
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={stage.dir}/chromium"]
    url = f"http://Mufasa:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{port}/images.html"
    subprocess.run([chromium, *options, "--dump-dom", url], capture_output=True, timeout=60)
    lines = (stage.dir / "access.log").read_text().splitlines()[before:]
    granted = [it for it in lines if " 200 " in it and "/a.txt?" in it]
    rows.check("Chromium: a page with 100 images", len(granted), 100)
    refused = [it for it in lines if " 401 " in it and "nc=" in it]
    rows.check("Chromium: no answer is refused", len(refused), 0)


def check_prometheus(rows, nginx):
    prometheus = find("prometheus")
    if not prometheus:
        rows.skip("Prometheus: not installed")
        return
    stage = nginx.stage
    promtool = find("promtool")
    text = subprocess.run(["curl", "-s", f"http://127.0.0.1:{nginx.status}/metrics"], capture_output=True)
    checked = subprocess.run([promtool, "check", "metrics"], input=text.stdout, capture_output=True)
    rows.check("Prometheus: its tool finds the metrics right", checked.returncode, 0)
