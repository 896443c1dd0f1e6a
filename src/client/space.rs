//! The protection spaces of an endpoint: for each realm a challenge, a login and paths. Which one a
//! request belongs to.

use alloc::collections::LinkedList;

use crate::client::account::{Account, Accounts};
use crate::client::ask::{Ask, SpaceId};
use crate::client::endpoint::Endpoint;
use crate::client::error::LoginError;
use crate::client::exchange::Exchange;
use crate::client::login::Login;
use crate::client::nonce::{Arc, Nonce};
use crate::client::paths::{OwnTarget, Paths, folder};
use crate::client::policy::Policy;
use crate::client::refused::Refused;
use crate::client::strength::{Strength, Strengths};
use crate::digest::HashFunction;
use crate::header::Challenge;
use crate::inline_bytes::InlineBytes;
use crate::syntax::Text;
use crate::syntax::uri::{path, path_and_query};

/// What is kept of one realm.
pub(super) struct ProtectionSpace {
    /// Identifies the space in an [`Ask`].
    pub(super) id: SpaceId,
    /// `None` for preemptive credentials before the first challenge.
    realm: Option<InlineBytes<64>>,
    /// The hash function of its challenges; `None` for Basic.
    pub(super) hash: Option<HashFunction>,
    /// The last challenge has a qop.
    has_qop: bool,
    pub(super) login: Option<Login>,
    /// For answers that nobody has asked for yet.
    pub(super) nonce: Option<Arc<Nonce>>,
    /// How many answers were accepted, with any login. Never reset.
    pub(super) accepted: u32,
    /// How many answers with the nonce at hand were refused since one was accepted.
    pub(super) doubts: u8,
    /// How many responses in a row neither accepted an answer nor challenged it.
    pub(super) silent: u8,
    /// The last challenge has `charset=UTF-8`.
    utf8: bool,
    /// Where credentials may be sent before the server asks.
    pub(super) paths: Paths,
    /// The paths that were challenged, which help to choose among spaces.
    challenged: Paths,
    pub(super) refused: Refused,
}

impl ProtectionSpace {
    fn of(choice: &Challenge<'_>, id: SpaceId) -> Self {
        Self {
            realm: Some(InlineBytes::new(&choice.realm().to_bytes())),
            hash: choice.hash_function(),
            has_qop: choice.has_qop(),
            utf8: choice.is_utf8(),
            paths: Paths::of(None),
            ..Self::preemptive(id)
        }
    }

    /// A space for Basic credentials that are sent before any challenge.
    fn preemptive(id: SpaceId) -> Self {
        Self {
            id,
            realm: None,
            hash: None,
            has_qop: false,
            login: None,
            nonce: None,
            accepted: 0,
            doubts: 0,
            silent: 0,
            utf8: false,
            paths: Paths::Whole,
            challenged: Paths::of(None),
            refused: Refused::default(),
        }
    }

    /// The realm; empty for preemptive credentials before the first challenge.
    pub(super) fn realm(&self) -> &[u8] {
        self.realm.as_ref().map_or(b"", InlineBytes::as_bytes)
    }

    pub(super) fn is_of_realm(&self, realm: Text<'_>) -> bool {
        self.realm
            .as_ref()
            .is_some_and(|own| realm.is(own.as_bytes()))
    }

    /// Returns whether it is for preemptive credentials, and nobody has asked for them yet.
    pub(super) const fn is_preemptive(&self) -> bool {
        self.realm.is_none()
    }

    pub(super) const fn is_ready(&self) -> bool {
        self.login.is_some()
    }

    /// Returns whether an answer with this nonce, or by Basic, may be sent: it is as strong as the
    /// realm requires, and an account of the client may still answer.
    pub(super) fn may_answer(
        &self,
        nonce: Option<&Arc<Nonce>>,
        policy: &Policy,
        strengths: &Strengths,
        accounts: &Accounts,
    ) -> bool {
        let realm = self.realm.as_ref().map(InlineBytes::as_bytes);
        let realm = realm.map(Text::assume_checked);
        let has_qop = nonce.is_some_and(|nonce| !nonce.qop.is_empty());
        let strength = match self.hash {
            Some(_) if self.has_qop && !has_qop => return false,
            Some(hash) => Strength::of(hash, has_qop),
            None => Strength::Basic,
        };
        let is_of_account =
            |realm| accounts.is_empty() || accounts.of(realm, self.hash, strengths).is_ok();
        strength >= policy.strength.max(strengths.proven(realm)) && realm.is_none_or(is_of_account)
    }

