//! The protection space of one realm: its challenge and its login.

use alloc::boxed::Box;
use core::fmt;

use crate::client::ask::Ask;
use crate::client::endpoint::Endpoint;
use crate::client::exchange::Exchange;
use crate::client::inline_bytes::InlineBytes;
use crate::client::login::{Login, LoginError, Secret, UserPass};
use crate::client::nonce::NonceState;
use crate::client::paths::{Paths, folder};
use crate::client::refused::{Refused, RefusedSecret};
use crate::client::selector::Candidate;
use crate::client::space_id::SpaceId;
use crate::client::strength::Strength;
use crate::client::strengths::Strengths;
use crate::digest::HashFunction;
use crate::syntax::Text;

/// The last chosen challenge of one realm, and the login if there is one. The tables in
/// [`states`](super::states) call it `Chosen` without a login and `Ready` with one.
#[cfg_attr(test, derive(Clone))]
pub(super) struct ProtectionSpace {
    /// Identifies the space in an [`Ask`]. A challenge with another scheme or hash function, or
    /// one without a qop after one with it, makes a new space with another number.
    pub(super) id: SpaceId,
    pub(super) scheme: Scheme,
    /// The last challenge has `charset=UTF-8`.
    pub(super) utf8: bool,
    /// Where credentials may be sent before the server asks.
    pub(super) paths: Paths,
    /// The folder of the last challenged path, which helps to choose among spaces.
    pub(super) home: InlineBytes<64>,
    pub(super) refused: Refused,
}

#[cfg_attr(test, derive(Clone))]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all values are of the large variant"
)]
pub(super) enum Scheme {
    Basic {
        /// `None` for preemptive credentials before the first challenge.
        realm: Option<Box<[u8]>>,
        login: Option<UserPass>,
    },
    Digest {
        nonce: NonceState,
        login: Option<Login>,
    },
}

impl ProtectionSpace {
    pub(super) fn of(choice: &Candidate<'_>, id: SpaceId) -> Self {
        Self {
            id,
            scheme: match choice {
                Candidate::Basic(challenge) => Scheme::Basic {
                    realm: Some(challenge.realm.to_bytes().into()),
                    login: None,
                },
                Candidate::Digest(challenge) => Scheme::Digest {
                    nonce: NonceState::of(challenge),
                    login: None,
                },
            },
            utf8: choice.is_utf8(),
            paths: Paths::none(),
            home: InlineBytes::new(b""),
            refused: Refused::default(),
        }
    }

    /// A space for Basic credentials that are sent before any challenge.
    pub(super) fn preemptive(login: UserPass, id: SpaceId) -> Self {
        Self {
            id,
            scheme: Scheme::Basic {
                realm: None,
                login: Some(login),
            },
            utf8: false,
            paths: Paths::Whole,
            home: InlineBytes::new(b""),
            refused: Refused::default(),
        }
    }

    /// The realm; `None` for preemptive credentials before the first challenge.
    pub(super) fn realm(&self) -> Option<&[u8]> {
        match &self.scheme {
            Scheme::Basic { realm, .. } => realm.as_deref(),
            Scheme::Digest { nonce, .. } => Some(nonce.realm()),
        }
    }

    pub(super) fn is_of_realm(&self, realm: Text<'_>) -> bool {
        self.realm().is_some_and(|own| realm == *own)
    }

    /// The hash function of the challenge; `None` for Basic.
    pub(super) const fn hash_function(&self) -> Option<HashFunction> {
        match &self.scheme {
            Scheme::Basic { .. } => None,
            Scheme::Digest { nonce, .. } => Some(nonce.algorithm.hash_function()),
        }
    }

    pub(super) const fn is_ready(&self) -> bool {
        match &self.scheme {
            Scheme::Basic { login, .. } => login.is_some(),
            Scheme::Digest { login, .. } => login.is_some(),
        }
    }

    /// The strength of its next credentials.
    pub(super) const fn strength(&self) -> Strength {
        match &self.scheme {
            Scheme::Basic { .. } => Strength::Basic,
            Scheme::Digest { nonce, .. } => {
                // While the nonce is unusable, the next answer is to another challenge, which may
                // have a qop even if this one has none.
                let may_have_qop = !nonce.qop.is_empty() || !nonce.is_usable;
                Strength::of(nonce.algorithm.hash_function(), may_have_qop)
            }
        }
    }

    /// The minimum strength required of its realm.
    pub(super) fn required_strength(&self, strengths: &Strengths) -> Strength {
        strengths.required(Text::assume_checked(self.realm().unwrap_or_default()))
    }

    /// Records the folder of the challenged path, and adds the paths that the challenge covers.
    pub(super) fn record_paths(
        &mut self,
        choice: &Candidate<'_>,
        exchange: &Exchange,
        endpoint: &Endpoint,
    ) {
        let target = exchange.uri();
        if let Some(target) = target {
            self.home = InlineBytes::new(folder(target));
        }
        let paths = match choice {
            _ if endpoint.is_proxy() => Paths::Whole,
            Candidate::Basic(_) => target.map_or(Paths::none(), Paths::folder_of),
            Candidate::Digest(challenge) => match challenge.domain {
                Some(domain) => Paths::of_domain(&domain.to_bytes(), endpoint),
                None => Paths::Whole,
            },
        };
        self.paths.extend(paths);
    }

