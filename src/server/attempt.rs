//! The first two steps of letting a request in.

use core::hint::black_box;

use crate::challenge::{Scheme, Start};
use crate::channel::Channel;
use crate::credentials::Authorization;
use crate::digest::{Algorithm, Ha1, Hash, HexDigest, Qop, User, kd};
use crate::server::arrival::Arrival;
use crate::server::claimed::{Age, Claimed, DigestClaim, used_by};
use crate::server::proof::Proof;
use crate::server::rejection::Rejection;
use crate::server::{BasicOffer, Server};
use crate::syntax::{Text, chars};
use crate::target::{Body, Target};

/// Credentials that are in order, as far as one can see without the user's secret.
#[derive(Clone, Debug)]
#[must_use]
pub struct Attempt<'a> {
    server: &'a Server,
    claimed: Claimed<'a>,
    target: Target<'a>,
}

impl<'a> Attempt<'a> {
    pub(super) fn begin(
        server: &'a Server,
        value: &'a [u8],
        target: &Target<'a>,
        arrival: &Arrival<'_>,
    ) -> Result<Self, Rejection> {
        if !chars::is_token(target.method) {
            return Err(Rejection::InvalidMethod);
        }
        let (start, rest) =
            Start::of_credentials(value).map_err(|error| Rejection::of_header(error.into()))?;
        // Before the rest is read: what another scheme makes of its parameters is not ours to
        // judge.
        let claimed = match start.scheme() {
            Scheme::Basic => {
                match server.basic {
                    BasicOffer::Never => return Err(Rejection::SchemeNotOffered),
                    BasicOffer::Encrypted if arrival.channel == Channel::Cleartext => {
                        return Err(Rejection::Cleartext);
                    }
                    BasicOffer::Encrypted | BasicOffer::Anywhere => {}
                }
                let pair = Authorization::read_basic(start, rest);
                Claimed::Basic(pair.map_err(Rejection::of_header)?)
            }
            Scheme::Digest if !server.algorithms.is_empty() => {
                let credentials = Authorization::read_digest(start, rest);
                let credentials = credentials.map_err(Rejection::of_header)?;
                Claimed::Digest(DigestClaim::new(server, credentials, target, arrival)?)
            }
            Scheme::Digest | Scheme::Other(_) => return Err(Rejection::SchemeNotOffered),
        };
        Ok(Self {
            server,
            claimed,
            target: *target,
        })
    }

