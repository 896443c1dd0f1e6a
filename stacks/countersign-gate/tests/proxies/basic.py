"""Other files: of `htpasswd`, and of `htdigest` with MD5."""
import hashlib
import subprocess
import time

from clients import PASSWORD, curl, sent
from stage import CONF, find, free_ports


def check_basic(rows, nginx):
    stage = nginx.stage
    commands = {
        "bcrypt": ["htpasswd", "-nbB", "bcrypt", PASSWORD],
        "apr1": ["htpasswd", "-nbm", "apr1", PASSWORD],
        "sha512": ["openssl", "passwd", "-6", PASSWORD],
        "sha256": ["openssl", "passwd", "-5", PASSWORD],
    }
    if not find("htpasswd"):
        rows.skip("Basic: no htpasswd")
        return
    lines = []
    for name, command in commands.items():
        made = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        lines.append(made if ":" in made else f"{name}:{made}")
    (stage.dir / "htpasswd").write_text("\n".join(lines) + "\n")
    socket = stage.dir / "basic.sock"
    stage.gate("basic", "nginx", "--basic", "htpasswd", socket=socket)
    socket.chmod(0o666)
    tls, clear = (f"http{s}://127.0.0.1:{nginx.ports[p]}/a.txt" for s, p in [("s", "basic_tls"), ("", "basic")])
    login = ["-k", "--cacert", str(stage.dir / "cert.pem")]
    for name in commands:
        rows.check(f"Basic over TLS: {name}", curl(tls, *login, "-u", f"{name}:{PASSWORD}").stdout, "200")
        rows.check(f"Basic over TLS: {name}, wrong", curl(tls, *login, "-u", f"{name}:no").stdout, "401")
    rows.check("Basic over TLS: unknown user", curl(tls, *login, "-u", f"x:{PASSWORD}").stdout, "401")
    rows.check("Basic over TLS: index", curl(tls.replace("a.txt", ""), *login, "-u", f"apr1:{PASSWORD}").stdout, "200")
    rows.check("Basic in clear is not taken", curl(clear, "-u", f"apr1:{PASSWORD}").stdout, "403")
    rows.check("Basic in clear is not asked for", "WWW-Authenticate" in curl(clear, "-v").stderr, False)


def check_envoy(rows, stage):
    """As Envoy asks, which is not in Debian: by curl, and a file by MD5."""
    ha1 = hashlib.md5(f"Mufasa:files:{PASSWORD}".encode()).hexdigest()
    (stage.dir / "md5").write_text(f"Mufasa:files:{ha1}\n")
    port, = free_ports(1)
    command = [stage.gate_program, "check", "--for", "envoy", "--digest", "md5", "--listen", f"127.0.0.1:{port}"]
    stage.start("envoy", command, port)
    fields = ["-H", "X-Forwarded-For: 192.0.2.1", "-H", "X-Forwarded-Proto: http"]
    url, login = f"http://127.0.0.1:{port}/x?y", ["--digest", "-u", f"Mufasa:{PASSWORD}"]
    shown = curl(url, *fields, *login, "-v")
    rows.check("Envoy's form, by curl", (shown.stdout, "algorithm=MD5" in sent(shown)), ("200", True))
    rows.check("Envoy's form without an address", curl(url, *fields[2:], *login).stdout, "500")


def check_login(rows, nginx, everything):
    """The other command, to nginx with the gate."""
    stage = nginx.stage
    if not find("htpasswd"):
        rows.skip("login: no htpasswd")
        return
    port, = free_ports(1)
    made = subprocess.run(["htpasswd", "-nbB", "program", "its own"], capture_output=True, text=True, check=True)
    (stage.dir / "programs").write_text(made.stdout.strip() + "\n")
    (stage.dir / "login").write_text(f"Mufasa:{PASSWORD}\n")
    origin = f"http://127.0.0.1:{nginx.ports['main']}"
    command = [stage.gate_program, "login", "--to", origin, "--login", "login", "--local", "programs"]
    stage.start("login", [*command, "--listen", f"127.0.0.1:{port}"], port)
    url, own = f"http://127.0.0.1:{port}", ["-u", "program:its own"]
    rows.check("login: curl by Basic", curl(f"{url}/a.txt", *own).stdout, "200")
    rows.check("login: index", curl(f"{url}/", *own).stdout, "200")
    rows.check("login: POST", curl(f"{url}/app/x", *own, "-d", "x" * 100_000).stdout, "200")
    rows.check("login: no login of its own", curl(f"{url}/a.txt").stdout, "401")
    if everything and find("prometheus"):
        check_prometheus(rows, stage, port)


def check_prometheus(rows, stage, login):
    (stage.dir / "www" / "metrics").write_text("up_and_running 1\n")
    port, = free_ports(1)
    (stage.dir / "prometheus.yml").write_text(f"""
scrape_configs:
- job_name: gated
  scrape_interval: 1s
  static_configs: [{{targets: ['127.0.0.1:{login}']}}]
  basic_auth: {{username: program, password: its own}}
""")
    options = ["--config.file=prometheus.yml", f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.path=tsdb"]
    stage.start("prometheus", [find("prometheus"), *options], port)
    query, found = f"http://127.0.0.1:{port}/api/v1/query?query=up_and_running", ""
    for _ in range(60):
        found = subprocess.run(["curl", "-s", query], capture_output=True, text=True).stdout
        if '"1"' in found:
            break
        time.sleep(0.5)
    rows.check("Prometheus through login", '"1"' in found, True)


def check_demo(rows, stage):
    """What the README begins with."""
    folder = CONF.parent
    gate, port = free_ports(2)
    text = (folder / "demo" / "nginx.conf").read_text()
    for old, new in [("127.0.0.1:9180", f"127.0.0.1:{gate}"), ("127.0.0.1:8080", f"127.0.0.1:{port}"),
                     ("../conf/", f"{CONF}/"), ("demo/nginx.pid", "nginx-demo.pid")]:
        assert old in text
        text = text.replace(old, new)
    (stage.dir / "demo.conf").write_text(text)
    stage.gate("demo", "nginx", "--digest", str(folder / "demo" / "htdigest"), port=gate)
    stage.start("demo-nginx", [find("nginx"), "-p", str(stage.dir), "-c", "demo.conf"], port)
    url = f"http://127.0.0.1:{port}/"
    shown = curl(url, "--digest", "-u", f"Mufasa:{PASSWORD}", "-v")
    rows.check("the demo of the README", (shown.stdout, "algorithm=SHA-256" in sent(shown)), ("200", True))
    rows.check("the demo of the README, without login", curl(url).stdout, "401")
    readme = (folder / "README.md").read_text()
    lines = [it.strip() for it in (CONF / "Caddyfile").read_text().split("\n") if not it.startswith("#")]
    rows.check("the Caddyfile of the README is the tested one", all(it in readme for it in lines), True)
