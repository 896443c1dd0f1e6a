"""Caddy and HAProxy, which ask by `X-Forwarded-*`."""
import re
import socket
import subprocess
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

from clients import curl, sent
from limits import check_silent
from requests_of import SPELLINGS
from stage import find, free_ports
from wire import PASSWORDS, Login, send


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass

    def finish(self):
        """Reads what the application has not: with a body unread, its response may be lost."""
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            while self.rfile.read1():
                pass
        except OSError:
            pass
        super().finish()


FIELDS = {"user": "X_REMOTE_USER", "auth": "AUTHORIZATION", "upgrade": "UPGRADE", "hop": "CONNECTION"}


# What the application reads after a request of Mufasa, whatever else was in it.
TOLD = "user=Mufasa auth=None upgrade=None hop=None"


def wsgi_app(environ, respond):
    """Tells what a program behind the CGI of lighttpd reads, for which all other signs are `_`."""
    respond("200 OK", [])
    read = {it: [] for it in FIELDS}
    for key, value in environ.items():
        for name, field in FIELDS.items():
            if re.sub("[^A-Z0-9]", "_", key.upper()) == f"HTTP_{field}":
                read[name].append(value)
    told = {name: ",".join(values) or None for name, values in read.items()}
    return [" ".join(f"{it}={value}" for it, value in told.items()).encode() + b"\n"]


