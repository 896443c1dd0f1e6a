//! What a policy allows, what a pin remembers, and what else a caller may ask of a client.

mod algorithms;
mod auth_int;
mod bounds;
mod forms;
mod names;
mod pins;
mod queries;
mod schemes;
mod skip_reasons;

use countersign::client::{Policy, SkipReason};

use crate::support::client::{CHALLENGE, Dialog, Said, Sent, challenge, skipped};

const BASIC: &str = r#"Basic realm="r""#;

/// What a policy makes of these challenges: the answer, or why there is none.
pub(super) fn answer<V: AsRef<[u8]>>(
    policy: Policy,
    values: &[V],
) -> Result<Sent, Vec<SkipReason>> {
    let mut dialog = Dialog::new(policy);
    match dialog.challenged(values) {
        Said::Login => dialog.login(),
        next => return Err(skipped(&next).to_vec()),
    }
    Ok(dialog.send("/").expect("an answer"))
}

fn with_qop(qop: &str) -> String {
    CHALLENGE.replace("\"auth\"", &format!("\"{qop}\""))
}

fn with_algorithm(algorithm: &str) -> String {
    CHALLENGE.replace("SHA-256", algorithm)
}

/// A challenge without a qop.
fn legacy(nonce: &str) -> String {
    challenge(nonce, "").replace(", qop=\"auth\"", "")
}

#[test]
fn default_policy_equals_new() {
    assert_eq!(Policy::default(), Policy::new());
}
