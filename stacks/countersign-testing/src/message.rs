//! Requests and responses.

use std::time::Duration;

use countersign::Challenger;
use countersign::wire::DigestChallenge;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri};

/// The request-target byte for byte, in the extensions of each request that a server gets from a
/// [`ServerCheck`](crate::server::ServerCheck).
///
/// Servers of HTTP and RTSP can use [`Request::uri`] instead. The URIs of SIP do not fit
/// [`http::Uri`], so there `uri()` is `*`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RequestTarget(pub String);

/// A request. `None` if the method or a header value is none for the `http` crate.
pub(crate) fn request(
    method: &str,
    uri: &str,
    field: &'static str,
    credentials: &[Vec<u8>],
    body: &[u8],
) -> Option<Request<Vec<u8>>> {
    let mut request = Request::new(body.to_owned());
    *request.method_mut() = Method::from_bytes(method.as_bytes()).ok()?;
    *request.uri_mut() = uri.parse().unwrap_or_else(|_| Uri::from_static("*"));
    for value in credentials {
        let value = HeaderValue::from_bytes(value).ok()?;
        request
            .headers_mut()
            .append(HeaderName::from_static(field), value);
    }
    request
        .extensions_mut()
        .insert(RequestTarget(uri.to_owned()));
    Some(request)
}

/// The request-target of a request, as the server sees it.
pub(crate) fn target_of(request: &Request<Vec<u8>>) -> String {
    match request.extensions().get::<RequestTarget>() {
        Some(target) if request.uri() == "*" => target.0.clone(),
        _ => request.uri().to_string(),
    }
}

/// What is before the path of a URI, the path, and the query with its question mark.
pub(crate) fn parts(uri: &str) -> Option<[&str; 3]> {
    let start = uri.find("://").map_or(0, |at| at + "://".len());
    let (origin, rest) = uri.split_at(start + uri[start..].find('/')?);
    let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    Some([origin, path, query])
}

/// The text with the case of each ASCII letter turned over.
pub(crate) fn in_other_case(text: &[u8]) -> Vec<u8> {
    let turned = |it: &u8| match it.is_ascii_lowercase() {
        true => it.to_ascii_uppercase(),
        false => it.to_ascii_lowercase(),
    };
    text.iter().map(turned).collect()
}

/// A response of a server.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    challenger: Challenger,
    /// How long it took, if that is measured.
    pub(crate) took: Duration,
}

impl Reply {
    pub(crate) fn new<B: AsRef<[u8]>>(response: &Response<B>, challenger: Challenger) -> Self {
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: response.body().as_ref().to_owned(),
            challenger,
            took: Duration::ZERO,
        }
    }

    /// Returns whether it asks for credentials.
    pub(crate) fn is_challenge(&self) -> bool {
        self.status == self.challenger.status()
    }

    /// Returns whether the request was let in. The statuses below say that it was not, or may be
    /// sent before the credentials are checked.
    pub(crate) fn is_granted(&self) -> bool {
        let turned_away = matches!(
            self.status,
            400 | 403 | 408 | 411 | 413 | 414 | 417 | 421 | 429 | 431 | 500..
        );
        !self.is_challenge() && !turned_away
    }

    pub(crate) fn challenge_values(&self) -> Vec<&HeaderValue> {
        self.headers
            .get_all(self.challenger.challenge_field())
            .iter()
            .collect()
    }

    /// The challenges that can be read, in order.
    pub(crate) fn challenges(&self) -> Vec<countersign::Challenge<'_>> {
        countersign::challenges(self.challenge_values())
            .flatten()
            .collect()
    }

    /// The Digest challenges with known algorithms, in order.
    pub(crate) fn digest_challenges(&self) -> Vec<DigestChallenge<'_>> {
        let digest = |challenge| match challenge {
            countersign::Challenge::Digest(digest) => Some(digest),
            _ => None,
        };
        self.challenges().into_iter().filter_map(digest).collect()
    }

    pub(crate) fn offers_basic(&self) -> bool {
        let is_basic = |one: &_| matches!(one, countersign::Challenge::Basic { .. });
        self.challenges().iter().any(is_basic)
    }

    /// Returns whether `Authentication-Info` has a parameter.
    pub(crate) fn has_info(&self, name: &str) -> bool {
        let infos = self.headers.get_all(self.challenger.info_field()).iter();
        let mut infos = infos.filter_map(|info| info.to_str().ok());
        infos.any(|info| info.to_ascii_lowercase().contains(&format!("{name}=")))
    }

    /// Returns whether it asks for another nonce, and not for other credentials.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_challenge() && self.digest_challenges().iter().any(|it| it.stale)
    }
}

/// Requests and the replies to them, if there were any. They are made text only for who reads it.
#[derive(Debug, Default)]
pub(crate) struct Messages(pub(crate) Vec<(Request<Vec<u8>>, Option<Reply>)>);

impl Messages {
    /// One line for each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.0.iter();
        lines
            .map(|(request, reply)| shown(request, reply.as_ref()))
            .collect()
    }
}

fn shown(request: &Request<Vec<u8>>, reply: Option<&Reply>) -> String {
    let target = request.extensions().get::<RequestTarget>();
    let uri = target.map_or_else(|| request.uri().to_string(), |target| target.0.clone());
    let mut line = format!("{} {uri}", request.method());
    let credentials = [
        Challenger::Origin.credentials_field(),
        Challenger::Proxy.credentials_field(),
    ];
    show_fields(request.headers(), credentials, &mut line);
    let Some(reply) = reply else {
        return line + " -> panic";
    };
    line += &format!(" -> {}", reply.status);
    let answered = [
        reply.challenger.challenge_field(),
        reply.challenger.info_field(),
    ];
    show_fields(&reply.headers, answered, &mut line);
    line
}

fn show_fields(headers: &HeaderMap, names: [&str; 2], line: &mut String) {
    for (name, value) in headers
        .iter()
        .filter(|(name, _)| names.contains(&name.as_str()))
    {
        *line += &format!(" [{name}: ");
        for &byte in value.as_bytes() {
            match byte {
                b' '..=b'~' => line.push(char::from(byte)),
                _ => *line += &format!("\\x{byte:02x}"),
            }
        }
        line.push(']');
    }
}
