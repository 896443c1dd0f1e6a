"""A gate that is slow or not there. Runs beside the other rows, because it waits."""
import socket
import threading
import time

from wire import send


REQUEST = "GET /a.txt HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


def check_limits(rows, nginx):
    silent = socket.create_server(("127.0.0.1", nginx.silent))
    rows.check("gate down", send(nginx.ports["down"], REQUEST).status, 500)
    return check_silent(rows, "nginx", nginx.ports["slow"], 500), silent


def check_silent(rows, proxy, port, expected):
    def wait():
        start = time.monotonic()
        status = send(port, REQUEST, timeout=20).status
        got = (status, time.monotonic() - start < 7)
        rows.check(f"{proxy}, gate silent: an answer within 7 s", got, (expected, True))

    thread = threading.Thread(target=wait)
    thread.start()
    return thread
