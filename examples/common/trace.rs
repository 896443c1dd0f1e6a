//! Messages as text, and how answers were computed.

use std::fmt::Write;

use countersign::digest::{BodyHasher, Ha1, HashFunction, HexDigest, Qop};
use countersign::wire::{self, ha2};
use countersign::{Authorization, EntityBody, FieldValue, Target};
use http::{HeaderMap, Request, Response};

pub(crate) fn request<B>(request: &Request<B>) -> String {
    let (method, uri, version) = (request.method(), request.uri(), request.version());
    let mut text = format!("> {method} {uri} {version:?}\n");
    fields(&mut text, '>', request.headers());
    text
}

pub(crate) fn response<B>(response: &Response<B>) -> String {
    let mut text = format!("< {:?} {}\n", response.version(), response.status());
    fields(&mut text, '<', response.headers());
    text
}

fn fields(text: &mut String, mark: char, headers: &HeaderMap) {
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        let _ = writeln!(text, "{mark} {name}: {value}");
    }
    let _ = writeln!(text, "{mark}");
}

/// Shows how an answer was computed from the header and the password, by the formulas of RFC 7616,
/// section 3.4. That includes HA1, which must be kept as secret as the password.
///
/// Returns `None` if the answer was not made with this login.
pub(crate) fn computation(
    answer: &FieldValue,
    target: &Target<'_>,
    (username, password): (&str, &str),
) -> Option<String> {
    let credentials = match Authorization::parse(answer.as_bytes()).ok()? {
        Authorization::Digest(credentials) => credentials,
        Authorization::Basic(_) => {
            return Some("* Basic base64(username:password)\n*\n".to_owned());
        }
        _ => return None,
    };
    let hash = credentials.algorithm().hash_function();
    let nonce = credentials.nonce;
    let protection = credentials.qop_params;
    let mut text = format!("* algorithm {}\n", credentials.algorithm());
    let mut line = |label: &str, formula: &str, value: &str| {
        let _ = writeln!(text, "* {label:8} = {formula:31} = {value}");
    };

    let mut key = Ha1::new(hash, username, credentials.realm, password);
    line("HA1", "H(username:realm:password)", key.as_hex());
    if let (true, Some(protection)) = (credentials.algorithm().is_sess(), &protection) {
        key = key.session_key(nonce, protection.cnonce());
        line("HA1'", "H(HA1:nonce:cnonce)", key.as_hex());
    }

    let body = protection.filter(|protection| protection.qop() == Qop::AuthInt);
    let body = body.and_then(|_| body_hash(hash, target));
    let ha2 = ha2(hash, target.method, target.uri, body.as_ref());
    let formula = match body {
        Some(_) => "H(method:uri:H(body))",
        None => "H(method:uri)",
    };
    line("HA2", formula, ha2.as_str());

    // With a qop there are two forms, which differ only in the value of the response.
    let counted = wire::response(&key, nonce, protection.as_ref(), &ha2);
    let uncounted = wire::response(&key, nonce, None, &ha2);
    let (formula, response) = match &protection {
        Some(_) if counted == credentials.response => ("H(HA1:nonce:nc:cnonce:qop:HA2)", counted),
        _ => ("H(HA1:nonce:HA2)", uncounted),
    };
    line("response", formula, response.as_str());
    text.push_str("*\n");
    (response == credentials.response).then_some(text)
}

fn body_hash(hash: HashFunction, target: &Target<'_>) -> Option<HexDigest> {
    let EntityBody::Bytes(bytes) = target.body else {
        return None;
    };
    let mut hasher = BodyHasher::new(hash);
    hasher.update(bytes);
    Some(hasher.finish())
}
