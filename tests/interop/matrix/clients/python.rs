//! Libraries of Python.

use super::{
    Client, EMPTY_BODY, GIVES_UP, LATIN1, Limit, NO_AUTH_INT, NO_ESCAPES, NO_SHA512, OF_LATIN1,
};
use crate::matrix::version::version;
use crate::matrix::{Case, MD5_FIRST, script};
use crate::process::{command, is_runnable};

/// A library of Python.
fn python(library: &'static str, limit: Limit) -> Client {
    let find = match library {
        "urllib" => "import sys; print(sys.version)".to_owned(),
        _ => format!("import importlib.metadata as m, {library}; print(m.version('{library}'))"),
    };
    let is_there = is_runnable("python3", &["-c", &find]);
    Client {
        version: is_there
            .then(|| version("python3", &["-c", &find]))
            .flatten(),
        command: Box::new(move |session| {
            let mut python = command("python3");
            python.args([&script("client.py"), library]);
            python.arg(if session.basic { "basic" } else { "digest" });
            python.args([&session.url, session.user, session.password]);
            python.args([session.method(), session.body]);
            python.arg(session.count.to_string());
            python
        }),
        offer: None,
        remedy: |_| None,
        limit,
    }
}

/// requests, or niquests, which was made from it.
pub(super) fn requests(library: &'static str) -> Client {
    Client {
        remedy: OF_LATIN1,
        ..python(library, |case| match case {
            Case::Utf8 => Some(LATIN1),
            Case::Quoted => Some(NO_ESCAPES),
            Case::Sha512 => Some(NO_SHA512),
            Case::AuthInt => Some(NO_AUTH_INT),
            _ => None,
        })
    }
}

pub(super) fn httpx() -> Client {
    python("httpx", |case| match case {
        Case::Utf8 => Some("can send ASCII names only"),
        Case::Quoted => Some(NO_ESCAPES),
        Case::Sha512 => Some(NO_SHA512),
        Case::AuthInt => Some(NO_AUTH_INT),
        _ => None,
    })
}

pub(super) fn aiohttp() -> Client {
    python("aiohttp", |case| match case {
        Case::Sha512 => Some(NO_SHA512),
        _ => None,
    })
}

pub(super) fn urllib() -> Client {
    Client {
        offer: Some(MD5_FIRST),
        ..python("urllib", |case| match case {
            Case::First => Some(GIVES_UP),
            Case::Utf8 => Some("can send ASCII names only"),
            Case::Quoted => Some(NO_ESCAPES),
            Case::Sha256 => Some("supports MD5 and SHA-1 only"),
            Case::Sha512 => Some(NO_SHA512),
            Case::AuthInt => Some(NO_AUTH_INT),
            _ => None,
        })
    }
}

pub(super) fn pycurl() -> Client {
    python("pycurl", |case| match case {
        Case::AuthInt => Some(EMPTY_BODY),
        _ => None,
    })
}
