//! A request on its way through the steps of a server.

use countersign::digest::Ha1;
use countersign::server::{Attempt, Authenticator, Verified};
use countersign::{Target, Timestamp};

use super::actions::{ACCOUNTS, Form, Use};
use crate::support::server::{Answer, REALM};

/// A request with a response that is right for the account, whatever the store makes of the name.
pub(super) struct Request {
    /// The number of the nonce.
    pub(super) nonce: usize,
    pub(super) a_use: Use,
    answer: Answer,
    pub(super) header: Vec<u8>,
}

impl Request {
    pub(super) fn new(nonce: usize, text: &str, a_use: Use) -> Self {
        let account = &ACCOUNTS[a_use.account];
        let answer = Answer {
            user: account.name.to_owned(),
            password: account.password.to_owned(),
            algorithm: a_use.algorithm,
            qop: match a_use.form {
                Form::Auth | Form::Uncounted => Some("auth"),
                Form::AuthInt => Some("auth-int"),
                Form::Rfc2069 => None,
            },
            uncounted: a_use.form == Form::Uncounted,
            ..Answer::to(text).counted(a_use.nc)
        };
        let header = answer.params().without("username").to_string();
        let mut header = header.into_bytes();
        let hash = a_use.algorithm.hash_function();
        for (name, value) in a_use.spelling.params(account, REALM, hash) {
            header.extend(format!(", {name}=").bytes());
            header.extend(value);
        }
        Self {
            nonce,
            a_use,
            answer,
            header,
        }
    }

    pub(super) fn target(&self) -> Target<'_> {
        self.answer.target()
    }
}

/// A request that has begun, and what was true at that time: nothing that happens later to keys and
/// clock may change the judgement of its nonce.
#[derive(Clone, Copy)]
pub(super) struct Begun<'r> {
    pub(super) request: &'r Request,
    pub(super) realm: usize,
    pub(super) ours: bool,
    pub(super) expired: bool,
    pub(super) now: Timestamp,
    /// The server that has begun it.
    pub(super) server: &'static Authenticator,
}

/// Held between `begin` and `verify`.
pub(super) type Held<'r> = (Attempt<'r>, Begun<'r>);

/// Held between `verify` and `admit`.
pub(super) type Checked<'r> = (Verified<'r, Ha1>, Begun<'r>);
