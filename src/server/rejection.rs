//! Why a request may not go on.

use core::error::Error;
use core::fmt;

use crate::error::{HeaderError, ParamName, ParamProblem};
use crate::issuer::Issuer;
use crate::time::Timestamp;

/// Why a request may not go on. Log it; tell the client no more than [`status`](Self::status) and
/// what [`Server::challenges`](super::Server::challenges) says.
///
/// | rejection               | status    | `stale` | class             | checked in |
/// |-------------------------|-----------|---------|-------------------|------------|
/// | [`NoCredentials`]       | 401 / 407 | no      | [no credentials]  | `begin`    |
/// | [`SeveralCredentials`]  | 400       | no      | [client fault]    | `begin`    |
/// | [`InvalidMethod`]       | 400       | no      | [client fault]    | `begin`    |
/// | [`Header`]              | 400       | no      | [client fault]    | `begin`    |
/// | [`SchemeNotOffered`]    | 401 / 407 | no      | [client fault]    | `begin`    |
/// | [`Cleartext`]           | 401 / 407 | no      | [client fault]    | `begin`    |
/// | [`AlgorithmNotOffered`] | 401 / 407 | no      | [client fault]    | `begin`    |
/// | [`QopNotOffered`]       | 401 / 407 | no      | [client fault]    | `begin`    |
/// | [`UserhashNotOffered`]  | 401 / 407 | no      | [client fault]    | `begin`    |
/// | [`SessionCnonce`]       | 401 / 407 | no      | [client fault]    | `begin`    |
/// | [`OtherRealm`]          | 401 / 407 | no      | [client fault]    | `begin`    |
/// | [`OtherUri`]            | 400       | no      | [suspicious]      | `begin`, `verify` |
/// | [`BodyUnknown`]         | 500       | no      | [own fault]       | `verify`   |
/// | [`WrongCredentials`]    | 401 / 407 | no      | [suspicious]      | `verify`   |
/// | [`ForeignNonce`]        | 401 / 407 | yes     | [age]             | `verify`   |
/// | [`Expired`]             | 401 / 407 | yes     | [age]             | `verify`   |
/// | [`Forgotten`]           | 401 / 407 | yes     | [age]             | `admit`    |
/// | [`Replayed`]            | 401 / 407 | yes     | [suspicious]      | `admit`    |
///
/// `stale` is said only to a client whose response was right for the nonce it used (RFC 7616,
/// section 3.3), so it tells nobody anything new. It is said to a replay, too: a browser
/// whose parallel requests crossed would ask its user for the password otherwise, and whoever
/// replays a captured header cannot answer a new nonce.
///
/// [`NoCredentials`]: Self::NoCredentials
/// [`SeveralCredentials`]: Self::SeveralCredentials
/// [`Header`]: Self::Header
/// [`SchemeNotOffered`]: Self::SchemeNotOffered
/// [`Cleartext`]: Self::Cleartext
/// [`AlgorithmNotOffered`]: Self::AlgorithmNotOffered
/// [`QopNotOffered`]: Self::QopNotOffered
/// [`InvalidMethod`]: Self::InvalidMethod
/// [`UserhashNotOffered`]: Self::UserhashNotOffered
/// [`SessionCnonce`]: Self::SessionCnonce
/// [`OtherRealm`]: Self::OtherRealm
/// [`OtherUri`]: Self::OtherUri
/// [`BodyUnknown`]: Self::BodyUnknown
/// [`WrongCredentials`]: Self::WrongCredentials
/// [`ForeignNonce`]: Self::ForeignNonce
/// [`Expired`]: Self::Expired
/// [`Forgotten`]: Self::Forgotten
/// [`Replayed`]: Self::Replayed
/// [no credentials]: Class::NoCredentials
/// [client fault]: Class::ClientFault
/// [age]: Class::Age
/// [own fault]: Class::OwnFault
/// [suspicious]: Class::Suspicious
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Rejection {
    /// The request has no credentials.
    NoCredentials,
    /// The credentials field came more than once: which of them counts is a guess.
    SeveralCredentials,
    /// The method is empty or no token (RFC 9110, section 9.1). In the formulas a colon separates
    /// it from the request-target, so a method with one would pass for another request.
    InvalidMethod,
    /// The header could not be read.
    Header(HeaderError),
    /// A scheme that was not offered.
    SchemeNotOffered,
    /// A password where others can read it: Basic over a cleartext channel.
    Cleartext,
    /// An algorithm that was not offered.
    AlgorithmNotOffered,
    /// A qop that was not offered, or none although one was: a downgrade to RFC 2069.
    QopNotOffered,
    /// A hashed user name, which was not asked for: see
    /// [`with_userhash`](super::Server::with_userhash).
    UserhashNotOffered,
    /// A cnonce that a `-sess` algorithm cannot be trusted with: one with a colon, or one in the
    /// form of a hash, which [`with_hash_like_cnonces`](super::Server::with_hash_like_cnonces)
    /// allows. See [the `-sess` algorithms](super#the--sess-algorithms).
    SessionCnonce,
    /// Credentials for another realm.
    OtherRealm,
    /// Credentials for another request-target; or, from `verify`, without a protected count for a
    /// `uri` that ends with a colon and a hash, because they may be an `auth-int` answer to another
    /// request.
    OtherUri,
    /// The response covers the body, and [`wants_body`](super::Attempt::wants_body) was ignored:
    /// our own program's fault. Say 413 instead if the body was too large to be read.
    BodyUnknown,
    /// No such user, or the wrong password; which of them is not told, not even here.
    WrongCredentials,
    /// The right response for a nonce that is not ours, or of a key we no longer have.
    ForeignNonce,
    /// The right response for a nonce of ours that is too old.
    Expired,
    /// The right response for a nonce of which it is no longer known which counts were used.
    Forgotten {
        /// Nonces issued up to this time, inclusive, are forgotten unless they are in the table.
        /// [`Server::challenges`](super::Server::challenges) makes a later one, whatever the
        /// clock says.
        until: Timestamp,
    },
    /// The right response with a nonce count that was used before.
    Replayed,
}

