//! Why a request may not go on.

use core::error::Error;
use core::fmt;

use crate::challenger::Challenger;
use crate::error::{HeaderError, ParamName, ParamProblem};
use crate::time::Timestamp;

/// Why a request may not go on: for the log and for a rate limiter. The client gets no more than the
/// [`Refusal`](super::Refusal) tells.
///
/// | rejection               | status    | `stale` | class            | step |
/// |-------------------------|-----------|---------|------------------|------|
/// | [`NoCredentials`]       | 401 / 407 | no      | [no credentials] | `begin` |
/// | [`MultipleCredentials`] | 400       | no      | [client fault]   | `begin` |
/// | [`InvalidMethod`]       | 400       | no      | [client fault]   | `begin` |
/// | [`Header`]              | 400       | no      | [client fault]   | `begin` |
/// | [`SchemeNotOffered`]    | 401 / 407 | no      | [client fault]   | `begin` |
/// | [`CleartextBasic`]      | 401 / 407 | no      | [client fault]   | `begin` |
/// | [`AlgorithmNotOffered`] | 401 / 407 | no      | [client fault]   | `begin` |
/// | [`QopNotOffered`]       | 401 / 407 | no      | [client fault]   | `begin` |
/// | [`UserhashNotOffered`]  | 401 / 407 | no      | [client fault]   | `begin` |
/// | [`SessionCnonce`]       | 401 / 407 | no      | [client fault]   | `begin` |
/// | [`RealmMismatch`]       | 401 / 407 | no      | [client fault]   | `begin` |
/// | [`UriMismatch`]         | 400       | no      | [suspicious]     | `begin`, `verify` |
/// | [`BodyUnknown`]         | 500       | no      | [server fault]   | `verify` |
/// | [`MissingHa1`]          | 401 / 407 | no      | [server fault]   | `verify` |
/// | [`WrongCredentials`]    | 401 / 407 | no      | [suspicious]     | `verify` |
/// | [`NonceForeign`]        | 401 / 407 | yes     | [stale]          | `verify` |
/// | [`NonceExpired`]        | 401 / 407 | yes     | [stale]          | `verify` |
/// | [`NonceForgotten`]      | 401 / 407 | yes     | [stale]          | `admit` |
/// | [`Replayed`]            | 401 / 407 | yes     | [suspicious]     | `admit` |
///
/// A status of 401 or 407 becomes 403 where nothing is offered on the channel, because neither may
/// be sent without a challenge (RFC 9110, sections 15.5.2 and 15.5.8).
///
/// `stale` is sent only to a client whose response was right for the nonce it used, so it tells
/// nobody anything new; the one exception is [`Attempt::reject_unread`]. It is sent to a replay, too:
/// a browser whose parallel requests crossed would ask its user for the password otherwise, and
/// whoever replays a captured header cannot answer a new nonce.
///
/// [`Attempt::reject_unread`]: super::Attempt::reject_unread
/// [`NoCredentials`]: Self::NoCredentials
/// [`MultipleCredentials`]: Self::MultipleCredentials
/// [`InvalidMethod`]: Self::InvalidMethod
/// [`Header`]: Self::Header
/// [`SchemeNotOffered`]: Self::SchemeNotOffered
/// [`CleartextBasic`]: Self::CleartextBasic
/// [`AlgorithmNotOffered`]: Self::AlgorithmNotOffered
/// [`QopNotOffered`]: Self::QopNotOffered
/// [`UserhashNotOffered`]: Self::UserhashNotOffered
/// [`SessionCnonce`]: Self::SessionCnonce
/// [`RealmMismatch`]: Self::RealmMismatch
/// [`UriMismatch`]: Self::UriMismatch
/// [`BodyUnknown`]: Self::BodyUnknown
/// [`MissingHa1`]: Self::MissingHa1
/// [`WrongCredentials`]: Self::WrongCredentials
/// [`NonceForeign`]: Self::NonceForeign
/// [`NonceExpired`]: Self::NonceExpired
/// [`NonceForgotten`]: Self::NonceForgotten
/// [`Replayed`]: Self::Replayed
/// [no credentials]: RejectionClass::NoCredentials
/// [client fault]: RejectionClass::ClientFault
/// [stale]: RejectionClass::Stale
/// [server fault]: RejectionClass::ServerFault
/// [suspicious]: RejectionClass::Suspicious
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Rejection {
    /// The request has no credentials.
    NoCredentials,
    /// The credentials field came more than once: which of them counts is a guess.
    MultipleCredentials,
    /// The method is empty or no token (RFC 9110, section 9.1). In the formulas a colon separates
    /// it from the request-target, so a method with one would pass for another request.
    InvalidMethod,
    /// The header could not be read.
    Header(HeaderError),
    /// A scheme that was not offered.
    SchemeNotOffered,
    /// A password where others can read it: Basic over a cleartext channel, which
    /// [`BasicOffer::Anywhere`](super::BasicOffer::Anywhere) allows.
    CleartextBasic,
    /// An algorithm that was not offered.
    AlgorithmNotOffered,
    /// A qop that was not offered, or none although one was: a downgrade to RFC 2069, which
    /// [`with_rfc2069`](super::Realm::with_rfc2069) allows.
    QopNotOffered,
    /// A hashed user name, which was not asked for: see
    /// [`with_userhash`](super::Realm::with_userhash).
    UserhashNotOffered,
    /// A cnonce that a `-sess` algorithm cannot be trusted with: one with a colon, or one in the
    /// form of a hash, which [`with_hash_like_cnonces`](super::Realm::with_hash_like_cnonces)
    /// allows. See [the `-sess` algorithms](super#the--sess-algorithms).
    SessionCnonce,
    /// Credentials for another realm.
    RealmMismatch,
    /// Credentials for another request-target, by the [`UriCheck`](super::UriCheck). From `verify`:
    /// credentials without a protected count for a `uri` that ends with a colon and a hash, because
    /// they may be an `auth-int` answer to another request.
    UriMismatch,
    /// The response covers the body, and [`wants_body`](super::Attempt::wants_body) was ignored: a
    /// fault of the program. Send 413 instead if the body was too large to be read.
    BodyUnknown,
    /// There is such a user, but no HA1 of the hash function that the client chose: a fault of the
    /// configuration, which must offer only [algorithms](super::Realm::with_algorithms) for which
    /// the store has HA1s. The client is told what a wrong password is told.
    MissingHa1,
    /// No such user, or the wrong password; which of them is not told, not even here.
    WrongCredentials,
    /// The right response for a nonce that is not ours, or of a key that is no longer kept.
    NonceForeign,
    /// The right response for a nonce of ours that is too old.
    NonceExpired,
    /// The right response for a nonce of which it is no longer known which counts were used.
    NonceForgotten {
        /// Nonces issued up to this time, inclusive, are forgotten unless they are remembered
        /// one by one. The challenge that follows has a later one, whatever the clock shows.
        until: Timestamp,
    },
    /// The right response with a nonce count that was used before.
    Replayed,
}

