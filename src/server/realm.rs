//! The configuration of a protection space.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::challenger::Challenger;
use crate::digest::{Algorithm, HashFunction, Qop, QopSet};
use crate::error::InvalidText;
use crate::server::nonce::NonceId;
use crate::server::rejection::Rejection;
use crate::server::settings::{BasicOffer, NextNonce};
use crate::server::uri::UriCheck;
use crate::syntax::Text;
use crate::time::Timestamp;

/// The configuration of one protection space: what a server offers and accepts.
///
/// It holds no key, no state and no user secret. Pass it to an
/// [`Authenticator`](super::Authenticator). The [module](super#defaults) gives the reasons for most
/// defaults.
///
/// ```
/// use countersign::digest::Algorithm;
/// use countersign::server::{BasicOffer, Realm, UriCheck};
///
/// let realm = Realm::new("files@example.org")?
///     .with_algorithms(&[Algorithm::SHA_256])
///     .with_basic(BasicOffer::Encrypted)
///     .with_uri_check(UriCheck::PathAndQuery)
///     .with_nonce_lifetime(600);
/// assert_eq!(realm.name(), "files@example.org");
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Debug)]
pub struct Realm {
    pub(super) name: Box<str>,
    pub(super) challenger: Challenger,
    pub(super) nonce_lifetime_secs: u32,
    pub(super) next_nonce: NextNonce,
    pub(super) algorithms: Box<[Algorithm]>,
    pub(super) qop: QopSet,
    pub(super) rfc2069: bool,
    pub(super) uncounted_form: bool,
    pub(super) reusable_nonces: bool,
    pub(super) one_time_nonces: bool,
    pub(super) hash_like_cnonces: bool,
    pub(super) basic: BasicOffer,
    uri_check: UriCheck,
    pub(super) userhash: bool,
    pub(super) opaque: Option<Box<str>>,
    pub(super) domain: Option<Box<str>>,
}

impl Realm {
    /// A realm that offers Digest, with the [defaults](super#defaults).
    ///
    /// Clients may show the name to users, and it is part of every HA1, so changing it invalidates
    /// all stored HA1s. It should name the host and the collection of users (RFC 7616, section
    /// 3.3). If your store has HA1s of one hash function only, call
    /// [`with_algorithms`](Self::with_algorithms).
    ///
    /// One origin may have [several realms](crate::manual::server#several-realms). Give each a
    /// different name, and set [`with_domain`](Self::with_domain) to the paths that belong to the
    /// realm.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the name holds a control byte other than HTAB.
    pub fn new(name: &str) -> Result<Self, InvalidText> {
        Text::new(name)?;
        Ok(Self {
            name: name.into(),
            challenger: Challenger::Origin,
            nonce_lifetime_secs: 300,
            next_nonce: NextNonce::WhenDue,
            algorithms: Box::new([
                Algorithm::SHA_256,
                #[cfg(feature = "md5")]
                Algorithm::MD5,
            ]),
            qop: QopSet::AUTH,
            rfc2069: false,
            uncounted_form: false,
            reusable_nonces: false,
            one_time_nonces: false,
            hash_like_cnonces: false,
            basic: BasicOffer::Never,
            uri_check: UriCheck::Exact,
            userhash: false,
            opaque: None,
            domain: None,
        })
    }

    /// The realm name.
    pub const fn name(&self) -> &str {
        &self.name
    }

    /// Sets the realm name, for several realms that share their other settings.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the name holds a control byte other than HTAB.
    ///
    /// ```
    /// use countersign::server::{BasicOffer, Realm};
    ///
    /// let files = Realm::new("files")?.with_basic(BasicOffer::Encrypted).with_nonce_lifetime(60);
    /// let issues = files.clone().with_name("issues")?;
    /// assert_eq!(issues.name(), "issues");
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    pub fn with_name(mut self, name: &str) -> Result<Self, InvalidText> {
        Text::new(name)?;
        self.name = name.into();
        Ok(self)
    }

    /// Makes this the realm of a proxy: status 407 instead of 401, the `Proxy-` fields, and a [uri
    /// check](Self::with_uri_check) no stricter than [`UriCheck::PathAndQuery`], because curl gives
    /// a proxy the path in `uri` where the request line has the absolute URI. The response of such
    /// a client does not cover the host. So without TLS to the proxy, anybody on the way can hold
    /// such a request back, and send it on to another host. To rule that out, refuse requests whose
    /// [`uri_match`](super::Grant::uri_match) is not [`UriCheck::Exact`].
    ///
    /// ```
    /// use countersign::server::Realm;
    ///
    /// let realm = Realm::new("proxy.example.org")?.for_proxy();
    /// assert_eq!(realm.challenger().status(), 407);
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    #[must_use]
    pub fn for_proxy(mut self) -> Self {
        self.challenger = Challenger::Proxy;
        self
    }

