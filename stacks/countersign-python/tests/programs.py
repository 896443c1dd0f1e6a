"""Servers that run in processes of their own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Program:
    """A server on `port`. Several can start at the same time, as only `url` waits for it."""

    def __init__(self, command, port, log, **environment):
        self._port, self._log = port, log
        with open(log, "wb") as output:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **environment},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def url(self):
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                return f"http://127.0.0.1:{self._port}"
            assert self._process.poll() is None, self._log.read_text()
            time.sleep(0.01)

    def stop(self):
        """Ends the server and its workers, which would wait for the connections of clients."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextlib.contextmanager
def running(*arguments, **environment):
    program = Program(*arguments, **environment)
    try:
        yield program.url
    finally:
        program.stop()
