//! Against the parser of the `http-auth` crate, which other clients use.

use countersign::{ParseError, ParseErrorKind, RawChallenge, Scheme, Text};

/// Where `http-auth` 0.1.10 refuses what is read here, or takes what is not.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Difference {
    /// It has no limits. Here there are some: `MAX_PARAMS`, `MAX_CHALLENGES`, `MAX_VALUE_BYTES`.
    Limit,
    /// It refuses a value that has no challenge. A list may be empty for its recipient (RFC 9110,
    /// section 5.6.1.2).
    NoChallenge,
    /// It refuses blanks at both ends, but for one SP after a scheme. They are not part of the
    /// value (RFC 9110, section 5.5), and not all HTTP libraries take them off.
    BlankAtEnd,
    /// It refuses obs-text, which a quoted string may hold (RFC 9110, section 5.6.4), and which
    /// realms in languages other than English do hold.
    ObsText,
    /// It refuses token68, which challenges of Negotiate and NTLM have (RFC 9110, section 11.3).
    Token68,
    /// It takes one SP after the scheme and nothing else. The grammar has `1*SP` (RFC 9110,
    /// section 11.3), and HTAB is seen in the field.
    BlanksAfterScheme,
    /// It refuses a list of parameters whose first element is empty, which a recipient must not
    /// (RFC 9110, section 5.6.1.2).
    CommaAfterScheme,
    /// It refuses a value without quotes that is no token, or is empty: `nonce=abc==`, `realm=`.
    /// Browsers, curl and other libraries take them, as the page on leniency says.
    Unquoted,
}

/// What `value` has that the two are known not to agree on.
fn difference(
    value: &str,
    found: &Result<Vec<RawChallenge<'_>>, ParseError>,
) -> Option<Difference> {
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            let is_limit = matches!(
                error.kind(),
                ParseErrorKind::ValueTooLong
                    | ParseErrorKind::TooManyParams
                    | ParseErrorKind::TooManyChallenges
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
        // Whatever is to be quoted when it is written, and was not.
        let is_unquoted = |text: Text<'_>| {
            let start = text.raw().as_ptr().addr() - value.as_ptr().addr();
            text.is_quoted() && !value[..start].ends_with('"')
        };
        if challenge.params().any(|param| is_unquoted(param.value)) {
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

/// What comes after `part` in the `whole` that it was cut from.
fn after<'a>(whole: &'a str, part: &str) -> &'a str {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    &whole[start + part.len()..]
}

/// A challenge list, as far as it is UTF-8: `http-auth` reads nothing else.
pub fn http_auth_peer(data: &[u8]) {
    let Ok(value) = std::str::from_utf8(data) else {
        return;
    };
    let found: Result<Vec<_>, _> = countersign::challenges([value]).raw().collect();
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
    let params = found.params().map(|param| (param.name, text(param.value)));
    let peers = peer.params.iter();
    let peers = peers.map(|(name, value)| (*name, Some(value.to_unescaped())));
    let known = match found.scheme() {
        Scheme::Basic => Some("basic"),
        Scheme::Digest => Some("digest"),
        _ => None,
    };
    found.scheme_name() == peer.scheme
        && known.is_none_or(|known| peer.scheme.eq_ignore_ascii_case(known))
        && params.eq(peers)
}