    /// The challenger, which gives the status and the field names.
    pub const fn challenger(&self) -> Challenger {
        self.challenger
    }

    /// Sets the algorithms to offer and to accept, one challenge each, in this order. Duplicates
    /// are dropped. With an empty list, Digest is not offered.
    ///
    /// Offer an algorithm only if the store has the password of every user, or an HA1 of its hash
    /// function. Otherwise a client that chooses it may be refused with [`Rejection::MissingHa1`].
    ///
    /// Some clients use the first challenge or the last one only, and no choice works for all: see
    /// [what to offer to whom](crate::manual::odd_peers#what-to-offer-to-whom).
    #[must_use]
    pub fn with_algorithms(mut self, algorithms: &[Algorithm]) -> Self {
        let mut offered = Vec::with_capacity(algorithms.len());
        for algorithm in algorithms {
            if !offered.contains(algorithm) {
                offered.push(*algorithm);
            }
        }
        self.algorithms = offered.into();
        self
    }

    /// Sets the qop values to offer. [`QopSet::NONE`] offers none, so clients respond in the form
    /// of RFC 2069. It has no cnonce, so the `-sess` algorithms then admit nobody.
    ///
    /// With [`QopSet::AUTH_INT`] alone most clients cannot log in, and curl only without a body:
    /// see [bodies](crate::manual::server#bodies). With [`QopSet::BOTH`], an attacker who alters
    /// challenges chooses between the two.
    #[must_use]
    pub const fn with_qop(mut self, qop: QopSet) -> Self {
        self.qop = qop;
        self
    }

    /// Sets on which channels Basic is offered, after Digest, and accepted.
    #[must_use]
    pub const fn with_basic(mut self, basic: BasicOffer) -> Self {
        self.basic = basic;
        self
    }

    /// Sets whether responses without a qop are accepted although one is offered, except for the
    /// `-sess` algorithms, which need a cnonce. Clients of RFC 2069 send them, such as GStreamer
    /// 1.22 for RTSP.
    ///
    /// Any client, and any attacker between it and the server, can then choose the weaker form. A
    /// nonce used in this form is valid for one request, so such a client is refused once per
    /// request, unless it [gets](Self::with_next_nonce) and reads `nextnonce`, or
    /// [`with_reusable_nonces`](Self::with_reusable_nonces) is set.
    #[must_use]
    pub const fn with_rfc2069(mut self, accepted: bool) -> Self {
        self.rfc2069 = accepted;
        self
    }

    /// Sets whether the uncounted form is accepted: `response = H(HA1:nonce:HA2)` although
    /// `qop=auth`, `nc` and `cnonce` are sent. Some descriptions of Digest teach it.
    ///
    /// This form leaves `nc` unprotected, so an attacker can change the count of a captured header.
    /// A nonce used in this form is therefore valid for one request, unless
    /// [`with_reusable_nonces`](Self::with_reusable_nonces) is set.
    #[must_use]
    pub const fn with_uncounted_form(mut self, accepted: bool) -> Self {
        self.uncounted_form = accepted;
        self
    }

    /// Sets whether the two forms without a protected count, RFC 2069 and the uncounted form, may
    /// reuse a nonce for its whole lifetime. This saves clients that do not read `nextnonce` one
    /// refused request for each granted one. It has no effect with [one-time
    /// nonces](Self::with_one_time_nonces), or on a nonce whose issue time is in the future because
    /// the clock was set back.
    ///
    /// An attacker who captures such a header can then repeat the request until the nonce expires.
    /// Use it only where repeated requests do no harm, and with a short
    /// [`with_nonce_lifetime`](Self::with_nonce_lifetime).
    ///
    /// ```
    /// use countersign::server::Realm;
    ///
    /// let realm = Realm::new("camera")?
    ///     .with_rfc2069(true)
    ///     .with_reusable_nonces(true)
    ///     .with_nonce_lifetime(30);
    /// # let _ = realm;
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    #[must_use]
    pub const fn with_reusable_nonces(mut self, allowed: bool) -> Self {
        self.reusable_nonces = allowed;
        self
    }

