//! The state of one nonce.

use alloc::vec::Vec;
use core::{fmt, mem};

use crate::client::evidence::Evidence;
use crate::digest::{Algorithm, DigestChallenge, HashFunction, QopSet};
use crate::syntax::Text;

/// The most bytes of realm, nonce and opaque together. An answer repeats all three, and most
/// servers read no more than 8 KiB of a field.
pub(super) const MAX_REPEATED_BYTES: usize = 4096;

/// What answers need of a Digest challenge, unescaped, and the state of its nonce.
#[cfg_attr(test, derive(Clone))]
pub(super) struct NonceState {
    texts: Texts,
    pub(super) algorithm: Algorithm,
    pub(super) qop: QopSet,
    /// The `userhash` parameter, if the challenge has one.
    pub(super) userhash: Option<bool>,
    pub(super) utf8: bool,
    /// About the secret of the space's login.
    pub(super) evidence: Evidence,
    /// The last answer with the nonce got a 401 (407 from a proxy) without a usable challenge.
    pub(super) is_unanswered: bool,
    /// An answer has used the nonce since the last challenge or `nextnonce` brought it.
    pub(super) is_used: bool,
    /// The nonce may be used. False once a response has put it in doubt, `authorize` has failed
    /// because it was exhausted, or its login was replaced by another.
    pub(super) is_usable: bool,
}

/// Realm, nonce, algorithm and opaque of a challenge, in this order in one allocation.
#[cfg_attr(test, derive(Clone))]
struct Texts {
    bytes: Vec<u8>,
    realm_length: usize,
    nonce_length: usize,
    /// The length of the algorithm as spelled, if the challenge has one.
    algorithm_length: Option<usize>,
    /// The rest of `bytes` is an opaque.
    has_opaque: bool,
    /// Realm, nonce and opaque need no escaping. The name of a supported algorithm never does.
    is_verbatim: bool,
}

impl NonceState {
    pub(super) fn of(challenge: &DigestChallenge<'_>) -> Self {
        let texts = Texts::of(
            challenge.realm,
            challenge.nonce,
            challenge.algorithm_text,
            challenge.opaque,
        );
        Self {
            texts,
            algorithm: challenge.algorithm(),
            qop: challenge.qop,
            userhash: challenge.userhash,
            utf8: challenge.utf8,
            evidence: Evidence::default(),
            is_unanswered: false,
            is_used: false,
            is_usable: true,
        }
    }

    pub(super) fn realm(&self) -> &[u8] {
        self.texts.realm()
    }

    pub(super) fn nonce(&self) -> &[u8] {
        self.texts.nonce()
    }

    /// Replaces the challenge. What is known of the secret stays.
    pub(super) fn replace(&mut self, challenge: &DigestChallenge<'_>) {
        *self = Self {
            evidence: mem::take(&mut self.evidence),
            ..Self::of(challenge)
        };
    }

    /// Replaces the nonce by a `nextnonce`. Ignores one that is the same, empty, or too long for
    /// most servers to read back.
    pub(super) fn renew(&mut self, nonce: Text<'_>) {
        if nonce == *self.nonce() {
            return;
        }
        let challenge = self.challenge();
        let (realm, opaque) = (challenge.realm, challenge.opaque);
        if nonce.raw().is_empty() || is_too_long(realm, nonce, opaque) {
            return;
        }
        self.texts = Texts::of(realm, nonce, challenge.algorithm_text, opaque);
        self.is_used = false;
    }

    /// Returns whether the challenge uses a feature that RFC 7616 introduced, which suggests that
    /// the server supports `username*` as well.
    pub(super) fn suggests_extended_usernames(&self) -> bool {
        let is_sha2 = match self.algorithm.hash_function() {
            #[cfg(feature = "md5")]
            HashFunction::Md5 => false,
            HashFunction::Sha256 | HashFunction::Sha512_256 => true,
        };
        is_sha2 || self.utf8 || self.userhash.is_some()
    }

    /// The parts of the challenge that an answer repeats.
    pub(super) fn challenge(&self) -> DigestChallenge<'_> {
        let text = |bytes| match self.texts.is_verbatim {
            true => Text::verbatim(bytes),
            false => Text::assume_checked(bytes),
        };
        let (algorithm, opaque) = self.texts.rest();
        let mut challenge =
            DigestChallenge::of(text(self.realm()), text(self.nonce()), self.algorithm);
        challenge.algorithm_text = algorithm.map(text);
        challenge.opaque = opaque.map(text);
        challenge
    }
}

impl Texts {
    fn of(
        realm: Text<'_>,
        nonce: Text<'_>,
        algorithm: Option<Text<'_>>,
        opaque: Option<Text<'_>>,
    ) -> Self {
        let texts = [Some(realm), Some(nonce), algorithm, opaque];
        let length = texts.iter().flatten().map(|text| text.raw().len()).sum();
        let mut bytes = Vec::with_capacity(length);
        let mut lengths = texts.into_iter().map(|text| {
            let start = bytes.len();
            let text = text?;
            match text.as_slice() {
                Some(text) => bytes.extend_from_slice(text),
                None => bytes.extend(text.bytes()),
            }
            Some(bytes.len() - start)
        });
        let mut next = || lengths.next().flatten();
        let (realm_length, nonce_length, algorithm_length) = (next(), next(), next());
        let has_opaque = next().is_some();
        Self {
            realm_length: realm_length.unwrap_or_default(),
            nonce_length: nonce_length.unwrap_or_default(),
            algorithm_length,
            has_opaque,
            is_verbatim: realm.is_verbatim()
                && nonce.is_verbatim()
                && opaque.is_none_or(|opaque| opaque.is_verbatim()),
            bytes,
        }
    }

    fn realm(&self) -> &[u8] {
        self.bytes.get(..self.realm_length).unwrap_or_default()
    }

    fn nonce(&self) -> &[u8] {
        let rest = self.bytes.get(self.realm_length..).unwrap_or_default();
        rest.get(..self.nonce_length).unwrap_or_default()
    }

    /// The algorithm as spelled, and the opaque.
    fn rest(&self) -> (Option<&[u8]>, Option<&[u8]>) {
        let rest = self
            .bytes
            .get(self.realm_length + self.nonce_length..)
            .unwrap_or_default();
        let at = self.algorithm_length.unwrap_or_default();
        let (algorithm, opaque) = rest.split_at_checked(at).unwrap_or_default();
        (
            self.algorithm_length.map(|_| algorithm),
            self.has_opaque.then_some(opaque),
        )
    }
}

/// Returns whether these exceed [`MAX_REPEATED_BYTES`] in an answer, which repeats them.
pub(super) fn is_too_long(realm: Text<'_>, nonce: Text<'_>, opaque: Option<Text<'_>>) -> bool {
    let texts = || [Some(realm), Some(nonce), opaque].into_iter().flatten();
    let raw: usize = texts().map(|text| text.raw().len()).sum();
    // An escaped character takes two bytes.
    let escaped = |byte| if matches!(byte, b'"' | b'\\') { 2 } else { 1 };
    raw > MAX_REPEATED_BYTES / 2
        && texts()
            .flat_map(|text| text.bytes())
            .map(escaped)
            .sum::<usize>()
            > MAX_REPEATED_BYTES
}

impl fmt::Debug for NonceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NonceState")
            .field("algorithm", &self.algorithm)
            .field("qop", &self.qop)
            .field("accepted", &self.evidence.accepted())
            .field("is_usable", &self.is_usable)
            .finish_non_exhaustive()
    }
}