impl Rejection {
    /// What a rate limiter should make of it.
    pub const fn class(&self) -> RejectionClass {
        match self {
            Self::NoCredentials => RejectionClass::NoCredentials,
            Self::MultipleCredentials
            | Self::InvalidMethod
            | Self::Header(_)
            | Self::SchemeNotOffered
            | Self::CleartextBasic
            | Self::AlgorithmNotOffered
            | Self::QopNotOffered
            | Self::UserhashNotOffered
            | Self::SessionCnonce
            | Self::RealmMismatch => RejectionClass::ClientFault,
            Self::BodyUnknown | Self::MissingHa1 => RejectionClass::ServerFault,
            Self::NonceForeign | Self::NonceExpired | Self::NonceForgotten { .. } => {
                RejectionClass::Stale
            }
            Self::UriMismatch | Self::WrongCredentials | Self::Replayed => {
                RejectionClass::Suspicious
            }
        }
    }

    /// The status to send: 400 where the request contradicts itself, which no challenge can mend;
    /// 500 where the server's own program does; else the challenger's own.
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

    /// Whether the client need only use a new nonce.
    pub(super) const fn is_stale(&self) -> bool {
        matches!(
            self,
            Self::NonceForeign | Self::NonceExpired | Self::NonceForgotten { .. } | Self::Replayed
        )
    }

    /// What could be read but not understood was not offered; the rest could not be read.
    pub(super) const fn of_header(error: HeaderError) -> Self {
        match error {
            HeaderError::Param(param) => match (param.name, param.problem) {
                (ParamName::Algorithm, ParamProblem::Unsupported) => Self::AlgorithmNotOffered,
                (ParamName::Qop, ParamProblem::Unsupported) => Self::QopNotOffered,
                _ => Self::Header(error),
            },
            HeaderError::Syntax(_) => Self::Header(error),
        }
    }
}

/// Kinds of [`Rejection`] that call for different treatment.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum RejectionClass {
    /// Every first request: nothing to count.
    NoCredentials,
    /// An honest client that waited too long, or met a restart.
    Stale,
    /// The client's software or configuration is at fault.
    ClientFault,
    /// The server's own program or configuration is at fault.
    ServerFault,
    /// A wrong password, a header meant for another request, a replay: count these by user and
    /// by address. Now and then an honest client causes one.
    Suspicious,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => return error.fmt(f),
            Self::NoCredentials => "no credentials",
            Self::MultipleCredentials => "more than one credentials field",
            Self::InvalidMethod => "method is not a token",
            Self::SchemeNotOffered => "scheme not offered",
            Self::CleartextBasic => "password over a cleartext channel",
            Self::AlgorithmNotOffered => "algorithm not offered",
            Self::QopNotOffered => "quality of protection not offered",
            Self::UserhashNotOffered => "hashed user name not asked for",
            Self::SessionCnonce => "cnonce not allowed with a -sess algorithm",
            Self::RealmMismatch => "credentials for another realm",
            Self::UriMismatch => "credentials for another request-target",
            Self::BodyUnknown => "response covers a body that was not given",
            Self::MissingHa1 => "user has no HA1 of the hash function",
            Self::WrongCredentials => "no such user or wrong password",
            Self::NonceForeign => "nonce of another key",
            Self::NonceExpired => "nonce expired",
            Self::NonceForgotten { .. } => "nonce no longer remembered",
            Self::Replayed => "nonce count used before",
        }
        .fmt(f)
    }
}

impl Error for Rejection {}
