//! What servers said to right answers verifies by calculation.

use countersign::digest::{Ha1, Qop};
use countersign::wire::{AuthenticationInfo, DigestCredentials};
use serde_json::Value;

use crate::support::captures::Exchange;
use crate::support::digest::{key, rspauth};

/// What the server said to an answer it found right, made with this realm.
pub(super) fn check_info(
    row: &Value,
    exchange: &Exchange,
    answer: &DigestCredentials<'_>,
    realm: &str,
) {
    let info = match AuthenticationInfo::parse(&exchange.info) {
        Ok(info) => info,
        // Apache repeats nc as it came, and in this field it must have eight digits.
        Err(error) if row["shape"] == "nc=1 (short)" => {
            return assert_eq!(error.to_string(), "parameter `nc` malformed");
        }
        Err(error) => panic!("{error}"),
    };
    if info.rspauth.is_none() {
        return;
    }
    let protection = answer.qop_params;
    // For the others it would take the response's body, which is not recorded.
    assert!(protection.is_none_or(|protection| protection.qop() == Qop::Auth));
    let (nonce, uri) = (answer.nonce.to_bytes(), answer.uri.to_bytes());
    let cnonce = protection.map(|protection| protection.cnonce().to_bytes());
    let hash = answer.algorithm().hash_function();
    let ha1 = Ha1::new(hash, &exchange.username, realm, &exchange.password);
    let key = key(
        answer.algorithm(),
        &ha1,
        &nonce,
        &cnonce.unwrap_or_default(),
    );
    let expected = rspauth(&key, &nonce, protection.as_ref(), &uri, None);
    let is_right = row["scenario"] != "badrspauth";
    assert_eq!(info.has_proof(&expected), is_right, "rspauth");
}