    /// Makes a fresh ask, after which a refused secret may be used again at some time. The request
    /// that was challenged carried no refused secret, or the charset has changed, so that the same
    /// password may give another secret.
    pub(super) fn ask(&mut self, endpoint: &Endpoint) -> Ask {
        self.refused.count_ask();
        self.make_ask(endpoint, true)
    }

    /// Makes the ask after a challenge to a request that carried a refused secret.
    pub(super) fn ask_after_refusal(&self, endpoint: &Endpoint) -> Ask {
        self.make_ask(endpoint, false)
    }

    fn make_ask(&self, endpoint: &Endpoint, is_fresh: bool) -> Ask {
        Ask {
            endpoint: endpoint.clone(),
            id: self.id,
            realm: InlineBytes::new(self.realm().unwrap_or_default()),
            hash: self.hash_function(),
            again: self.refused.is_unsettled(),
            refusals: self.refused.refusals(),
            is_fresh,
        }
    }

    /// Returns whether a login for this ask is still needed: the space has none, and no secret was
    /// refused since the ask was made.
    pub(super) fn wants(&self, ask: &Ask) -> bool {
        !self.is_ready() && self.refused.refusals() == ask.refusals
    }

    /// Sets or replaces the login. Fails if the new secret was refused before and may not be used
    /// for this ask.
    pub(super) fn log_in(
        &mut self,
        ask: &Ask,
        allows_latin1: bool,
        username: &str,
        secret: Secret<'_>,
    ) -> Result<(), LoginError> {
        let latin1 = allows_latin1 && !self.utf8;
        match &mut self.scheme {
            Scheme::Basic { login, .. } => {
                let new = UserPass::new(latin1, username, secret)?;
                if self
                    .refused
                    .forbids(ask, |secret| secret.is_basic(&new.value))
                {
                    return Err(LoginError::AlreadyRefused);
                }
                *login = Some(new);
            }
            Scheme::Digest { nonce, login } => {
                let hash = nonce.algorithm.hash_function();
                let new = Login::new(hash, nonce.realm(), latin1, username, secret)?;
                if self.refused.forbids(ask, |secret| secret.is_ha1(&new.ha1)) {
                    return Err(LoginError::AlreadyRefused);
                }
                match login {
                    // The same login again: keep the nonce.
                    Some(login) if login.is_same(&new) => {}
                    Some(login) => {
                        *login = new;
                        // The other login has used the nonce, so a refusal could be about that, and
                        // would say nothing about the new secret.
                        nonce.is_usable = false;
                        nonce.evidence.forget();
                    }
                    None => *login = Some(new),
                }
            }
        }
        Ok(())
    }

    /// Returns whether the last answer of an exchange was made with this login.
    pub(super) fn has_sent(&self, exchange: &Exchange) -> bool {
        match &self.scheme {
            Scheme::Basic { login, .. } => {
                let answer = exchange.answer.as_ref();
                login
                    .as_ref()
                    .is_some_and(|login| answer == Some(&login.value))
            }
            Scheme::Digest { login, .. } => {
                let ha1 = exchange.sent.as_ref().map(|sent| &sent.ha1);
                login.as_ref().is_some_and(|login| ha1 == Some(&login.ha1))
            }
        }
    }

    /// Records the charset of a challenge. If the policy allows Latin-1 and the charset has
    /// changed, drops a login that is not ASCII, because its bytes may now differ. Returns whether
    /// a login was dropped.
    ///
    /// With a Basic login, the space also loses [`Paths::Whole`]. At a proxy,
    /// [`record_paths`](Self::record_paths) sets that again, so call this before.
    pub(super) fn set_charset(&mut self, utf8: bool, allows_latin1: bool) -> bool {
        let is_reencoded = allows_latin1 && self.utf8 != utf8;
        self.utf8 = utf8;
        // In place: see `refuse`.
        match &mut self.scheme {
            Scheme::Basic { login, .. } if is_reencoded => {
                let is_dropped = login.as_ref().is_some_and(|login| !login.is_ascii);
                if is_dropped {
                    *login = None;
                    self.paths.forget_whole();
                }
                is_dropped
            }
            Scheme::Digest { nonce, login } if is_reencoded => {
                let is_dropped = login.as_ref().is_some_and(|login| !login.is_ascii);
                if is_dropped {
                    *login = None;
                    nonce.evidence.forget();
                }
                is_dropped
            }
            _ => false,
        }
    }

    /// Drops the login, because the server refused it, and remembers its secret. Call it
    /// before [`record_paths`](Self::record_paths), for the same reason as `set_charset`.
    pub(super) fn refuse(&mut self) {
        // In place: `Option::take` would move the login out, and leave the bytes of an HA1, which
        // is stored inline, in the memory of `self`.
        match &mut self.scheme {
            Scheme::Basic { login, .. } => {
                if let Some(login) = login {
                    self.refused.add(RefusedSecret::Basic(login.value.clone()));
                }
                *login = None;
                self.paths.forget_whole();
            }
            Scheme::Digest { nonce, login } => {
                if let Some(login) = login {
                    self.refused.add(RefusedSecret::Ha1(login.ha1.clone()));
                }
                *login = None;
                nonce.evidence.forget();
            }
        }
    }
}

/// Shows the state by its name in [`states`](super::states), and no secret.
impl fmt::Debug for ProtectionSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_ready() { "Ready" } else { "Chosen" };
        let mut debug = f.debug_tuple(state);
        match &self.scheme {
            Scheme::Basic { .. } => debug.field(&"Basic"),
            Scheme::Digest { nonce, .. } => debug.field(nonce),
        };
        debug.finish()
    }
}
