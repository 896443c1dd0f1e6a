//! The scenarios for clients.

use std::fmt;

use super::trial::Trial;
use super::{choice, login, nonces, refusals, writing};
use crate::outcome::Outcome;

/// A situation that a client is put in. They run in this order, each with a new client.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Scenario {
    /// A server with SHA-256 and `qop="auth"`.
    Login,
    /// Two more requests to the same server.
    SecondRequest,
    /// How the answer is written.
    Form,
    /// A realm with quotes, commas and backslashes.
    QuotedRealm,
    /// An `opaque` with quotes, commas and backslashes.
    Opaque,
    /// A server without `opaque`, and then one whose `opaque` is empty.
    NoOpaque,
    /// Each algorithm by itself.
    EachAlgorithm,
    /// An algorithm and a qop that nobody knows.
    UnknownAlgorithm,
    /// A server without qop, as in RFC 2069.
    Rfc2069,
    /// `auth` and `auth-int`, and a body.
    AuthOrAuthInt,
    /// `auth-int` alone, and a body.
    AuthInt,
    /// A server that asks for hashed names.
    Userhash,
    /// SHA-256, MD5 and Basic, the strongest first.
    StrongestFirst,
    /// Basic, MD5 and SHA-256, the strongest last.
    StrongestLast,
    /// Several challenges in one field, one of an unknown scheme with commas in quotes.
    OneField,
    /// Basic alone on a cleartext channel.
    CleartextBasic,
    /// Basic alone, after a server that proved itself by Digest.
    Downgrade,
    /// A realm that the account is not for. Needs the account's
    /// [realm](super::ClientCheck::with_realm).
    OtherRealm,
    /// A nonce whose lifetime is over.
    StaleNonce,
    /// `nextnonce`, for nonces that are valid once.
    NextNonce,
    /// Several nonces, one after the other.
    FreshCnonce,
    /// A wrong `rspauth`.
    WrongProof,
    /// A server that refuses everything.
    Refusals,
    /// A server that refuses everything with `stale=true`.
    StaleForever,
    /// 401 without a challenge.
    NoChallenge,
    /// Challenges and `Authentication-Info` that are nearly valid, or noise.
    Malformed,
}

impl Scenario {
    /// All scenarios, in the order in which they run.
    pub const ALL: &'static [Self] = &[
        Self::Login,
        Self::SecondRequest,
        Self::Form,
        Self::QuotedRealm,
        Self::Opaque,
        Self::NoOpaque,
        Self::EachAlgorithm,
        Self::UnknownAlgorithm,
        Self::Rfc2069,
        Self::AuthOrAuthInt,
        Self::AuthInt,
        Self::Userhash,
        Self::StrongestFirst,
        Self::StrongestLast,
        Self::OneField,
        Self::CleartextBasic,
        Self::Downgrade,
        Self::OtherRealm,
        Self::StaleNonce,
        Self::NextNonce,
        Self::FreshCnonce,
        Self::WrongProof,
        Self::Refusals,
        Self::StaleForever,
        Self::NoChallenge,
        Self::Malformed,
    ];

    /// What a client must do, and the section that asks for it.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Login => "a grant, at the first answer",
            Self::SecondRequest => "a grant, with the count raised (RFC 7616, 3.4)",
            Self::Form => "qop, nc and algorithm without quotes, nc with 8 digits (RFC 7616, 3.4)",
            Self::QuotedRealm => "a grant: escapes are resolved before hashing (RFC 7616, 3.4)",
            Self::Opaque => "opaque comes back unchanged (RFC 7616, 3.4)",
            Self::NoOpaque => "no opaque where there was none, and an empty one for an empty one",
            Self::EachAlgorithm => "a right answer, or none",
            Self::UnknownAlgorithm => "no answer: the challenge is ignored (RFC 7616, 3.3)",
            Self::Rfc2069 => "a right answer without qop, nc and cnonce, or none",
            Self::AuthOrAuthInt => "a grant, whichever is chosen",
            Self::AuthInt => "a right answer that covers the body, or none (RFC 7616, 3.4.3)",
            Self::Userhash => "a grant, with the name hashed or not (RFC 7616, 3.4.4)",
            Self::StrongestFirst => "an answer to the challenge of SHA-256 (RFC 7616, 3.7)",
            Self::StrongestLast => {
                "an answer to the challenge of SHA-256 (RFC 7616, 5.6 and 5.8; 3.7 permits the first)"
            }
            Self::OneField => "a grant: commas separate challenges (RFC 9110, 11.6.1)",
            Self::CleartextBasic => "no password where others can read it (RFC 7617, 4)",
            Self::Downgrade => "no password: the server could do better (RFC 7616, 5.8)",
            Self::OtherRealm => "no credentials: any user of an origin can name a realm there",
            Self::StaleNonce => "a grant: stale=true asks for no other password (RFC 7616, 3.3)",
            Self::NextNonce => "grants without a refusal between them (RFC 7616, 3.5)",
            Self::FreshCnonce => "another cnonce for another nonce (RFC 7616, 5.9 and 5.12)",
            Self::WrongProof => "an error: who answered does not know the password (RFC 7616, 3.5)",
            Self::Refusals => "at most 12 requests, and the refusal is returned",
            Self::StaleForever => "at most 12 requests, and the refusal is returned",
            Self::NoChallenge => "no credentials, and the refusal is returned",
            Self::Malformed => "at most 12 requests, and no panic",
        }
    }

    pub(super) fn run(self, client: &mut Trial<'_>) -> Outcome {
        match self {
            Self::Login => login::login(client),
            Self::SecondRequest => login::second_request(client),
            Self::Form => writing::form(client),
            Self::QuotedRealm => writing::quoted_realm(client),
            Self::Opaque => writing::opaque(client),
            Self::NoOpaque => writing::no_opaque(client),
            Self::EachAlgorithm => login::each_algorithm(client),
            Self::UnknownAlgorithm => choice::unknown_algorithm(client),
            Self::Rfc2069 => login::rfc2069(client),
            Self::AuthOrAuthInt => login::auth_or_auth_int(client),
            Self::AuthInt => login::auth_int(client),
            Self::Userhash => login::userhash(client),
            Self::StrongestFirst => choice::strongest_first(client),
            Self::StrongestLast => choice::strongest_last(client),
            Self::OneField => choice::one_field(client),
            Self::CleartextBasic => choice::cleartext_basic(client),
            Self::Downgrade => choice::downgrade(client),
            Self::OtherRealm => choice::other_realm(client),
            Self::StaleNonce => nonces::stale(client),
            Self::NextNonce => nonces::next_nonce(client),
            Self::FreshCnonce => nonces::fresh_cnonce(client),
            Self::WrongProof => refusals::wrong_proof(client),
            Self::Refusals => refusals::refusals(client),
            Self::StaleForever => refusals::stale_forever(client),
            Self::NoChallenge => refusals::no_challenge(client),
            Self::Malformed => refusals::malformed(client),
        }
    }
}

/// The name of the variant.
impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
