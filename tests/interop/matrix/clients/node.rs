//! Packages of Node.

use super::{ALWAYS_MD5, Client, ENDS_REALM, LATIN1, Limit, NO_STALE, OF_LATIN1};
use crate::matrix::version::node_package;
use crate::matrix::{Case, script};
use crate::process::command;

/// A package of Node.
fn node(package: &'static str, limit: Limit) -> Client {
    Client {
        version: node_package(package),
        command: Box::new(move |session| {
            let mut node = command("node");
            node.args([&script("client.js"), package, &session.url]);
            node.args([session.user, session.password, session.method()]);
            node.arg(session.body).arg(session.count.to_string());
            node
        }),
        offer: None,
        remedy: |_| None,
        limit,
    }
}

pub(super) fn digest_fetch() -> Client {
    Client {
        remedy: OF_LATIN1,
        ..node("digest-fetch", |case| match case {
            Case::Utf8 => Some(LATIN1),
            Case::Quoted => Some(ENDS_REALM),
            Case::Sha256 | Case::Sha512 => Some(ALWAYS_MD5),
            Case::AuthInt => Some("says auth-int and leaves out the body"),
            _ => None,
        })
    }
}

pub(super) fn node_urllib() -> Client {
    Client {
        remedy: OF_LATIN1,
        ..node("urllib", |case| match case {
            Case::Stale => Some(NO_STALE),
            Case::Utf8 => Some(LATIN1),
            Case::Quoted => Some(ENDS_REALM),
            Case::Sha256 | Case::Sha512 => Some(ALWAYS_MD5),
            Case::AuthInt => Some("says auth-int and leaves out the body"),
            _ => None,
        })
    }
}

pub(super) fn axios() -> Client {
    Client {
        remedy: |case| match case {
            Case::Query => Some(("--uri-check=path", "`UriCheck::Path`")),
            _ => OF_LATIN1(case),
        },
        ..node("@mhoc/axios-digest-auth", |case| match case {
            Case::Stale => Some(NO_STALE),
            Case::Utf8 => Some(LATIN1),
            Case::Quoted => Some("drops the quotes of a realm, and hashes its escapes"),
            Case::Query => Some("leaves the query out of uri"),
            Case::Sha256 | Case::Sha512 => Some(ALWAYS_MD5),
            Case::AuthInt => Some("answers with auth whatever is offered"),
            _ => None,
        })
    }
}
