"""What a login costs: microseconds of processor time for each request, with nginx's own Basic beside it.

   cost.py PROGRAM [ROUNDS]     five seconds each; of all rounds the least, because others use the machine
"""
import base64
import pathlib
import re
import subprocess
import sys

from stage import Stage, find, free_ports
from wire import PASSWORDS, Login

LUA = """
local answers = {}
for line in io.lines("ANSWERS") do answers[#answers + 1] = line end
local at = 0
function request()
    at = at % #answers + 1
    return wrk.format("GET", "/a.txt", { ["Authorization"] = answers[at] })
end
"""
TICK = 10_000  # microseconds


def ticks(process):
    """Of a process and its children, in microseconds."""
    total = 0
    for task in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = task.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(task.parent.name) == process.pid or int(fields[1]) == process.pid:
            total += int(fields[11]) + int(fields[12])
    return total * TICK


def memory(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def wrk(port, connections, seconds, script=None, header=None):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}", f"http://127.0.0.1:{port}/a.txt"]
    command += ["-s", script] if script else []
    command += ["-H", header] if header else []
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    return int(re.search(r"(\d+) requests in", out)[1]), int(refused[1]) if refused else 0


def main(gate, rounds):
    stage = Stage(gate)
    try:
        run(stage, rounds)
    finally:
        stage.close()


def run(stage, rounds):
    password, names = PASSWORDS["Mufasa"], ["bare", "plain", "apr1", "floor", "gate", "says204"]
    ports = dict(zip(names, free_ports(len(names))))
    apr1 = subprocess.run(["openssl", "passwd", "-apr1", password], capture_output=True, text=True).stdout
    (stage.dir / "apr1").write_text(f"Mufasa:{apr1}")
    (stage.dir / "plain").write_text(f"Mufasa:{{PLAIN}}{password}\n")
    (stage.dir / "www" / "a.txt").write_text("x" * 1024)
    # With 1,000 other users.
    stage.write_users({"Mufasa": password, **{f"user{i}": str(i) for i in range(1000)}})
    ours = stage.conf("nginx-server.conf")
    floor = ours.replace("http://countersign_gate", "http://floor")
    basic = 'auth_basic x; auth_basic_user_file'
    servers = {"bare": "", "plain": f"{basic} {stage.dir}/plain;", "apr1": f"{basic} {stage.dir}/apr1;",
               "floor": floor, "gate": ours}
    common = f"worker_processes 1; daemon off; user www-data; error_log {stage.dir}/error.log;"
    common += " events { worker_connections 512; } http { access_log off; keepalive_requests 1000000;"
    text = "".join(f"server {{ listen 127.0.0.1:{ports[n]}; root {stage.dir}/www; {c} }}" for n, c in servers.items())
    upstreams = f"upstream countersign_gate {{ server unix:{stage.socket}; keepalive 64; keepalive_requests 1000000; }}"
    upstreams += f"upstream floor {{ server 127.0.0.1:{ports['says204']}; keepalive 64; keepalive_requests 1000000; }}"
    (stage.dir / "nginx.conf").write_text(
        f"pid {stage.dir}/a.pid; {common} {upstreams} {stage.conf('nginx-http.conf')} {text} }}")
    (stage.dir / "says.conf").write_text(
        f"pid {stage.dir}/b.pid; {common} server {{ listen 127.0.0.1:{ports['says204']}; return 204; }} }}")
    says = stage.start("says", [find("nginx"), "-c", f"{stage.dir}/says.conf"], ports["says204"])
    gate = stage.gate("gate", "nginx", socket=stage.socket)
    stage.socket.chmod(0o666)
    nginx = stage.start("nginx", [find("nginx"), "-c", f"{stage.dir}/nginx.conf"], ports["bare"])
    pair = base64.b64encode(f"Mufasa:{password}".encode()).decode()
    script = stage.dir / "answers.lua"
    script.write_text(LUA.replace("ANSWERS", f"{stage.dir}/answers"))
    print(f"the gate: {memory(gate):.1f} MB at the start")
    least, logins = {}, 0
    for connections in (8, 100) * rounds:
        for name in ("bare", "plain", "apr1", "floor", "gate"):
            header, lua, other = None, None, {"floor": says, "gate": gate}.get(name)
            if name in ("plain", "apr1"):
                header = f"Authorization: Basic {pair}"
            if name == "gate":
                login = Login(ports["gate"])
                (stage.dir / "answers").write_text("\n".join(login.answer("/a.txt") for _ in range(120_000)))
                lua = str(script)
            before = [ticks(it) if it else 0 for it in (nginx, other)]
            count, refused = wrk(ports[name], connections, 5, lua, header)
            used = [(ticks(it) - start) / count if it else 0 for it, start in zip((nginx, other), before)]
            known = least.get((connections, name), used)
            least[connections, name] = [min(pair) for pair in zip(known, used)]
            if name == "gate":
                logins += count
                print(f"{refused} of {count} refused; the gate: {memory(gate):.1f} MB after {logins} logins", flush=True)
    for (connections, name), used in least.items():
        print(f"{connections:3} connections, {name:6} nginx {used[0]:6.1f}  the other {used[1]:6.1f}")


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