    /// Sets whether every nonce is valid for one request only. The response to each admitted Digest
    /// request then carries the next nonce, unless [`with_next_nonce`](Self::with_next_nonce) is
    /// [`NextNonce::Never`].
    ///
    /// To apply this to some methods only, such as `POST` and `PUT` (RFC 7616, section 3.3), use a
    /// realm with this setting for those requests: see
    /// [`Authenticator::begin_as`](super::Authenticator::begin_as).
    #[must_use]
    pub const fn with_one_time_nonces(mut self, one_time: bool) -> Self {
        self.one_time_nonces = one_time;
        self
    }

    /// Sets whether the `-sess` algorithms accept a cnonce in the form of a hash, that is, exactly
    /// as many hexadecimal digits as an output of the hash function has. Qt, npm `request`, Commons
    /// HttpClient 3 and the Rust crates `digest_auth` and `http-auth` send such cnonces for
    /// `MD5-sess`, and are refused with [`Rejection::SessionCnonce`] otherwise.
    ///
    /// The risk: a response in the form of RFC 2069, `H(HA1:nonce:HA2)`, is also the session key
    /// for a cnonce equal to HA2. An attacker who sees a user's client answer a nonce of this
    /// server without a qop can then sign arbitrary requests for the lifetime of the nonce. Many
    /// clients do that if an attacker removes the qop from the challenge, and some ignore an
    /// offered qop by themselves: this server refuses their answer, but it was on the wire. So
    /// leave this off where others can read the channel; TLS prevents that. The setting has no
    /// effect if this realm accepts RFC 2069 or the uncounted form. For another realm of the same
    /// name that does, leave it off, too.
    ///
    /// ```
    /// use countersign::digest::Algorithm;
    /// use countersign::server::Realm;
    ///
    /// let realm = Realm::new("files")?
    ///     .with_algorithms(&[Algorithm::SHA_256_SESS])
    ///     .with_hash_like_cnonces(true);
    /// # let _ = realm;
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    #[must_use]
    pub const fn with_hash_like_cnonces(mut self, accepted: bool) -> Self {
        self.hash_like_cnonces = accepted;
        self
    }

    /// Sets when the response to an admitted request carries the next nonce (`nextnonce`).
    #[must_use]
    pub const fn with_next_nonce(mut self, next_nonce: NextNonce) -> Self {
        self.next_nonce = next_nonce;
        self
    }

    /// Sets the lifetime of nonces in seconds. With 0, a nonce expires with the millisecond in
    /// which it was issued.
    ///
    /// An attacker can hold a request back for this long (and, if its body is read after
    /// [`begin`](super::Authenticator::begin), for the time of the
    /// [body](super::Attempt::required_body_hash_function)) and then deliver it, even with
    /// [one-time nonces](Self::with_one_time_nonces): a forged `stale=true` makes the client
    /// repeat the request with another nonce, and the first one stays unused.
    ///
    /// If the clock is set back after nonces were used, new ones are issued with the latest time of
    /// a used one, and live longer by as much as the clock was set back, until you make a new
    /// [`Authenticator`](super::Authenticator) with a new key.
    ///
    /// So a device without a wall clock, or with one that is set some time after the start, passes
    /// its uptime as the time (not one that wraps, as 32 bits of milliseconds do after 50 days, nor
    /// one that stops in sleep), never a count of requests, draws a new key at each start, and sets
    /// a lifetime of some seconds here. If such a device has clients of your own on a cleartext
    /// channel, also set one-time nonces, and offer only `auth-int` ([`with_qop`](Self::with_qop)),
    /// which covers the body. Browsers cannot log in then: for them use TLS and the defaults, with
    /// a lifetime of a minute.
    #[must_use]
    pub const fn with_nonce_lifetime(mut self, secs: u32) -> Self {
        self.nonce_lifetime_secs = secs;
        self
    }

    /// Sets how exactly the `uri` parameter must match the request-target. A
    /// [proxy's](Self::for_proxy) check is never stricter than [`UriCheck::PathAndQuery`].
    #[must_use]
    pub const fn with_uri_check(mut self, uri_check: UriCheck) -> Self {
        self.uri_check = uri_check;
        self
    }

