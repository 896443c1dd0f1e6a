"""Wrong passwords are counted."""
from stage import free_ports, health, is_open, metric
from wire import PASSWORDS, Login, send


def check_guesses(rows, nginx):
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
    rows.check("and the log names address and user", 'wrong password of "nobody" from 127.0.0.1' in nginx.stage.log("gate"), True)
    rows.check("metrics", metric(nginx.status, "limited"), lambda it: it >= 3)