def start_wsgi():
    """An application that reads fields as CGI names them."""
    server = make_server("127.0.0.1", 0, wsgi_app, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def start_gate(stage):
    if "forwarded" not in stage.running:
        stage.forwarded, = free_ports(1)
        stage.gate("forwarded", "forwarded", port=stage.forwarded)
    return stage.forwarded


def check_caddy(rows, stage, silent):
    gate, app, (port, slow) = stage.dir / "caddy.sock", start_wsgi(), free_ports(2)
    stage.gate("caddy-gate", "forwarded", socket=gate)

    without = f"reverse_proxy 127.0.0.1:{app} {{\n\t\t\theader_up -Authorization\n\t\t}}"
    other = f"\thandle_path /other/* {{\n\t\t{without}\n\t}}\n"

    def site(port, gate):
        return stage.conf(
            "Caddyfile",
            **{
                "files.example.com {": f"http://:{port} {{\n\tbind 127.0.0.1",
                "unix//run/countersign-gate/gate.sock": gate,
                "127.0.0.1:8080": f"127.0.0.1:{app}",
                "\tforward_auth": other + "\ttry_files {path} /index.html\n\t@closed not path /health\n\tforward_auth @closed",
            },
        )

    options, sites = site(port, f"unix/{gate}").split("\n}\n", 1)
    sites += site(slow, f"127.0.0.1:{silent}").split("\n}\n", 1)[1]
    (stage.dir / "Caddyfile").write_text(f"{options}\n\tadmin off\n\tauto_https off\n}}\n{sites}")
    stage.start("caddy", [find("caddy"), "run", "--config", "Caddyfile", "--adapter", "caddyfile"], port)
    waiting = check_silent(rows, "Caddy", slow, 504)
    check_proxy(rows, "Caddy", port)
    fields = "Connection: Upgrade, X-Remote-User\r\nUpgrade: h2c\r\n"
    got = Login(port, target="/x").ask("GET /other/x", fields=fields, close=False, timeout=1)
    rows.check("Caddy: another application of the site", TOLD in got.body, True)
    asked = "GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{}: root\r\n\r\n"
    got = [send(port, asked.format(it)).body for it in SPELLINGS]
    rows.check("Caddy: nobody is known at an open path", got, lambda got: all("user=None" in it for it in got))
    waiting.join()


def check_haproxy(rows, stage, silent):
    gate, app, port = start_gate(stage), start_wsgi(), free_ports(1)[0]
    (stage.dir / "haproxy.lua").write_text(stage.conf("haproxy.lua", **{"127.0.0.1:9180": f"127.0.0.1:{gate}"}))
    conf = stage.conf(
        "haproxy.cfg",
        **{
            "/etc/haproxy/countersign-gate.lua": f"{stage.dir}/haproxy.lua",
            "bind :80": f"bind 127.0.0.1:{port}",
            "127.0.0.1:8080": f"127.0.0.1:{app}",
        },
    )
    (stage.dir / "haproxy.cfg").write_text(conf)
    stage.start("haproxy", [find("haproxy"), "-f", "haproxy.cfg"], port)
    check_proxy(rows, "HAProxy", port)
    got = curl(f"http://127.0.0.1:{port}/x", "--digest", "-u", f"Mufasa:{PASSWORDS['Mufasa']}", "-v")
    rows.check("HAProxy: the server's proof arrives", "rspauth=" in got.stderr, True)
    login, process = Login(port, target="/x"), stage.running["haproxy"]
    got = [login.ask(line, uri="/x").status for line in ["OPTIONS *", "CONNECT h:80"]]
    rows.check("HAProxy: no path, which is no fault of the proxy", got, [400, 400])
    # Its Lua client has places for 101 fields, and does not count them.
    for field, status in [("X-Remote-User: root\r\n", 401), ("Authorization: Digest x\r\n", 400)]:
        got = [send(port, f"GET /x HTTP/1.1\r\nHost: h\r\n{field * many}\r\n", 2).status for many in range(94, 100)]
        rows.check(f"HAProxy: many times {field[:13]}", (got, process.poll()), ([status] * 6, None))
    script = (stage.dir / "haproxy.lua").read_text()
    (stage.dir / "haproxy.lua").write_text(script.replace("function(txn)", "function(txn) error('broken')"))
    stage.stop("haproxy")
    stage.start("haproxy", [find("haproxy"), "-f", "haproxy.cfg"], port)
    rows.check("HAProxy: a script that fails", curl(f"http://127.0.0.1:{port}/x").stdout, "500")
    # Something else that listens there, and says 200 without a user.
    (stage.dir / "haproxy.lua").write_text(script.replace(f":{gate}/", f":{app}/"))
    stage.stop("haproxy")
    stage.start("haproxy", [find("haproxy"), "-f", "haproxy.cfg"], port)
    rows.check("HAProxy: 200 without a user", curl(f"http://127.0.0.1:{port}/x").stdout, "503")
    (stage.dir / "haproxy.lua").write_text(script.replace(f":{gate}/", f":{silent}/"))
    stage.stop("haproxy")
    stage.start("haproxy", [find("haproxy"), "-f", "haproxy.cfg"], port)
    check_silent(rows, "HAProxy", port, 504).join()


def check_proxy(rows, name, port):
    url, password = f"http://127.0.0.1:{port}/x", PASSWORDS["Mufasa"]
    shown = curl(url, "--digest", "-u", f"Mufasa:{password}", "-v")
    rows.check(f"{name}: curl", (shown.stdout, "algorithm=SHA-256" in sent(shown)), ("200", True))
    rows.check(f"{name}: no login", curl(url).stdout, "401")
    login = Login(port, target="/x")
    answer = login.answer("/x")
    got = [login.ask("GET /x", answer=answer).status for _ in range(2)]
    rows.check(f"{name}: replay", got, [200, 401])
    spoofed = "X-Forwarded-Uri: /x\r\nX-Original-URI: /x\r\nX-Forwarded-Method: GET\r\n"
    rows.check(f"{name}: spoofed target", login.ask("GET /y", uri="/x", fields=spoofed).status, 400)
    rows.check(f"{name}: spoofed method", login.ask("DELETE /x", method="GET", fields=spoofed).status, 401)
    for field in [*SPELLINGS, "X.Remote.User", "x!Remote~user"]:
        for names in ["", "X-A", field, f'a"b, {field}', f"Upgrade, {field}"]:
            fields = f"Connection: close, {names}\r\n{field}: root\r\n"
            got = login.ask("GET /x", fields=fields, close=False)
            told = TOLD in got.body
            rows.check(f"{name}: {field}: root, with Connection: {names}", (got.status, told), (200, True))
    for field in ["X-Remote-User", "Authorization", "X-Forwarded-Uri, X-Forwarded-For", '", X-Remote-User']:
        got = login.ask("GET /x", fields=f"Connection: close, {field}\r\n", close=False)
        rows.check(f"{name}: Connection: {field}", TOLD in got.body, True)
    # An application that knows HTTP/2 would take further requests from the client, past the proxy.
    for field in ["h2c", "websocket, h2c", "websocket\r\nUpgrade: h2c", "h2c\r\nUpgrade: websocket"]:
        fields = f"Connection: Upgrade\r\nUpgrade: {field}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        got = login.ask("GET /x", fields=fields, close=False, timeout=1)
        rows.check(f"{name}: Upgrade: {field!r}", TOLD in got.body, True)
    body = "Content-Length: 5\r\n"
    rows.check(f"{name}: POST", login.ask("POST /x", fields=body, body="hello").status, 200)
    chunked = "Transfer-Encoding: chunked\r\n"
    got = login.ask("POST /x", fields=chunked, body="5\r\nhello\r\n0\r\n\r\n")
    rows.check(f"{name}: POST in chunks", got.status, 200)
    rows.check(f"{name}: quotes in the query", login.ask("GET /x?a='b'&c=%22").status, 200)
    wrong = Login(port, "Simba", "no", target="/x")
    got = [wrong.ask("GET /x", fields=f"X-Forwarded-For: 192.0.2.{i}\r\n").status for i in range(21)]
    rows.check(f"{name}: guesses with invented addresses", got[-1], 429)
