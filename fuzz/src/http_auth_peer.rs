//! A comparison with the parser of the `http-auth` crate, which other clients use.

use countersign::{HeaderError, RawChallenge, Text};

use crate::errors::problem;

/// A known difference between `http-auth` 0.1.10 and this crate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Difference {
    /// It has no limits. This crate has `MAX_CHALLENGES` and `MAX_VALUE_BYTES`.
    Limit,
    /// It refuses a value without a challenge. Recipients must accept empty lists (RFC 9110,
    /// section 5.6.1.2).
    NoChallenge,
    /// It refuses whitespace at both ends, except for one SP after a scheme. This whitespace is not
    /// part of the value (RFC 9110, section 5.5), but not all HTTP libraries remove it.
    BlankAtEnd,
    /// It refuses obs-text, which a quoted string may contain (RFC 9110, section 5.6.4), and which
    /// realms in languages other than English do contain.
    ObsText,
    /// It refuses token68, which challenges of Negotiate and NTLM have (RFC 9110, section 11.3).
    Token68,
    /// It accepts exactly one SP after the scheme. The grammar has `1*SP` (RFC 9110, section 11.3),
    /// and some servers send HTAB.
    BlanksAfterScheme,
    /// It refuses a list of parameters whose first element is empty, which a recipient must not
    /// (RFC 9110, section 5.6.1.2).
    CommaAfterScheme,
    /// It refuses an unquoted value that is not a token, or is empty: `nonce=abc==`, `realm=`.
    /// Browsers, curl and other libraries accept them: see `docs/odd-peers.md`.
    Unquoted,
}

/// Returns the known differences that apply to `value`.
fn difference(
    value: &str,
    found: &Result<Vec<RawChallenge<'_>>, HeaderError>,
) -> Option<Difference> {
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            let is_limit = matches!(
                problem(error),
                "header value too long" | "too many parameters" | "too many challenges"
            );
            return is_limit.then_some(Difference::Limit);
        }
    };
    if found.is_empty() {
        return Some(Difference::NoChallenge);
    }
    let is_blank_at_end = value.trim_end_matches([' ', '\t']) != value
        && found
            .last()
            .is_none_or(|last| after(value, last.scheme_name()) != " ");
    if value.starts_with([' ', '\t']) || is_blank_at_end {
        return Some(Difference::BlankAtEnd);
    }
    if !value.is_ascii() {
        return Some(Difference::ObsText);
    }
    for challenge in found {
        if challenge.token68().is_some() {
            return Some(Difference::Token68);
        }
        if challenge.params().next().is_none() {
            continue;
        }
        // An unquoted value that has to be quoted when it is written.
        let is_unquoted = |text: Text<'_>| {
            let start = text.raw().as_ptr().addr() - value.as_ptr().addr();
            !text.is_unquoted_token() && !value[..start].ends_with('"')
        };
        if challenge.params().any(|(_, value)| is_unquoted(value)) {
            return Some(Difference::Unquoted);
        }
        let rest = after(value, challenge.scheme_name());
        let params = rest.trim_start_matches([' ', '\t']);
        if params.starts_with(',') {
            return Some(Difference::CommaAfterScheme);
        }
        if &rest[..rest.len() - params.len()] != " " {
            return Some(Difference::BlanksAfterScheme);
        }
    }
    None
}

/// Returns what follows `part` in `whole`. `part` must be a slice of `whole`.
fn after<'a>(whole: &'a str, part: &str) -> &'a str {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    &whole[start + part.len()..]
}

/// A challenge list, if it is UTF-8: `http-auth` takes a `str`.
pub fn http_auth_peer(data: &[u8]) {
    let Ok(value) = std::str::from_utf8(data) else {
        return;
    };
    let found: Result<Vec<_>, _> = countersign::raw_challenges([value]).collect();
    let peer = http_auth::parse_challenges(value);
    match (difference(value, &found), &found, &peer) {
        (Some(Difference::Limit), Err(_), _) => {}
        (Some(_), Ok(_), Err(_)) => {}
        (None, Ok(found), Ok(peer)) => {
            assert_eq!(found.len(), peer.len(), "{value:?}");
            for (found, peer) in found.iter().zip(peer) {
                assert!(same(found, peer), "{value:?}");
            }
        }
        (None, Err(_), Err(_)) => {}
        (known, ..) => panic!("{value:?}: {known:?}, {found:?}, {}", peer.is_ok()),
    }
}

fn same(found: &RawChallenge<'_>, peer: &http_auth::ChallengeRef<'_>) -> bool {
    let text = |text: Text<'_>| text.to_str().map(|text| text.into_owned()).ok();
    let params = found.params().map(|(name, value)| (name, text(value)));
    let peers = peer.params.iter();
    let peers = peers.map(|(name, value)| (*name, Some(value.to_unescaped())));
    found.scheme_name() == peer.scheme && params.eq(peers)
}
