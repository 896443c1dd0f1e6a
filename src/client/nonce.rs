//! Nonces, and the counts that were sent with each.

use alloc::vec::Vec;

use crate::client::strength::is_sha2;
use crate::digest::{Algorithm, Cnonce, DigestChallenge, QopSet};
use crate::inline_bytes::InlineBytes;
use crate::syntax::Text;

/// The most bytes of realm, nonce and opaque together. An answer repeats all three, and most
/// servers read no more than 8 KiB of a field.
pub(super) const MAX_REPEATED_BYTES: usize = 4096;

/// A nonce, with what answers need of the Digest challenge that it came in, unescaped.
#[derive(Clone)]
pub(super) struct Nonce {
    pub(super) texts: Texts,
    pub(super) algorithm: Algorithm,
    pub(super) qop: QopSet,
    /// The `userhash` parameter, if the challenge has one.
    pub(super) userhash: Option<bool>,
    pub(super) utf8: bool,
}

/// Realm, nonce, algorithm as spelled and opaque of a challenge, in this order in one allocation.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// `None` for what the challenge does not have.
    lengths: [Option<usize>; 4],
    /// None of them needs escaping.
    is_verbatim: bool,
}

impl Nonce {
    pub(super) fn of(challenge: &DigestChallenge<'_>) -> Self {
        let texts = Texts::of([
            Some(challenge.realm),
            Some(challenge.nonce),
            challenge.algorithm_text,
            challenge.opaque,
        ]);
        Self {
            texts,
            algorithm: challenge.algorithm(),
            qop: challenge.qop,
            userhash: challenge.userhash,
            utf8: challenge.utf8,
        }
    }

    pub(super) fn realm(&self) -> &[u8] {
        self.texts.get(0).unwrap_or_default()
    }

    pub(super) fn nonce(&self) -> &[u8] {
        self.texts.get(1).unwrap_or_default()
    }

    /// Replaces the nonce by a `nextnonce`. Ignores one that is the same, empty, or too long for
    /// most servers to read back.
    pub(super) fn renew(&mut self, nonce: Text<'_>) {
        if nonce.is(self.nonce()) {
            return;
        }
        let challenge = self.challenge();
        let (realm, opaque) = (challenge.realm, challenge.opaque);
        if nonce.raw().is_empty() || is_too_long(realm, nonce, opaque) {
            return;
        }
        let algorithm = challenge.algorithm_text;
        self.texts = Texts::of([Some(realm), Some(nonce), algorithm, opaque]);
    }

    /// Returns whether the challenge uses a feature that RFC 7616 introduced, which suggests that
    /// the server supports `username*` as well.
    pub(super) fn suggests_extended_usernames(&self) -> bool {
        is_sha2(self.algorithm.hash_function()) || self.utf8 || self.userhash.is_some()
    }

    /// The parts of the challenge that an answer repeats.
    pub(super) fn challenge(&self) -> DigestChallenge<'_> {
        let text = |bytes| match self.texts.is_verbatim {
            true => Text::verbatim(bytes),
            false => Text::assume_checked(bytes),
        };
        let mut parts = DigestChallenge::of(text(self.realm()), text(self.nonce()), self.algorithm);
        parts.algorithm_text = self.texts.get(2).map(text);
        parts.opaque = self.texts.get(3).map(text);
        parts
    }
}

impl Texts {
    fn of(texts: [Option<Text<'_>>; 4]) -> Self {
        let length = texts.iter().flatten().map(|text| text.raw().len()).sum();
        let mut bytes = Vec::with_capacity(length);
        let lengths = texts.map(|text| {
            let start = bytes.len();
            bytes.extend_from_slice(&text?.to_bytes());
            Some(bytes.len() - start)
        });
        Self {
            lengths,
            is_verbatim: texts.iter().flatten().all(|text| text.is_verbatim()),
            bytes,
        }
    }

    fn get(&self, at: usize) -> Option<&[u8]> {
        let length = (*self.lengths.get(at)?)?;
        let before = self.lengths.iter().take(at).flatten().sum::<usize>();
        self.bytes.get(before..)?.get(..length)
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
    /// Notes a use that others may have displaced meanwhile.
    pub(super) fn keep(&mut self, nonce: &[u8], count: u32, cnonce: Option<Cnonce>) {
        let uses = self.of(nonce);
        uses.count = uses.count.max(count);
        uses.cnonce = uses.cnonce.or(cnonce);
    }

    /// The uses of a nonce, if there are any.
    pub(super) fn get(&self, nonce: &[u8]) -> Option<&Uses> {
        let mut known = self.current.iter().chain(&self.past);
        known.find(|uses| uses.nonce.as_bytes() == nonce)
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
