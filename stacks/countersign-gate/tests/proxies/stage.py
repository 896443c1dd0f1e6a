"""The gate, the proxies and the application, in a folder that is removed at the end."""
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

from app import App
from wire import PASSWORDS, sha256

CONF = pathlib.Path(__file__).resolve().parents[2] / "conf"


def free_ports(count):
    """Ports that nobody listens on, below those that the operating system gives to connections."""
    ports = []
    while len(ports) < count:
        port = random.randrange(20_000, 32_000)
        if port not in given and not is_open(("127.0.0.1", port)):
            given.add(port)
            ports.append(port)
    return ports


given = set()


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/usr/lib/chromium")


class Stage:
    def __init__(self, gate):
        self.gate_program = os.path.abspath(gate)
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="gate-"))
        # The workers of nginx have another user.
        self.dir.chmod(0o755)
        self.running = {}
        self.app = App()
        for folder in ("www/dir", "www/err", "tmp"):
            (self.dir / folder).mkdir(parents=True)
        for file in ("a.txt", "index.html", "dir/index.html", "fallback.txt", "50x.html"):
            (self.dir / "www" / file).write_text(f"this is {file}\n")
        (self.dir / "tmp").chmod(0o777)
        self.write_users(PASSWORDS)
        self.socket = self.dir / "gate.sock"

    def write_users(self, passwords, realm="files"):
        lines = [f"{n}:{realm}:{sha256(f'{n}:{realm}:{p}')}\n" for n, p in passwords.items()]
        (self.dir / "htdigest").write_text("".join(lines))

    def start(self, name, command, port=None, path=None):
        log = open(self.dir / f"{name}.log", "a")
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.dir)
        self.running[name] = process
        for _ in range(200):
            if path and is_open(str(path), socket.AF_UNIX) or port and is_open(("127.0.0.1", port)):
                return process
            if process.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit(f"{name} does not start: {self.log(name)}")

    def gate(self, name, convention, *more, socket=None, port=None):
        listen = f"unix:{socket}" if socket else f"127.0.0.1:{port}"
        command = [self.gate_program, "check", "--for", convention, "--listen", listen]
        if not {"--basic", "--digest"} & set(more):
            command += ["--digest", "htdigest"]
        return self.start(name, [*command, *more], port=port, path=socket)

    def stop(self, name, how=signal.SIGTERM):
        process = self.running.pop(name)
        process.send_signal(how)
        return process.wait(timeout=10)

    def log(self, name):
        return (self.dir / f"{name}.log").read_text()

    def conf(self, name, **replaced):
        """A configuration of the README, for this stage."""
        text = (CONF / name).read_text()
        for old, new in replaced.items():
            assert old in text, f"{old} not in {name}"
            text = text.replace(old, new)
        return text

    def close(self):
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(self.dir, ignore_errors=True)


def is_open(address, family=socket.AF_INET):
    with socket.socket(family) as probe:
        return probe.connect_ex(address) == 0


def metric(port, outcome):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as response:
        text = response.read().decode()
    found = re.search(rf'outcome="{outcome}"}} (\d+)', text)
    return int(found[1]) if found else 0


def health(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
