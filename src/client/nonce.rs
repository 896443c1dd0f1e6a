//! Nonces, and the counts that were sent with each.

// Not every processor has what `Arc` needs.
#[cfg(not(target_has_atomic = "ptr"))]
pub(super) use alloc::rc::Rc as Arc;
#[cfg(target_has_atomic = "ptr")]
pub(super) use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::client::strength::is_sha2;
use crate::digest::{Algorithm, Cnonce, DigestChallenge, QopSet};
use crate::inline_bytes::InlineBytes;
use crate::syntax::Text;

/// The most bytes of realm, nonce and opaque together: see `SkipReason::TooLong`.
pub(super) const MAX_REPEATED_BYTES: usize = 4096;

/// A nonce, with what answers need of the Digest challenge that it came in. It is shared by the space,
/// the exchanges and what is kept of their answers, and never changed.
pub(super) struct Nonce {
    /// Realm, nonce, algorithm as spelled and opaque, unescaped.
    texts: InlineBytes<128>,
    /// Where each ends.
    ends: [usize; 4],
    has_algorithm: bool,
    has_opaque: bool,
    /// None of the texts needs escaping.
    is_verbatim: bool,
    pub(super) algorithm: Algorithm,
    pub(super) qop: QopSet,
    /// The `userhash` parameter, if the challenge has one.
    pub(super) userhash: Option<bool>,
    utf8: bool,
}

impl Nonce {
    pub(super) fn of(challenge: &DigestChallenge<'_>) -> Arc<Self> {
        let algorithm = challenge.algorithm_text.unwrap_or(Text::EMPTY);
        let opaque = challenge.opaque.unwrap_or(Text::EMPTY);
        let texts = [challenge.realm, challenge.nonce, algorithm, opaque];
        let (realm, nonce) = (challenge.realm.to_bytes(), challenge.nonce.to_bytes());
        let (algorithm, opaque) = (algorithm.to_bytes(), opaque.to_bytes());
        let second = realm.len() + nonce.len();
        let third = second + algorithm.len();
        Arc::new(Self {
            texts: InlineBytes::joined(&[&realm, &nonce, &algorithm, &opaque]),
            ends: [realm.len(), second, third, third + opaque.len()],
            has_algorithm: challenge.algorithm_text.is_some(),
            has_opaque: challenge.opaque.is_some(),
            is_verbatim: texts.iter().all(Text::is_verbatim),
            algorithm: challenge.algorithm(),
            qop: challenge.qop,
            userhash: challenge.userhash,
            utf8: challenge.utf8,
        })
    }

    pub(super) fn realm(&self) -> &[u8] {
        let texts = self.texts.as_bytes();
        texts.get(..self.ends[0]).unwrap_or_default()
    }

    pub(super) fn nonce(&self) -> &[u8] {
        let texts = self.texts.as_bytes().get(self.ends[0]..self.ends[1]);
        texts.unwrap_or_default()
    }

    /// The same challenge with a `nextnonce`. `None` for one that is the same, empty, or too long for
    /// most servers to read back.
    pub(super) fn renewed(&self, nonce: Text<'_>) -> Option<Arc<Self>> {
        let mut challenge = self.challenge();
        let is_same = nonce.raw().is_empty() || nonce.is(self.nonce());
        challenge.nonce = nonce;
        (!is_same && !is_too_long(&challenge)).then(|| Self::of(&challenge))
    }

    /// Returns whether the challenge uses a feature that RFC 7616 introduced, which suggests that
    /// the server supports `username*` as well.
    pub(super) fn suggests_extended_usernames(&self) -> bool {
        is_sha2(self.algorithm.hash_function()) || self.utf8 || self.userhash.is_some()
    }

