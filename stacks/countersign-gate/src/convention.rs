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

/// Why a question gets no answer: the reason for the log.
#[derive(Debug)]
pub enum Fault {
    /// The client is at fault.
    Forged(String),
    /// The configuration of the proxy is.
    Unclear(String),
}

use Fault::{Forged, Unclear};

impl Convention {
    /// Reads a question. `has_body` is whether it has a body, which no proxy should send: a proxy
    /// that announces one and sends none would have the next question taken for it.
    pub fn read(self, head: &Parts, has_body: bool) -> Result<Question<'_>, Fault> {
        let fields = &head.headers;
        if has_body {
            return Err(Unclear("the question has a body".into()));
        }
        if let Some(name) = fields.keys().find(|name| is_identity(name.as_str())) {
            return Err(Forged(format!("the client sent the field {name}")));
        }
        let value = |name| only(fields, name).map(HeaderValue::as_bytes);
        let (method, target) = match self {
            Self::Nginx => (value("x-original-method")?, value("x-original-uri")?),
            Self::Forwarded => (value("x-forwarded-method")?, value("x-forwarded-uri")?),
            Self::Envoy => {
                let target = head.uri.path_and_query().map_or("", |it| it.as_str());
                (head.method.as_str().as_bytes(), target.as_bytes())
            }
        };
        // No client sends a fragment (RFC 9112, section 3.2), and proxies differ on where it ends.
        if target.contains(&b'#') {
            return Err(Forged("the target has a fragment".into()));
        }
        let channel = match value("x-forwarded-proto")? {
            b"https" => Channel::Encrypted,
            b"http" => Channel::Cleartext,
            _ => {
                return Err(Unclear(
                    "x-forwarded-proto is neither http nor https".into(),
                ));
            }
        };
        let id = match self {
            Self::Nginx => Some(only(fields, "x-gate-request")?),
            _ => None,
        };
        if id.is_some_and(|id| !is_request_id(id.as_bytes())) {
            return Err(Unclear(
                "x-gate-request is not \"$request_id.$pid.$connection.$connection_requests\""
                    .into(),
            ));
        }
        Ok(Question {
            method,
            target,
            channel,
            address: client(fields)?,
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
/// the same, and to lighttpd all that is neither letter nor digit.
fn is_identity(name: &str) -> bool {
    let is_same = |(one, own): (u8, u8)| one == own || own == b'-' && !one.is_ascii_alphanumeric();
    name.len() == IDENTITY.len() && name.bytes().zip(IDENTITY.bytes()).all(is_same)
}

/// The value of a field that the proxy sets once.
fn only<'a>(fields: &'a HeaderMap, name: &str) -> Result<&'a HeaderValue, Fault> {
    let mut values = fields.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Ok(value),
        (Some(_), None) => Err(Unclear(format!("{name} is empty"))),
        (None, _) => Err(Unclear(format!("{name} is missing"))),
        (Some(_), Some(_)) => Err(Unclear(format!("{name} is repeated"))),
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
pub fn client(fields: &HeaderMap) -> Result<IpAddr, Fault> {
    let value = only(fields, "x-forwarded-for")?;
    let text = value.to_str().unwrap_or_default();
    let last = text.rsplit(',').next().unwrap_or_default().trim();
    let bare = last.trim_start_matches('[').trim_end_matches(']');
    let address = last.parse().map(|with_port: SocketAddr| with_port.ip());
    address
        .or_else(|_| bare.parse())
        .map_err(|_| Unclear(format!("x-forwarded-for is not an address: {text:?}")))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    /// As nginx sends it with `conf/nginx-server.conf`.
    const NGINX: &[(&str, &str)] = &[
        ("x-original-method", "POST"),
        ("x-original-uri", "/a?\"<>\u{e9}"),
        ("x-forwarded-for", "192.0.2.7"),
        ("x-forwarded-proto", "https"),
        ("x-gate-request", "8f14e45fceea167a5a36dedd4bea2543.71.9.1"),
        ("authorization", "Basic eA=="),
    ];

    /// As Caddy 2.6 sends it, with a field of its client.
    const CADDY: &[(&str, &str)] = &[
        ("x-forwarded-method", "GET"),
        ("x-forwarded-uri", "/a"),
        ("x-forwarded-for", "::1"),
        ("x-forwarded-proto", "http"),
        ("x-forwarded-host", "h"),
        ("x-original-uri", "/spoofed"),
    ];

    fn head(fields: &[(&str, &str)]) -> Parts {
        let mut request = Request::get("/envoy?q");
        for (name, value) in fields {
            request = request.header(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        request.body(()).unwrap().into_parts().0
    }

    fn with<'a>(fields: &[(&'a str, &'a str)], name: &'a str, value: &'a str) -> Parts {
        let mut fields = fields.to_vec();
        match fields.iter_mut().find(|field| field.0 == name) {
            Some(field) => field.1 = value,
            None => fields.push((name, value)),
        }
        head(&fields)
    }

    fn fault(convention: Convention, head: &Parts) -> String {
        match convention.read(head, false).unwrap_err() {
            Forged(why) => format!("400 {why}"),
            Unclear(why) => format!("500 {why}"),
        }
    }

    #[test]
    fn each_convention_reads_its_own_fields() {
        let nginx = head(NGINX);
        let question = Convention::Nginx.read(&nginx, false).unwrap();
        assert_eq!(question.method, b"POST");
        assert_eq!(question.target, "/a?\"<>\u{e9}".as_bytes());
        assert_eq!(question.channel, Channel::Encrypted);
        assert_eq!(question.address, "192.0.2.7".parse::<IpAddr>().unwrap());
        assert_eq!(question.credentials, ["Basic eA=="]);
        assert!(question.id.is_some());

        let caddy = head(CADDY);
        let question = Convention::Forwarded.read(&caddy, false).unwrap();
        assert_eq!(
            (question.method, question.target),
            (&b"GET"[..], &b"/a"[..])
        );
        assert_eq!(question.channel, Channel::Cleartext);
        assert!(question.id.is_none());

        let question = Convention::Envoy.read(&caddy, false).unwrap();
        assert_eq!(
            (question.method, question.target),
            (&b"GET"[..], &b"/envoy?q"[..])
        );
    }

    #[test]
    fn a_field_that_is_missing_empty_or_repeated_is_a_fault_of_the_proxy() {
        for (name, _) in NGINX.iter().filter(|field| field.0 != "authorization") {
            let without: Vec<_> = NGINX.iter().copied().filter(|it| it.0 != *name).collect();
            assert_eq!(
                fault(Convention::Nginx, &head(&without)),
                format!("500 {name} is missing")
            );
            let empty = with(NGINX, name, "");
            assert_eq!(
                fault(Convention::Nginx, &empty),
                format!("500 {name} is empty")
            );
            let twice: Vec<_> = NGINX.iter().copied().chain([(*name, "GET")]).collect();
            assert_eq!(
                fault(Convention::Nginx, &head(&twice)),
                format!("500 {name} is repeated")
            );
        }
        assert_eq!(
            fault(Convention::Nginx, &head(CADDY)),
            "500 x-original-method is missing"
        );
        let proto = with(CADDY, "x-forwarded-proto", "http, https");
        assert!(fault(Convention::Forwarded, &proto).starts_with("500 x-forwarded-proto"));
        let nginx = head(NGINX);
        let with_body = Convention::Nginx.read(&nginx, true);
        assert!(matches!(with_body, Err(Unclear(_))));
    }

    #[test]
    fn the_identity_is_refused_in_every_spelling() {
        for name in [
            "x-remote-user",
            "x_remote_user",
            "x-remote_user",
            "x.remote~user",
            "X_REMOTE-USER",
        ] {
            let name = name.to_ascii_lowercase();
            for convention in [Convention::Nginx, Convention::Forwarded, Convention::Envoy] {
                let head = with(&[NGINX, CADDY].concat(), &name, "root");
                assert_eq!(
                    fault(convention, &head),
                    format!("400 the client sent the field {name}")
                );
            }
        }
        // Others of the same length are not it.
        let head = with(NGINX, "x-remote-uses", "root");
        assert!(Convention::Nginx.read(&head, false).is_ok());
    }

    #[test]
    fn a_fragment_is_refused() {
        let head = with(NGINX, "x-original-uri", "/a#f");
        assert_eq!(
            fault(Convention::Nginx, &head),
            "400 the target has a fragment"
        );
    }

    #[test]
    fn the_id_has_what_no_client_can_set() {
        for id in [
            "8f14e45f",
            "a.1.2",
            "a.1.2.",
            "a.1.2.3.4",
            ".1.2.3",
            "a.1.2.x",
            "a.1..3",
        ] {
            let head = with(NGINX, "x-gate-request", id);
            assert!(
                fault(Convention::Nginx, &head).starts_with("500 x-gate-request"),
                "{id}"
            );
        }
    }

    #[test]
    fn each_form_of_an_address() {
        for (value, expected) in [
            ("192.0.2.1", "192.0.2.1"),
            ("192.0.2.1:5555", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            // What the proxy itself added is the last.
            ("203.0.113.9, 192.0.2.1", "192.0.2.1"),
            ("unknown,192.0.2.1", "192.0.2.1"),
        ] {
            let head = with(NGINX, "x-forwarded-for", value);
            let question = Convention::Nginx.read(&head, false).unwrap();
            assert_eq!(question.address.to_string(), expected, "{value}");
        }
        for value in [
            "unknown",
            "unix:",
            "192.0.2.1, ",
            "192.0.2",
            "192.0.2.1:99999",
            "_hidden",
        ] {
            let head = with(NGINX, "x-forwarded-for", value);
            assert!(
                fault(Convention::Nginx, &head).starts_with("500 x-forwarded-for"),
                "{value}"
            );
        }
    }

    #[test]
    fn nginx_gets_three_statuses() {
        for status in 200..600 {
            let status = StatusCode::from_u16(status).unwrap();
            let (sent, real) = Convention::Nginx.status(status);
            assert!([200, 401, 403].contains(&sent.as_u16()));
            assert_eq!(real.unwrap_or(sent), status);
            assert_eq!(Convention::Forwarded.status(status), (status, None));
        }
    }
}
