//! The configuration of a protection space.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::challenger::Challenger;
use crate::channel::Channel;
use crate::digest::{Algorithm, Ha1, HashFunction, HashInput, Qop, QopSet};
use crate::error::InvalidText;
use crate::server::reason::Reason;
use crate::server::sync::Arc;
use crate::server::uri_check::UriCheck;
use crate::syntax::Text;

/// The configuration of one protection space: what a server offers and accepts. It holds no key, no
/// state and no secret, and is cheap to clone: see [its defaults](crate::manual::server#defaults).
#[derive(Clone, Debug)]
pub struct Realm(pub(super) Arc<Settings>);

#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) name: Box<str>,
    pub(super) challenger: Challenger,
    pub(super) nonce_lifetime_secs: u32,
    algorithms: Box<[Algorithm]>,
    pub(super) qop: QopSet,
    rfc2069: bool,
    pub(super) uncounted_form: bool,
    pub(super) replayable_nonces: bool,
    pub(super) one_time_nonces: bool,
    hash_like_cnonces: bool,
    pub(super) basic: BasicOffer,
    pub(super) uri_check: UriCheck,
    pub(super) userhash: bool,
    pub(super) charset: bool,
    pub(super) opaque: Option<Box<str>>,
    pub(super) domain: Option<Box<str>>,
}

impl Realm {
    /// A realm that offers Digest. Its name should tell the host and the collection of users (RFC
    /// 7616, section 3.3). It is part of every HA1, so changing it invalidates all that are stored.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the name holds a control byte other than HTAB.
    pub fn new(name: &str) -> Result<Self, InvalidText> {
        Text::new(name)?;
        Ok(Self(Arc::new(Settings {
            name: name.into(),
            challenger: Challenger::Origin,
            nonce_lifetime_secs: 300,
            algorithms: Box::new([
                Algorithm::SHA_256,
                #[cfg(feature = "md5")]
                Algorithm::MD5,
            ]),
            qop: QopSet::AUTH,
            rfc2069: false,
            uncounted_form: false,
            replayable_nonces: false,
            one_time_nonces: false,
            hash_like_cnonces: false,
            basic: BasicOffer::Never,
            uri_check: UriCheck::Exact,
            userhash: false,
            charset: true,
            opaque: None,
            domain: None,
        })))
    }

    fn with(mut self, set: &dyn Fn(&mut Settings)) -> Self {
        set(Arc::make_mut(&mut self.0));
        self
    }

    /// The realm name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The HA1 of a user of this realm, for storing: see [`Ha1::new`].
    pub fn ha1<U, P>(&self, hash: HashFunction, username: U, password: P) -> Ha1
    where
        U: HashInput,
        P: HashInput,
    {
        Ha1::new(hash, username, self.name(), password)
    }