    /// The challenge, as far as it is kept.
    #[inline(always)]
    pub(super) fn challenge(&self) -> DigestChallenge<'_> {
        let form = match self.is_verbatim {
            true => Text::verbatim,
            false => Text::assume_checked,
        };
        let bytes = self.texts.as_bytes();
        let text = |start, end| form(bytes.get(start..end).unwrap_or_default());
        let [first, second, third, last] = self.ends;
        let (realm, nonce) = (text(0, first), text(first, second));
        let mut challenge = DigestChallenge::of(realm, nonce, self.algorithm);
        challenge.algorithm_text = self.has_algorithm.then(|| text(second, third));
        challenge.opaque = self.has_opaque.then(|| text(third, last));
        challenge.qop = self.qop;
        challenge.userhash = self.userhash;
        challenge.utf8 = self.utf8;
        challenge
    }
}

/// Returns whether realm, nonce and opaque exceed [`MAX_REPEATED_BYTES`] in an answer.
#[cold]
pub(super) fn is_too_long(challenge: &DigestChallenge<'_>) -> bool {
    let texts = [
        Some(challenge.realm),
        Some(challenge.nonce),
        challenge.opaque,
    ];
    let texts = texts.iter().flatten();
    let raw: usize = texts.clone().map(|text| text.raw().len()).sum();
    // An escaped character takes two bytes.
    let written = |byte| if matches!(byte, b'"' | b'\\') { 2 } else { 1 };
    let length = |text: &Text<'_>| text.bytes().map(written).sum::<usize>();
    raw > MAX_REPEATED_BYTES / 2 && texts.map(length).sum::<usize>() > MAX_REPEATED_BYTES
}

/// The number of nonces to keep besides the current one. If a server returns to a nonce older than
/// these, its counts start again from 1.
const MAX_PAST: usize = 16;

/// The counts sent with the most recent nonces, for all logins together: some servers have one
/// nonce for everybody or return to an earlier one.
#[derive(Default)]
pub(super) struct Counts {
    current: Option<Uses>,
    /// Oldest first.
    past: Vec<Uses>,
}

/// The uses of one nonce.
pub(super) struct Uses {
    nonce: InlineBytes<64>,
    /// The last count sent.
    pub(super) count: u32,
    /// The cnonce of a `-sess` algorithm, kept as long as the nonce. Peers differ on whether a new
    /// cnonce changes the session key, and an unchanged one works with both.
    pub(super) cnonce: Option<Cnonce>,
}

impl Counts {
    /// Notes a use, which others may have displaced meanwhile.
    pub(super) fn keep(&mut self, nonce: &Nonce, count: u32, cnonce: Option<Cnonce>) {
        let uses = self.of(nonce.nonce());
        uses.count = uses.count.max(count);
        if nonce.algorithm.is_sess() {
            uses.cnonce = uses.cnonce.or(cnonce);
        }
    }

    /// The count of the next use of a nonce, and the cnonce that it repeats. `None` if the nonce has
    /// been used 2³² - 1 times.
    pub(super) fn next(&self, nonce: &Nonce) -> Option<(u32, Option<Cnonce>)> {
        let mut known = self.current.iter().chain(&self.past);
        match known.find(|uses| uses.nonce.as_bytes() == nonce.nonce()) {
            Some(uses) => {
                let cnonce = uses.cnonce.filter(|_| nonce.algorithm.is_sess());
                Some((uses.count.checked_add(1)?, cnonce))
            }
            None => Some((1, None)),
        }
    }

    /// The uses of a nonce, which becomes the current one.
    pub(super) fn of(&mut self, nonce: &[u8]) -> &mut Uses {
        let is_of_nonce = |uses: &Uses| uses.nonce.as_bytes() == nonce;
        if !self.current.as_ref().is_some_and(is_of_nonce) {
            let before = self.past.iter().position(is_of_nonce);
            let before = before.map(|at| self.past.remove(at));
            self.past.extend(self.current.take());
            if self.past.len() > MAX_PAST {
                self.past.remove(0);
            }
            self.current = before;
        }
        self.current.get_or_insert_with(|| Uses {
            nonce: InlineBytes::new(nonce),
            count: 0,
            cnonce: None,
        })
    }
}
