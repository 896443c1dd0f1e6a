//! What hostile servers say.

use super::{Dice, REALMS};

const NONCES: [&str; 8] = ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"];

/// A challenge that was sent.
pub(super) struct Offered {
    pub(super) realm: String,
    pub(super) is_basic: bool,
    /// The paths that its `domain` names here; `None` for all.
    pub(super) domain: Option<Vec<&'static str>>,
}

/// A parameter to be added to others, or nothing.
pub(super) fn next_nonce(dice: &mut Dice) -> String {
    match dice.one_in(3) {
        true => format!(", nextnonce=\"{}\"", dice.pick(&NONCES)),
        false => String::new(),
    }
}

/// The values of the field, and what they offer. `a.example` is most of the endpoints.
pub(super) fn challenges(dice: &mut Dice) -> (Vec<String>, Vec<Offered>) {
    let (mut values, mut offered) = (Vec::new(), Vec::new());
    for _ in 0..dice.below(4) {
        let realm = match dice.one_in(8) {
            true => format!("noise{}", dice.below(30)),
            false => dice.pick(&REALMS).to_owned(),
        };
        let quoted = realm.replace('"', "\\\"");
        if dice.one_in(12) {
            values.push("Negotiate".to_owned());
            continue;
        }
        if dice.one_in(3) {
            values.push(format!("Basic realm=\"{quoted}\""));
            offered.push(Offered {
                realm,
                is_basic: true,
                domain: None,
            });
            continue;
        }
        // As long as a nonce or an opaque may be, and then the answer is too long.
        let long = [4090, 4000, 3600].map(|length| "l".repeat(length));
        let nonce = match dice.one_in(20) {
            true => &long[dice.below(3)],
            false => dice.pick(&NONCES),
        };
        let mut value = format!("Digest realm=\"{quoted}\", nonce=\"{nonce}\"");
        value += dice.pick(&[
            "",
            ", algorithm=MD5",
            ", algorithm=SHA-256",
            ", algorithm=SHA-256",
            ", algorithm=SHA-512-256",
            ", algorithm=MD5-sess",
            ", algorithm=SHA-256-sess",
            ", algorithm=FOO",
        ]);
        value += dice.pick(&[
            "",
            ", qop=\"auth\"",
            ", qop=\"auth\"",
            ", qop=\"auth,auth-int\"",
            ", qop=\"auth-int\"",
            ", qop=\"x\"",
        ]);
        value += dice.pick(&["", "", ", stale=true", ", stale=false"]);
        value += dice.pick(&["", "", ", opaque=\"o\"", ", charset=UTF-8"]);
        if dice.one_in(20) {
            value += &format!(", opaque=\"{}\"", long[dice.below(3)]);
        }
        let domain = match dice.below(6) {
            0 => {
                value += ", domain=\"/a/ /b\"";
                Some(vec!["/a/", "/b"])
            }
            1 => {
                value += ", domain=\"//evil.com/ x\"";
                None
            }
            _ => None,
        };
        values.push(value);
        offered.push(Offered {
            realm,
            is_basic: false,
            domain,
        });
    }
    if dice.one_in(3) && !values.is_empty() {
        values = vec![values.join(", ")];
    }
    (values, offered)
}