    /// Sets the realm name, for several realms that share their other settings.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn with_name(self, name: &str) -> Result<Self, InvalidText> {
        Text::new(name)?;
        Ok(self.with(&|it| it.name = name.into()))
    }

    /// Makes this the realm of a proxy: status 407, the `Proxy-` fields, and
    /// [`UriCheck::PathAndQuery`] at least, because curl signs the path alone. To have the host
    /// covered, set [`UriCheck::Exact`](Self::with_uri_check) after this.
    #[must_use]
    pub fn for_proxy(self) -> Self {
        self.with(&|it| {
            it.challenger = Challenger::Proxy;
            it.uri_check = it.uri_check.max(UriCheck::PathAndQuery);
        })
    }

    /// The challenger, which gives the status and the field names.
    pub fn challenger(&self) -> Challenger {
        self.0.challenger
    }

    /// Sets the algorithms to offer and to accept, one challenge each, in this order, which
    /// [matters to some clients](crate::manual::odd_peers#what-to-offer-to-whom). Duplicates are
    /// dropped. With none, Digest is not offered. Each needs an HA1 or the password of every user.
    #[must_use]
    pub fn with_algorithms(self, algorithms: &[Algorithm]) -> Self {
        let mut offered = Vec::with_capacity(algorithms.len());
        for algorithm in algorithms {
            if !offered.contains(algorithm) {
                offered.push(*algorithm);
            }
        }
        self.with(&|it| it.algorithms = (*offered).into())
    }

    /// Sets the qop values to offer.
    ///
    /// - [`QopSet::AUTH_INT`] protects the body, and [excludes
    ///   MD5](crate::manual::security#what-a-response-covers). Most clients cannot log in then.
    /// - With [`QopSet::BOTH`], an attacker who alters challenges chooses between the two.
    /// - [`QopSet::NONE`] asks for the form of RFC 2069, which admits no `-sess` algorithm.
    #[must_use]
    pub fn with_qop(self, qop: QopSet) -> Self {
        self.with(&|it| it.qop = qop)
    }

    /// Offers Basic, too, after Digest, and accepts it, on [encrypted](crate::Channel::Encrypted)
    /// channels.
    #[must_use]
    pub fn with_basic(self) -> Self {
        self.with(&|it| it.basic = BasicOffer::Encrypted)
    }

    /// Like [`with_basic`](Self::with_basic), also on cleartext channels, where others can read the
    /// password.
    #[must_use]
    pub fn with_cleartext_basic(self) -> Self {
        self.with(&|it| it.basic = BasicOffer::Anywhere)
    }

    /// Accepts what some peers send although it is not offered. A second call adds to the first.
    #[must_use]
    pub fn with_quirks(self, quirks: &[Quirk]) -> Self {
        self.with(&|it| {
            for quirk in quirks {
                match quirk {
                    Quirk::Rfc2069 => it.rfc2069 = true,
                    Quirk::UncountedForm => it.uncounted_form = true,
                    Quirk::ReplayableNonces => it.replayable_nonces = true,
                    Quirk::HashLikeCnonces => it.hash_like_cnonces = true,
                }
            }
        })
    }

    /// Sets whether every nonce is valid for one request only. For some methods only, such as
    /// `POST` and `PUT` (RFC 7616, section 3.3), pass a realm with this setting to
    /// [`Authenticator::begin_as`](super::Authenticator::begin_as). Parallel requests of one client
    /// use up each other's nonces.
    #[must_use]
    pub fn with_one_time_nonces(self, one_time: bool) -> Self {
        self.with(&|it| it.one_time_nonces = one_time)
    }

    /// Sets the lifetime of nonces in seconds, for which an attacker can hold a request back. With
    /// 0, a nonce expires with the millisecond in which it was issued. A device without a wall
    /// clock passes its uptime, draws a new key at each start, and sets some seconds.
    #[must_use]
    pub fn with_nonce_lifetime(self, secs: u32) -> Self {
        self.with(&|it| it.nonce_lifetime_secs = secs)
    }

    /// Sets how exactly the `uri` parameter must match the request-target.
    #[must_use]
    pub fn with_uri_check(self, uri_check: UriCheck) -> Self {
        self.with(&|it| it.uri_check = uri_check)
    }

    /// Sets whether clients may hash user names (`userhash=true`; RFC 7616, section 3.4.4). The
    /// store must then [find users by their hash](crate::manual::server#what-to-store), too.
    #[must_use]
    pub fn with_userhash(self, offered: bool) -> Self {
        self.with(&|it| it.userhash = offered)
    }

    /// Sets whether challenges have `charset=UTF-8`, which some devices cannot read. Names and
    /// passwords are read as UTF-8 all the same.
    #[must_use]
    pub fn with_charset(self, sent: bool) -> Self {
        self.with(&|it| it.charset = sent)
    }

    /// Sets the `opaque` parameter of Digest challenges, in base64 or hexadecimal digits (RFC 7616,
    /// section 3.3). What clients return is not checked, because some lose it.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if it holds a control byte other than HTAB.
    pub fn with_opaque(self, opaque: &str) -> Result<Self, InvalidText> {
        Text::new(opaque)?;
        Ok(self.with(&|it| it.opaque = Some(opaque.into())))
    }

    /// Sets the `domain` parameter of Digest challenges, the URIs that the credentials are valid
    /// for: absolute paths or absolute URIs, separated by spaces (RFC 7616, section 3.3). Each
    /// covers the paths at or below it.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if it holds a control byte other than HTAB;
    /// [`InvalidText::NotUri`] for anything else, such as `reports`, which clients ignore.
    pub fn with_domain(self, domain: &str) -> Result<Self, InvalidText> {
        Text::new(domain)?;
        let has_scheme = |uri: &str| uri.as_bytes().windows(3).any(|part| part == b"://");
        let is_uri = |uri: &str| uri.starts_with('/') || has_scheme(uri);
        if !domain.split_ascii_whitespace().all(is_uri) {
            return Err(InvalidText::NotUri);
        }
        Ok(self.with(&|it| it.domain = Some(domain.into())))
    }
}

