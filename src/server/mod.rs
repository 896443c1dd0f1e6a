//! The server's side: challenge, check, admit.
//!
//! Each step takes data and returns data; what comes between two steps is yours, and may take as
//! long as it likes:
//!
//! ```text
//!  server.begin(header values, target, arrival)   -> Attempt   offered, right realm and uri
//!      you: look up attempt.claimed_user()             (may await)
//!  attempt.verify(ha1 or none)                    -> Proof     knows the secret, by a nonce of ours
//!  replays.admit(proof)                           -> Grant     and has not said so before
//!  server.next_nonce(grant, arrival, rng)                      a nonce to use next, when due
//!  grant.info(next nonce, body)                                Authentication-Info
//!  server.challenges(rejection, arrival, rng)                  the 401's or 407's header values
//! ```
//!
//! Basic takes the same way, with the same store: its password is hashed to an [`Ha1`] and
//! compared. Only a [`Grant`] is worth anything, and there is no other way to one:
//!
//! ```compile_fail,E0599
//! fn hasty(proof: countersign::server::Proof<'_>) {
//!     proof.user(); // no such method: it may be a replay
//! }
//! ```
//!
//! # A request
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::digest::{Ha1, Hash, User};
//! use countersign::rand_core::UnwrapErr;
//! use countersign::server::{Arrival, Grant, NonceKey, Rejection, ReplayTable, Server};
//! use countersign::{Channel, Issuer, Target};
//!
//! fn check<'a>(
//!     server: &'a Server,
//!     replays: &mut ReplayTable,
//!     authorization: Option<&'a str>,
//!     target: &Target<'a>,
//!     arrival: &Arrival<'_>,
//! ) -> Result<Grant<'a>, Rejection> {
//!     let attempt = server.begin(authorization, target, arrival)?;
//!     let ha1 = look_up(&attempt.claimed_user(), attempt.hash());
//!     replays.admit(attempt.verify(ha1.as_ref())?)
//! }
//!
//! fn look_up(user: &User<'_>, hash: Hash) -> Option<Ha1> {
//!     (user.name() == Some("Mufasa"))
//!         .then(|| Ha1::new(hash, "Mufasa", "files", "Circle of Life"))
//! }
//!
//! let rng = &mut UnwrapErr(getrandom::SysRng);
//! let server = Server::new("files", NonceKey::generate(rng))?;
//! let mut replays = ReplayTable::with_capacity(1000);
//!
//! let arrival = Arrival::new(Channel::Encrypted, std::time::SystemTime::now().into())
//!     .not_before(replays.horizon());
//! let target = Target::new("GET", "/");
//! let rejection = check(&server, &mut replays, None, &target, &arrival).unwrap_err();
//! assert_eq!(rejection, Rejection::NoCredentials);
//! assert_eq!(rejection.status(Issuer::Origin), 401);
//! for value in server.challenges(&rejection, &arrival, rng) {
//!     assert!(value.starts_with(r#"Digest realm="files", qop="auth", algorithm="#));
//! }
//! # }
//! # Ok::<(), countersign::InvalidText>(())
//! ```
//!
//! # Order of checks
//!
//! 1. Is there one header? Is its scheme offered, and on this channel? Basic over cleartext is
//!    refused before the password is decoded.
//! 2. Can it be read? A repeated parameter, both `username` and `username*`, `qop` without `nc`
//!    and `cnonce`: status 400.
//! 3. Algorithm and qop offered? A response without qop is refused where a qop is offered, unless
//!    [`with_rfc2069`](Server::with_rfc2069) says otherwise.
//! 4. The realm, compared whole. The uri, by the [`UriCheck`].
//! 5. The nonce: recognised by its MAC under the present or the previous key, and its age. What
//!    this finds is kept back until the response has been checked.
//! 6. The caller looks the user up.
//! 7. The response, in constant time. A user that does not exist takes the same work.
//! 8. Now the nonce's fault, if it has one, is said: as `stale=true`.
//! 9. The count, in the [`ReplayTable`].
//!
//! Nothing is remembered before step 9, so no request without the secret changes any state: it
//! can use up no count, fill no table and evict nobody.
//!
//! # What is remembered
//!
//! The [`Server`] is immutable: share it. A [`Nonce`] carries its own issue time under a MAC, so
//! that minting costs no memory. All state is the [`ReplayTable`]: 64 counts for each nonce in
//! use, in a fixed number of bytes.
//!
//! Times come from the caller and may jump. A clock set forward makes nonces stale; one set back
//! makes those stale that carry a later time and were not used yet. Neither lets a count in twice,
//! because the table orders nonces by the time they carry. Nor does either, or a table that is too
//! small, keep anybody out, if nonces are made no earlier than any that was used: see
//! [`Arrival::not_before`].
//!
//! Counts are kept for each nonce and HA1, because these are what a response covers (the user's
//! name it does not: see [what a response
//! covers](crate::manual::security#what-a-response-covers)). So whoever listens, and has an account,
//! too, cannot use up another's.
//!
//! # Defaults, and why
//!
//! | default | reason | to change it |
//! |---|---|---|
//! | SHA-256, then MD5 | RFC 7616, section 3.7, wants SHA-256 first; most devices know nothing but MD5; [some clients](crate::manual::interoperability#what-to-offer-to-whom) need another order | [`with_algorithms`](Server::with_algorithms) |
//! | `qop="auth"` | few clients get `auth-int` right | [`with_qop`](Server::with_qop) |
//! | no RFC 2069, no overview form | their nonce count is missing or not covered, so they can be replayed | [`with_rfc2069`](Server::with_rfc2069), [`with_overview_form`](Server::with_overview_form) |
//! | their nonces are good for one use | as above | [`with_reusable_nonces`](Server::with_reusable_nonces) |
//! | no Basic | it shows the password to the server, and to all if the channel is cleartext | [`with_basic`](Server::with_basic), [`with_cleartext_basic`](Server::with_cleartext_basic) |
//! | nonces live five minutes | a captured header is worth nothing anyway; this bounds what a table must know | [`with_nonce_lifetime`](Server::with_nonce_lifetime) |
//! | [`next_nonce`](Server::next_nonce) gives one when half of that is over | it saves the client a refused request | [`with_next_nonce`](Server::with_next_nonce) |
//! | uri byte for byte | what may differ is not protected | [`with_uri_check`](Server::with_uri_check) |
//! | no `userhash` | it needs a store that finds users by it | [`with_userhash`](Server::with_userhash) |
//! | `charset=UTF-8` | the only value there is (RFC 7616, section 4); it asks clients for NFC, so store names and passwords in NFC | – |
//! | `opaque` only if given, never checked | clients lose it, and it proves nothing that the nonce does not | [`with_opaque`](Server::with_opaque) |
//!
//! # The `-sess` algorithms
//!
//! RFC 7616, section 3.4.2, makes the session key from the nonce and cnonce of the *first* request
//! of a session, but has no way to say which that was. This server makes it from those of the
//! request at hand, as most do. A client that keeps one cnonce for one nonce, as ours does, agrees
//! with both readings; one that changes its cnonce and keeps the key of its first request is
//! refused with [`Rejection::WrongCredentials`] from its second request on, and gets in again
//! with the next nonce. The session is bound to the nonce, and ends with it.
//!
//! The session key is `H(HA1:nonce:cnonce)`, and the response of a plain algorithm is
//! `H(HA1:nonce:nc:cnonce:qop:HA2)`: whoever has captured one has the session key for a cnonce of
//! `nc:cnonce:qop:HA2`, and could sign any request with it. The response of RFC 2069 is such a key
//! for a cnonce that is HA2. So a `-sess` cnonce that holds a colon is refused; that rule was found
//! in the formulas and is not in RFC 7616. One in the form of a hash is refused, too, unless
//! [`with_hash_like_cnonces`](Server::with_hash_like_cnonces) allows it for the clients that send
//! them.
//!
//! # Many threads, many machines
//!
//! `admit` takes `&mut self` and is short. Where one lock is too few, take several tables; a nonce
//! always belongs to the same one:
//!
//! ```
//! use std::sync::Mutex;
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use countersign::Timestamp;
//! use countersign::server::{Grant, Proof, Rejection, ReplayTable};
//!
//! struct Replays {
//!     tables: Vec<Mutex<ReplayTable>>,
//!     /// The latest of all tables, in milliseconds: beside them, so that reading takes no lock.
//!     horizon: AtomicU64,
//! }
//!
//! impl Replays {
//!     fn new(tables: Vec<ReplayTable>) -> Self {
//!         let horizon = tables.iter().map(|table| table.horizon().as_unix_millis()).max();
//!         Self {
//!             tables: tables.into_iter().map(Mutex::new).collect(),
//!             horizon: AtomicU64::new(horizon.unwrap_or(0)),
//!         }
//!     }
//!
//!     /// For `Arrival::not_before`.
//!     fn horizon(&self) -> Timestamp {
//!         Timestamp::from_unix_millis(self.horizon.load(Ordering::Relaxed))
//!     }
//!
//!     fn admit<'a>(&self, proof: Proof<'a>) -> Result<Grant<'a>, Rejection> {
//!         let shard = proof.shard(self.tables.len());
//!         let mut table = self.tables[shard].lock().unwrap();
//!         let outcome = table.admit(proof);
//!         self.horizon.fetch_max(table.horizon().as_unix_millis(), Ordering::Relaxed);
//!         outcome
//!     }
//! }
//!
//! let replays = Replays::new((0..16).map(|_| ReplayTable::with_capacity(1000)).collect());
//! # let _ = |proof| { let _ = (replays.horizon(), replays.admit(proof)); };
//! ```
//!
//! Several machines either have a key each, and a client that moves pays a round trip; or they
//! share the key and a ledger: any store that can set a key if it is absent takes the place of the
//! table. See [`Proof::ticket`] and [`Proof::settle`].
//!
//! [`Ha1`]: crate::digest::Ha1

