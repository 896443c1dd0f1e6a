//! A client of another make, which answers in every form there is, as its user wants.

use countersign::digest::{Algorithm, Ha1};
use countersign::wire::{QopParams, ha2, response};

use super::header::Header;
use super::request::Request;
use super::script::Script;
use super::store::{self, ACCOUNTS, REALM};

const CNONCE: &str = "other";

/// Answers a challenge, by the formulas. Returns `None` if there is none for Digest.
pub(super) fn answer(
    account: usize,
    challenge: Option<&str>,
    request: &Request,
    script: &mut Script<'_>,
) -> Option<Vec<u8>> {
    let challenge = Header::read(challenge?.as_bytes())?;
    let param = |name: &str| {
        let value = str::from_utf8(challenge.get(name)?).ok()?;
        Some(value.trim_matches('"').to_owned())
    };
    let nonce = param("nonce")?;
    let algorithm: Algorithm = param("algorithm")?.parse().ok()?;
    let hash = algorithm.hash_function();

    let choice = script.byte();
    let qop = match choice & 3 {
        0 => None,
        1 => Some("auth"),
        _ => Some("auth-int"),
    };
    let is_uncounted = choice & 4 != 0;
    let nc = format!("{:08x}", 1 + (choice >> 3 & 3));

    let body = (qop == Some("auth-int")).then(|| request.body_hash(hash));
    let ha2 = ha2(hash, request.method, request.uri.as_bytes(), body.as_ref());
    let params = qop.map(|qop| QopParams::new(qop, &nc, CNONCE).expect("plain parameters"));
    let ha1 = store::ha1(account, hash);
    let key: Ha1 = match algorithm.is_sess() {
        true => ha1.session_key(nonce.as_bytes(), CNONCE.as_bytes()),
        false => ha1.clone(),
    };
    let covered = params.as_ref().filter(|_| !is_uncounted);
    let response = response(&key, nonce.as_bytes(), covered, &ha2);

    let name = ACCOUNTS[account]
        .name
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    let mut header = format!(
        "Digest username=\"{name}\", realm=\"{REALM}\", nonce=\"{nonce}\", uri=\"{}\", \
         algorithm={algorithm}, response=\"{response}\"",
        request.uri
    );
    if let Some(qop) = qop {
        header += &format!(", qop={qop}, nc={nc}, cnonce=\"{CNONCE}\"");
    }
    Some(header.into_bytes())
}
