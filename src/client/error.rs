//! What a client can say in place of going on.

use alloc::boxed::Box;
use core::error;
use core::fmt;

use crate::client::ask::Ask;
use crate::digest::HashFunction;
use crate::error::{HeaderError, InvalidText};
use crate::syntax::MAX_VALUE_BYTES;

/// Everything for which a program with a client can fail.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// [`Client::authorize`](super::Client::authorize): the method is not a token (RFC 9110,
    /// section 5.6.2).
    Method,
    /// `authorize`: the request-target contains a control byte other than HTAB.
    /// [`Endpoint::origin`](super::Endpoint::origin): no default port is known.
    Text(InvalidText),
    /// `authorize`: a challenge of the exchange is to be answered with a response that covers the
    /// body (`qop=auth-int`): pass it in the [`Target`](crate::Target), whole or hashed by this
    /// function.
    BodyNeeded(HashFunction),
    /// `authorize`: the answer to a challenge would be longer than [`MAX_VALUE_BYTES`].
    TooLong,
    /// [`Client::received`](super::Client::received): `rspauth`, `qop`, `cnonce` or `nc` does not
    /// match the request and the secret. Do not trust the response: its sender may not know the
    /// secret. [`Quirk::IgnoreWrongProof`](super::Quirk::IgnoreWrongProof) would allow it.
    WrongProof,
    /// `received`: there is no proof, or it could not be read or checked, and
    /// [`require_server_proof`](super::Policy::require_server_proof) requires one.
    MissingProof,
    /// The account was not accepted.
    Login(LoginError),
    /// The client gave up on the exchange, for a program that returns the reason as an error.
    GaveUp(Box<GiveUp>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method => f.write_str("the method is not a token"),
            Self::Text(error) => error.fmt(f),
            Self::BodyNeeded(hash) => write!(
                f,
                "the answer has to cover the body, which was not passed, nor its {hash} hash"
            ),
            Self::TooLong => write!(f, "the header value would exceed {MAX_VALUE_BYTES} bytes"),
            Self::WrongProof => f.write_str("the server's proof is wrong"),
            Self::MissingProof => f.write_str("no valid server proof, and one is required"),
            Self::Login(error) => error.fmt(f),
            Self::GaveUp(why) => why.fmt(f),
        }
    }
}

impl error::Error for Error {}

impl From<InvalidText> for Error {
    fn from(error: InvalidText) -> Self {
        Self::Text(error)
    }
}

impl From<LoginError> for Error {
    fn from(error: LoginError) -> Self {
        Self::Login(error)
    }
}

impl From<GiveUp> for Error {
    fn from(why: GiveUp) -> Self {
        Self::GaveUp(Box::new(why))
    }
}

/// The reason why a client gave up on an exchange.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum GiveUp {
    /// The server refused the name and password. To try others, [log in](super::Client::login) with
    /// this ask, and start a new [`Exchange`](super::Exchange).
    WrongCredentials(Ask),
    /// The server refused as many answers of the exchange as
    /// [`Policy::with_max_answers`](super::Policy::with_max_answers) allows.
    TooManyAnswers,
    /// The server challenged more than eight requests of the exchange that carried no answer for its
    /// realm.
    NeverAnswered,
    /// No answer can be sent for the request-target, because it names another origin or could:
    /// `index.html`, a URI with another host or with userinfo. See
    /// [`Endpoint::with_any_target`](super::Endpoint::with_any_target).
    ForeignTarget,
    /// The client can answer none of the challenges, for these reasons; without a reason, there was
    /// none. The exchange stays open, for others, and the login is kept: an application behind the
    /// server may have said this. If it comes to four answers in a row, it becomes
    /// [`WrongCredentials`](Self::WrongCredentials).
    NoUsableChallenge(Box<[SkipReason]>),
}

impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongCredentials(_) => f.write_str("wrong user name or password"),
            Self::TooManyAnswers => f.write_str("each answer was refused as stale or used before"),
            Self::NeverAnswered => f.write_str("too many challenges to requests without an answer"),
            Self::ForeignTarget => f.write_str(
                "the request-target is not a path from `/` on, or may name another origin",
            ),
            Self::NoUsableChallenge(skipped) if skipped.is_empty() => {
                f.write_str("no challenge in the fields that were passed")
            }
            Self::NoUsableChallenge(skipped) => {
                f.write_str("no usable challenge")?;
                // Servers offer the same realm by several algorithms.
                let groups = skipped.chunk_by(PartialEq::eq);
                for (n, why) in groups.filter_map(<[_]>::first).enumerate() {
                    write!(f, "{} {why}", if n == 0 { ":" } else { ";" })?;
                }
                Ok(())
            }
        }
    }
}

