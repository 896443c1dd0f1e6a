"""Authentication for httpx."""
import httpx

from extension import countersign_py


class HttpxAuth(httpx.Auth):
    """Within an origin, httpx takes the `Authorization` of one path along when it follows a redirect to
    another. With Digest that is a bad request: follow such redirects yourself."""

    requires_request_body = True

    def __init__(self, user, clients):
        self.user, self.clients = user, clients

    def auth_flow(self, request):
        exchange = self.exchange(request)
        while True:
            request.headers.pop("authorization", None)
            if (answer := exchange.authorize()) is not None:
                request.headers["authorization"] = answer.decode("latin-1")
            response = yield request
            if response.request is not request:
                # Redirects were followed. That is another request, perhaps to another origin.
                request = response.request
                exchange = self.exchange(request)
            try:
                match exchange.received(response.status_code, response.headers.raw):
                    case "done":
                        return
                    case countersign_py.Ask() as ask:
                        if not self.user.answer(exchange, ask):
                            return
            except countersign_py.GaveUp as why:
                self.user.refusal = str(why)
                return

    def exchange(self, request):
        url = request.url
        return countersign_py.Exchange(
            self.clients, url.scheme, url.host, url.port,
            request.method, url.raw_path, request.read(),
        )