    /// Records the challenged path, and adds the paths that the challenge covers.
    pub(super) fn record_paths(
        &mut self,
        choice: &Challenge<'_>,
        exchange: &Exchange,
        endpoint: &Endpoint,
    ) {
        let target = exchange.uri();
        let path = target.map(|target| path(path_and_query(target)));
        self.challenged.extend(Paths::of(path));
        let paths = match choice {
            _ if endpoint.is_proxy() => Paths::Whole,
            Challenge::Digest(challenge) => match challenge.domain {
                Some(domain) => Paths::of_domain(&domain.to_bytes(), endpoint),
                None => Paths::Whole,
            },
            _ => Paths::of(target.map(folder)),
        };
        self.paths.extend(paths);
    }

    /// An ask for which a refused secret may be used again at some time.
    pub(super) fn fresh_ask(&mut self, endpoint: &Endpoint) -> Ask {
        self.refused.asks_left = self.refused.asks_left.saturating_sub(1);
        self.ask(endpoint)
    }

    /// The ask after a challenge to a request that carried a refused secret.
    pub(super) fn ask(&self, endpoint: &Endpoint) -> Ask {
        Ask {
            endpoint: endpoint.clone(),
            id: self.id,
            realm: InlineBytes::new(self.realm()),
            hash: self.hash,
            again: self.refused.is_unsettled,
            refusals: self.refused.refusals,
        }
    }

    /// Returns whether a login for this ask is still needed: the space has none, and no secret was
    /// refused since the ask was made.
    pub(super) fn wants(&self, ask: &Ask) -> bool {
        !self.is_ready() && self.refused.refusals == ask.refusals
    }

    /// Sets or replaces the login. Fails if the account is for something else, or if its secret was
    /// refused before and may not be used for this ask.
    pub(super) fn log_in(
        &mut self,
        ask: &Ask,
        account: &Account,
        policy: &Policy,
    ) -> Result<(), LoginError> {
        let realm = self.realm.as_ref().map(InlineBytes::as_bytes);
        account.check(realm.map(Text::assume_checked), self.hash)?;
        let new = account.login(self.hash, self.realm(), policy, self.utf8)?;
        if self.refused.forbids(ask, new.secret()) {
            return Err(LoginError::AlreadyRefused);
        }
        let old = self.login.as_ref().map(Login::secret);
        if old.is_some_and(|old| old != new.secret()) {
            // The other login has used the nonce, so a refusal could be about that.
            self.nonce = None;
        }
        self.login = Some(new);
        Ok(())
    }

    /// Returns whether the last answer of an exchange was made with this login.
    pub(super) fn has_sent(&self, exchange: &Exchange) -> bool {
        let secret = self.login.as_ref().map(Login::secret);
        let is_mine = exchange.answering_space == Some(self.id);
        is_mine && secret.is_some() && secret == exchange.secret()
    }

    /// Returns whether the last answer of an exchange was made with the secret that was refused last,
    /// and there is no other login since.
    pub(super) fn has_just_refused(&self, exchange: &Exchange) -> bool {
        let is_mine = exchange.answering_space == Some(self.id);
        is_mine && !self.is_ready() && self.refused.has_sent(exchange)
    }

    /// Drops the login, because the server refused it, and remembers its secret.
    pub(super) fn refuse(&mut self) {
        if let Some(login) = &self.login {
            self.refused.add(login.secret());
        }
        // In place: `Option::take` would move the login out, and leave the bytes of an HA1, which
        // is stored inline, in the memory of `self`.
        self.login = None;
        self.doubts = 0;
    }

    /// Counts a response that neither accepts the answer of an exchange nor challenges it. Returns
    /// how many there were in a row.
    pub(super) fn count_silent(&mut self, exchange: &Exchange) -> u8 {
        if self.has_sent(exchange) {
            self.silent = self.silent.saturating_add(1);
            if self.silent > 1 {
                self.forget_nonce_of(exchange);
            }
        }
        self.silent
    }

    /// Sends no more answers with the nonce of an exchange's answer before the server asks.
    pub(super) fn forget_nonce_of(&mut self, exchange: &Exchange) {
        if let (Some(sent), Some(nonce)) = (&exchange.sent, &self.nonce)
            && sent.nonce.nonce() == nonce.nonce()
        {
            self.nonce = None;
        }
    }
}

/// The most protection spaces of one client.
const MAX_SPACES: usize = 8;

/// The protection spaces of one endpoint, the most recently used one last.
// A list, because a vector moves its elements, and would leave copies of secrets behind.
#[derive(Default)]
pub(super) struct Spaces(LinkedList<ProtectionSpace>);

impl Spaces {
    pub(super) fn iter(&self) -> impl Iterator<Item = &ProtectionSpace> {
        self.0.iter()
    }

