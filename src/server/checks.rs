//! The checks of a server, in their order.
//!
//! Whatever is wrong with a request, the first check that it fails decides:
//!
//! | | the check | otherwise | status |
//! |---|---|---|---|
//! | | [`begin`](super::Authenticator::begin) | | |
//! | 1 | there is a credentials field | [`Reason::NoCredentials`] | 401 |
//! | | (the same, of a realm that offers nothing on this channel) | [`Reason::NothingOffered`] | 403 |
//! | | there is no second field | [`Reason::MultipleCredentials`] | 400 |
//! | | the method is a token | [`Reason::InvalidMethod`] | 400 |
//! | | the value begins with a scheme, and is not [too long](crate::MAX_VALUE_BYTES) | [`Reason::Header`] | 401 |
//! | | the scheme is offered: Digest on every channel, | [`Reason::SchemeNotOffered`] | 401 |
//! | | Basic on encrypted channels, by [`with_cleartext_basic`] on every | [`Reason::CleartextBasic`] | 401 |
//! | 2 | the value can be read, as credentials of one scheme; | [`Reason::Header`] | 401 |
//! | | this crate knows the algorithm and the qop | the reasons of check 4 | 401 |
//! | 3 | the realm, without its escapes, is this one, byte for byte | [`Reason::RealmMismatch`] | 401 |
//! | 4 | the algorithm and the qop are offered, | [`Reason::AlgorithmNotOffered`], [`Reason::QopNotOffered`] | 401 |
//! | | and so is a hashed user name; | [`Reason::UserhashNotOffered`] | 401 |
//! | | the cnonce of a `-sess` algorithm [is safe][sess] | [`Reason::SessionCnonce`] | 401 |
//! | 5 | the `uri` passes the [`UriCheck`](super::UriCheck) | [`Reason::UriMismatch`] | 400 |
//! | 6 | the nonce has a MAC by a key of this server, made for the nonce settings of the realm and the [binding](super::Arrival::bound_to); | told in check 8 | |
//! | | the nonce is not older than its lifetime | told in check 8 | |
//! | | [`verify`](super::Attempt::verify) | | |
//! | 7 | the body is known, if the response covers it | [`Reason::BodyUnknown`] | 500 |
//! | | the user, if known, has an HA1 of this hash function; | [`Reason::MissingHa1`] | 401 |
//! | | the user is known, and the response, or the Basic password, is right | [`Reason::WrongCredentials`] | 401 |
//! | 8 | the nonce was valid in check 6 | [`Reason::NonceForeign`], [`Reason::NonceExpired`] | 401, stale |
//! | | [`admit`](super::Authenticator::admit), or [`settle`](super::PendingClaim::settle) | | |
//! | 9 | this server verified the request | [`Reason::NonceForeign`] | 401, stale |
//! | | the count, or a nonce for one request, is new; it is recorded | [`Reason::Replayed`], [`Reason::NonceForgotten`] | 401, stale |
//! | | with a shared store: the nonce is not too old by its clock; | [`Reason::NonceExpired`] | 401, stale |
//! | | nor more than a minute ahead of it, nor from before a loss of data | [`Reason::NonceForgotten`] | 401, stale |
//!
//! Basic has no nonce, so its credentials can be replayed: it skips the checks 3 to 6 and 8, and
//! nothing of it is recorded. [`decide`](super::Attempt::decide) puts the verdict of the store in
//! place of check 7 for Basic, and refuses every Digest response as `WrongCredentials`. Of several
//! HA1s of one user, one has to be right; it is `MissingHa1` only if all are of other hash functions.
//!
//! A proxy sends 407 for 401. Both have the challenges that the realm offers on this channel; 400 and
//! 500 have none. Where the realm offers nothing on the channel, there are none to send, and each 401 of
//! this table becomes 403 with its own reason (`Refusal::new`). Without the body nobody can tell whether
//! the response is right, so a wrong password gets 500 there, too, and is no guess. *Stale* is
//! `stale=true` in the Digest challenges: the response was right, so a client answers again without a
//! prompt. It is said only after check 7, or by [`reject_unread`](super::Attempt::reject_unread), which
//! tells check 6 at once, or `BodyUnknown` if the nonce is valid.
//!
//! # What is new
//!
//! The server remembers pairs of a nonce and an HA1, so two users of one nonce have separate counts.
//! Of each pair it knows the highest count and which of the 63 below were used. A count is new if it
//! is higher, or one of these 63 that was not used; from 64 below on, every count is
//! [`Reason::Replayed`]. A response without a protected count, and each to a
//! [one-time nonce](super::Realm::with_one_time_nonces), needs a pair that was never used, and uses up
//! all its counts. With [replayable nonces](super::Quirk::ReplayableNonces), a response without a
//! protected count is not recorded, and is granted each time, unless its nonce is one-time or from
//! the future.
//!
//! A count is recorded before the program acts on the request. If that fails, the client needs the
//! next count. A request that fails an earlier check is not recorded: it uses up no count, fills no
//! table and evicts no nonce.
//!
//! There is one table, or 16 from a capacity of 1,024 on, and each pair belongs to one of them
//! (`memory.rs`). A full table forgets its pair whose first use is the oldest, and grants the new one.
//! From then on every nonce of this table that was issued no later (in milliseconds) than the forgotten
//! one, and that the table does not have, is [`Reason::NonceForgotten`], even if it was never used. That
//! costs its client one request. Nonces issued from then on are later, so newcomers are let in. With a
//! capacity of 0, every request that has to be recorded is `NonceForgotten`.
//!
//! [`with_cleartext_basic`]: super::Realm::with_cleartext_basic
//! [sess]: crate::manual::server#the--sess-algorithms

