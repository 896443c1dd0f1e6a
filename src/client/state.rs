//! What a client knows of its protection space.

use alloc::boxed::Box;
use core::fmt;

use crate::client::choice::Choice;
use crate::client::login::{Login, UserPass};
use crate::client::origin::OwnedOrigin;
use crate::client::pin::Pin;
use crate::client::session::Session;
use crate::client::space::Space;
use crate::digest::{Challenge, Hash};

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them a client")]
pub(super) enum State {
    Idle,
    Chosen(Chosen),
    Ready(Ready),
}

/// A challenge that waits for a login.
#[derive(Clone)]
pub(super) enum Chosen {
    Basic {
        realm: Box<[u8]>,
        utf8: bool,
        /// That of refused credentials, which those to come have, too.
        space: Option<Space>,
    },
    Digest {
        session: Session,
        space: Space,
    },
}

#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one of them a client")]
pub(super) enum Ready {
    Basic {
        /// `None` before any challenge.
        realm: Option<Box<[u8]>>,
        utf8: bool,
        login: UserPass,
        /// `None` before the request that was challenged has been sent again.
        space: Option<Space>,
    },
    Digest {
        realm: Box<[u8]>,
        utf8: bool,
        hash: Hash,
        login: Login,
        space: Space,
        /// `None` while there is no nonce that could be used.
        session: Option<Session>,
    },
}

impl Ready {
    /// The realm the credentials are for; `None` if that is not known yet.
    pub(super) fn realm(&self) -> Option<&[u8]> {
        match self {
            Self::Basic { realm, .. } => realm.as_deref(),
            Self::Digest { realm, .. } => Some(realm),
        }
    }

    /// What the pin must not be above.
    pub(super) fn strength(&self) -> Pin {
        match self {
            Self::Basic { .. } => Pin::Basic,
            Self::Digest { hash, session, .. } => {
                let is_legacy = session.as_ref().is_some_and(|s| s.qop.is_legacy());
                Pin::of(*hash, !is_legacy)
            }
        }
    }
}

impl fmt::Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic { .. } => "Basic",
            Self::Digest { .. } => "Digest",
        })
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Basic { .. } => f.write_str("Basic"),
            Self::Digest { session, .. } => f.debug_tuple("Digest").field(session).finish(),
        }
    }
}

impl Chosen {
    pub(super) fn of(choice: &Choice<'_>, origin: Option<&OwnedOrigin>, is_proxy: bool) -> Self {
        match choice {
            Choice::Basic(challenge) => Self::Basic {
                realm: challenge.realm().to_bytes().into(),
                utf8: challenge.is_utf8(),
                space: None,
            },
            Choice::Digest(challenge) => Self::Digest {
                session: Session::of(challenge),
                space: space_of(challenge, origin, is_proxy),
            },
        }
    }

    /// The same, in the space of the state before if that is of the same realm.
    pub(super) fn after(mut self, before: &State) -> Self {
        if let Self::Basic { realm, space, .. } = &mut self
            && let State::Ready(Ready::Basic {
                realm: before,
                space: known,
                ..
            }) = before
            && before.as_ref().is_none_or(|before| before == realm)
        {
            space.clone_from(known);
        }
        self
    }
}

/// Where the credentials for a challenge may go unasked.
pub(super) fn space_of(
    challenge: &Challenge<'_>,
    origin: Option<&OwnedOrigin>,
    is_proxy: bool,
) -> Space {
    match challenge.domain() {
        Some(domain) if !is_proxy => Space::of_domain(&domain.to_bytes(), origin),
        _ => Space::Whole,
    }
}