impl error::Error for GiveUp {}

/// The reason why a client skips a challenge instead of answering it: of several, the first found.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It could not be parsed, or its algorithm or qop is not supported.
    Header(HeaderError),
    /// Its scheme is neither Basic nor Digest.
    UnknownScheme,
    /// Weaker than what this realm accepted earlier with a valid proof, or than
    /// [`require_strength`](super::Policy::require_strength) allows: see
    /// [`Strength`](super::Strength).
    BelowStrength,
    /// Basic over a cleartext channel, which only
    /// [`with_cleartext_basic`](super::Policy::with_cleartext_basic) allows.
    CleartextBasic,
    /// MD5, which [`require_auth_int`](super::Policy::require_auth_int) refuses.
    WeakAlgorithm,
    /// Another hash function than [`require_hash`](super::Policy::require_hash) names.
    OtherHash,
    /// A `-sess` algorithm without the qop that it needs.
    SessionAlgorithm,
    /// No qop (RFC 2069), which only [`Quirk::Rfc2069`](super::Quirk::Rfc2069) allows.
    Rfc2069,
    /// Basic, or Digest without `auth-int`, which
    /// [`require_auth_int`](super::Policy::require_auth_int) requires.
    NoAuthInt,
    /// A form without the proof that
    /// [`require_server_proof`](super::Policy::require_server_proof) requires.
    NoServerProof,
    /// The realm, nonce and opaque together are longer than 4 KiB. An answer repeats all three, and
    /// most servers read no more than 8 KiB of a field.
    TooLong,
    /// None of the client's [accounts](super::Account) may answer it.
    Account(LoginError),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => return error.fmt(f),
            Self::UnknownScheme => "unknown scheme",
            Self::BelowStrength => "weaker than the realm accepted before, or the policy requires",
            Self::CleartextBasic => {
                "Basic over a cleartext channel would show the password: not sent"
            }
            Self::WeakAlgorithm => "MD5, where the body has to be covered",
            Self::OtherHash => "another hash function than the policy requires",
            Self::SessionAlgorithm => "session algorithm without a qop",
            Self::Rfc2069 => "no qop (the form of RFC 2069), so no count would be covered",
            Self::NoAuthInt => "no auth-int, which the policy requires",
            Self::NoServerProof => {
                "no proof in this form shows that the server knows the secret now, and one is \
                 required"
            }
            Self::TooLong => "the realm, with nonce and opaque in Digest, is longer than 4 KiB",
            Self::Account(error) => return error.fmt(f),
        }
        .fmt(f)
    }
}

/// The reason why a client did not accept an account. It is then unchanged.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LoginError {
    /// The login is no longer asked for in that form, or another client made the ask. Send the
    /// request again; it leads to a new ask if a login is needed.
    Superseded,
    /// The server refused this name with this secret, and has to ask again before they may be sent:
    /// see [refused secrets](super::rules#refused-secrets).
    AlreadyRefused,
    /// The account is for another realm: see [`Account::for_realm`](super::Account::for_realm).
    OtherRealm,
    /// The account is for Digest alone: see [`Account::with_basic`](super::Account::with_basic). Or
    /// it names no realm, and another realm has proved Digest: see
    /// [`Account::for_realm`](super::Account::for_realm). For a preemptive one, the policy or the
    /// required strength does not allow it.
    BasicNotAllowed,
    /// The challenge is Basic, which sends the password itself, so an HA1 is not enough.
    PasswordNeeded,
    /// The HA1 was made with another hash function than the challenge's.
    OtherHash,
    /// The name or the password cannot be sent.
    Text(InvalidText),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Superseded => f.write_str("the login is no longer asked for"),
            Self::AlreadyRefused => f.write_str("the server has refused this name and password"),
            Self::OtherRealm => f.write_str("the account is for another realm"),
            Self::BasicNotAllowed => f.write_str(
                "Basic, where the account, the policy or the channel allows Digest alone",
            ),
            Self::PasswordNeeded => f.write_str("Basic needs the password, not an HA1"),
            Self::OtherHash => {
                f.write_str("the HA1 was made with another hash function than the challenge's")
            }
            Self::Text(error) => write!(f, "user name or password: {error}"),
        }
    }
}

impl error::Error for LoginError {}
