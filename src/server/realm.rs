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
/// It holds no key, no state and no secret of a user. An [`Authenticator`](super::Authenticator)
/// turns it into a server. The defaults, and the reason for each, stand in the
/// [module](super#defaults).
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
    pub(super) uri_check: UriCheck,
    pub(super) userhash: bool,
    pub(super) opaque: Option<Box<str>>,
    pub(super) domain: Option<Box<str>>,
}

impl Realm {
    /// A realm that asks for Digest, with the defaults of the [module](super#defaults).
    ///
    /// The name is shown to users and is part of every HA1: change it, and all stored HA1s are void.
    /// It should name the host and the collection of users (RFC 7616, section 3.3). With a store
    /// that has HA1s of one hash function only, call [`with_algorithms`](Self::with_algorithms).
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
            next_nonce: NextNonce::WhenOld,
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

    /// The name.
    pub const fn name(&self) -> &str {
        &self.name
    }

    /// Sets another name: for settings that are read before the name is known.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the name holds a control byte other than HTAB.
    pub fn with_name(mut self, name: &str) -> Result<Self, InvalidText> {
        Text::new(name)?;
        self.name = name.into();
        Ok(self)
    }

    /// Makes it a proxy's realm: status 407, the `Proxy-` fields, and at least
    /// [`UriCheck::PathAndQuery`], because curl sends a proxy the path where the request line has
    /// the absolute URI.
    #[must_use]
    pub fn for_proxy(mut self) -> Self {
        self.challenger = Challenger::Proxy;
        self.uri_check = self.uri_check.max(UriCheck::PathAndQuery);
        self
    }

    /// Who asks: it has the status and the field names.
    pub const fn challenger(&self) -> Challenger {
        self.challenger
    }

    /// Offers these algorithms, one challenge each, in this order; without any, Digest is not
    /// offered.
    ///
    /// Offer only algorithms for whose hash function the store has an HA1 of every user: a client
    /// takes the strongest, and is refused with [`Rejection::MissingHa1`] where the store has
    /// another.
    ///
    /// Some clients do not choose, and for them the order counts. Java's `HttpURLConnection`, from
    /// JDK 19 on, takes the last Digest challenge and refuses MD5: it needs SHA-256 alone, or MD5
    /// first. POCO, lftp, Mono and Ruby's `net-http-digest_auth` give up at a first challenge with
    /// SHA-256: they need MD5 first, or alone. Others take the last challenge and know MD5 only.
    /// See [what to offer to whom](crate::manual::interoperability#what-to-offer-to-whom).
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

    /// Offers these qop values. [`QopSet::LEGACY`] offers none, which makes clients answer in the
    /// form of RFC 2069.
    #[must_use]
    pub const fn with_qop(mut self, qop: QopSet) -> Self {
        self.qop = qop;
        self
    }

    /// Sets where Basic is offered, after Digest.
    #[must_use]
    pub const fn with_basic(mut self, basic: BasicOffer) -> Self {
        self.basic = basic;
        self
    }

    /// Sets whether clients are let in that leave out a qop that was offered, as clients of RFC 2069
    /// do, GStreamer's RTSP client among them. Any client, and anyone between it and the server, can
    /// then choose the weaker form. Its nonces are good for one request, so such a client is refused
    /// once for each of its requests, unless it reads `nextnonce` or
    /// [`with_reusable_nonces`](Self::with_reusable_nonces) allows more.
    #[must_use]
    pub const fn with_rfc2069(mut self, accepted: bool) -> Self {
        self.rfc2069 = accepted;
        self
    }

    /// Sets whether the uncounted form is accepted: `response = H(HA1:nonce:HA2)` although `qop`, `nc`
    /// and `cnonce` are sent. Some descriptions of Digest teach it.
    ///
    /// It leaves `nc` and `cnonce` unprotected: whoever captures a header can give it another
    /// count. So its nonces are good for one use, unless
    /// [`with_reusable_nonces`](Self::with_reusable_nonces) allows more.
    #[must_use]
    pub const fn with_uncounted_form(mut self, accepted: bool) -> Self {
        self.uncounted_form = accepted;
        self
    }

    /// Sets whether the two forms without a protected count, RFC 2069 and the uncounted form, may use
    /// a nonce for as long as it lives. Whoever captures such a header can then send the request
    /// again until the nonce expires. It spares clients of these forms one refused request for each
    /// granted one. Use it where requests do no harm when they are repeated, and with a short
    /// [`with_nonce_lifetime`](Self::with_nonce_lifetime).
    #[must_use]
    pub const fn with_reusable_nonces(mut self, allowed: bool) -> Self {
        self.reusable_nonces = allowed;
        self
    }

