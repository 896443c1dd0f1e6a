"""Wrong passwords are counted."""
import subprocess

from stage import CONF, find, metric
from wire import Login


def check_fail2ban(rows, nginx):
    if not find("fail2ban-regex"):
        rows.skip("fail2ban: not installed")
        return
    log, marker = nginx.stage.dir / "gate.log", "refused: wrong user name or password: "
    forged = r'x\" from 192.0.2.1'
    Login(nginx.ports["main"], forged).ask("GET /a.txt")
    command = ["fail2ban-regex", "--out", "ip", str(log), str(CONF / "fail2ban-filter.conf")]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    rows.check("fail2ban: each line of a refused password", len(found), nginx.stage.log("gate").count(marker))
    rows.check("fail2ban: by its address", set(found), {"127.0.0.1"})


def check_guesses(rows, nginx, everything):
    port = nginx.ports["main"]
    simba = Login(port, "Simba")
    wrong = Login(port, password="no")
    got = [wrong.ask("GET /a.txt").status for _ in range(20)]
    rows.check("20 wrong passwords", got, [401] * 20)
    got = wrong.ask("GET /a.txt", fields="X-Forwarded-For: 192.0.2.1\r\n")
    rows.check("then 429, also with an address of one's own", got.status, 429)
    rows.check("with Retry-After", got.field("retry-after"), lambda it: it and 290 <= int(it) <= 300)
    rows.check("with the right one, too", Login(port).ask("GET /a.txt").status, 429)
    rows.check("a location with its own error_page says 403", Login(port).ask("GET /own404/x").status, 403)
    rows.check("another user is not affected", simba.ask("GET /a.txt").status, 200)
    unknown = Login(port, user="nobody")
    got = [unknown.ask("GET /a.txt").status for _ in range(21)]
    rows.check("an unknown user looks the same", got, [401] * 20 + [429])
    rows.check("and the log names address and user", 'wrong user name or password: "nobody" from 127.0.0.1' in nginx.stage.log("gate"), True)
    rows.check("metrics", metric(nginx.status, "limited"), lambda it: it >= 3)
    if everything:
        check_fail2ban(rows, nginx)
