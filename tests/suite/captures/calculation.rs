//! What servers said to right answers verifies by calculation.

use countersign::digest::{Ha1, Qop};
use countersign::wire::{AuthenticationInfo, DigestCredentials};
use serde_json::Value;

use crate::support::captures::Exchange;
use crate::support::digest::proof_for;

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
    // For the others it would take the response's body, which is not recorded.
    let qop = answer.qop_params.map(|protection| protection.qop());
    assert!(qop.is_none_or(|qop| qop == Qop::Auth));
    let hash = answer.algorithm().hash_function();
    let ha1 = Ha1::new(hash, &exchange.username, realm, &exchange.password);
    let is_right = row["scenario"] != "badrspauth";
    assert_eq!(
        info.has_proof(&proof_for(answer, &ha1, b"")),
        is_right,
        "rspauth"
    );
}
