//! Servers of libraries, each run by a script of ours.

use super::Place::{At, NotOffered};
use super::{Expiry, MD5_ONLY, NO_AUTH_INT, NO_ESCAPES, NO_SHA512};
use super::{Server, quiet};
use crate::matrix::version::{node_package, version};
use crate::matrix::{Case, script};
use crate::process::{TempDir, command, is_runnable, start_server};

/// A Python library that is a server.
fn python(library: &'static str) -> Server {
    let find = format!("import importlib.metadata as m, {library}; print(m.version('{library}'))");
    let is_there = is_runnable("python3", &["-c", &find]);
    let running = is_there.then(|| {
        start_server(|port| {
            let mut server = command("python3");
            quiet(server.args([&script("server.py"), library, &port.to_string()]))
        })
    });
    Server {
        version: is_there
            .then(|| version("python3", &["-c", &find]))
            .flatten(),
        ..Server::running(running, TempDir::new())
    }
}

pub(super) fn twisted() -> Server {
    Server {
        place: |case| match case {
            Case::Stale => At("/short"),
            Case::Quoted => At("/quoted"),
            Case::Sha256 | Case::Sha512 => NotOffered("/md5", MD5_ONLY),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Wait(2500),
        ..python("twisted")
    }
}

pub(super) fn cherrypy() -> Server {
    Server {
        place: |case| match case {
            Case::Stale => At("/short"),
            Case::Quoted => At("/quoted"),
            Case::Sha256 | Case::Sha512 => NotOffered("/md5", MD5_ONLY),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Wait(2500),
        remedy: |case| match case {
            Case::Utf8 => Some(("--plain-usernames", "`Quirk::PlainUsernames`")),
            _ => None,
        },
        limit: |case| match case {
            Case::Utf8 => Some("says charset=UTF-8, and does not support `username*`"),
            Case::Quoted => Some(NO_ESCAPES),
            _ => None,
        },
        ..python("cherrypy")
    }
}

/// It reads and writes the fields only, and the rest is in our script.
pub(super) fn werkzeug() -> Server {
    Server {
        place: |case| match case {
            Case::Stale => At("/short"),
            Case::Quoted => At("/quoted"),
            Case::Sha256 => At("/sha256"),
            Case::Sha512 => NotOffered("/sha256", NO_SHA512),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Wait(2500),
        remedy: |case| match case {
            Case::Utf8 => Some(("--extended-usernames", "`Quirk::ExtendedUsernames`")),
            _ => None,
        },
        limit: |case| match case {
            Case::Utf8 => {
                Some("reads the name from `username*` alone, but its challenge does not show it")
            }
            _ => None,
        },
        ..python("werkzeug")
    }
}

pub(super) fn http_auth() -> Server {
    let version = node_package("http-auth");
    let running = version.is_some().then(|| {
        start_server(|port| {
            let mut server = command("node");
            quiet(server.args([&script("server.js"), &port.to_string()]))
        })
    });
    Server {
        version,
        place: |case| match case {
            Case::Quoted => At("/quoted"),
            Case::Sha256 | Case::Sha512 => NotOffered("/md5", MD5_ONLY),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Forge,
        limit: |case| match case {
            Case::Utf8 => Some("reads the name in ISO-8859-1, and hashes it in UTF-8"),
            Case::Quoted => Some(NO_ESCAPES),
            _ => None,
        },
        ..Server::running(running, TempDir::new())
    }
}
