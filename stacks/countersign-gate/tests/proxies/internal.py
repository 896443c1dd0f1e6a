"""What nginx asks more than once about."""

from clients import PASSWORD
from stage import metric
from wire import Login


def check_internal(rows, nginx):
    port, app = nginx.ports["main"], nginx.stage.app
    login = Login(port)
    for path, status in [("/", 200), ("/dir/", 200), ("/try/x", 200), ("/rewrite/dir/", 200),
                         ("/closed/x", 502), ("/err/fail", 500), ("/late/x", 504)]:
        got = login.ask(f"GET {path}")
        rows.check(f"GET {path}", got.status, status)
        proofs = got.fields("authentication-info")
        rows.check(f"GET {path}: with the proof", proofs, lambda proofs: len(set(proofs)) == 1)
    for method in ["POST", "PUT"]:
        for path, status in [("/err/fail", 500), ("/closed/x", 502), ("/late/x", 504), ("/static/a.txt", 405)]:
            body = "Content-Length: 3\r\n"
            got = login.ask(f"{method} {path}", fields=body, body="abc")
            rows.check(f"{method} {path}: the error page is not refused", got.status, status)
    try:
        import httpx
        import requests
    except ImportError:
        return
    url, before = f"http://127.0.0.1:{port}/err/fail", app.posts()
    with requests.Session() as session:
        session.auth = requests.auth.HTTPDigestAuth("Mufasa", PASSWORD)
        got = [session.post(url, data="x").status_code for _ in range(2)]
    with httpx.Client(auth=httpx.DigestAuth("Mufasa", PASSWORD), trust_env=False) as client:
        got += [client.post(url, content=b"x").status_code for _ in range(2)]
    rows.check("requests, httpx: 4 POSTs that fail", got, [500] * 4)
    rows.check("as many POSTs at the application", app.posts() - before, 4)
    before = metric(nginx.status, "wrong-credentials")
    got = Login(port, password="no").ask("GET /e401/x")
    rows.check("one wrong password, asked about twice", got.status, 401)
    rows.check("counts once", metric(nginx.status, "wrong-credentials") - before, 1)
    challenges = set(got.fields("www-authenticate"))
    rows.check("with one challenge", len(challenges), 1)
