//! Why a request is rejected.

use core::error::Error;
use core::fmt;

use crate::challenger::Challenger;
use crate::error::{HeaderError, ParamName, ParamProblem};
use crate::time::Timestamp;

/// Why a request is rejected, for the log and for a rate limiter. The client sees only the
/// [`Refusal`](super::Refusal).
///
/// | rejection | status | `stale` | [guess](Self::is_guess), [suspicious](Self::is_suspicious), [server's fault](Self::is_server_fault) | step |
/// |---|---|---|---|---|
/// | [`NoCredentials`](Self::NoCredentials) | 401 / 407 | | | `begin` |
/// | [`MultipleCredentials`](Self::MultipleCredentials) | 400 | | | `begin` |
/// | [`InvalidMethod`](Self::InvalidMethod) | 400 | | | `begin` |
/// | [`Header`](Self::Header) | 400 | | | `begin` |
/// | [`SchemeNotOffered`](Self::SchemeNotOffered) | 401 / 407 | | | `begin` |
/// | [`CleartextBasic`](Self::CleartextBasic) | 401 / 407 | | | `begin` |
/// | [`RealmMismatch`](Self::RealmMismatch) | 401 / 407 | | | `begin` |
/// | [`AlgorithmNotOffered`](Self::AlgorithmNotOffered) | 401 / 407 | | | `begin` |
/// | [`QopNotOffered`](Self::QopNotOffered) | 401 / 407 | | | `begin` |
/// | [`UserhashNotOffered`](Self::UserhashNotOffered) | 401 / 407 | | | `begin` |
/// | [`SessionCnonce`](Self::SessionCnonce) | 401 / 407 | | | `begin` |
/// | [`UriMismatch`](Self::UriMismatch) | 400 | | suspicious | `begin`, `verify` |
/// | [`BodyUnknown`](Self::BodyUnknown) | 500 | | server's fault | `verify`, `reject_unread` |
/// | [`MissingHa1`](Self::MissingHa1) | 401 / 407 | | guess, server's fault | `verify` |
/// | [`WrongCredentials`](Self::WrongCredentials) | 401 / 407 | | guess | `verify`, `decide` |
/// | [`NonceForeign`](Self::NonceForeign) | 401 / 407 | yes | | `verify`, `reject_unread`, `admit`, `settle` |
/// | [`NonceExpired`](Self::NonceExpired) | 401 / 407 | yes | | `verify`, `reject_unread`, `settle` |
/// | [`NonceForgotten`](Self::NonceForgotten) | 401 / 407 | yes | | `admit`, `settle` |
/// | [`Replayed`](Self::Replayed) | 401 / 407 | yes | suspicious | `admit`, `settle` |
///
/// The step is the method that returns the rejection; `begin` and `verify` stand for their
/// variants, too. A status of 401 or 407 becomes 403 where nothing is offered on the channel,
/// because neither may be sent without a challenge (RFC 9110, sections 15.5.2 and 15.5.8).
///
/// `stale` is sent only after a correct response, or by [`Attempt::reject_unread`]. It is sent
/// after a replay, too. Otherwise a browser would prompt its user if parallel requests share a
/// one-time nonce, or arrive 64 or more counts late. A new nonce is of no use without the secret.
///
/// ```
/// use countersign::server::Rejection;
///
/// const fn level(why: &Rejection) -> &'static str {
///     match why {
///         _ if why.is_server_fault() => "error",
///         _ if why.is_guess() || why.is_suspicious() => "warn",
///         _ => "debug",
///     }
/// }
/// assert_eq!(level(&Rejection::Replayed), "warn");
/// assert!(Rejection::Replayed.is_stale() && Rejection::Replayed.name() == "replayed");
/// ```
///
/// [`Attempt::reject_unread`]: super::Attempt::reject_unread
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Rejection {
    /// The request has no credentials field.
    NoCredentials,
    /// The credentials field occurs more than once. Recipients differ on which value they use.
    MultipleCredentials,
    /// The method is not a token (RFC 9110, section 9.1). HA2 separates the method from the
    /// request-target by a colon, so a method with a colon could pass for another request.
    InvalidMethod,
    /// The value of the credentials field could not be parsed.
    Header(HeaderError),
    /// The scheme is not offered. A realm offers Digest unless its list of
    /// [algorithms](super::Realm::with_algorithms) is empty, and Basic only by
    /// [`with_basic`](super::Realm::with_basic).
    SchemeNotOffered,
    /// Basic over a cleartext channel, where the realm offers it on encrypted ones only.
    /// [`BasicOffer::Anywhere`](super::BasicOffer::Anywhere) allows it.
    CleartextBasic,
    /// The Digest credentials are for another realm. A server of [several
    /// realms](crate::manual::server#several-realms) gets these from honest clients, too.
    RealmMismatch,
    /// The algorithm is not [offered](super::Realm::with_algorithms), or is one of MD5 where only
    /// `auth-int` [is](super::Realm::with_qop).
    AlgorithmNotOffered,
    /// The qop is not offered; or there is none although one is offered, which is a downgrade to
    /// RFC 2069 that [`Quirk::Rfc2069`](super::Quirk::Rfc2069) allows.
    QopNotOffered,
    /// The user name is hashed, which only [`with_userhash`](super::Realm::with_userhash) offers.
    UserhashNotOffered,
    /// The cnonce is not safe with a `-sess` algorithm: it has a colon, or it has the form of a
    /// hash and the realm does not [accept](super::Quirk::HashLikeCnonces) this. See [the
    /// `-sess` algorithms](super#the--sess-algorithms).
    SessionCnonce,
    /// The `uri` does not pass the [`UriCheck`](super::UriCheck). From `verify`: the response
    /// covers no count, and the `uri` ends with a colon and a hash in hexadecimal digits, so the
    /// response may be for an `auth-int` request to another `uri`.
    UriMismatch,
    /// The response covers the body, but the program did not provide what
    /// [`required_body_hash_function`](super::Attempt::required_body_hash_function) asks for; or
    /// the program called [`reject_unread`](super::Attempt::reject_unread) with a fresh nonce or
    /// for Basic. Send 413 instead if the body was too large to read.
    BodyUnknown,
    /// The user exists, but has no HA1 of the required [hash
    /// function](super::Attempt::hash_function): a fault of the store or of the realm's settings.
    /// The client gets the response to a wrong password.
    MissingHa1,
    /// The user does not exist, the password is wrong, or the response does not fit the request,
    /// for example because the request was altered. Also from [`decide`](super::Attempt::decide)
    /// for a Digest attempt. These are deliberately not distinguished.
    WrongCredentials,
    /// The nonce was not issued by this server, or under a key that has been dropped, other
    /// [settings](super::Authenticator::begin_as) or another [binding](super::Arrival::bound_to).
    /// From `admit`: another server verified the request.
    NonceForeign,
    /// The nonce is too old.
    NonceExpired,
    /// It is not known whether the nonce was used: the server may have forgotten it, its issue time
    /// is in the future after the clock was set back, or the capacity is 0.
    NonceForgotten {
        /// The nonce of the challenge that follows has a later issue time, whatever the clock
        /// shows.
        until: Timestamp,
    },
    /// The nonce count, or a nonce that is valid for one request, was used before; or the count is
    /// too low: see [`admit`](super::Authenticator::admit).
    Replayed,
}

