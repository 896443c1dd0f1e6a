//! The first two steps of letting a request in.

use crate::basic;
use crate::challenge::{Scheme, Start};
use crate::channel::Channel;
use crate::credentials::Authorization;
use crate::digest::{self, Algorithm, Ha1, Hash, HexDigest, Qop, User, Username, kd};
use crate::error::{ParamError, ParamName, ParamProblem};
use crate::server::arrival::Arrival;
use crate::server::nonce::{Minter, NonceId};
use crate::server::proof::{DigestProof, Proof};
use crate::server::rejection::Rejection;
use crate::server::uri::UriCheck;
use crate::server::{BasicOffer, Server};
use crate::target::{Body, Target};
use crate::time::Timestamp;

/// Credentials that are in order, as far as one can see without the user's secret.
#[derive(Clone, Debug)]
#[must_use]
pub struct Attempt<'a> {
    server: &'a Server,
    claimed: Claimed<'a>,
    target: Target<'a>,
    /// No nonce of ours that was not used yet carries a later time.
    latest: Timestamp,
}

#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a box would be an allocation a request"
)]
enum Claimed<'a> {
    Basic(basic::Credentials),
    Digest {
        credentials: digest::Credentials<'a>,
        uri_match: UriCheck,
        nonce: Verdict,
    },
}

/// What was found of the nonce. It is said only to who knows the secret.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    Fresh(NonceId),
    Expired,
    Foreign,
}

impl<'a> Attempt<'a> {
    pub(super) fn begin(
        server: &'a Server,
        value: &'a [u8],
        target: &Target<'a>,
        arrival: &Arrival<'_>,
    ) -> Result<Self, Rejection> {
        // Before the header is read: what another scheme makes of its parameters is not ours to
        // judge.
        let (start, cursor) =
            Start::of_credentials(value).map_err(|error| Rejection::of_header(error.into()))?;
        match (start.scheme(), &server.basic) {
            (Scheme::Basic, BasicOffer::Never) => return Err(Rejection::SchemeNotOffered),
            (Scheme::Basic, BasicOffer::Encrypted) if arrival.channel == Channel::Cleartext => {
                return Err(Rejection::Cleartext);
            }
            (Scheme::Digest, _) if server.algorithms.is_empty() => {
                return Err(Rejection::SchemeNotOffered);
            }
            (Scheme::Other(_), _) => return Err(Rejection::SchemeNotOffered),
            _ => {}
        }
        let claimed = match Authorization::read(start, cursor).map_err(Rejection::of_header)? {
            Authorization::Basic(pair) => Claimed::Basic(pair),
            Authorization::Digest(credentials) => {
                server.check_offered(&credentials)?;
                check_session(&credentials)?;
                if credentials.realm() != *server.realm() {
                    return Err(Rejection::OtherRealm);
                }
                let uri = credentials.uri().to_bytes();
                let uri_match = server
                    .uri_check
                    .strictest(target.uri, &uri)
                    .ok_or(Rejection::OtherUri)?;
                let nonce = server.judge(&credentials, arrival);
                Claimed::Digest {
                    credentials,
                    uri_match,
                    nonce,
                }
            }
            Authorization::Other(_) => return Err(Rejection::SchemeNotOffered),
        };
        Ok(Self {
            server,
            claimed,
            target: *target,
            latest: arrival.issue_time(),
        })
    }

