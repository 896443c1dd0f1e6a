"""A gate that is slow or not there. Runs beside the other rows, because it waits."""
import socket
import threading
import time

from wire import send


def check_limits(rows, nginx):
    silent = socket.create_server(("127.0.0.1", nginx.silent))
    request = "GET /a.txt HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    rows.check("gate down", send(nginx.ports["down"], request).status, 500)

    def wait():
        start = time.monotonic()
        status = send(nginx.ports["slow"], request, timeout=20).status
        rows.check("gate silent: an answer within 7 s", (status, time.monotonic() - start < 7), (500, True))

    thread = threading.Thread(target=wait)
    thread.start()
    return thread, silent