use crate::channel::Channel;
use crate::digest::{DigestCredentials, Ha1, HexDigest, Kd, Qop};
use crate::header::Authorization;
use crate::server::arrival::When;
use crate::server::issuer::Issuer;
use crate::server::memory::Memory;
use crate::server::nonce::{Nonce, NonceId};
use crate::server::realm::{BasicOffer, Settings};
use crate::server::reason::Reason;
use crate::server::replay::bind_to_ha1;
use crate::server::verified::{
    Checked, CheckedCredentials, CheckedDigest, RightResponse, Verified,
};
use crate::syntax::{ParsedScheme, Scheme, chars};
use crate::target::Target;
use crate::time::Timestamp;

/// Checks 1 to 6, which need no secret.
pub(super) fn begin<'a>(
    realm: &Settings,
    issuer: &Issuer,
    value: Result<&'a [u8], Reason>,
    target: &Target<'a>,
    when: &When<'_>,
) -> Result<CheckedCredentials<'a>, Reason> {
    let value = value?; // 1
    if !chars::is_token(target.method) {
        return Err(Reason::InvalidMethod);
    }
    let (parsed_scheme, rest) = ParsedScheme::of_credentials(value).map_err(Reason::of_header)?;
    // Before the parameters are parsed, because other schemes may use another syntax.
    match offered(realm, parsed_scheme.scheme(), when.channel)? {
        Scheme::Basic => {
            let pair = Authorization::read_basic(parsed_scheme, rest); // 2
            Ok(CheckedCredentials::Basic(pair.map_err(Reason::of_header)?))
        }
        Scheme::Digest => {
            let sent =
                Authorization::read_digest(parsed_scheme, rest).map_err(Reason::of_header)?;
            // A client of another realm may use what is not offered here.
            is_of_realm(realm, &sent)?; // 3
            uses_what_is_offered(realm, &sent)?; // 4
            is_for_target(realm, &sent, target)?; // 5
            let nonce = issuer.check(realm, sent.nonce, when); // 6
            Ok(CheckedCredentials::Digest(CheckedDigest {
                next: next_nonce(realm, issuer, &sent, nonce, when),
                nonce,
                credentials: sent,
            }))
        }
    }
}

/// Checks 7 and 8. If there is no HA1 of the right hash function, a dummy costs the same work, and
/// the error is [`Reason::MissingHa1`], which the attempt changes for an unknown user. `None` for Basic.
pub(super) fn verify(
    request: &Checked<'_>,
    target: &Target<'_>,
    ha1: Option<&Ha1>,
) -> Result<Option<RightResponse>, Reason> {
    let hash = request.hash_function();
    // Made, and wiped, also where it is not needed.
    let dummy = Ha1::dummy(hash);
    // `known` is essential: the dummy is public, so anyone can compute a response that matches it.
    let (ha1, known) = match ha1 {
        Some(ha1) if ha1.hash_function() == hash => (ha1, true),
        _ => (&dummy, false),
    };
    let wrong = match known {
        true => Reason::WrongCredentials,
        false => Reason::MissingHa1,
    };
    match &request.credentials {
        CheckedCredentials::Basic(pair) => {
            let realm = request.realm.name();
            let is_right = Ha1::new(hash, pair.username(), realm, pair.password()) == *ha1;
            // `&` computes both operands, so the time does not depend on them.
            (is_right & known).then_some(None).ok_or(wrong) // 7
        }
        CheckedCredentials::Digest(digest) => {
            let uncounted_form = request.realm.0.uncounted_form;
            let right = right_response(digest, target, ha1, known, uncounted_form)?;
            let right = right.ok_or(wrong)?; // 7
            digest.nonce?; // 8
            Ok(Some(right))
        }
    }
}

/// Check 9, by the memory of one server.
pub(super) fn admit<A>(
    issuer: &Issuer,
    used: &Memory,
    verified: &Verified<'_, A>,
) -> Result<(), Reason> {
    // The used counts of the nonce are in the table of the other server, so this one cannot tell a
    // replay.
    if !verified.request.is_of(issuer) {
        return Err(Reason::NonceForeign);
    }
    match verified.replay_key() {
        Some(key) => used.record(&key, issuer), // 9
        None => Ok(()),
    }
}

