//! What was sent verifies by calculation if it is right, and not if it is wrong.

use countersign::digest::{Ha1, Qop};
use countersign::wire::{AuthenticationInfo, DigestCredentials};
use countersign::{Authorization, HeaderError};
use serde_json::Value;

use crate::support::captures::Exchange;
use crate::support::digest::{key, rspauth};

/// What cannot be read is in the list of the server's refusals.
pub(super) fn check(
    row: &Value,
    exchange: &Exchange,
    sent: Result<Authorization<'_>, HeaderError>,
) {
    let is_right = row["expected_valid"] == true;
    let challenges = exchange.challenges();
    match sent {
        Ok(Authorization::Basic(pair)) => {
            let matches = pair.matches(&exchange.username, &exchange.password);
            assert_eq!(matches, is_right);
        }
        Ok(Authorization::Digest(credentials)) => {
            let realm = exchange.right_realm(&credentials, &challenges);
            assert_eq!(realm.is_some(), is_right, "by calculation");
            if let Some(realm) = realm.filter(|_| !exchange.info.is_empty()) {
                check_info(row, exchange, &credentials, &realm);
            }
        }
        _ => {}
    }
}

/// What the server said to an answer it found right, made with this realm.
fn check_info(row: &Value, exchange: &Exchange, answer: &DigestCredentials<'_>, realm: &[u8]) {
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