mod arrival;
mod attempt;
mod claimed;
mod config;
mod grant;
mod nonce;
mod proof;
mod rejection;
mod replay;
mod ticket;
mod uri;
mod window;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use rand_core::CryptoRng;

pub use arrival::Arrival;
pub use attempt::Attempt;
pub use config::NextNonce;
pub use grant::Grant;
pub use nonce::{Nonce, NonceKey};
pub use proof::Proof;
pub use rejection::{Class, Rejection};
pub use replay::ReplayTable;
pub use ticket::{Claim, Ticket};
pub use uri::UriCheck;

use crate::basic;
use crate::channel::Channel;
use crate::digest::{Algorithm, Challenge, Hash, QopSet};
use crate::issuer::Issuer;
use crate::server::nonce::{Minter, NonceId};
use crate::syntax::Text;
use crate::target::Target;
use crate::time::Timestamp;

/// What a server asks for: a realm, its nonces and its algorithms.
///
/// Immutable and without secrets of users: share it. See the [module](self) for the defaults.
#[derive(Clone, Debug)]
pub struct Server {
    realm: Box<str>,
    minter: Minter,
    previous: Option<Minter>,
    nonce_lifetime_secs: u32,
    next_nonce: NextNonce,
    algorithms: Box<[Algorithm]>,
    qop: QopSet,
    rfc2069: bool,
    overview_form: bool,
    reusable_nonces: bool,
    one_time_nonces: bool,
    hash_like_cnonces: bool,
    basic: BasicOffer,
    uri_check: UriCheck,
    userhash: bool,
    opaque: Option<Box<str>>,
    domain: Option<Box<str>>,
}

