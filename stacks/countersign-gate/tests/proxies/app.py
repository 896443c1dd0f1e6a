"""An application that answers with the head that it got, and keeps all heads."""
import socket
import threading


class App:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heads = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        received = b""
        try:
            while True:
                while b"\r\n\r\n" not in received:
                    part = connection.recv(65536)
                    if not part:
                        return
                    received += part
                head, received = received.split(b"\r\n\r\n", 1)
                received = self.skip_body(connection, head, received)
                self.heads.append(head.decode("latin-1"))
                if b"upgrade: websocket" in head.lower():
                    upgrade = "101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket"
                    connection.sendall(f"HTTP/1.1 {upgrade}\r\n\r\nhello".encode())
                    return
                status = "500 Failed" if b"/fail" in head.split(b"\r\n")[0] else "200 OK"
                body = b"" if head.startswith(b"HEAD") else head + b"\n"
                answer = f"HTTP/1.1 {status}\r\nContent-Length: {len(head) + 1}\r\n\r\n"
                connection.sendall(answer.encode() + body)
        except OSError:
            pass
        finally:
            connection.close()

    @staticmethod
    def skip_body(connection, head, received):
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            if line.startswith(b"transfer-encoding: chunked"):
                while b"0\r\n\r\n" not in received:
                    received += connection.recv(65536)
                return received.split(b"0\r\n\r\n", 1)[1]
        while len(received) < length:
            received += connection.recv(65536)
        return received[length:]

    def posts(self):
        return sum(head.startswith("POST ") for head in self.heads)
