//! How a proxy says which request it asks about.

use std::net::{IpAddr, SocketAddr};

use clap::ValueEnum;
use countersign::Channel;
use http::header::{AUTHORIZATION, HeaderMap};
use http::request::Parts;
use http::{HeaderValue, StatusCode};

/// The field in which the proxy's back end reads who the user is.
pub const IDENTITY: &str = "x-remote-user";

/// One convention only: a proxy passes the fields of the others on as its client sent them.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Convention {
    /// `auth_request` of nginx, with the fields that `conf/nginx-server.conf` sets.
    Nginx,
    /// `X-Forwarded-*`: Caddy, Traefik, HAProxy with `conf/haproxy.lua`.
    Forwarded,
    /// `ext_authz` of Envoy: the method and target of the question are those of the request.
    Envoy,
}

/// A request of a client that a proxy asks about.
#[derive(Debug)]
pub struct Question<'a> {
    pub method: &'a [u8],
    pub target: &'a [u8],
    pub channel: Channel,
    pub address: IpAddr,
    /// What tells this request from all others of nginx. Others ask once about a request.
    pub id: Option<&'a HeaderValue>,
    pub credentials: Vec<&'a HeaderValue>,
}

/// Why a question gets no answer: the status, and the reason for the log.
#[derive(Debug)]
pub struct Fault {
    pub status: StatusCode,
    pub reason: String,
}

/// The client is at fault.
fn forged(reason: impl Into<String>) -> Fault {
    Fault {
        status: StatusCode::BAD_REQUEST,
        reason: reason.into(),
    }
}

/// The configuration of the proxy is at fault.
fn unclear(reason: impl Into<String>) -> Fault {
    Fault {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        reason: reason.into(),
    }
}

impl Convention {
    /// Reads a question. `has_body` is whether it has a body, which no proxy should send: a proxy
    /// that announces one and sends none would have the next question taken for it.
    pub fn read(self, head: &Parts, has_body: bool) -> Result<Question<'_>, Fault> {
        let fields = &head.headers;
        if has_body {
            return Err(unclear("the question has a body"));
        }
        if let Some(name) = fields.keys().find(|name| is_identity(name.as_str())) {
            return Err(forged(format!("the client sent the field {name}")));
        }
        let (method, target) = match self {
            Self::Nginx => ("x-original-method", "x-original-uri"),
            Self::Forwarded => ("x-forwarded-method", "x-forwarded-uri"),
            Self::Envoy => ("", ""),
        };
        let (method, target) = match self {
            Self::Envoy => {
                let target = head.uri.path_and_query().map_or("", |it| it.as_str());
                (head.method.as_str().as_bytes(), target.as_bytes())
            }
            _ => (
                only(fields, method)?.as_bytes(),
                only(fields, target)?.as_bytes(),
            ),
        };
        // No client sends a fragment (RFC 9112, section 3.2), and proxies differ on where it ends.
        if target.contains(&b'#') {
            return Err(forged("the target has a fragment"));
        }
        let channel = match only(fields, "x-forwarded-proto")?.as_bytes() {
            b"https" => Channel::Encrypted,
            b"http" => Channel::Cleartext,
            _ => return Err(unclear("x-forwarded-proto is neither http nor https")),
        };
        let id = match self {
            Self::Nginx => Some(only(fields, "x-gate-request")?),
            _ => None,
        };
        if id.is_some_and(|id| !is_request_id(id.as_bytes())) {
            return Err(unclear(
                "x-gate-request is not \"$request_id.$pid.$connection.$connection_requests\"",
            ));
        }
        Ok(Question {
            method,
            target,
            channel,
            address: address(only(fields, "x-forwarded-for")?)?,
            id,
            credentials: fields.get_all(AUTHORIZATION).iter().collect(),
        })
    }

    /// The status for the proxy. nginx answers 500 in place of any but 2xx, 401 and 403, so it gets
    /// 403, and the second value in a field of its own.
    pub fn status(self, status: StatusCode) -> (StatusCode, Option<StatusCode>) {
        match status {
            StatusCode::OK | StatusCode::UNAUTHORIZED => (status, None),
            _ if self == Self::Nginx => (StatusCode::FORBIDDEN, Some(status)),
            _ => (status, None),
        }
    }
}

/// Returns whether a program behind CGI may read the field as the identity: there `-` and `_` are
/// the same.
fn is_identity(name: &str) -> bool {
    name.len() == IDENTITY.len() && name.replace('_', "-") == IDENTITY
}

/// The value of a field that the proxy sets once.
fn only<'a>(fields: &'a HeaderMap, name: &str) -> Result<&'a HeaderValue, Fault> {
    let mut values = fields.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Ok(value),
        (Some(_), None) => Err(unclear(format!("{name} is empty"))),
        (None, _) => Err(unclear(format!("{name} is missing"))),
        (Some(_), Some(_)) => Err(unclear(format!("{name} is repeated"))),
    }
}

/// `$request_id` alone can be a client's own, by a common `map`; the numbers cannot.
fn is_request_id(id: &[u8]) -> bool {
    let parts: Vec<_> = id.split(|byte| *byte == b'.').collect();
    let is_number = |part: &&[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    matches!(&parts[..], [id, numbers @ ..]
        if !id.is_empty() && numbers.len() == 3 && numbers.iter().all(is_number))
}

/// The address of the client: with a list of addresses the last, which the proxy itself added.
fn address(value: &HeaderValue) -> Result<IpAddr, Fault> {
    let text = value.to_str().unwrap_or_default();
    let last = text.rsplit(',').next().unwrap_or_default().trim();
    let bare = last.trim_start_matches('[').trim_end_matches(']');
    let address = last.parse().map(|with_port: SocketAddr| with_port.ip());
    address
        .or_else(|_| bare.parse())
        .map_err(|_| unclear(format!("x-forwarded-for is not an address: {text:?}")))
}