    /// Who to look up: who the client says it is, and no more than that.
    pub fn claimed_user(&self) -> User<'_> {
        self.claimed.user()
    }

    /// Which hash the stored [`Ha1`] must be of: an HA1 of another hash is a wrong one. For Basic
    /// that of the first algorithm offered; SHA-256 if there is none.
    pub fn hash(&self) -> Hash {
        match self.claimed.algorithm() {
            None => self.server.basic_hash(),
            Some(algorithm) => algorithm.hash(),
        }
    }

    /// The algorithm of a Digest attempt; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.claimed.algorithm()
    }

    /// The hash of the body that must come before [`verify`](Self::verify), if any: the response
    /// covers the body (`qop=auth-int`), and the [`Target`] did not have it, or not by this hash.
    pub fn wants_body(&self) -> Option<Hash> {
        let Claimed::Digest(DigestClaim { credentials, .. }) = &self.claimed else {
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
    /// `None` means that there is no such user, and takes the work of a wrong password. To log a
    /// failure, take [`claimed_user`](Self::claimed_user) before: this consumes the attempt.
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`], also if `ha1` is not of [`hash`](Self::hash);
    /// [`Rejection::BodyUnknown`] if [`wants_body`](Self::wants_body) was ignored; and, only where
    /// the secret was right, [`Rejection::Expired`] and [`Rejection::ForeignNonce`].
    #[inline]
    pub fn verify(mut self, ha1: Option<&Ha1>) -> Result<Proof<'a>, Rejection> {
        let hash = self.hash();
        let stand_in;
        let (ha1, known) = match ha1 {
            Some(ha1) if ha1.hash() == hash => (ha1, true),
            _ => {
                stand_in = Ha1::none(hash);
                (&stand_in, false)
            }
        };
        // Here rather than after the check, so that it is the same work whatever comes of that.
        if let Claimed::Digest(claim) = &mut self.claimed {
            claim.nonce = used_by(claim.nonce, ha1);
        }
        let mut key = None;
        match self.check(ha1, known, &mut key) {
            Ok(counted) => Ok(Proof {
                server: self.server,
                claimed: self.claimed,
                key,
                counted,
            }),
            Err(why) => {
                // What was claimed is copied once, as it is when it is handed over. No secret is.
                drop(black_box(self.claimed));
                Err(why)
            }
        }
    }

    /// Returns whether the response, which is right, covers the nonce count. `key` is set to what it
    /// was keyed with. `known` says that `ha1` is a user's and no stand-in.
    fn check(&self, ha1: &Ha1, known: bool, key: &mut Option<Ha1>) -> Result<bool, Rejection> {
        let hash = ha1.hash();
        match &self.claimed {
            Claimed::Basic(pair) => {
                let realm = self.server.realm();
                let right = Ha1::new(hash, pair.username(), realm, pair.password()) == *ha1;
                if right & known {
                    Ok(false)
                } else {
                    Err(Rejection::WrongCredentials)
                }
            }
            Claimed::Digest(DigestClaim {
                credentials, age, ..
            }) => {
                let Some(ha2) = credentials.ha2(&self.target) else {
                    return Err(Rejection::BodyUnknown);
                };
                let session;
                let keyed = match credentials.session_key(ha1) {
                    Some(found) => {
                        session = found;
                        &session
                    }
                    None => ha1,
                };
                // Also where it will not be needed, so that it takes the same work.
                *key = Some(keyed.clone());
                let protection = credentials.protection();
                let is_right = |protection| {
                    kd(keyed, credentials.nonce(), protection, &ha2) == credentials.response()
                };
                let in_full = is_right(protection.as_ref());
                // Both forms are computed whichever it is, so that their times tell nothing.
                let in_brief = self.server.overview_form
                    && credentials.qop() != Some(Qop::AuthInt)
                    && is_right(None);
                if !((in_full | in_brief) & known) {
                    return Err(Rejection::WrongCredentials);
                }
                let counted = in_full && protection.is_some();
                if !counted && ends_with_hash(credentials.uri(), hash) {
                    return Err(Rejection::OtherUri);
                }
                match age {
                    Age::Expired => return Err(Rejection::Expired),
                    Age::Foreign => return Err(Rejection::ForeignNonce),
                    Age::Fresh => {}
                }
                Ok(counted)
            }
        }
    }

    /// [`verify`](Self::verify) for a store of passwords: takes the name and the password of the
    /// user that was found. `None` means that there is no such user, and takes the same work as any
    /// name and password that are, together with the realm, no longer than 360 bytes.
    ///
    /// # Errors
    ///
    /// Those of [`verify`](Self::verify).
    pub fn verify_password(self, user: Option<(&str, &str)>) -> Result<Proof<'a>, Rejection> {
        let (name, password) = user.unwrap_or(("nobody", "not a password"));
        let ha1 = Ha1::in_equal_work(self.hash(), name, self.server.realm(), password);
        self.verify(user.map(|_| &ha1))
    }

    /// The password, where the scheme sends one (Basic), for a store of slow password hashes; then
    /// [`decide`](Self::decide).
    pub fn password(&self) -> Option<&[u8]> {
        match &self.claimed {
            Claimed::Basic(pair) => Some(pair.password()),
            Claimed::Digest(_) => None,
        }
    }

    /// Takes the caller's verdict on [`password`](Self::password): whether it is the user's.
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`] if it is not, and for a Digest attempt, which has no
    /// password, whatever the verdict.
    pub fn decide(self, matches: bool) -> Result<Proof<'a>, Rejection> {
        if !(matches && matches!(self.claimed, Claimed::Basic(_))) {
            return Err(Rejection::WrongCredentials);
        }
        Ok(Proof {
            server: self.server,
            claimed: self.claimed,
            key: None,
            counted: false,
        })
    }
}

/// Returns whether a `uri` ends with a colon and a hash in hex.
///
/// HA2 of such a request is also that of an `auth-int` request for the shorter `uri` with a body of
/// that hash: both hash `method:uri:digits`. In a counted response the `qop` tells them apart. The
/// other forms do not cover it, so a captured `auth-int` answer could be turned into a request that
/// its user never made.
fn ends_with_hash(uri: Text<'_>, hash: Hash) -> bool {
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