/// The value of a field that occurs once, for `begin`. Not with a lock held: it runs caller's code.
#[inline]
pub(super) fn one_value<'a, I, V>(mut values: I) -> Result<&'a [u8], Reason>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value.as_ref()),
        (None, _) => Err(Reason::NoCredentials),
        (Some(_), Some(_)) => Err(Reason::MultipleCredentials),
    }
}

fn offered(realm: &Settings, scheme: Option<Scheme>, channel: Channel) -> Result<Scheme, Reason> {
    match scheme {
        Some(Scheme::Basic) if realm.basic.is_on(channel) => Ok(Scheme::Basic),
        Some(Scheme::Basic) if realm.basic == BasicOffer::Encrypted => Err(Reason::CleartextBasic),
        Some(Scheme::Digest) if realm.algorithms().next().is_some() => Ok(Scheme::Digest),
        _ => Err(Reason::SchemeNotOffered),
    }
}

fn is_of_realm(realm: &Settings, sent: &DigestCredentials<'_>) -> Result<(), Reason> {
    let is_this = sent.realm.is(realm.name.as_bytes());
    is_this.then_some(()).ok_or(Reason::RealmMismatch)
}

fn uses_what_is_offered(realm: &Settings, sent: &DigestCredentials<'_>) -> Result<(), Reason> {
    let algorithm = sent.algorithm();
    realm.check_algorithm_and_qop(algorithm, sent.qop())?;
    if sent.is_hashed_name() && !realm.userhash {
        return Err(Reason::UserhashNotOffered);
    }
    // A response could be the session key: see docs/server.md, "The `-sess` algorithms".
    if let Some(qop_params) = sent.qop_params
        && algorithm.is_sess()
    {
        let hash = algorithm.hash_function();
        let is_like_a_hash = || HexDigest::from_text(hash, qop_params.cnonce()).is_some();
        let is_hash = !realm.accepts_hash_like_cnonces() && is_like_a_hash();
        if sent.has_unsafe_session() || is_hash {
            return Err(Reason::SessionCnonce);
        }
    }
    Ok(())
}

fn is_for_target(
    realm: &Settings,
    sent: &DigestCredentials<'_>,
    target: &Target<'_>,
) -> Result<(), Reason> {
    let is_for = realm.uri_check.accepts(target.uri, &sent.uri.to_bytes());
    is_for.then_some(()).ok_or(Reason::UriMismatch)
}

/// The nonce to send as `nextnonce`, if one may be due.
fn next_nonce(
    realm: &Settings,
    issuer: &Issuer,
    sent: &DigestCredentials<'_>,
    nonce: Result<NonceId, Reason>,
    when: &When<'_>,
) -> Option<Nonce> {
    let may_be_due = nonce.is_ok_and(|nonce| {
        realm.one_time_nonces
            || nonce.is_old(realm, when.now)
            // The response may turn out to be uncounted, which uses the nonce up.
            || !nonce.is_reusable(realm, when.now)
                && (sent.qop().is_none() || realm.uncounted_form)
    });
    may_be_due.then(|| issuer.issue(realm, when, Timestamp::EPOCH))
}

/// `None` for a wrong response, and for every response if the HA1 is not `known` to be the user's.
fn right_response(
    digest: &CheckedDigest<'_>,
    target: &Target<'_>,
    ha1: &Ha1,
    known: bool,
    uncounted_form: bool,
) -> Result<Option<RightResponse>, Reason> {
    // Bound before the check, although only an accepted request needs it, so that success and
    // failure cost the same work.
    let nonce = bind_to_ha1(digest.nonce.unwrap_or(NonceId::NONE), ha1);
    let sent = &digest.credentials;
    let Some(ha2) = sent.ha2(target) else {
        return Err(Reason::BodyUnknown);
    };
    let response_key = sent.response_key(ha1);
    let qop_params = sent.qop_params;
    let begin = || Kd::new(&response_key, sent.nonce);
    // The form that the parameters declare: counted with a `qop`, uncounted without.
    let mut kd = begin();
    let mut begun = kd.cover(qop_params.as_ref()).clone();
    let matches_declared_form = kd.finish(&ha2) == sent.response;
    // Some clients send a `qop` and compute the response as if without one. This is also computed if
    // the declared form matches, so that the time does not tell which one does. Not for `auth-int`,
    // whose coverage of the body would be lost.
    let mut matches_uncounted_form = false;
    if uncounted_form && sent.qop() != Some(Qop::AuthInt) {
        let mut kd = begin();
        let uncounted = kd.clone();
        matches_uncounted_form = kd.finish(&ha2) == sent.response;
        if matches_uncounted_form {
            begun = uncounted;
        }
    }
    // `&` and `|` compute all operands, so the time does not depend on them.
    let is_right = (matches_declared_form | matches_uncounted_form) & known;
    Ok(is_right.then_some(RightResponse {
        nonce,
        begun,
        counted: matches_declared_form && qop_params.is_some(),
    }))
}
