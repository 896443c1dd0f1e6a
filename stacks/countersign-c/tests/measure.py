"""Prints CPU of requests, ours beside libcurl's and libmicrohttpd's own: `./run measure`."""
import resource, socket, subprocess, sys

OUT, COUNT = sys.argv[1], 3000


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(server, client):
    """Microseconds of CPU a request: of the client, and of the server."""
    at = port()
    daemon = subprocess.Popen([f"{OUT}/{server}", str(at)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    daemon.stdout.readline()
    before = cpu(resource.RUSAGE_CHILDREN)
    url, login = f"http://127.0.0.1:{at}", ["Mufasa", "Circle of Life", str(COUNT)]
    command = [f"{OUT}/own_curl", f"{url}/a?b"] if client == "own_curl" else [f"{OUT}/curl", url, "/a?b"]
    subprocess.run(command + login, check=True, stdout=subprocess.DEVNULL)
    between = cpu(resource.RUSAGE_CHILDREN)
    daemon.communicate()
    after = cpu(resource.RUSAGE_CHILDREN)
    return (between - before) / COUNT * 1e6, (after - between) / COUNT * 1e6


rows = {}
for _ in range(5):
    for server in ("microhttpd", "own_microhttpd"):
        for client in ("curl", "own_curl"):
            rows.setdefault((server, client), []).append(run(server, client))
for (server, client), runs in rows.items():
    ours, theirs = (min(times) for times in zip(*runs))
    print(f"{client:9} at {server:15} client {ours:6.1f} us, server {theirs:6.1f} us")
