//! The check of a response or a password against the secret of an account.

use crate::digest::{Ha1, HashFunction, Qop, response};
use crate::server::credentials::CheckedCredentials;
use crate::server::nonce_issuer::Validity;
use crate::server::realm::Realm;
use crate::server::rejection::Rejection;
use crate::server::replay_key::bind_to_ha1;
use crate::syntax::Text;
use crate::target::Target;

/// The result of the check if the response or password is correct.
#[derive(Default)]
pub(super) struct SecretMatch {
    /// HA1, or the session key of a `-sess` algorithm. `None` for Basic.
    pub(super) response_key: Option<Ha1>,
    /// Whether the response covers the nonce count.
    pub(super) counted: bool,
}

/// Checks the response, or the password, against an HA1. Also mixes the HA1 into the replay key of
/// the nonce, so call this only once.
///
/// If there is no HA1, or it was made with another hash function, the check is made against a
/// dummy, so that it costs the same work, and fails with [`MissingHa1`](Rejection::MissingHa1),
/// also for an unknown user, whom the caller tells apart. With or without an HA1, the error is
/// [`BodyUnknown`](Rejection::BodyUnknown) if the response covers a body that is unknown.
pub(super) fn check_secret(
    credentials: &mut CheckedCredentials<'_>,
    ha1: Option<&Ha1>,
    realm: &Realm,
    target: &Target<'_>,
) -> Result<SecretMatch, Rejection> {
    let hash = credentials.hash_function(realm);
    let dummy;
    let (ha1, known) = match ha1 {
        Some(ha1) if ha1.hash_function() == hash => (ha1, true),
        _ => {
            dummy = Ha1::dummy(hash);
            (&dummy, false)
        }
    };
    // The nonce is bound before the check, although only an accepted request needs it, so that
    // success and failure cost the same work.
    if let CheckedCredentials::Digest(digest) = credentials {
        digest.nonce = bind_to_ha1(digest.nonce, ha1);
    }
    let wrong = match known {
        true => Rejection::WrongCredentials,
        false => Rejection::MissingHa1,
    };
    match credentials {
        CheckedCredentials::Basic(pair) => {
            let is_correct = Ha1::new(hash, pair.username(), realm.name(), pair.password()) == *ha1;
            // `&` computes both operands, so the time does not depend on them.
            match is_correct & known {
                true => Ok(SecretMatch::default()),
                false => Err(wrong),
            }
        }
        CheckedCredentials::Digest(digest) => {
            let sent = &digest.credentials;
            let Some(ha2) = sent.ha2(target) else {
                return Err(Rejection::BodyUnknown);
            };
            let response_key = sent.response_key(ha1);
            let qop_params = sent.qop_params;
            let matches_response =
                |qop_params| response(&response_key, sent.nonce, qop_params, &ha2) == sent.response;
            // The form that the parameters declare: counted with a `qop`, uncounted without.
            let matches_declared_form = matches_response(qop_params.as_ref());
            // Some clients send a `qop` and compute the response as if without one. This is also
            // computed if the declared form matches, so that the time does not tell which one does.
            // Not for `auth-int`, whose coverage of the body would be lost.
            let matches_uncounted_form =
                realm.uncounted_form && sent.qop() != Some(Qop::AuthInt) && matches_response(None);
            // `known` is essential: the dummy is public, so anyone can compute a response that
            // matches it. `&` and `|` compute all operands, so the time does not depend on them.
            if !((matches_declared_form | matches_uncounted_form) & known) {
                return Err(wrong);
            }
            let counted = matches_declared_form && qop_params.is_some();
            if !counted && ends_with_hash(sent.uri, hash) {
                return Err(Rejection::UriMismatch);
            }
            match digest.validity {
                Validity::Expired => Err(Rejection::NonceExpired),
                Validity::Foreign => Err(Rejection::NonceForeign),
                Validity::Fresh => Ok(SecretMatch {
                    response_key: Some(response_key),
                    counted,
                }),
            }
        }
    }
}

/// Returns whether a `uri` ends with a colon and the hexadecimal digits of a hash.
///
/// A request with such a `uri` can have the same HA2 as an `auth-int` request for the shorter `uri`
/// with a body of that hash: both hash `method:uri:digits`. A counted response covers the `qop`,
/// which tells the two apart. An uncounted response does not. If a client answers `auth-int` in the
/// uncounted form, the server refuses that request. But an attacker who captured it could send its
/// response with the longer `uri` and with `qop=auth` or no `qop`: a request that the user never
/// made.
fn ends_with_hash(uri: Text<'_>, hash: HashFunction) -> bool {
    let suffix = hash.hex_len() + 1;
    let length = uri.bytes().count();
    length >= suffix
        && uri
            .bytes()
            .skip(length - suffix)
            .enumerate()
            .all(|(at, byte)| match at {
                0 => byte == b':',
                _ => byte.is_ascii_hexdigit(),
            })
}
