"""httpx and requests log in through countersign.

    cargo build -p python
    python3 demo.py [EXAMPLES]

The peer is the example `serve`, from the folder EXAMPLES, and a server of Basic that is built in.
"""
import concurrent.futures
import sys

import httpx
import requests

import peers
from extension import countersign_py
from httpx_auth import HttpxAuth
from requests_auth import RequestsAuth
from user import User

PEERS = {
    "MD5": lambda: peers.digest("--algorithm", "MD5"),
    "SHA-256": lambda: peers.digest("--algorithm", "SHA-256"),
    "auth-int": lambda: peers.digest("--qop", "auth-int"),
    "next nonces": lambda: peers.digest("--nextnonce"),
    "Basic": peers.basic,
}
faults = []


def clients():
    return countersign_py.Clients(cleartext_basic=True)


def get_by_httpx(user):
    auth = HttpxAuth(user, clients())
    return httpx.Client(auth=auth, follow_redirects=True, trust_env=False).get


def get_by_requests(user):
    session = requests.Session()
    session.trust_env, session.auth = False, RequestsAuth(user, clients())
    return session.get


def check(what, peer, make_get, statuses, prompts, sent, password=peers.PASSWORD, tasks=1, is_ours=True):
    with peer() as (url, origin, requests_seen):
        user = User(peers.NAME, password, origin if is_ours else url)
        get = make_get(user)
        with concurrent.futures.ThreadPoolExecutor(tasks) as pool:
            urls = [f"{url}/files?n={n}" for n in range(len(statuses))]
            seen = [response.status_code for response in pool.map(get, urls)]
        count = requests_seen()
    print(f"{what}: {seen}, {count} requests, prompts: {user.prompts}", user.refusal or "")
    if (seen, user.prompts) != (statuses, prompts) or count not in sent:
        faults.append(what)


for library, make_get in [("httpx", get_by_httpx), ("requests", get_by_requests)]:
    for name, peer in PEERS.items():
        check(f"{library} {name}", peer, make_get, [200] * 3, 1, [4])
        # Only those that started before the login are challenged.
        some = range(9, 17)
        check(f"{library} {name}, 8 threads", peer, make_get, [200] * 8, 1, some, tasks=8)
        check(f"{library} {name}, wrong", peer, make_get, [401], 1, [2], password="Hakuna")
    # A redirect is sent bare, whatever is known of where it leads.
    check(f"{library} redirected", peers.redirected, make_get, [200] * 3, 1, [6])
    check(f"{library} to a stranger", peers.redirected, make_get, [401], 0, [1], is_ours=False)
sys.exit(f"not as expected: {', '.join(faults)}" if faults else 0)
