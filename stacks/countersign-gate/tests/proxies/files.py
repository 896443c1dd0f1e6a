"""The file of users changes while the gate runs."""
import resource
import time

from stage import health
from wire import PASSWORDS, Login, sha256


def check_files(rows, nginx):
    port, stage = nginx.ports["main"], nginx.stage
    file = stage.dir / "htdigest"

    def status(user, password):
        return Login(port, user, password).ask("GET /a.txt").status

    def until(user, password, expected):
        start = time.monotonic()
        while status(user, password) != expected and time.monotonic() - start < 5:
            time.sleep(0.1)
        return round(time.monotonic() - start, 1)

    def wait_for_health(expected):
        start = time.monotonic()
        while health(nginx.status)[0] != expected and time.monotonic() - start < 5:
            time.sleep(0.05)

    quick = lambda seconds: seconds < 2  # noqa: E731
    stage.write_users({"Mufasa": "other", "Simba": PASSWORDS["Simba"]})
    rows.check("changed password: seconds until it counts", until("Mufasa", "other", 200), quick)
    rows.check("the old one", status("Mufasa", PASSWORDS["Mufasa"]), 401)
    stage.write_users({"Simba": PASSWORDS["Simba"]})
    rows.check("removed user: seconds until out", until("Mufasa", "other", 401), quick)
    rows.check("the others stay", status("Simba", PASSWORDS["Simba"]), 200)
    right = file.read_bytes()
    # Each kind of mistake is in the tests of the program.
    for name, text in [("empty", b""), ("cut", right[:-20]), ("of another realm", right.replace(b":files:", b":x:"))]:
        file.write_bytes(text)
        wait_for_health(503)
        rows.check(f"file {name}: users as before", status("Simba", PASSWORDS["Simba"]), 200)
        rows.check(f"file {name}: health", health(nginx.status)[0], 503)
        file.write_bytes(right)
        wait_for_health(200)
    # Not a fault of the file: the gate has no descriptor for it. The file does not change afterwards.
    process, limits = stage.running["gate"].pid, resource.RLIMIT_NOFILE
    before = resource.prlimit(process, limits, (3, resource.prlimit(process, limits)[1]))
    stage.write_users({"Simba": "other"})
    for _ in range(50):
        if "the users are as before, because the files are wrong" in stage.log("gate").rpartition("users in force")[2]:
            break
        time.sleep(0.1)
    resource.prlimit(process, limits, before)
    out = until("Simba", PASSWORDS["Simba"], 401)
    rows.check("read as soon as there is a descriptor: seconds", out, quick)
    file.write_bytes(right)
    until("Simba", PASSWORDS["Simba"], 200)
    log = stage.log("gate")
    rows.check("the log names file and line", "users are as before" in log and "htdigest, line 1: " in log, True)
    rows.check("and no secret", sha256(f"Simba:files:{PASSWORDS['Simba']}") in log, False)
    rows.check("the file is right again: health", health(nginx.status)[0], 200)
    # As `htdigest` writes: in place, and here slowly.
    right = file.read_bytes()
    with open(file, "wb") as slow:
        for byte in (right[i : i + 1] for i in range(0, len(right), len(right) // 12)):
            slow.write(byte)
            slow.flush()
            time.sleep(0.1)
        slow.seek(0)
        slow.write(right)
    rows.check("while it is written, nobody is locked out", status("Simba", PASSWORDS["Simba"]), 200)
    stage.write_users(PASSWORDS)
    until("Mufasa", PASSWORDS["Mufasa"], 200)
    # A restart between two requests: the nonce is stale, and the count starts again.
    login = Login(port)
    answer = login.answer("/a.txt")
    login.ask("GET /a.txt", answer=answer)
    rows.check("SIGTERM: ends by itself", stage.stop("gate"), 0)
    stage.gate("gate", "nginx", "--status", f"127.0.0.1:{nginx.status}", socket=stage.socket)
    mode = oct(stage.socket.stat().st_mode & 0o777)
    rows.check("the socket is for owner and group", mode, "0o660")
    stage.socket.chmod(0o666)
    got = login.ask("GET /a.txt", answer=answer)
    rows.check("replay after a restart", got.status, 401)
    rows.check("and is told to answer again", "stale=true" in got.head, True)
