"""Authentication for httpx."""
import httpx

from drain import PATIENCE, drain
from extension import countersign_py


class HttpxAuth(httpx.Auth):
    """For clients with `follow_redirects=False`: use `get` below. When httpx follows a redirect within an
    origin, it takes the `Authorization` of one path along to another. With Digest that is a bad request,
    and with Basic the other area gets the password."""

    def __init__(self, clients):
        self.clients, self.refusal = clients, None

    def async_auth_flow(self, request):
        raise RuntimeError("HttpxAuth blocks: it is not for AsyncClient")

    def sync_auth_flow(self, request):
        exchange = self.exchange(request)
        while True:
            request.headers.pop("authorization", None)
            if (answer := exchange.authorize()) is not None:
                request.headers["authorization"] = answer.decode("latin-1")
            response = yield request
            if response.request is not request:
                raise RuntimeError("HttpxAuth needs follow_redirects=False")
            try:
                if not exchange.received(response.status_code, response.headers.raw):
                    return
            except countersign_py.GaveUp as why:
                self.refusal = str(why)
                return
            drain_response(request, response)

    def exchange(self, request):
        url = request.url
        return countersign_py.Exchange(
            self.clients, url.scheme, url.host, url.port,
            request.method, url.raw_path, request.read(),
        )


def drain_response(request, response):
    stream, timeout = response.stream, request.extensions["timeout"]
    # Taken for each response when its body is first read.
    request.extensions["timeout"] = {**timeout, "read": PATIENCE}
    try:
        drain(stream)
    except httpx.TransportError:
        pass
    finally:
        request.extensions["timeout"] = timeout
        # Closes the connection, unless the body came to its end.
        stream.close()
    # httpx reads what is left before it sends the next request.
    response.stream = httpx.ByteStream(b"")


def get(client, url):
    """Follows redirects, each as a request of its own, which `HttpxAuth` gives its own answer."""
    response = client.get(url)
    for _ in range(client.max_redirects):
        if response.next_request is None:
            break
        response = client.send(response.next_request)
    return response
