//! The protection spaces of one endpoint.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::client::paths::OurTarget;
use crate::client::selector::Choice;
use crate::client::space::{ProtectionSpace, Scheme};

/// The most protection spaces of one client.
const MAX_SPACES: usize = 8;

/// The protection spaces of one endpoint, the one used last at the end.
#[derive(Debug, Default)]
#[expect(
    clippy::vec_box,
    reason = "a vector moves what is in it, and would leave copies of secrets behind"
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

    pub(super) fn by_id(&self, id: u64) -> Option<&ProtectionSpace> {
        self.iter().find(|space| space.id == id)
    }

    pub(super) fn by_id_mut(&mut self, id: u64) -> Option<&mut ProtectionSpace> {
        self.iter_mut().find(|space| space.id == id)
    }

    /// The space that a challenge is of, which is the one used last from now on; and whether it is a
    /// new one, because there was none of its realm, or that was of another scheme or hash function.
    pub(super) fn of(
        &mut self,
        choice: &Choice<'_>,
        next_id: &mut u64,
    ) -> Option<(&mut ProtectionSpace, bool)> {
        // Credentials that went unasked were for whatever realm asks for Basic first.
        if matches!(choice, Choice::Digest(_)) {
            self.0.retain(|space| space.realm().is_some());
        }
        let is_of_realm = |space: &ProtectionSpace| {
            let realm = space.realm();
            realm.is_some_and(|realm| choice.realm() == *realm)
        };
        let at = self.iter().position(is_of_realm);
        let at = at.or_else(|| self.iter().position(|space| space.realm().is_none()));
        let mut make = || {
            *next_id = next_id.wrapping_add(1);
            ProtectionSpace::of(choice, *next_id)
        };
        let mut is_new = at.is_none();
        match at {
            Some(at) => self.use_at(at),
            None => {
                if self.0.len() >= MAX_SPACES {
                    // One that nobody is logged in to, if there is one: a challenge costs a server
                    // nothing, and must not log anybody out.
                    let idle = self.iter().position(|space| !space.is_ready());
                    self.0.remove(idle.unwrap_or_default());
                }
                self.0.push(Box::new(make()));
            }
        }
        let space = self.0.last_mut()?;
        match (&mut space.scheme, choice) {
            (Scheme::Basic { realm, .. }, Choice::Basic(challenge)) => {
                realm.get_or_insert_with(|| challenge.realm().to_bytes().into());
            }
            (Scheme::Digest { nonce, .. }, Choice::Digest(challenge))
                if nonce.algorithm.hash_function() == challenge.algorithm().hash_function()
                    && (nonce.qop.is_empty() || !challenge.qop().is_empty()) => {}
            _ => {
                **space = make();
                is_new = true;
            }
        }
        Some((space, is_new))
    }

    /// Has the space at this place be the one used last.
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

    /// The space whose credentials a request is meant to carry: the one whose paths name most of its
    /// path; of several one that is logged in to; of several the one whose own place is nearest; of
    /// several the one used last.
    pub(super) fn covering(&self, target: &OurTarget<'_>) -> Option<&ProtectionSpace> {
        let rank = |space: &&ProtectionSpace| {
            let covered = space.paths.cover(target);
            let near = target.shares_with(space.home.as_bytes());
            (covered, space.is_ready(), near)
        };
        let covering = self
            .iter()
            .filter(|space| space.paths.cover(target).is_some());
        // The last one of those that are equal.
        covering.max_by_key(rank)
    }

    /// The space with this id, for use.
    pub(super) fn for_use(&mut self, id: u64) -> Option<&mut ProtectionSpace> {
        let at = self.0.iter().position(|space| space.id == id)?;
        self.use_at(at);
        self.0.last_mut().map(|space| &mut **space)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
