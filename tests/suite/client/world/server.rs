//! A server that lets in whoever has the password, with habits that real servers have.

use std::collections::BTreeMap;

use countersign::digest::{Ha1, HashFunction};
use countersign::wire::DigestCredentials;
use countersign::{Authorization, FieldValue, Target};

use super::Dice;
use super::habits::{Habits, Nonces};
use crate::support::client::{PASSWORD, USER};

/// What becomes of a request.
#[derive(Debug)]
pub(super) enum Served {
    LetIn,
    Limited,
    /// An application behind the server says 401, and asks for no password.
    Forbidden,
    Asked(String),
}

pub(super) struct Server {
    habits: Habits,
    pub(super) realm: &'static str,
    pub(super) password: &'static str,
    /// The number of the last nonce.
    newest: u32,
    /// The nonces with the highest count that was used with them.
    used: BTreeMap<String, u32>,
    /// How often the common nonce was used.
    uses: u32,
    /// How many requests will exceed a limit because of a wrong password.
    pause: u8,
    /// The answers whose password was looked at and is wrong.
    pub(super) wrong: u32,
}

impl Server {
    pub(super) fn new(habits: Habits, realm: &'static str) -> Self {
        Self {
            habits,
            realm,
            password: PASSWORD,
            newest: 0,
            used: BTreeMap::new(),
            uses: 0,
            pause: 0,
            wrong: 0,
        }
    }

    /// `is_open` if the path asks nobody for a password.
    pub(super) fn serve(
        &mut self,
        path: &str,
        is_open: bool,
        answer: Option<&FieldValue>,
        dice: &mut Dice,
    ) -> Served {
        let target = Target::new("GET", path);
        let answer = answer.map(|value| Authorization::parse(value).expect("an answer"));
        let is_ours = |answer: &Authorization<'_>| match answer {
            Authorization::Digest(digest) => digest.realm == self.realm,
            _ => true,
        };
        let answer = answer.filter(is_ours);
        let is_right = |it| self.is_made_with(self.password, it, &target);
        let is_right = answer.as_ref().is_some_and(is_right);
        if self.pause > 0 {
            self.pause -= 1;
            return Served::Limited;
        }
        if dice.of_thousand(self.habits.limited) {
            return Served::Limited;
        }
        let let_in = match dice.of_thousand(self.habits.forbidden) {
            true => Served::Forbidden,
            false => Served::LetIn,
        };
        if is_open {
            return let_in;
        }
        let fails = answer.is_some() && dice.of_thousand(self.habits.failing);
        match answer {
            Some(Authorization::Digest(digest))
                if (is_right || self.habits.looks_at_nonce_first) && !self.takes_nonce(&digest) =>
            {
                self.ask(self.habits.says_stale)
            }
            Some(_) if is_right && !fails => let_in,
            None => self.ask(false),
            Some(_) => {
                if !is_right {
                    self.wrong += 1;
                    self.pause = 2 * u8::from(self.habits.pauses);
                }
                self.ask(false)
            }
        }
    }

    pub(super) fn is_other(&self) -> bool {
        self.realm == "other"
    }

    /// Who has the password.
    pub(super) fn user(&self) -> &'static str {
        if self.is_other() { "Scar" } else { USER }
    }

    pub(super) fn is_made_with(
        &self,
        password: &str,
        answer: &Authorization<'_>,
        target: &Target<'_>,
    ) -> bool {
        match answer {
            Authorization::Digest(digest) => {
                let ha1 = Ha1::new(HashFunction::Sha256, self.user(), self.realm, password);
                digest.expected_response(&ha1, target) == Some(digest.response)
            }
            Authorization::Basic(pair) => pair.matches(self.user(), password),
            other => panic!("{other:?}"),
        }
    }

    /// Whether this nonce is taken with this count, which is used then.
    fn takes_nonce(&mut self, digest: &DigestCredentials<'_>) -> bool {
        let count = digest.qop_params.expect("a qop").nc();
        let nonce = digest.nonce.to_str().expect("a nonce of ours").into_owned();
        let is_newest = nonce == self.nonce();
        let highest = self.used.get_mut(&nonce).expect("a nonce of ours");
        let is_taken = match self.habits.nonces.expect("Digest") {
            Nonces::Newest | Nonces::Common => is_newest,
            Nonces::Once => *highest == 0,
            Nonces::Rising => count > *highest,
        };
        *highest = count.max(*highest);
        if is_taken && self.habits.nonces == Some(Nonces::Common) {
            self.uses += 1;
            if self.uses.is_multiple_of(20) {
                self.newest += 1;
            }
        }
        is_taken
    }

    fn nonce(&self) -> String {
        format!("{}-{}", self.realm, self.newest)
    }

    fn ask(&mut self, is_stale: bool) -> Served {
        let realm = self.realm;
        let Some(nonces) = self.habits.nonces else {
            return Served::Asked(format!(r#"Basic realm="{realm}""#));
        };
        if nonces != Nonces::Common {
            self.newest += 1;
        }
        let nonce = self.nonce();
        let stale = if is_stale { ", stale=true" } else { "" };
        let challenge = format!(
            r#"Digest realm="{realm}", nonce="{nonce}", qop="auth", algorithm=SHA-256{stale}"#
        );
        self.used.entry(nonce).or_default();
        Served::Asked(challenge)
    }
}