/// Where Basic is offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum BasicOffer {
    Never,
    Encrypted,
    Anywhere,
}

impl Server {
    /// The realm.
    pub const fn realm(&self) -> &str {
        &self.realm
    }

    /// Checks all that can be checked without the user's secret. `credentials` is all values of
    /// `Authorization`, or for a proxy `Proxy-Authorization`: an `Option` will do where there
    /// cannot be two. Without any it is `None::<&str>`.
    ///
    /// # Errors
    ///
    /// Those that the table at [`Rejection`] marks `begin`.
    pub fn begin<'a, I, V>(
        &'a self,
        credentials: I,
        target: &Target<'a>,
        arrival: &Arrival<'_>,
    ) -> Result<Attempt<'a>, Rejection>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let mut values = credentials.into_iter();
        let value = values.next().ok_or(Rejection::NoCredentials)?;
        if values.next().is_some() {
            return Err(Rejection::SeveralCredentials);
        }
        Attempt::begin(self, value.as_ref(), target, arrival)
    }

    /// The header values for a 401 or 407, best first: send each in its own field. Give the
    /// rejection they answer, so that they say `stale` when it is so.
    ///
    /// Empty for a rejection whose [`status`](Rejection::status) asks for nothing. Also empty if
    /// nothing is offered on this channel: then answer 403, or redirect to `https`,
    /// because a 401 must have a challenge (RFC 9110, section 15.5.2).
    ///
    /// ```
    /// # use countersign::server::{Arrival, NonceKey, Rejection, Server};
    /// # use countersign::{Channel, Issuer, Timestamp, rand_core::UnwrapErr};
    /// # let rng = &mut UnwrapErr(getrandom::SysRng);
    /// let server = Server::new("files", NonceKey::generate(rng))?.with_algorithms(&[]).with_basic();
    /// let arrival = Arrival::new(Channel::Cleartext, Timestamp::from_unix_secs(1_700_000_000));
    /// let rejection = Rejection::Cleartext;
    ///
    /// let challenges = server.challenges(&rejection, &arrival, rng);
    /// let status = match rejection.status(Issuer::Origin) {
    ///     401 if challenges.len() == 0 => 403,
    ///     status => status,
    /// };
    /// assert_eq!(status, 403);
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    pub fn challenges<R>(
        &self,
        rejection: &Rejection,
        arrival: &Arrival<'_>,
        rng: &mut R,
    ) -> impl ExactSizeIterator<Item = String> + use<R>
    where
        R: CryptoRng + ?Sized,
    {
        let mut values = Vec::with_capacity(self.algorithms.len() + 1);
        if rejection.status(Issuer::Origin) != Issuer::Origin.status() {
            return values.into_iter();
        }
        let arrival = match rejection {
            // The clock was set back: a nonce of now would be taken for forgotten, too.
            Rejection::Forgotten { until } => arrival.not_before(until.plus_millis(1)),
            _ => *arrival,
        };
        let nonce = self.mint(&arrival, rng);
        for &algorithm in &self.algorithms {
            values.push(self.digest_challenge(algorithm, &nonce, rejection.is_stale()));
        }
        let basic = match self.basic {
            BasicOffer::Never => false,
            BasicOffer::Encrypted => arrival.channel == Channel::Encrypted,
            BasicOffer::Anywhere => true,
        };
        if basic {
            // The realm was checked when it was given.
            values.extend(basic::challenge(&self.realm));
        }
        values.into_iter()
    }

    fn digest_challenge(&self, algorithm: Algorithm, nonce: &Nonce, stale: bool) -> String {
        let text = |text| Text::literal(str::as_bytes(text));
        let mut challenge = Challenge::of(text(&self.realm), text(nonce.as_str()), algorithm)
            .with_qop(self.qop)
            .with_stale(stale)
            .with_utf8();
        if let Some(opaque) = &self.opaque {
            challenge = challenge.with_opaque(text(opaque));
        }
        if let Some(domain) = &self.domain {
            challenge = challenge.with_domain(text(domain));
        }
        if self.userhash {
            challenge = challenge.with_userhash();
        }
        // All of it was text when it was given.
        String::from_utf8(challenge.to_bytes()).unwrap_or_default()
    }

    /// A nonce of this server, for callers that write challenges themselves. After
    /// [`Rejection::Forgotten`] it must carry a later time than that says, as
    /// [`challenges`](Self::challenges) sees to itself.
    pub fn mint<R>(&self, arrival: &Arrival<'_>, rng: &mut R) -> Nonce
    where
        R: CryptoRng + ?Sized,
    {
        let time = arrival.issue_time();
        self.minter.mint(time, arrival.binding, rng)
    }

    /// The nonce to send with a response, if it is time for one; see [`Grant::info`].
    pub fn next_nonce<R>(
        &self,
        grant: &Grant<'_>,
        arrival: &Arrival<'_>,
        rng: &mut R,
    ) -> Option<Nonce>
    where
        R: CryptoRng + ?Sized,
    {
        let id = grant.nonce()?;
        let due = match self.next_nonce {
            NextNonce::Never => return None,
            NextNonce::WhenOld if grant.uses_up_nonce() => true,
            NextNonce::WhenOld => {
                let half = u64::from(self.nonce_lifetime_secs) * 500;
                id.issued.plus_millis(half) <= arrival.now
            }
            NextNonce::Always => true,
        };
        due.then(|| self.mint(arrival, rng))
    }

    /// The last moment a nonce is good for.
    fn expires(&self, nonce: NonceId) -> Timestamp {
        nonce.issued.plus_secs(self.nonce_lifetime_secs.into())
    }

    /// Basic is compared by HA1, and any hash will do: the best one, which a store has most
    /// likely.
    fn basic_hash(&self) -> Hash {
        self.algorithms
            .first()
            .map_or(Hash::Sha256, |algorithm| algorithm.hash())
    }
}
