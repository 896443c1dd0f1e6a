//! What a server offers and lets pass.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::digest::{Algorithm, QopSet};
use crate::error::InvalidText;
use crate::server::nonce::{Minter, NonceKey};
use crate::server::uri::UriCheck;
use crate::server::{BasicOffer, Server};
use crate::syntax::Text;

/// When a server gives a client the nonce it is to use next (RFC 7616, section 3.5).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum NextNonce {
    /// Never: the client learns from a refusal that its nonce is too old.
    Never,
    /// When half of the nonce's lifetime is over, or when it is good for no other request.
    #[default]
    WhenOld,
    /// With every response. A client must then wait for each before it sends the next request.
    Always,
}

impl Server {
    /// Asks for Digest, with the defaults of the [module](super).
    ///
    /// The realm is shown to users and is part of every HA1: change it, and all stored HA1s are
    /// void. It should name the host and the collection of users (RFC 7616, section 3.3). With a
    /// store that has HA1s of one hash only, say so by [`with_algorithms`](Self::with_algorithms).
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the realm holds a control byte other than HTAB.
    pub fn new(realm: &str, key: NonceKey) -> Result<Self, InvalidText> {
        Text::new(realm)?;
        Ok(Self {
            realm: realm.into(),
            minter: Minter::new(&key, realm),
            previous: None,
            nonce_lifetime_secs: 300,
            next_nonce: NextNonce::WhenOld,
            algorithms: Box::new([
                Algorithm::SHA_256,
                #[cfg(feature = "md5")]
                Algorithm::MD5,
            ]),
            qop: QopSet::AUTH,
            rfc2069: false,
            overview_form: false,
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

    /// Offers these algorithms, best first, one challenge each; without any, Digest is not offered.
    ///
    /// Offer only algorithms of whose hash the store has an HA1 for every user: a client takes the
    /// strongest, and is refused where the store has only another.
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

    /// Also lets clients in that leave out a qop that was offered, as clients of RFC 2069 do,
    /// GStreamer's RTSP client among them. Any client, and anyone between it and us, can then choose
    /// the weaker form. Its nonces are good for one request, so such a client is refused once
    /// for each of its requests, unless it reads `nextnonce` or
    /// [`with_reusable_nonces`](Self::with_reusable_nonces) says otherwise.
    #[must_use]
    pub const fn with_rfc2069(mut self) -> Self {
        self.rfc2069 = true;
        self
    }

    /// Also takes the overview form: `response = H(HA1:nonce:HA2)` although `qop`, `nc` and
    /// `cnonce` are sent. Some descriptions of Digest teach it.
    ///
    /// It leaves `nc` and `cnonce` unprotected: whoever captures a header can give it another
    /// count. So its nonces are good for one use, unless
    /// [`with_reusable_nonces`](Self::with_reusable_nonces) says otherwise.
    #[must_use]
    pub const fn with_overview_form(mut self) -> Self {
        self.overview_form = true;
        self
    }

    /// Lets the two forms without a protected count, RFC 2069 and the overview form, use a nonce
    /// for as long as it lives: whoever captures such a header can send the request again until
    /// then. It spares clients of these forms one refused request for each granted one. Use it
    /// where requests do no harm when they are repeated, and with a short
    /// [`with_nonce_lifetime`](Self::with_nonce_lifetime).
    #[must_use]
    pub const fn with_reusable_nonces(mut self) -> Self {
        self.reusable_nonces = true;
        self
    }

    /// Makes every nonce good for one request, and [`next_nonce`](Self::next_nonce) give one for
    /// each response.
    ///
    /// To do so for some methods alone, such as POST and PUT (RFC 7616, section 3.3), use a second
    /// server of the same key and realm without this setting, and one table for both.
    #[must_use]
    pub const fn with_one_time_nonces(mut self) -> Self {
        self.one_time_nonces = true;
        self.next_nonce = NextNonce::Always;
        self
    }

    /// Also accepts, for the `-sess` algorithms, a cnonce in the form of a hash: as many hexadecimal
    /// digits as the hash has. Qt, npm `request`, Commons HttpClient 3 and the Rust
    /// crates `digest_auth` and `http-auth` send such cnonces for `MD5-sess`, and are refused with
    /// [`Rejection::SessionCnonce`](super::Rejection::SessionCnonce) otherwise.
    ///
    /// The risk: a response in the form of RFC 2069, `H(HA1:nonce:HA2)`, is also the session key for
    /// a cnonce that is HA2. Whoever can make a user's client answer a nonce of this server without
    /// a qop, and sees the answer, can then sign requests of their own for as long as the nonce
    /// lives. Clients that answer a challenge whose qop was taken out are common, so leave this off
    /// where others can change what the server sends; TLS prevents that.
    #[must_use]
    pub const fn with_hash_like_cnonces(mut self) -> Self {
        self.hash_like_cnonces = true;
        self
    }

    /// When [`next_nonce`](Self::next_nonce) gives one.
    #[must_use]
    pub const fn with_next_nonce(mut self, next_nonce: NextNonce) -> Self {
        self.next_nonce = next_nonce;
        self
    }

    /// Offers Basic too, last, wherever the channel is encrypted.
    #[must_use]
    pub const fn with_basic(mut self) -> Self {
        if matches!(self.basic, BasicOffer::Never) {
            self.basic = BasicOffer::Encrypted;
        }
        self
    }

    /// Offers Basic even where others can read the password. This implies
    /// [`with_basic`](Self::with_basic), whichever is said first.
    #[must_use]
    pub const fn with_cleartext_basic(mut self) -> Self {
        self.basic = BasicOffer::Anywhere;
        self
    }

    /// How long a nonce is good for, in seconds. 0 means only the millisecond of issue.
    #[must_use]
    pub const fn with_nonce_lifetime(mut self, secs: u32) -> Self {
        self.nonce_lifetime_secs = secs;
        self
    }

    /// Also accepts nonces of the key before this one, so that a key can be changed without a
    /// round trip for anybody. Drop it after a nonce lifetime.
    #[must_use]
    pub fn with_previous_key(mut self, key: NonceKey) -> Self {
        self.previous = Some(Minter::new(&key, &self.realm));
        self
    }

    /// How the `uri` parameter must match the request.
    #[must_use]
    pub const fn with_uri_check(mut self, uri_check: UriCheck) -> Self {
        self.uri_check = uri_check;
        self
    }

    /// Asks for hashed user names: the caller then looks users up by
    /// [`User::Hash`](crate::digest::User::Hash), too. Without this a hashed name is refused with
    /// [`Rejection::UserhashNotOffered`](super::Rejection::UserhashNotOffered). With it a client may
    /// still send the name itself, as most do; to insist on hashes, refuse
    /// [`User::Name`](crate::digest::User::Name) yourself.
    #[must_use]
    pub const fn with_userhash(mut self) -> Self {
        self.userhash = true;
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

    /// Says which URIs the credentials are good for: absolute paths or absolute URIs, separated by
    /// blanks (RFC 7616, section 3.3). What they are is not checked.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if it holds a control byte other than HTAB.
    pub fn with_domain(mut self, domain: &str) -> Result<Self, InvalidText> {
        Text::new(domain)?;
        self.domain = Some(domain.into());
        Ok(self)
    }
}