impl Settings {
    /// The algorithms in the order of their challenges.
    pub(super) fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        let all = self.algorithms.iter().copied();
        all.filter(|algorithm| self.offers(*algorithm))
    }

    fn offers(&self, algorithm: Algorithm) -> bool {
        self.qop != QopSet::AUTH_INT || !is_md5(algorithm)
    }

    pub(super) fn check_algorithm_and_qop(
        &self,
        algorithm: Algorithm,
        qop: Option<Qop>,
    ) -> Result<(), Reason> {
        if !self.algorithms.contains(&algorithm) {
            return Err(Reason::AlgorithmNotOffered);
        }
        let is_offered = match qop {
            Some(qop) => self.qop.contains(qop),
            None => self.rfc2069 || self.qop.is_empty(),
        };
        match is_offered {
            true if self.offers(algorithm) => Ok(()),
            true => Err(Reason::AlgorithmNotOffered),
            false => Err(Reason::QopNotOffered),
        }
    }

    /// Returns whether [`Quirk::HashLikeCnonces`] is set and every response has a protected count:
    /// one without could be the session key for such a cnonce.
    pub(super) const fn accepts_hash_like_cnonces(&self) -> bool {
        let counted_only = !self.rfc2069 && !self.uncounted_form && !self.qop.is_empty();
        self.hash_like_cnonces && counted_only
    }

    /// The hash function for Basic passwords: a store most likely has HA1s for the first algorithm.
    pub(super) fn basic_hash(&self) -> HashFunction {
        self.algorithms()
            .next()
            .map_or(HashFunction::Sha256, Algorithm::hash_function)
    }
}

/// MD5 alone has 32 digits.
const fn is_md5(algorithm: Algorithm) -> bool {
    algorithm.hash_function().hex_len() == 32
}

/// What some peers send although it is not offered: see [who needs
/// each](crate::manual::odd_peers#settings-of-a-server). By default none is accepted: each weakens
/// the protection of all clients, because an attacker can choose it, too.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Quirk {
    /// Responses without a qop although one is offered (RFC 2069). Not for the `-sess` algorithms.
    /// A nonce used in this form is valid for one request, so such a client is refused once per
    /// request, unless it reads `nextnonce`, or [`ReplayableNonces`](Self::ReplayableNonces) is set.
    Rfc2069,
    /// The uncounted form: `response = H(HA1:nonce:HA2)` although `qop=auth`, `nc` and `cnonce` are
    /// sent. It leaves `nc` unprotected, so a nonce used in it is valid for one request, too.
    UncountedForm,
    /// The two forms above may reuse a nonce for its whole lifetime, unless it is for [one
    /// request](Realm::with_one_time_nonces). An attacker who captures such a header can repeat the
    /// request as long: only where that does no harm, and with a short lifetime.
    ReplayableNonces,
    /// A cnonce in the form of a hash with the [`-sess`
    /// algorithms](crate::manual::server#the--sess-algorithms). Set it only over TLS: an attacker
    /// who sees a client answer a nonce of this server without a qop, which many do if the qop is
    /// removed from the challenge, can sign arbitrary requests for the lifetime of the nonce. It has
    /// no effect together with one of the first two, and must not be set where another realm of the
    /// same name accepts these.
    HashLikeCnonces,
}

/// On which channels Basic is offered and accepted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum BasicOffer {
    Never,
    Encrypted,
    Anywhere,
}

impl BasicOffer {
    pub(super) fn is_on(self, channel: Channel) -> bool {
        self == Self::Anywhere || self == Self::Encrypted && channel == Channel::Encrypted
    }
}