    pub(super) fn by_id(&self, id: Option<SpaceId>) -> Option<&ProtectionSpace> {
        self.iter().find(|space| Some(space.id) == id)
    }

    pub(super) fn by_id_mut(&mut self, id: Option<SpaceId>) -> Option<&mut ProtectionSpace> {
        self.0.iter_mut().find(|space| Some(space.id) == id)
    }

    /// The space for credentials that are sent before any challenge.
    pub(super) fn preemptive(&mut self) -> Option<&mut ProtectionSpace> {
        self.0.iter_mut().find(|space| space.is_preemptive())
    }

    /// Returns the space of a challenge, which becomes the most recently used one. One of another
    /// scheme or hash function is made anew, and one with qop if the challenge has none, so a weaker
    /// challenge is never answered with the stored login. Never `None`.
    pub(super) fn of(
        &mut self,
        choice: &Challenge<'_>,
        last_id: &mut SpaceId,
    ) -> Option<&mut ProtectionSpace> {
        let realm = choice.realm();
        let at = self.iter().position(|space| space.is_of_realm(realm));
        // A first challenge for Basic gives preemptive credentials its realm, and one for Digest
        // replaces them.
        let at = at.or_else(|| self.iter().position(ProtectionSpace::is_preemptive));
        match at {
            Some(at) => self.use_at(at),
            None => {
                if self.0.len() >= MAX_SPACES {
                    // Evict a space without a login first, so that challenges of many realms evict
                    // a login only if all spaces have one.
                    let idle = self.iter().position(|space| !space.is_ready());
                    drop(self.take(idle.unwrap_or_default()));
                }
                let space = ProtectionSpace::of(choice, last_id.advance());
                self.0.push_back(space);
            }
        }
        let space = self.0.back_mut()?;
        let loses_qop = space.has_qop && !choice.has_qop();
        if space.hash != choice.hash_function() || loses_qop {
            *space = ProtectionSpace::of(choice, last_id.advance());
        }
        if space.has_qop != choice.has_qop() {
            // From now on, no answer goes without qop.
            space.nonce = None;
            space.has_qop = true;
        }
        space.utf8 = choice.is_utf8();
        if space.is_preemptive() {
            space.realm = Some(InlineBytes::new(&realm.to_bytes()));
            space.paths = Paths::of(None);
        }
        Some(space)
    }

    /// Takes the space at this index out.
    fn take(&mut self, at: usize) -> LinkedList<ProtectionSpace> {
        let mut one = self.0.split_off(at.min(self.0.len()));
        let mut rest = one.split_off(one.len().min(1));
        self.0.append(&mut rest);
        one
    }

    /// Makes the space at this index the most recently used one.
    fn use_at(&mut self, at: usize) {
        if at + 1 < self.0.len() {
            let mut one = self.take(at);
            self.0.append(&mut one);
        }
    }

    /// Ends all logins, because there is another account.
    pub(super) fn end_logins(&mut self) {
        let at = self.iter().position(ProtectionSpace::is_preemptive);
        if let Some(at) = at {
            drop(self.take(at));
        }
        for space in &mut self.0 {
            space.login = None;
            space.nonce = None;
        }
    }

    /// Replaces all spaces by one for preemptive credentials.
    pub(super) fn begin_preemptive(&mut self, id: SpaceId) {
        self.0.clear();
        self.0.push_back(ProtectionSpace::preemptive(id));
    }

    /// Returns the space whose credentials a request should carry: of those that cover it, the one
    /// with the longest path, then one with a login, then the one with the nearest challenged path,
    /// then the most recently used one. Those whose login has no nonce at hand are left out.
    pub(super) fn covering(&self, target: &OwnTarget<'_>) -> Option<SpaceId> {
        let has_nonce = |space: &&ProtectionSpace| {
            !matches!(space.login, Some(Login::Digest(_))) || space.nonce.is_some()
        };
        let ranked = self.iter().filter(has_nonce).filter_map(|space| {
            let covered = space.paths.covering_len(target)?;
            let near = space.challenged.nearest(target);
            Some(((covered, space.is_ready(), near), space))
        });
        // Among equals this returns the last, which is the most recently used.
        ranked
            .max_by_key(|(rank, _)| *rank)
            .map(|(_, space)| space.id)
    }

    /// Returns the space with this id, which becomes the most recently used one.
    pub(super) fn for_use(&mut self, id: SpaceId) -> Option<&mut ProtectionSpace> {
        let at = self.iter().position(|space| space.id == id)?;
        self.use_at(at);
        self.0.back_mut()
    }
}
