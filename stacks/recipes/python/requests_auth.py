"""Authentication for requests."""
from urllib.parse import urlsplit

import requests
import urllib3

from drain import PATIENCE, drain
from extension import countersign_py


class RequestsAuth(requests.auth.AuthBase):
    def __init__(self, clients):
        self.clients, self.refusal = clients, None

    def __call__(self, request):
        exchange = self.exchange(request)
        authorize(request, exchange)

        def hook(response, **options):
            # A redirect comes here, too. It is another request, perhaps to another origin.
            is_first = response.request is request
            of_sent = exchange if is_first else self.exchange(response.request)
            while self.wants_retry(of_sent, response):
                if not can_send_again(response.request):
                    self.refusal = "the body cannot be sent again"
                    break
                drain_response(response)
                again = response.request.copy()
                authorize(again, of_sent)
                next_response = response.connection.send(again, **options)
                next_response.history = [*response.history, response]
                next_response.request = again
                response = next_response
            if response.is_redirect:
                # It would go along to the other path.
                request.headers.pop("authorization", None)
            return response

        request.register_hook("response", hook)
        return request

    def exchange(self, request):
        url = urlsplit(request.url)
        body = b"" if request.body is None else request.body
        body = body.encode() if isinstance(body, str) else body
        return countersign_py.Exchange(
            self.clients, url.scheme, url.hostname, url.port, request.method,
            request.path_url.encode(), body if isinstance(body, bytes) else None,
        )

    def wants_retry(self, exchange, response):
        fields = response.raw.headers.items()
        fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields]
        try:
            return exchange.received(response.status_code, fields)
        except countersign_py.GaveUp as why:
            self.refusal = str(why)
            return False


def can_send_again(request):
    """Goes back to the start of a body that is a file. One that has run dry would be sent empty."""
    if request.body is None or isinstance(request.body, (bytes, str)):
        return True
    try:
        requests.utils.rewind_body(request)
    except requests.exceptions.UnrewindableBodyError:
        return False
    return True


def authorize(request, exchange):
    request.headers.pop("authorization", None)
    if (answer := exchange.authorize()) is not None:
        request.headers["authorization"] = answer.decode("latin-1")


def drain_response(response):
    raw = response.raw
    # It has no socket if the response came whole, or if the connection ends with it.
    if (socket := getattr(raw.connection, "sock", None)) is not None:
        # urllib3 sets it anew for the next request.
        socket.settimeout(PATIENCE)
        try:
            # `read` would wait until it has as much as was asked for.
            drain(iter(lambda: raw.read1(1 << 14, decode_content=False), b""))
        except urllib3.exceptions.HTTPError:
            pass
    # Closes the connection, unless the body came to its end.
    response.close()