impl Rejection {
    /// The status to send: the issuer's own 401 or 407, with
    /// [`challenges`](super::Server::challenges); 400 where the request contradicts itself, which
    /// no challenge can mend; 500 where our own program does.
    pub const fn status(&self, issuer: Issuer) -> u16 {
        match self {
            Self::SeveralCredentials | Self::InvalidMethod | Self::Header(_) | Self::OtherUri => {
                400
            }
            Self::BodyUnknown => 500,
            _ => issuer.status(),
        }
    }

    /// What a rate limiter should make of it.
    pub const fn class(&self) -> Class {
        match self {
            Self::NoCredentials => Class::NoCredentials,
            Self::SeveralCredentials
            | Self::InvalidMethod
            | Self::Header(_)
            | Self::SchemeNotOffered
            | Self::Cleartext
            | Self::AlgorithmNotOffered
            | Self::QopNotOffered
            | Self::UserhashNotOffered
            | Self::SessionCnonce
            | Self::OtherRealm => Class::ClientFault,
            Self::BodyUnknown => Class::OwnFault,
            Self::ForeignNonce | Self::Expired | Self::Forgotten { .. } => Class::Age,
            Self::OtherUri | Self::WrongCredentials | Self::Replayed => Class::Suspicious,
        }
    }

    /// Whether the client need only use a new nonce.
    pub const fn is_stale(&self) -> bool {
        matches!(
            self,
            Self::ForeignNonce | Self::Expired | Self::Forgotten { .. } | Self::Replayed
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
pub enum Class {
    /// Every first request: nothing to count.
    NoCredentials,
    /// An honest client that waited too long, or met a restart.
    Age,
    /// The client's software, or its set-up, is at fault.
    ClientFault,
    /// Our own program did not give what it was asked for.
    OwnFault,
    /// A wrong password, a header meant for another request, a replay: count these by user and
    /// by address. Now and then an honest client causes one.
    Suspicious,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => return error.fmt(f),
            Self::NoCredentials => "no credentials",
            Self::SeveralCredentials => "more than one credentials field",
            Self::SchemeNotOffered => "scheme not offered",
            Self::Cleartext => "password over a cleartext channel",
            Self::AlgorithmNotOffered => "algorithm not offered",
            Self::QopNotOffered => "quality of protection not offered",
            Self::InvalidMethod => "method is not a token",
            Self::UserhashNotOffered => "hashed user name not asked for",
            Self::SessionCnonce => "cnonce not allowed with a -sess algorithm",
            Self::OtherRealm => "credentials for another realm",
            Self::OtherUri => "credentials for another request-target",
            Self::BodyUnknown => "response covers a body that was not given",
            Self::WrongCredentials => "no such user or wrong password",
            Self::ForeignNonce => "nonce of another key",
            Self::Expired => "nonce too old",
            Self::Forgotten { .. } => "nonce no longer remembered",
            Self::Replayed => "nonce count used before",
        }
        .fmt(f)
    }
}

impl Error for Rejection {}