    /// Sets whether every nonce is good for one request only. The next one is then sent with each
    /// response, unless [`NextNonce::Never`] forbids that.
    ///
    /// To do so for some methods alone, such as `POST` and `PUT` (RFC 7616, section 3.3), give those
    /// requests a realm with this setting: see
    /// [`Authenticator::begin_as`](super::Authenticator::begin_as).
    #[must_use]
    pub const fn with_one_time_nonces(mut self, one_time: bool) -> Self {
        self.one_time_nonces = one_time;
        self
    }

    /// Sets whether the `-sess` algorithms accept a cnonce in the form of a hash: as many hexadecimal
    /// digits as the hash function gives. Qt, npm `request`, Commons HttpClient 3 and
    /// the Rust crates `digest_auth` and `http-auth` send such cnonces for `MD5-sess`, and are
    /// refused with [`Rejection::SessionCnonce`] otherwise.
    ///
    /// The risk: a response in the form of RFC 2069, `H(HA1:nonce:HA2)`, is also the session key for
    /// a cnonce that is HA2. Whoever can make a user's client answer a nonce of this server without
    /// a qop, and sees the answer, can then sign requests of their own for as long as the nonce
    /// lives. Clients that answer a challenge whose qop was taken out are common, so leave this off
    /// where others can change what the server sends; TLS prevents that. It has no effect where
    /// this realm accepts such a form itself: RFC 2069 or the uncounted form.
    #[must_use]
    pub const fn with_hash_like_cnonces(mut self, accepted: bool) -> Self {
        self.hash_like_cnonces = accepted;
        self
    }

    /// Sets when a response carries the nonce to use next.
    #[must_use]
    pub const fn with_next_nonce(mut self, next_nonce: NextNonce) -> Self {
        self.next_nonce = next_nonce;
        self
    }

    /// Sets for how many seconds a nonce is good. 0 means only the millisecond of issue.
    #[must_use]
    pub const fn with_nonce_lifetime(mut self, secs: u32) -> Self {
        self.nonce_lifetime_secs = secs;
        self
    }

    /// Sets how the `uri` parameter must match the request.
    #[must_use]
    pub const fn with_uri_check(mut self, uri_check: UriCheck) -> Self {
        self.uri_check = uri_check;
        self
    }

    /// Sets whether clients are asked to hash user names. The store must then find users by
    /// [`User::Hash`](crate::digest::User::Hash), too: curl hashes as soon as it is asked. Without
    /// this a hashed name is refused with [`Rejection::UserhashNotOffered`]. With it a client may
    /// still send the name itself, as most do; to insist on hashes, treat
    /// [`User::Name`](crate::digest::User::Name) as unknown.
    #[must_use]
    pub const fn with_userhash(mut self, asked: bool) -> Self {
        self.userhash = asked;
        self
    }

    /// Sends this for the client to return unchanged. It is not checked: clients lose it. RFC 7616,
    /// section 3.3, recommends base64 or hexadecimal digits.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if it holds a control byte other than HTAB.
    pub fn with_opaque(mut self, opaque: &str) -> Result<Self, InvalidText> {
        Text::new(opaque)?;
        self.opaque = Some(opaque.into());
        Ok(self)
    }

    /// Names the URIs the credentials are good for: absolute paths or absolute URIs, separated by
    /// spaces (RFC 7616, section 3.3). They are not checked.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if it holds a control byte other than HTAB.
    pub fn with_domain(mut self, domain: &str) -> Result<Self, InvalidText> {
        Text::new(domain)?;
        self.domain = Some(domain.into());
        Ok(self)
    }

    /// Checks that a client may answer in this way.
    pub(super) fn check_offered(
        &self,
        algorithm: Algorithm,
        qop: Option<Qop>,
    ) -> Result<(), Rejection> {
        if !self.algorithms.contains(&algorithm) {
            return Err(Rejection::AlgorithmNotOffered);
        }
        let offered = match qop {
            Some(qop) => self.qop.contains(qop),
            None => self.rfc2069 || self.qop.is_legacy(),
        };
        offered.then_some(()).ok_or(Rejection::QopNotOffered)
    }

    /// A form without a count could make a session key for such a cnonce.
    pub(super) const fn accepts_hash_like_cnonces(&self) -> bool {
        let counted_only = !self.rfc2069 && !self.uncounted_form && !self.qop.is_legacy();
        self.hash_like_cnonces && counted_only
    }

    /// The last moment a nonce is good for.
    pub(super) fn expires(&self, nonce: NonceId) -> Timestamp {
        nonce.issued.plus_secs(self.nonce_lifetime_secs.into())
    }

    /// Whether a nonce has reached half of its lifetime.
    pub(super) fn is_old(&self, nonce: NonceId, now: Timestamp) -> bool {
        let half = u64::from(self.nonce_lifetime_secs) * 500;
        nonce.issued.plus_millis(half) <= now
    }

    /// The hash function that Basic is checked by. Any will do; a store most likely has an HA1 of
    /// the first one offered.
    pub(super) fn basic_hash(&self) -> HashFunction {
        self.algorithms
            .first()
            .map_or(HashFunction::Sha256, |algorithm| algorithm.hash_function())
    }
}
