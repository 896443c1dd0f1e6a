"""A server of a Python library: Digest at /md5, with a realm that needs escapes at /quoted, with
nonces that live a second at /short, and Basic at /basic.

server.py twisted|cherrypy|werkzeug PORT, or no port, to print the version.
"""

import sys

library = sys.argv[1]
if len(sys.argv) == 2:
    from importlib import import_module, metadata

    import_module(library)
    print(metadata.version(library))
    sys.exit()
port = int(sys.argv[2])
USERS = {"Mufasa": "Circle Of Life", "Jäsøn": "pässword"}
REALM, QUOTED = "test realm", 'a"b\\c'


def with_twisted():
    import time

    from twisted.cred import checkers, portal
    from twisted.internet import reactor
    from twisted.web import guard, resource, server
    from zope.interface import implementer

    class Ok(resource.Resource):
        isLeaf = True

        def render(self, request):
            request.content.read()
            return b"ok\n"

    @implementer(portal.IRealm)
    class Realm:
        def requestAvatar(self, avatar, mind, *interfaces):
            return resource.IResource, Ok(), lambda: None

    users = {name.encode(): password.encode() for name, password in USERS.items()}
    checker = checkers.InMemoryUsernamePasswordDatabaseDontUse()
    checker.users = users
    gate = portal.Portal(Realm(), [checker])
    root = resource.Resource()
    short = guard.DigestCredentialFactory(b"md5", REALM.encode())
    # The lifetime is fixed at 15 minutes, so its clock runs fast.
    short.digest._getTime = lambda: time.time() * 1000
    for path, factory in {
        b"md5": guard.DigestCredentialFactory(b"md5", REALM.encode()),
        b"short": short,
        b"quoted": guard.DigestCredentialFactory(b"md5", QUOTED.encode()),
        b"basic": guard.BasicCredentialFactory(REALM.encode()),
    }.items():
        root.putChild(path, guard.HTTPAuthSessionWrapper(gate, [factory]))
    reactor.listenTCP(port, server.Site(root), interface="127.0.0.1")
    reactor.run()


def with_cherrypy():
    import cherrypy
    from cherrypy.lib import auth_digest

    class Root:
        @cherrypy.expose
        def default(self, *path, **query):
            return "ok\n"

    is_stale = auth_digest.HttpDigestAuthorization.is_nonce_stale

    def is_stale_soon(self, max_age_seconds=600):
        # The lifetime is fixed at ten minutes.
        is_short = cherrypy.request.path_info.startswith("/short")
        return is_stale(self, 1 if is_short else max_age_seconds)

    auth_digest.HttpDigestAuthorization.is_nonce_stale = is_stale_soon

    def digest(realm):
        return {
            "tools.auth_digest.on": True,
            "tools.auth_digest.realm": realm,
            "tools.auth_digest.get_ha1": auth_digest.get_ha1_dict_plain(USERS),
            "tools.auth_digest.key": "9a3f61c25be07d48",
            "tools.auth_digest.accept_charset": "UTF-8",
        }

    basic = {
        "tools.auth_basic.on": True,
        "tools.auth_basic.realm": REALM,
        "tools.auth_basic.checkpassword": lambda realm, user, word: USERS.get(user) == word,
    }
    cherrypy.config.update(
        {
            "server.socket_host": "127.0.0.1",
            "server.socket_port": port,
            "engine.autoreload.on": False,
            "log.screen": False,
        }
    )
    config = {"/md5": digest(REALM), "/short": digest(REALM), "/quoted": digest(QUOTED)}
    cherrypy.quickstart(Root(), "/", {**config, "/basic": basic})


def with_werkzeug():
    # It has no server for Digest: it reads and writes the fields, and this checks what they say.
    import hashlib
    import time

    from werkzeug import Request, Response
    from werkzeug.datastructures import WWWAuthenticate
    from werkzeug.serving import WSGIRequestHandler, run_simple

    class Handler(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

    def is_right(auth, request, name, realm):
        def digest(*parts):
            return hashlib.new(name, ":".join(parts).encode()).hexdigest()

        ha1 = digest(auth.username, realm, USERS[auth.username])
        ha2 = digest(request.method, auth.uri)
        expected = digest(ha1, auth.nonce, auth.nc, auth.cnonce, auth.qop, ha2)
        target = request.environ["REQUEST_URI"]
        return (auth.realm, auth.uri, auth.response) == (realm, target, expected)

    @Request.application
    def answer(request):
        request.get_data()
        path = request.path
        realm = QUOTED if path.startswith("/quoted") else REALM
        algorithm = "SHA-256" if path.startswith("/sha256") else "MD5"
        lifetime = 1 if path.startswith("/short") else 300
        auth = request.authorization
        is_known = auth is not None and auth.get("username") in USERS
        is_in = is_stale = False
        if path.startswith("/basic"):
            is_in = is_known and USERS[auth.username] == auth.password
            challenge = WWWAuthenticate("basic", {"realm": realm})
        else:
            if is_known and auth.type == "digest":
                is_in = is_right(auth, request, algorithm.replace("-", "").lower(), realm)
                is_stale = is_in and float(auth.nonce) < time.time() - lifetime
                is_in = is_in and not is_stale
            values = {"realm": realm, "nonce": str(time.time()), "algorithm": algorithm}
            values["qop"] = "auth"
            if is_stale:
                values["stale"] = "TRUE"
            challenge = WWWAuthenticate("digest", values)
        if is_in:
            return Response("ok\n")
        return Response(status=401, headers={"WWW-Authenticate": challenge.to_header()})

    run_simple("127.0.0.1", port, answer, threaded=True, request_handler=Handler)


{"twisted": with_twisted, "cherrypy": with_cherrypy, "werkzeug": with_werkzeug}[library]()