impl Rejection {
    /// Returns whether this may be an attempt to guess a password, which a rate limiter counts by
    /// account and address, as [the cookbook](crate::manual::server#guesses) does.
    pub const fn is_guess(&self) -> bool {
        matches!(self, Self::WrongCredentials | Self::MissingHa1)
    }

    /// Returns whether this may be a captured header, sent again or for another request. Do not
    /// count it against the account: others than the user can cause it, and honest clients cause
    /// one occasionally.
    pub const fn is_suspicious(&self) -> bool {
        matches!(self, Self::UriMismatch | Self::Replayed)
    }

    /// Returns whether the server's program, store or configuration is at fault, unless the program
    /// called [`reject_unread`](super::Attempt::reject_unread).
    pub const fn is_server_fault(&self) -> bool {
        matches!(self, Self::BodyUnknown | Self::MissingHa1)
    }

    /// Returns whether Digest challenges have `stale=true`, so that a client answers again without
    /// asking its user.
    pub const fn is_stale(&self) -> bool {
        matches!(
            self,
            Self::NonceForeign | Self::NonceExpired | Self::NonceForgotten { .. } | Self::Replayed
        )
    }

    /// The name of the variant in kebab case, for logs and metrics: `wrong-credentials`. It is
    /// stable. The text of `Display` is not, but tells what was wrong in a header.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NoCredentials => "no-credentials",
            Self::MultipleCredentials => "multiple-credentials",
            Self::InvalidMethod => "invalid-method",
            Self::Header(_) => "header",
            Self::SchemeNotOffered => "scheme-not-offered",
            Self::CleartextBasic => "cleartext-basic",
            Self::RealmMismatch => "realm-mismatch",
            Self::AlgorithmNotOffered => "algorithm-not-offered",
            Self::QopNotOffered => "qop-not-offered",
            Self::UserhashNotOffered => "userhash-not-offered",
            Self::SessionCnonce => "session-cnonce",
            Self::UriMismatch => "uri-mismatch",
            Self::BodyUnknown => "body-unknown",
            Self::MissingHa1 => "missing-ha1",
            Self::WrongCredentials => "wrong-credentials",
            Self::NonceForeign => "nonce-foreign",
            Self::NonceExpired => "nonce-expired",
            Self::NonceForgotten { .. } => "nonce-forgotten",
            Self::Replayed => "replayed",
        }
    }

    /// The status to send. `Refusal` replaces 401 and 407 by 403 if it has no challenge.
    pub(super) const fn status(&self, challenger: Challenger) -> u16 {
        match self {
            Self::MultipleCredentials
            | Self::InvalidMethod
            | Self::Header(_)
            | Self::UriMismatch => 400,
            Self::BodyUnknown => 500,
            _ => challenger.status(),
        }
    }

    /// The rejection for a header that cannot be parsed. Unsupported algorithm and qop values count
    /// as not offered.
    pub(super) const fn of_header(error: HeaderError) -> Self {
        match error.param_problem() {
            Some((ParamName::Algorithm, ParamProblem::Unsupported)) => Self::AlgorithmNotOffered,
            Some((ParamName::Qop, ParamProblem::Unsupported)) => Self::QopNotOffered,
            _ => Self::Header(error),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => return error.fmt(f),
            Self::NoCredentials => "no credentials",
            Self::MultipleCredentials => "more than one credentials field",
            Self::InvalidMethod => "method is not a token",
            Self::SchemeNotOffered => {
                "scheme not offered (see Realm::with_basic and Realm::with_algorithms)"
            }
            Self::CleartextBasic => {
                "Basic over a cleartext channel (BasicOffer::Anywhere allows it)"
            }
            Self::AlgorithmNotOffered => "algorithm not offered (see Realm::with_algorithms)",
            Self::QopNotOffered => {
                "qop not offered, or none used (see Realm::with_qop and Quirk::Rfc2069)"
            }
            Self::UserhashNotOffered => {
                "hashed user name not offered (Realm::with_userhash allows it)"
            }
            Self::SessionCnonce => {
                "cnonce not safe with a -sess algorithm (see Quirk::HashLikeCnonces)"
            }
            Self::RealmMismatch => "credentials for another realm",
            Self::UriMismatch => {
                "credentials may be for another request-target (see Realm::with_uri_check)"
            }
            Self::BodyUnknown => "body not read, or not passed",
            Self::MissingHa1 => {
                "user has no HA1 for the hash function (see Realm::with_algorithms)"
            }
            Self::WrongCredentials => "unknown user or wrong credentials",
            Self::NonceForeign => {
                "nonce not issued by this server, or under a dropped key, another setting or binding"
            }
            Self::NonceExpired => "nonce expired",
            Self::NonceForgotten { .. } => "not known whether the nonce was used",
            Self::Replayed => "nonce or nonce count used before, or count too low",
        }
        .fmt(f)
    }
}

impl Error for Rejection {}
