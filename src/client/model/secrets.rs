//! The secrets that the user types, and which of them an answer was made with.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::sync::LazyLock;

use super::messages::{NONCES, REALMS};
use crate::client::refused::{Entry, RefusedSecret};
use crate::client::strength::Strength;
use crate::digest::{DigestCredentials, Ha1, HashFunction, User, userhash};
use crate::header::Authorization;
use crate::target::Target;

pub(super) const USER: &str = "Mufasa";

/// A password. The user types another one for each realm and scheme, so an answer shows what its
/// secret was typed for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Secret {
    Typed {
        /// The index of the realm.
        realm: usize,
        is_basic: bool,
        is_right: bool,
    },
    /// The one that the client is given before any challenge.
    Preemptive,
}

impl Secret {
    pub(super) fn password(self) -> String {
        match self {
            Self::Typed {
                realm,
                is_basic,
                is_right,
            } => {
                let scheme = if is_basic { "Basic" } else { "Digest" };
                let what = if is_right { "right" } else { "wrong" };
                format!("{what} for {scheme} in {}", REALMS[realm])
            }
            Self::Preemptive => "before any challenge".to_string(),
        }
    }

    /// Returns whether the honest server of this realm takes it. Preemptive credentials are right
    /// in the first realm.
    pub(super) fn is_right_in(self, of: usize) -> bool {
        match self {
            Self::Typed {
                realm, is_right, ..
            } => realm == of && is_right,
            Self::Preemptive => of == 0,
        }
    }

    pub(super) fn number(self) -> u8 {
        match self {
            Self::Typed {
                realm,
                is_basic,
                is_right,
            } => (realm * 4) as u8 + u8::from(is_basic) * 2 + u8::from(is_right),
            Self::Preemptive => 8,
        }
    }
}

/// The index of a realm.
pub(super) fn realm_of(realm: &[u8]) -> Option<usize> {
    REALMS.iter().position(|it| it.as_bytes() == realm)
}

/// The HA1s of the passwords that are typed for Digest, each for its own realm.
static HA1S: LazyLock<Vec<(Secret, Ha1)>> = LazyLock::new(|| {
    let mut ha1s = Vec::new();
    for hash in [
        #[cfg(feature = "md5")]
        HashFunction::Md5,
        HashFunction::Sha256,
    ] {
        for (realm, name) in REALMS.iter().enumerate() {
            for is_right in [false, true] {
                let secret = Secret::Typed {
                    realm,
                    is_basic: false,
                    is_right,
                };
                ha1s.push((secret, Ha1::new(hash, USER, *name, secret.password())));
            }
        }
    }
    ha1s
});

/// The secret of an HA1, if it was typed for a realm and the HA1 made for the same one.
pub(super) fn of_ha1(ha1: &Ha1) -> Option<Secret> {
    let (secret, _) = HA1S.iter().find(|(_, known)| known == ha1)?;
    Some(*secret)
}

/// The HA1 of the right secret of a realm.
pub(super) fn right_ha1(realm: usize, hash: HashFunction) -> &'static Ha1 {
    let is_it =
        |(secret, ha1): &&(Secret, Ha1)| secret.is_right_in(realm) && ha1.hash_function() == hash;
    let (_, ha1) = HA1S.iter().find(is_it).expect("all are there");
    ha1
}

/// The secret of a Basic value.
pub(super) fn of_basic(value: &[u8]) -> Result<Secret, String> {
    let Ok(Authorization::Basic(pair)) = Authorization::parse(value) else {
        return Err("neither Digest nor Basic".to_string());
    };
    let typed = (0..4_usize).map(|bits| Secret::Typed {
        realm: bits & 1,
        is_basic: true,
        is_right: bits & 2 != 0,
    });
    let mut secrets = typed.chain([Secret::Preemptive]);
    secrets
        .find(|secret| pair.matches(USER, secret.password()))
        .ok_or_else(|| "Basic with what was not typed for Basic".to_string())
}

/// The secret of a refused entry.
pub(super) fn of_refused(entry: &Entry) -> Option<Secret> {
    match &entry.secret {
        RefusedSecret::Ha1(ha1) => of_ha1(ha1),
        RefusedSecret::Basic(value) => of_basic(value.as_bytes()).ok(),
    }
}

/// What an answer says.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct Carried {
    pub(super) secret: Secret,
    /// `None` for Basic.
    pub(super) digest: Option<DigestAnswer>,
}

impl Carried {
    /// The same, with count 1 in place of any other.
    pub(super) fn without_count(self) -> Self {
        let digest = self.digest.map(|digest| DigestAnswer {
            nc: digest.nc.map(|_| 1),
            ..digest
        });
        Self { digest, ..self }
    }
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct DigestAnswer {
    pub(super) realm: usize,
    /// The index of the nonce.
    pub(super) nonce: usize,
    pub(super) nc: Option<u32>,
    pub(super) strength: Strength,
}

/// Reads an answer. Its secret must have been typed for the realm that it names, and for its
/// scheme; its response must be for this request; its nonce must come from that realm.
pub(super) fn read(value: &[u8], target: &Target<'_>) -> Result<Carried, String> {
    match Authorization::parse(value) {
        Ok(Authorization::Digest(digest)) => {
            read_digest(&digest, target).map(|(secret, digest)| Carried {
                secret,
                digest: Some(digest),
            })
        }
        _ => of_basic(value).map(|secret| Carried {
            secret,
            digest: None,
        }),
    }
}

fn read_digest(
    digest: &DigestCredentials<'_>,
    target: &Target<'_>,
) -> Result<(Secret, DigestAnswer), String> {
    let realm = realm_of(&digest.realm.to_bytes()).ok_or("an unknown realm")?;
    let nonce = digest.nonce.to_bytes();
    let nonce = NONCES.iter().position(|it| it.as_bytes() == &*nonce);
    let nonce = nonce.ok_or("an unknown nonce")?;
    if !NONCES[nonce].starts_with(REALMS[realm]) {
        return Err(format!("{} in {}", NONCES[nonce], REALMS[realm]));
    }
    let hash = digest.algorithm().hash_function();
    let is_user = match digest.user() {
        User::Name(name) => name == USER,
        User::Hash(hashed) => hashed == userhash(hash, USER, REALMS[realm]),
        _ => false,
    };
    if !is_user || digest.uri != *target.uri {
        return Err("another user or request-target".to_string());
    }
    let mut of_realm = HA1S
        .iter()
        .filter(|(secret, _)| matches!(secret, Secret::Typed { realm: of, .. } if *of == realm));
    let (secret, _) = of_realm
        .find(|(_, ha1)| digest.expected_response(ha1, target) == Some(digest.response))
        .ok_or_else(|| format!("a response with what was not typed for {}", REALMS[realm]))?;
    let answer = DigestAnswer {
        realm,
        nonce,
        nc: digest.qop_params.map(|params| params.nc()),
        strength: Strength::of(hash, digest.qop().is_some()),
    };
    Ok((*secret, answer))
}
