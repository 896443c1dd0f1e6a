//! The protection spaces of one endpoint.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::client::paths::OwnTarget;
use crate::client::selector::Candidate;
use crate::client::space::{ProtectionSpace, Scheme};
use crate::client::space_id::SpaceId;

/// The most protection spaces of one client.
const MAX_SPACES: usize = 8;

/// The protection spaces of one endpoint, the most recently used one last.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone))]
#[expect(
    clippy::vec_box,
    reason = "a vector moves its elements, and would leave copies of secrets behind"
)]
pub(super) struct Spaces(Vec<Box<ProtectionSpace>>);

impl Spaces {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &ProtectionSpace> {
        self.0.iter().map(|space| &**space)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut ProtectionSpace> {
        self.0.iter_mut().map(|space| &mut **space)
    }

    pub(super) fn by_id(&self, id: SpaceId) -> Option<&ProtectionSpace> {
        self.iter().find(|space| space.id == id)
    }

    pub(super) fn by_id_mut(&mut self, id: SpaceId) -> Option<&mut ProtectionSpace> {
        self.iter_mut().find(|space| space.id == id)
    }

    /// Returns the space of a challenge, which becomes the most recently used one, and whether it
    /// was made from this challenge. One with another scheme or hash function is replaced, and one
    /// with a qop if the challenge has none. Never `None`.
    pub(super) fn of(
        &mut self,
        choice: &Candidate<'_>,
        last_id: &mut SpaceId,
    ) -> Option<(&mut ProtectionSpace, bool)> {
        let realm = choice.realm();
        let at = self.iter().position(|space| space.is_of_realm(realm));
        // A first challenge for Basic gives preemptive credentials its realm, and one for Digest
        // replaces them.
        let at = at.or_else(|| self.iter().position(|space| space.realm().is_none()));
        let mut make = || ProtectionSpace::of(choice, last_id.advance());
        let mut is_new = at.is_none();
        match at {
            Some(at) => self.use_at(at),
            None => {
                if self.0.len() >= MAX_SPACES {
                    // Evict a space without a login first, so that challenges of many realms evict
                    // a login only if all spaces have one.
                    let idle = self.iter().position(|space| !space.is_ready());
                    self.0.remove(idle.unwrap_or_default());
                }
                self.0.push(Box::new(make()));
            }
        }
        let space = self.0.last_mut()?;
        match (&mut space.scheme, choice) {
            (Scheme::Basic { realm, .. }, Candidate::Basic(challenge)) => {
                realm.get_or_insert_with(|| challenge.realm.to_bytes().into());
            }
            (Scheme::Digest { nonce, .. }, Candidate::Digest(challenge))
                if nonce.algorithm.hash_function() == challenge.algorithm().hash_function()
                    && (nonce.qop.is_empty() || !challenge.qop.is_empty()) => {}
            _ => {
                **space = make();
                is_new = true;
            }
        }
        Some((space, is_new))
    }

    /// Makes the space at this index the most recently used one.
    fn use_at(&mut self, at: usize) {
        if let Some(rest) = self.0.get_mut(at..)
            && !rest.is_empty()
        {
            rest.rotate_left(1);
        }
    }

    pub(super) fn push(&mut self, space: ProtectionSpace) {
        self.0.push(Box::new(space));
    }

    /// Returns the space whose credentials a request should carry: the one with the longest path
    /// that covers it, then one with a login, then the one whose last challenged path shares the
    /// longest folder prefix with it, then the most recently used one.
    pub(super) fn covering(&self, target: &OwnTarget<'_>) -> Option<&ProtectionSpace> {
        let rank = |space: &&ProtectionSpace| {
            let covered = space.paths.covering_len(target);
            let near = target.shared_folder_len(space.home.as_bytes());
            (covered, space.is_ready(), near)
        };
        let covering = self
            .iter()
            .filter(|space| space.paths.covering_len(target).is_some());
        // Among equals this returns the last, which is the most recently used.
        covering.max_by_key(rank)
    }

    /// Drops the paths of other spaces that cover a request-target and are longer than the path of
    /// the space that has just challenged it. Otherwise [`covering`](Self::covering) would prefer a
    /// longer path from a forged challenge, and each request below it would be challenged first.
    pub(super) fn reclaim(&mut self, id: SpaceId, target: &OwnTarget<'_>) {
        let space = self.by_id(id);
        let Some(length) = space.and_then(|space| space.paths.covering_len(target)) else {
            return;
        };
        for space in self.iter_mut() {
            if space.id != id {
                space.paths.drop_longer(target, length);
            }
        }
    }

    /// Returns the space with this id, which becomes the most recently used one.
    pub(super) fn for_use(&mut self, id: SpaceId) -> Option<&mut ProtectionSpace> {
        let at = self.0.iter().position(|space| space.id == id)?;
        self.use_at(at);
        self.0.last_mut().map(|space| &mut **space)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