    /// Sets whether the challenge says `userhash=true`, so that clients may hash user names (RFC
    /// 7616, section 3.4.4). The store must then also find users by
    /// [`User::Hash`](crate::digest::User::Hash), because some clients, such as curl, hash whenever
    /// they may. Most clients still send the name itself; to insist on hashes, treat every user
    /// that is not a `User::Hash` as unknown.
    ///
    /// Without this setting a hashed name is refused with [`Rejection::UserhashNotOffered`].
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use countersign::digest::{Algorithm, Ha1, HashFunction, User, userhash};
    /// use countersign::server::{Attempt, Realm};
    ///
    /// let realm = Realm::new("files")?.with_algorithms(&[Algorithm::SHA_256]).with_userhash(true);
    ///
    /// // One entry for the name, and one for the userhash of each hash function offered.
    /// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
    /// let hash = userhash(HashFunction::Sha256, "Mufasa", "files");
    /// let users = HashMap::from([
    ///     (User::Name("Mufasa".into()), ha1.clone()),
    ///     (User::Hash(hash), ha1),
    /// ]);
    /// let find = |attempt: &Attempt<'_>| users.get(&attempt.claimed_user().into_owned()).cloned();
    /// # let _ = (realm, find);
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    #[must_use]
    pub const fn with_userhash(mut self, offered: bool) -> Self {
        self.userhash = offered;
        self
    }

    /// Sets the `opaque` parameter of Digest challenges, which clients are to return unchanged. It
    /// is not checked, because some clients lose it. RFC 7616, section 3.3, recommends base64 or
    /// hexadecimal digits.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if it holds a control byte other than HTAB.
    ///
    /// ```
    /// use countersign::server::Realm;
    ///
    /// let realm = Realm::new("files")?.with_opaque("5ccc069c403ebaf9f0171e9517f40e41")?;
    /// # let _ = realm;
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    pub fn with_opaque(mut self, opaque: &str) -> Result<Self, InvalidText> {
        Text::new(opaque)?;
        self.opaque = Some(opaque.into());
        Ok(self)
    }

    /// Sets the `domain` parameter of Digest challenges, the URIs that the credentials are valid
    /// for: absolute paths or absolute URIs, separated by spaces (RFC 7616, section 3.3). Each
    /// covers the paths at or below it: `/issues` covers `/issues/7`, and `/admin/` does not cover
    /// `/admin`. Their syntax is not checked. The parameter has no meaning at a proxy.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if it holds a control byte other than HTAB.
    pub fn with_domain(mut self, domain: &str) -> Result<Self, InvalidText> {
        Text::new(domain)?;
        self.domain = Some(domain.into());
        Ok(self)
    }

    pub(super) fn check_algorithm_and_qop(
        &self,
        algorithm: Algorithm,
        qop: Option<Qop>,
    ) -> Result<(), Rejection> {
        if !self.algorithms.contains(&algorithm) {
            return Err(Rejection::AlgorithmNotOffered);
        }
        let offered = match qop {
            Some(qop) => self.qop.contains(qop),
            None => self.rfc2069 || self.qop.is_empty(),
        };
        offered.then_some(()).ok_or(Rejection::QopNotOffered)
    }

    /// The check to apply, which for a proxy is no stricter than [`UriCheck::PathAndQuery`].
    pub(super) fn uri_check(&self) -> UriCheck {
        match self.challenger {
            Challenger::Origin => self.uri_check,
            Challenger::Proxy => self.uri_check.max(UriCheck::PathAndQuery),
        }
    }

    /// Returns whether [`with_hash_like_cnonces`](Self::with_hash_like_cnonces) is set and has an
    /// effect: a response without a protected count could be the session key for such a cnonce.
    pub(super) const fn accepts_hash_like_cnonces(&self) -> bool {
        let counted_only = !self.rfc2069 && !self.uncounted_form && !self.qop.is_empty();
        self.hash_like_cnonces && counted_only
    }

    /// The last time at which the nonce is valid.
    pub(super) fn expires(&self, nonce: NonceId) -> Timestamp {
        nonce.issued.plus_secs(self.nonce_lifetime_secs.into())
    }

    /// Returns whether a nonce may be used again in a form without a protected count.
    ///
    /// A nonce from the future is not reusable even if the realm allows it: after the clock was set
    /// back, it would be valid for longer than its lifetime.
    pub(super) fn is_reusable(&self, nonce: NonceId, now: Timestamp) -> bool {
        self.reusable_nonces && nonce.issued <= now
    }

    /// Returns whether a nonce has reached half of its lifetime.
    pub(super) fn is_old(&self, nonce: NonceId, now: Timestamp) -> bool {
        let half = u64::from(self.nonce_lifetime_secs) * 500;
        nonce.issued.plus_millis(half) <= now
    }

    /// The hash function for Basic passwords: a store most likely has HA1s for the first algorithm.
    pub(super) fn basic_hash(&self) -> HashFunction {
        self.algorithms
            .first()
            .map_or(HashFunction::Sha256, |algorithm| algorithm.hash_function())
    }
}
