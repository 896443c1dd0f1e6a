"""Requests written byte by byte, and answers to Digest challenges by SHA-256."""
import hashlib
import os
import re
import socket
import ssl

PASSWORDS = {"Mufasa": "Circle of Life", "Simba": "Hakuna Matata"}


def sha256(text):
    return hashlib.sha256(text.encode("latin-1")).hexdigest()


def send(port, data, timeout=8):
    """The bytes that come until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        if isinstance(data, str):
            data = data.encode("latin-1")
        connection.sendall(data)
        received = b""
        try:
            while part := connection.recv(65536):
                received += part
        except socket.timeout:
            received += b"\n<timeout>"
        except ConnectionError:
            pass
    return Response(received)


class Response:
    def __init__(self, received):
        self.received = received
        self.statuses = [int(it) for it in re.findall(rb"HTTP/1\.[01] (\d+)", received)]
        self.status = self.statuses[0] if self.statuses else None
        self.head, _, self.body = received.partition(b"\r\n\r\n")
        self.head, self.body = self.head.decode("latin-1"), self.body.decode("latin-1")

    def fields(self, name):
        lines = self.head.split("\r\n")[1:]
        pairs = [line.split(": ", 1) for line in lines if ": " in line]
        return [value for key, value in pairs if key.lower() == name]

    def field(self, name):
        return next(iter(self.fields(name)), None)


class Login:
    """A user with a nonce of a server."""

    def __init__(self, port, user="Mufasa", password=None, target="/a.txt", realm="files"):
        self.port, self.user, self.realm, self.count = port, user, realm, 0
        self.password = password or PASSWORDS.get(user, "no password")
        challenge = send(port, f"GET {target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        found = re.search(rb'nonce="([^"]+)"', challenge.received)
        assert found, challenge.received
        self.nonce = found[1].decode()

    def answer(self, uri, method="GET"):
        self.count += 1
        cnonce, count = os.urandom(8).hex(), "%08x" % self.count
        secret = sha256(f"{self.user}:{self.realm}:{self.password}")
        parts = [secret, self.nonce, count, cnonce, "auth", sha256(f"{method}:{uri}")]
        return (
            f'Digest username="{self.user}", realm="{self.realm}", nonce="{self.nonce}", '
            f'uri="{uri}", algorithm=SHA-256, response="{sha256(":".join(parts))}", '
            f'qop=auth, nc={count}, cnonce="{cnonce}"'
        )

    def ask(self, line, uri=None, method=None, fields="", body="", answer=None, close=True, timeout=8):
        """Sends a request with the answer for it, or for another one."""
        its_method, target = line.split(" ", 1)
        answer = answer or self.answer(uri or target, method or its_method)
        end = "Connection: close\r\n" if close else ""
        head = f"{line} HTTP/1.1\r\nHost: h\r\n{end}Authorization: {answer}\r\n{fields}\r\n"
        return send(self.port, head + body, timeout)
