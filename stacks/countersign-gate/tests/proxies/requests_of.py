"""Requests that no honest client sends, through nginx."""
from wire import Login, send

SPELLINGS = ["X-Remote-User", "x-remote-user", "X_Remote_User", "X-Remote_User", "x_remote-USER"]


def check_requests(rows, nginx):
    port, app = nginx.ports["main"], nginx.stage.app
    login = Login(port)
    answer = login.answer("/a.txt")
    got = [login.ask("GET /a.txt", answer=answer).status for _ in range(2)]
    rows.check("replay", got, [200, 401])
    rows.check("answer for another target", login.ask("GET /dir/", uri="/a.txt").status, 400)
    rows.check("answer for GET with POST", login.ask("POST /app/x", method="GET").status, 401)
    spoofed = "X-Original-URI: /a.txt\r\nX-Original-Method: GET\r\nX-Gate-Request: 1\r\n"
    rows.check("spoofed target", login.ask("GET /dir/", uri="/a.txt", fields=spoofed).status, 400)
    rows.check("spoofed method", login.ask("POST /app/x", method="GET", fields=spoofed).status, 401)
    rows.check("the gate's location from outside", login.ask("GET /countersign-gate").status, 404)
    rows.check("two credentials", login.ask("GET /a.txt", fields="Authorization: Basic eA==\r\n").status, 400)
    rows.check("fragment", login.ask("GET /a.txt#f").status, 400)
    rows.check("fragment with the answer without", login.ask("GET /a.txt#f", uri="/a.txt").status, 400)
    for target in ['/app/x?"<>', "/app/x?\xe9{}|^`\\", "/app//x/../y", "/app/%2f%41;p?a=b?c=%zz"]:
        signed = target.replace("\\", "\\\\").replace('"', '\\"')
        got = login.ask("GET " + target, answer=login_answer(login, target, signed))
        rows.check(f"target as bytes: {target!r}", got.status, 200)
    rows.check("absolute form, judged by its path", login.ask("GET http://evil/app/x", uri="/app/x").status, 200)
    many = "".join(f"X-{i}: a\r\n" for i in range(90)) + "Cookie: " + "c" * 6000 + "\r\n"
    rows.check("90 fields, and a long cookie", login.ask("GET /app/x", fields=many).status, 200)
    for what, fields in [("120 fields", many + many.split("Cookie")[0]), ("control bytes in a field", "X-A: \x01\x7f\r\n")]:
        rows.check(f"{what}: not asked about", login.ask("GET /app/x", fields=fields).status, 500)
    for method in ["HEAD", "PUT", "DELETE", "PATCH", "PROPFIND", "FOO"]:
        rows.check(f"method {method}", login.ask(f"{method} /app/x").status, 200)
    one = f"GET /a.txt HTTP/1.1\r\nHost: h\r\nAuthorization: {login.answer('/a.txt')}\r\n\r\n"
    pipelined = one + one
    got = send(port, pipelined + "GET /a.txt HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    rows.check("pipelined: granted, replayed, without login", got.statuses, [200, 401, 401])
    expecting = "Connection: close\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    got = send(port, f"POST /app/x HTTP/1.1\r\nHost: h\r\n{expecting}")
    rows.check("Expect: 100-continue without login", got.statuses, [401])
    upgrade = "Upgrade: websocket\r\nConnection: upgrade\r\n"
    rows.check("WebSocket", login.ask("GET /socket/x", fields=upgrade, close=False).status, 101)
    # An application that knows HTTP/2 would take further requests from the client, past nginx.
    login.ask("GET /socket/x", fields=upgrade.replace("websocket", "h2c"), close=False, timeout=1)
    rows.check("Upgrade: h2c at a location of WebSocket", "h2c" in app.heads[-1], False)

    # Who the user is.
    got = login.ask("GET /app/x")
    rows.check("the application is told the user", "X-Remote-User: Mufasa" in got.body.splitlines(), True)
    rows.check("and not the credentials", "authorization" in got.body.lower(), False)
    got = [Login(port, user).ask("GET /kept/x").body for user in ["Mufasa", "Mufasa", "Simba"]]
    users = [name for body in got for name in ["Mufasa", "Simba"] if f"User: {name}" in body]
    rows.check("a cached page is for its user", users, ["Mufasa", "Mufasa", "Simba"])
    rows.check("for whom it is kept", got[0] == got[1], True)
    before = len(app.heads)
    for path in ["/app/x", "/nest/x", "/x.php", "/named/x", "/mirrored/x"]:
        for name in SPELLINGS:
            got = login.ask(f"GET {path}", fields=f"{name}: root\r\n")
            rows.check(f"{name}: root at {path}", got.status, 400)
        for names in [("X-Remote-User", "X-Remote-User"), ("X_Remote_User", "X-Remote-User"), ("X-Remote-User", "X_Remote_User")]:
            got = login.ask(f"GET {path}", fields="{}:\r\n{}: root\r\n".format(*names))
            rows.check(f"{' empty, then '.join(names)}: root at {path}", got.status, 400)
    told = [it for it in app.heads[before:] if "root" in it]
    rows.check("the application is never told root", told, lambda told: not told)
    bare = "HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    paths = ["/a.txt", "/", "/dir/", "/x.php", "/named/x", "/mirrored/x", "/try/x", "/rewrite/a.txt", "/err/x"]
    got = [send(port, f"GET {it} {bare}").status for it in paths]
    rows.check("every location without login", got, [401] * len(paths))
    got = login.ask("GET /app/x", fields="Connection: X-Remote-User\r\n", close=False, timeout=1)
    rows.check("Connection: X-Remote-User", "X-Remote-User: Mufasa" in got.body.splitlines(), True)

    # What the configuration does.
    rows.check("no id of the request", send_to(nginx, "unnamed").status, 500)
    log = nginx.stage.log("gate")
    rows.check("and a line in the log", "x-gate-request is missing" in log, True)
    mapped = Login(nginx.ports["mapped"])
    answer, own = mapped.answer("/a.txt"), f"X-Request-ID: {'1' * 32}\r\n"
    got = [mapped.ask("GET /a.txt", fields=own, answer=answer).status for _ in range(3)]
    rows.check("an id that the client sets: replays", got, [200, 401, 401])
    rows.check("an id that the client sets: index", mapped.ask("GET /", fields=own).status, 200)
    what = "cache, error pages and rewrite of the whole server"
    rows.check(f"{what}: no login", send_to(nginx, "careless").status, 401)
    careless = Login(nginx.ports["careless"])
    got = [careless.ask("GET /a.txt").status, send_to(nginx, "careless").status]
    rows.check(f"{what}: no login after another user's", got, [200, 401])
    answer = careless.answer("/a.txt")
    got = [careless.ask("GET /a.txt", answer=answer).status for _ in range(2)]
    rows.check(f"{what}: replay", got, [200, 401])


def send_to(nginx, name):
    return send(nginx.ports[name], "GET /a.txt HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")


def login_answer(login, target, signed):
    """An answer whose `uri` is written with escapes."""
    return login.answer(target).replace(f'uri="{target}"', f'uri="{signed}"')
