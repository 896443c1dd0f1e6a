"""Servers of Python packages, each as its own documentation sets it up: servers.py NAME PORT."""

import sys

USER, PASSWORD, REALM = "Mufasa", "Circle of Life", "files"


def twisted(port):
    from twisted.cred import checkers, portal
    from twisted.internet import reactor
    from twisted.web import guard, resource, server
    from zope.interface import implementer

    class Page(resource.Resource):
        isLeaf = True

        def render(self, request):
            return b"hello\n"

    @implementer(portal.IRealm)
    class Realm:
        def requestAvatar(self, avatar, mind, *interfaces):
            return resource.IResource, Page(), lambda: None

    known = checkers.InMemoryUsernamePasswordDatabaseDontUse(**{USER: PASSWORD.encode()})
    digest = guard.DigestCredentialFactory(b"md5", REALM.encode())
    root = resource.Resource()
    users = portal.Portal(Realm(), [known])
    root.putChild(b"digest", guard.HTTPAuthSessionWrapper(users, [digest]))
    reactor.listenTCP(port, server.Site(root), interface="127.0.0.1")
    reactor.run()


def cherrypy(port):
    import cherrypy
    from cherrypy.lib import auth_digest

    class Pages:
        @cherrypy.expose
        def digest(self, *path, **query):
            return "hello\n"

        basic = digest

    cherrypy.config.update({
        "server.socket_host": "127.0.0.1",
        "server.socket_port": port,
        "engine.autoreload.on": False,
        "log.screen": False,
    })
    digest = {
        "tools.auth_digest.on": True,
        "tools.auth_digest.realm": REALM,
        "tools.auth_digest.get_ha1": auth_digest.get_ha1_dict_plain({USER: PASSWORD}),
        "tools.auth_digest.key": "a565c27146791cfb",
        "tools.auth_digest.accept_charset": "UTF-8",
    }
    basic = {
        "tools.auth_basic.on": True,
        "tools.auth_basic.realm": REALM,
        "tools.auth_basic.checkpassword": lambda realm, *pair: pair == (USER, PASSWORD),
        "tools.auth_basic.accept_charset": "UTF-8",
    }
    cherrypy.quickstart(Pages(), "/", {"/digest": digest, "/basic": basic})


def flask(port):
    from flask import Flask
    from flask_httpauth import HTTPDigestAuth

    app = Flask(__name__)
    app.config["SECRET_KEY"] = "a565c27146791cfb"
    digest = HTTPDigestAuth(realm=REALM)
    digest.get_password({USER: PASSWORD}.get)
    app.add_url_rule("/digest", view_func=digest.login_required(lambda: "hello\n"))
    app.run("127.0.0.1", port)


def werkzeug(port):
    from werkzeug.serving import run_simple
    from werkzeug.wrappers import Request, Response

    @Request.application
    def serve(request):
        sent = request.authorization
        if sent and sent.type == "basic" and (sent.username, sent.password) == (USER, PASSWORD):
            return Response("hello\n")
        return Response("no\n", 401, {"WWW-Authenticate": f'Basic realm="{REALM}"'})

    run_simple("127.0.0.1", port, serve)


globals()[sys.argv[1]](int(sys.argv[2]))