    /// Who to look up: who the client says it is, and no more than that.
    pub fn claimed_user(&self) -> User<'_> {
        match &self.claimed {
            Claimed::Basic(pair) => User::from_octets(pair.username().into()),
            Claimed::Digest { credentials, .. } => credentials.user(),
        }
    }

    /// Which hash the stored [`Ha1`] must be of: an HA1 of another hash is a wrong one. For Basic
    /// that of the first algorithm offered; SHA-256 if there is none.
    pub fn hash(&self) -> Hash {
        match &self.claimed {
            Claimed::Basic(_) => self.server.basic_hash(),
            Claimed::Digest { credentials, .. } => credentials.algorithm().hash(),
        }
    }

    /// The algorithm of a Digest attempt; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        match &self.claimed {
            Claimed::Basic(_) => None,
            Claimed::Digest { credentials, .. } => Some(credentials.algorithm()),
        }
    }

    /// The hash of the body that must come before [`verify`](Self::verify), if any: the response
    /// covers the body (`qop=auth-int`), and the [`Target`] did not have it, or not by this hash.
    pub fn wants_body(&self) -> Option<Hash> {
        let Claimed::Digest { credentials, .. } = &self.claimed else {
            return None;
        };
        let hash = credentials.algorithm().hash();
        let known = match self.target.body {
            Body::Unknown => false,
            Body::Bytes(_) => true,
            // The client may have chosen another algorithm than the one it was hashed for.
            Body::Hashed(body) => body.hash() == hash,
        };
        (credentials.qop() == Some(Qop::AuthInt) && !known).then_some(hash)
    }

    /// Adds the body, hashed as [`wants_body`](Self::wants_body) asks.
    pub fn with_body(mut self, body: HexDigest) -> Self {
        self.target = self.target.with_body(Body::Hashed(body));
        self
    }

    /// Checks the response, or the password, against the user's secret.
    ///
    /// `None` means that there is no such user, and takes the work of a wrong password.
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`]; [`Rejection::BodyUnknown`] if
    /// [`wants_body`](Self::wants_body) was ignored; and, only where the secret was right,
    /// [`Rejection::Expired`] and [`Rejection::ForeignNonce`].
    pub fn verify(self, ha1: Option<&Ha1>) -> Result<Proof<'a>, Rejection> {
        let hash = self.hash();
        let none = Ha1::none(hash);
        let (ha1, known) = match ha1 {
            Some(ha1) if ha1.hash() == hash => (ha1, true),
            _ => (&none, false),
        };
        match self.claimed {
            Claimed::Basic(pair) => {
                let realm = self.server.realm();
                let claimed = Ha1::new(hash, pair.username(), realm, pair.password());
                if !((claimed == *ha1) & known) {
                    return Err(Rejection::WrongCredentials);
                }
                Ok(Proof::basic(self.server, pair))
            }
            Claimed::Digest {
                credentials,
                uri_match,
                nonce,
            } => {
                let ha2 = credentials.ha2(&self.target);
                let ha2 = ha2.ok_or(Rejection::BodyUnknown)?;
                let key = credentials.key(ha1).unwrap_or(none);
                let response = credentials.response();
                let protection = credentials.protection();
                let counted = kd(&key, credentials.nonce(), protection.as_ref(), &ha2) == response;
                // Both forms are computed whichever it is, so that their times tell nothing.
                let uncounted = self.server.overview_form
                    && credentials.qop() != Some(Qop::AuthInt)
                    && (kd(&key, credentials.nonce(), None, &ha2) == response);
                if !((counted | uncounted) & known) {
                    return Err(Rejection::WrongCredentials);
                }
                let nonce = match nonce {
                    Verdict::Fresh(id) => id,
                    Verdict::Expired => return Err(Rejection::Expired),
                    Verdict::Foreign => return Err(Rejection::ForeignNonce),
                };
                Ok(Proof::digest(
                    self.server,
                    DigestProof {
                        credentials,
                        key,
                        nonce: used_by(nonce, &credentials.username()),
                        latest: self.latest,
                        uri_match,
                        counted: counted && protection.is_some(),
                    },
                ))
            }
        }
    }

    /// [`verify`](Self::verify) for those who store passwords: takes the name and the password of
    /// the user that was found. `None` means that there is no such user.
    ///
    /// # Errors
    ///
    /// Those of [`verify`](Self::verify).
    pub fn verify_password(self, user: Option<(&str, &str)>) -> Result<Proof<'a>, Rejection> {
        // As much work for no user as for one with a name and a password of usual length.
        let (name, password) = user.unwrap_or(("nobody", "not a password"));
        let ha1 = Ha1::new(self.hash(), name, self.server.realm(), password);
        self.verify(user.map(|_| &ha1))
    }

    /// The password, where the scheme sends one (Basic), for a store of slow password hashes; then
    /// [`decide`](Self::decide).
    pub fn password(&self) -> Option<&[u8]> {
        match &self.claimed {
            Claimed::Basic(pair) => Some(pair.password()),
            Claimed::Digest { .. } => None,
        }
    }

    /// Takes the caller's verdict on [`password`](Self::password): whether it is the user's.
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`] if it is not, and for a Digest attempt, which has no
    /// password, whatever the verdict.
    pub fn decide(self, matches: bool) -> Result<Proof<'a>, Rejection> {
        match self.claimed {
            Claimed::Basic(pair) if matches => Ok(Proof::basic(self.server, pair)),
            _ => Err(Rejection::WrongCredentials),
        }
    }
}

/// Whether a session key is not also something that goes over the wire: see the
/// [module](super#the--sess-algorithms).
fn check_session(credentials: &digest::Credentials<'_>) -> Result<(), Rejection> {
    let Some(protection) = credentials.protection() else {
        return Ok(());
    };
    if !credentials.algorithm().is_session() {
        return Ok(());
    }
    let cnonce = protection.cnonce();
    let hash = credentials.algorithm().hash();
    if cnonce.bytes().any(|byte| byte == b':') || HexDigest::from_text(hash, cnonce).is_some() {
        let error = ParamError::new(ParamName::Cnonce, ParamProblem::Unsupported);
        return Err(Rejection::Header(error.into()));
    }
    Ok(())
}

/// The nonce as this user uses it. The name is mixed with what no client knows, so that nobody can
/// look for two that come to the same.
fn used_by(nonce: NonceId, username: &Username<'_>) -> NonceId {
    let NonceId { issued, mut tag } = nonce;
    username.each_byte(|byte| {
        tag = (tag ^ u64::from(byte))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    });
    NonceId { issued, tag }
}

impl Server {
    /// Whether a client may answer in this way.
    fn check_offered(&self, credentials: &digest::Credentials<'_>) -> Result<(), Rejection> {
        if !self.algorithms.contains(&credentials.algorithm()) {
            return Err(Rejection::AlgorithmNotOffered);
        }
        let offered = match credentials.qop() {
            Some(qop) => self.qop.contains(qop),
            None => self.rfc2069 || self.qop.is_legacy(),
        };
        offered.then_some(()).ok_or(Rejection::QopNotOffered)
    }

    /// Whether the nonce is ours, and how old.
    fn judge(&self, credentials: &digest::Credentials<'_>, arrival: &Arrival<'_>) -> Verdict {
        let known = |minter: &Minter| minter.recognise(credentials.nonce(), arrival.binding);
        let id = known(&self.minter).or_else(|| self.previous.as_ref().and_then(known));
        match id {
            None => Verdict::Foreign,
            Some(id) if self.expires(id) < arrival.now => Verdict::Expired,
            Some(id) => Verdict::Fresh(id),
        }
    }
}
