"""httpx and requests log in through countersign.

    cargo build -p python
    python3 demo.py [EXAMPLES]

The peer is the example `serve`, from the folder EXAMPLES, and a server of Basic that is built in.
"""
import concurrent.futures
import functools
import io
import sys
from urllib.parse import urlsplit

import httpx
import requests

import httpx_auth
import peers
from extension import countersign_py
from requests_auth import RequestsAuth

PEERS = {
    "MD5": ("Digest", lambda: peers.digest("--algorithm", "MD5")),
    "SHA-256": ("Digest", lambda: peers.digest("--algorithm", "SHA-256")),
    "auth-int": ("Digest", lambda: peers.digest("--qop", "auth-int")),
    "next nonces": ("Digest", lambda: peers.digest("--nextnonce")),
    "Basic": ("Basic", peers.basic),
}
faults = []


def clients(scheme):
    return countersign_py.Clients(cleartext_basic=scheme == "Basic")


def add_account(clients, origin, realm=peers.REALM, password=peers.PASSWORD, scheme="Digest"):
    url = urlsplit(origin)
    clients.add_account(url.scheme, url.hostname, url.port, realm, peers.NAME, password,
                        basic=scheme == "Basic")


def get_by_httpx(clients):
    auth = httpx_auth.HttpxAuth(clients)
    client = httpx.Client(auth=auth, follow_redirects=False, trust_env=False)
    return auth, functools.partial(httpx_auth.get, client)


def get_by_requests(clients):
    session = requests.Session()
    session.trust_env, session.auth = False, RequestsAuth(clients)
    return session.auth, session.get


def put_by_requests(body, clients):
    auth, get = get_by_requests(clients)
    return auth, lambda url: get.__self__.put(url, data=body())


def check(what, peer, make_get, statuses, sent, password=peers.PASSWORD, tasks=1,
          is_ours=True, realm=peers.REALM, scheme="Digest", allowed=None, refusal=None):
    with peer() as (url, origin, requests_seen):
        known = clients(allowed or scheme)
        add_account(known, origin if is_ours else url, realm, password, scheme)
        auth, get = make_get(known)
        with concurrent.futures.ThreadPoolExecutor(tasks) as pool:
            urls = [f"{url}/files?n={n}" for n in range(len(statuses))]
            seen = [response.status_code for response in pool.map(get, urls)]
        count = requests_seen()
    print(f"{what}: {seen}, {count} requests", auth.refusal or "")
    as_expected = seen == statuses and count in sent
    if not as_expected or (refusal and refusal not in (auth.refusal or "")):
        faults.append(what)


def check_ipv6():
    """Both libraries give the host without its brackets."""
    url = "http://[::1]:8080/"
    auths = [httpx_auth.HttpxAuth(clients("Digest")), RequestsAuth(clients("Digest"))]
    for auth in auths:
        add_account(auth.clients, url, "x")
    by_httpx = auths[0].exchange(httpx.Request("GET", url))
    by_requests = auths[1].exchange(requests.Request("GET", url).prepare())
    challenge = b'Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256'
    for what, exchange in [("httpx", by_httpx), ("requests", by_requests)]:
        exchange.authorize()
        exchange.received(401, [(b"www-authenticate", challenge)])
        is_answered = exchange.authorize() is not None
        print(f"{what} IPv6: answered {is_answered}")
        if not is_answered:
            faults.append(f"{what} IPv6")


def check_realm():
    """A realm is its bytes: as text, this one would be that of the account."""
    url, known = "http://127.0.0.1:8080", clients("Digest")
    add_account(known, url, "caf\ufffd")
    exchange = httpx_auth.HttpxAuth(known).exchange(httpx.Request("GET", url))
    challenge = b'Digest realm="caf\xe9", nonce="n", qop="auth", algorithm=SHA-256'
    exchange.authorize()
    try:
        exchange.received(401, [(b"www-authenticate", challenge)])
        faults.append("a realm not in UTF-8")
    except countersign_py.GaveUp as why:
        print(f"a realm not in UTF-8: {why}")
        if "another realm" not in str(why):
            faults.append("a realm not in UTF-8")


put = functools.partial(put_by_requests, lambda: io.BytesIO(b"Hakuna Matata"))
check("requests, a file", peers.digest, put, [200], [2])
put = functools.partial(put_by_requests, lambda: iter([b"Hakuna Matata"]))
check("requests, a stream", peers.digest, put, [401], [1], refusal="cannot be sent again")

check_ipv6()
check_realm()
for library, make_get in [("httpx", get_by_httpx), ("requests", get_by_requests)]:
    for name, (scheme, peer) in PEERS.items():
        check(f"{library} {name}", peer, make_get, [200] * 3, [4], scheme=scheme)
        # Only those that started before the login are challenged.
        some = range(9, 17)
        check(f"{library} {name}, 8 threads", peer, make_get, [200] * 8, some, tasks=8,
              scheme=scheme)
        check(f"{library} {name}, wrong", peer, make_get, [401], [2], password="Hakuna",
              scheme=scheme)
    # requests sends a redirect bare, whatever is known of where it leads.
    sent = {"httpx": [4], "requests": [6]}[library]
    check(f"{library} redirected", peers.redirected, make_get, [200] * 3, sent)
    check(f"{library} to another area", peers.shared, make_get, [200] * 3, [7],
          scheme="Basic")
    check(f"{library} to a stranger", peers.redirected, make_get, [401], [1], is_ours=False)
    # Another user of the origin asks for it in another realm.
    check(f"{library} to another realm", peers.basic, make_get, [401], [1], realm="files",
          scheme="Basic", refusal="another realm")
    # And by Basic in the same, which the account's scheme keeps it from, and so does the policy.
    check(f"{library} to another scheme", peers.basic, make_get, [401], [1], allowed="Basic",
          refusal="Basic, which the account")
    for body in [peers.endless, peers.dripping, peers.stalled]:
        peer = functools.partial(peers.unending, body)
        check(f"{library}, a body that is {body.__name__}", peer, make_get, [200], [2],
              scheme="Basic")
    check(f"{library} to a scheme not allowed", peers.basic, make_get, [401], [1],
          refusal="no usable challenge")
sys.exit(f"not as expected: {', '.join(faults)}" if faults else 0)
