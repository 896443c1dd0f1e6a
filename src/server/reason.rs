//! Why a request is rejected.

use core::error::Error;
use core::fmt;

use crate::challenger::Challenger;
use crate::error::HeaderError;
use crate::syntax::ParamName;
use crate::time::Timestamp;

/// Why a request is rejected, for the log and for a rate limiter. The client sees only the
/// [`Refusal`](super::Refusal). The page [`checks`](super::checks) tells when each is given, and
/// with which status; the manual says [what to do about each](crate::manual::errors).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The request has no credentials field.
    NoCredentials,
    /// The same, and the realm offers nothing on the channel: for example Basic alone in clear, or
    /// MD5 alone [with `auth-int`](super::Realm::with_qop).
    NothingOffered,
    /// The credentials field occurs more than once.
    MultipleCredentials,
    /// The method is not a token (RFC 9110, section 9.1), so another request may have the same HA2.
    InvalidMethod,
    /// The value of the credentials field could not be parsed. It is answered like a wrong password,
    /// so that a browser drops what it sent, but is no guess.
    Header(HeaderError),
    /// The scheme is not offered.
    SchemeNotOffered,
    /// Basic over a cleartext channel, where the realm offers it on encrypted ones only.
    CleartextBasic,
    /// The Digest credentials are for another realm.
    RealmMismatch,
    /// The algorithm is not [offered](super::Realm::with_algorithms), or uses MD5 where
    /// only `auth-int` [is](super::Realm::with_qop).
    AlgorithmNotOffered,
    /// The qop is not offered; or there is none, without [`Quirk::Rfc2069`](super::Quirk::Rfc2069).
    QopNotOffered,
    /// The user name is hashed, which only [`with_userhash`](super::Realm::with_userhash) offers.
    UserhashNotOffered,
    /// The cnonce is not safe with a [`-sess` algorithm](crate::manual::server#the--sess-algorithms).
    SessionCnonce,
    /// The `uri` does not pass the [`UriCheck`](super::UriCheck).
    UriMismatch,
    /// The response covers the body, but the program did not provide [its
    /// hash](super::Attempt::required_body_hash_function), or called
    /// [`reject_unread`](super::Attempt::reject_unread). Send 413 if the body was too large.
    BodyUnknown,
    /// The user exists, but has no HA1 of the required [hash
    /// function](super::Attempt::hash_function). The client sees a wrong password.
    MissingHa1,
    /// The user does not exist, the password is wrong, or the response does not fit the request.
    /// These are deliberately not distinguished.
    WrongCredentials,
    /// The nonce was not issued by this server, or under a key that has been dropped, other
    /// [settings](super::Authenticator::begin_as) or another [binding](super::Arrival::bound_to).
    /// From `admit`: another server verified the request.
    NonceForeign,
    /// The nonce is too old.
    NonceExpired,
    /// It is not known whether the nonce was used: the server may have forgotten it, or the capacity
    /// is 0; or, with a shared store, the clock was set back.
    NonceForgotten {
        /// The nonce of the next challenge has a later issue time, whatever the clock shows.
        until: Timestamp,
    },
    /// The nonce count, or a nonce that is valid for one request, was used before; or the count is
    /// 64 or more below the highest one that the user has used with this nonce.
    Replayed,
}

impl Reason {
    /// Returns whether this may be a guess of a password, which [a rate
    /// limiter](crate::manual::server#guesses) counts: `WrongCredentials` and `MissingHa1`.
    pub const fn is_guess(&self) -> bool {
        matches!(self, Self::WrongCredentials | Self::MissingHa1)
    }

    /// Returns whether the program, store or configuration is at fault: `MissingHa1`, and
    /// `BodyUnknown` unless from [`reject_unread`](super::Attempt::reject_unread).
    pub const fn is_server_fault(&self) -> bool {
        matches!(self, Self::BodyUnknown | Self::MissingHa1)
    }

    /// Returns whether Digest challenges have `stale=true`, so that a client answers again without
    /// a prompt: for the nonce reasons, and for `Replayed`, which parallel requests can cause.
    pub const fn is_stale(&self) -> bool {
        matches!(
            self,
            Self::NonceForeign | Self::NonceExpired | Self::NonceForgotten { .. } | Self::Replayed
        )
    }

    /// The name of the variant in kebab case, for logs and metrics: `wrong-credentials`. It is
    /// stable; the text of `Display` is not.
    pub const fn name(&self) -> &'static str {
        self.words().0
    }

    /// The name and the text.
    const fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::NoCredentials => ("no-credentials", "no credentials"),
            Self::NothingOffered => (
                "nothing-offered",
                "the realm offers no scheme that this channel may have",
            ),
            Self::MultipleCredentials => {
                ("multiple-credentials", "more than one credentials field")
            }
            Self::InvalidMethod => ("invalid-method", "method is not a token"),
            Self::Header(_) => ("header", "credentials that cannot be read"),
            Self::SchemeNotOffered => ("scheme-not-offered", "scheme not offered"),
            Self::CleartextBasic => (
                "cleartext-basic",
                "Basic over a channel that was passed as cleartext",
            ),
            Self::RealmMismatch => ("realm-mismatch", "credentials for another realm"),
            Self::AlgorithmNotOffered => ("algorithm-not-offered", "algorithm not offered"),
            Self::QopNotOffered => ("qop-not-offered", "qop not offered, or none used"),
            Self::UserhashNotOffered => (
                "userhash-not-offered",
                "hashed user name, which is not offered",
            ),
            Self::SessionCnonce => (
                "session-cnonce",
                "cnonce with a colon or like a hash, in a -sess algorithm",
            ),
            Self::UriMismatch => (
                "uri-mismatch",
                "the request-target that was passed is not the one that was signed",
            ),
            Self::BodyUnknown => ("body-unknown", "body not read, or not passed"),
            Self::MissingHa1 => (
                "missing-ha1",
                "user has no HA1 of the hash function that the answer uses",
            ),
            Self::WrongCredentials => ("wrong-credentials", "unknown user or wrong credentials"),
            Self::NonceForeign => (
                "nonce-foreign",
                "nonce of another server or of an earlier start, key, setting or binding",
            ),
            Self::NonceExpired => ("nonce-expired", "nonce expired"),
            Self::NonceForgotten { .. } => (
                "nonce-forgotten",
                "not known if the nonce was used: too little memory, data lost, or a clock ahead",
            ),
            Self::Replayed => (
                "replayed",
                "nonce or nonce count used before, or count too low",
            ),
        }
    }

    /// The status, if there are challenges to send with it.
    pub(super) const fn status(&self, challenger: Challenger) -> u16 {
        match self {
            Self::MultipleCredentials | Self::InvalidMethod | Self::UriMismatch => 400,
            Self::BodyUnknown => 500,
            _ => challenger.status(),
        }
    }

    /// Unsupported algorithm and qop values count as not offered.
    pub(super) fn of_header(error: HeaderError) -> Self {
        match error {
            _ if error == ParamName::Algorithm.unsupported() => Self::AlgorithmNotOffered,
            _ if error == ParamName::Qop.unsupported() => Self::QopNotOffered,
            _ => Self::Header(error),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => error.fmt(f),
            other => f.write_str(other.words().1),
        }
    }
}

impl Error for Reason {}
