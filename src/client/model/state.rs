//! The state of a world as bytes: equal if nothing that the client does from there on can differ,
//! except for the numbers that [the model](super) leaves out.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::slice;

use super::messages::REALMS;
use super::secrets::{self, Secret};
use super::world::{Line, Phase, World};
use crate::client::ask::Ask;
use crate::client::client::Client;
use crate::client::evidence::{Accepted, Moment};
use crate::client::exchange::Exchange;
use crate::client::nonce::NonceState;
use crate::client::paths::Paths;
use crate::client::refused::{Entry, Refused, RefusedSecret};
use crate::client::request::Request;
use crate::client::sent::Sent;
use crate::client::space::{ProtectionSpace, Scheme};
use crate::client::space_id::SpaceId;
use crate::client::strength::Strength;
use crate::digest::{Ha1, Qop, QopSet};
use crate::field_value::FieldValue;

struct Writer(Vec<u8>);

/// The state of a world.
pub(super) fn of(world: &World) -> Box<[u8]> {
    let mut out = Writer(Vec::with_capacity(256));
    let client = &world.client;
    for realm in REALMS {
        match client.strengths.of(realm.as_bytes()) {
            Some((accepted, proven)) => out.bytes(&[strength(accepted), strength(proven)]),
            None => out.bytes(b"-"),
        }
    }
    if world.setup.shows_uses {
        world.counts.iter().for_each(|&count| out.bool(count > 0));
    }
    for space in client.spaces.iter() {
        out.space(space, world.setup.shows_uses);
    }
    out.bytes(b"|");
    // It does not matter which exchange is the first.
    let mut lines: Vec<_> = world
        .lines
        .iter()
        .map(|line| Writer::of_line(line, client))
        .collect();
    lines.sort();
    lines.iter().for_each(|line| out.bytes(line));
    out.monitors(world);
    out.0.into_boxed_slice()
}

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0
            .push(u8::try_from(bytes.len()).expect("a short text"));
        self.0.extend_from_slice(bytes);
    }

    fn bool(&mut self, bool: bool) {
        self.0.push(u8::from(bool));
    }

    fn option(&mut self, bytes: Option<&[u8]>) {
        self.bool(bytes.is_some());
        self.bytes(bytes.unwrap_or_default());
    }

    fn space(&mut self, space: &ProtectionSpace, shows_uses: bool) {
        // By name, so that a new field is not forgotten here. Ids are only compared with each
        // other, so the place of a space is written in place of its id.
        let ProtectionSpace {
            id: _,
            scheme,
            utf8,
            paths,
            home,
            refused,
        } = space;
        match scheme {
            Scheme::Basic { realm, login } => {
                self.bytes(b"Basic");
                self.option(realm.as_deref());
                self.option(login.as_ref().map(|login| login.value.as_bytes()));
            }
            Scheme::Digest { nonce, login } => {
                self.bytes(b"Digest");
                self.nonce(nonce);
                self.bool(login.is_some());
                if let Some(login) = login {
                    self.ha1(&login.ha1);
                    let keyed = login.keyed_nonce().filter(|_| shows_uses);
                    self.option(keyed);
                }
            }
        }
        self.bool(*utf8);
        match paths {
            Paths::Whole => self.bytes(b"Whole"),
            Paths::Within(paths) => {
                self.bytes(b"Within");
                paths.iter().for_each(|path| self.bytes(path));
            }
        }
        self.bytes(home.as_bytes());
        self.refused(refused);
    }

    fn nonce(&mut self, nonce: &NonceState) {
        let challenge = nonce.challenge();
        self.bytes(nonce.realm());
        self.bytes(nonce.nonce());
        self.bytes(nonce.algorithm.as_str().as_bytes());
        self.option(challenge.algorithm_text().map(|text| text.raw()));
        self.option(challenge.opaque.map(|text| text.raw()));
        self.qop(nonce.qop);
        self.bytes(match nonce.userhash {
            None => b"-",
            Some(false) => b"0",
            Some(true) => b"1",
        });
        self.bool(nonce.utf8);
        self.bytes(match nonce.evidence.accepted() {
            Accepted::No => b"n",
            Accepted::Unasked => b"u",
            Accepted::Yes => b"y",
        });
        let (refusals, request) = nonce.evidence.refusals();
        self.bytes(&[refusals]);
        self.option(request.map(Request::uri));
        self.bool(nonce.is_unanswered);
        self.bool(nonce.is_used);
        self.bool(nonce.is_usable);
    }

    fn qop(&mut self, qop: QopSet) {
        self.bool(qop.contains(Qop::Auth));
        self.bool(qop.contains(Qop::AuthInt));
    }

    /// The secret of an HA1, or the HA1 itself if it is none of those that were typed.
    fn ha1(&mut self, ha1: &Ha1) {
        match secrets::of_ha1(ha1) {
            Some(secret) => self.bytes(&[secret.number()]),
            None => self.bytes(ha1.as_hex().as_bytes()),
        }
        self.bytes(ha1.hash_function().to_string().as_bytes());
    }

    /// The numbers of refusals are only compared with those in asks, which the asks' lines show.
    fn refused(&mut self, refused: &Refused) {
        self.bool(refused.is_unsettled());
        self.0.push(refused.entries().count() as u8);
        for entry in by_refusal(refused) {
            match &entry.secret {
                RefusedSecret::Ha1(ha1) => self.ha1(ha1),
                RefusedSecret::Basic(value) => self.bytes(value.as_bytes()),
            }
            // Beyond seven refusals the number of asks stays the same.
            self.bytes(&[entry.times.min(7) as u8, entry.asks_left as u8]);
        }
    }

    fn of_line(line: &Line, client: &Client) -> Vec<u8> {
        let mut out = Self(Vec::new());
        out.line(line, client);
        out.0
    }

    fn line(&mut self, line: &Line, client: &Client) {
        let place = |id: SpaceId| client.spaces.iter().position(|space| space.id == id);
        match &line.phase {
            Phase::Idle => return self.bytes(b"idle"),
            Phase::Refused(ask, secret) => {
                self.bytes(b"refused");
                self.option(secret.map(Secret::number).as_ref().map(slice::from_ref));
                return self.ask(ask, client);
            }
            Phase::Asked(ask) => {
                self.bytes(b"asked");
                self.ask(ask, client);
            }
            Phase::Ready => self.bytes(b"ready"),
            Phase::Waits => {
                self.bytes(b"waits");
                let answer = line.exchange.answer.as_ref();
                match (&line.exchange.sent, answer) {
                    (Some(sent), _) => {
                        self.sent(sent);
                        self.bool(sent.is_shared(&client.counts));
                        let changes = changes(line, client, sent.made);
                        changes.into_iter().for_each(|it| self.bool(it));
                    }
                    (None, answer) => self.option(answer.map(FieldValue::as_bytes)),
                }
                self.place(line.exchange.answering_space.and_then(place));
                self.bool(line.exchange.is_preemptive);
            }
        }
        // The next request replaces the others. `Waits` or `path` shows them.
        let Exchange {
            answer: _,
            sent: _,
            request: _,
            refused,
            contended,
            without_answer,
            challenging_space,
            answering_space: _,
            is_preemptive: _,
            has_forgiven,
            has_guessed_wrong,
            closed,
        } = &line.exchange;
        self.bytes(&[*refused, *contended, *without_answer, line.path as u8]);
        self.bytes(&[line.answers, line.without, line.forgiven]);
        self.bool(line.is_guess);
        // A space that is gone counts as none.
        self.place(challenging_space.and_then(place));
        self.bool(*has_forgiven);
        self.bool(*has_guessed_wrong);
        self.bool(*closed);
    }

    fn place(&mut self, place: Option<usize>) {
        self.0.push(place.map_or(u8::MAX, |place| place as u8));
    }

    fn sent(&mut self, sent: &Sent) {
        let Sent {
            ha1,
            realm,
            nonce,
            algorithm,
            qop,
            is_hashed_name,
            // `Waits` shows what they are compared with.
            nc: _,
            is_first_use: _,
            made: _,
        } = sent;
        self.bytes(b"Digest");
        self.ha1(ha1);
        self.bytes(realm.as_bytes());
        self.bytes(nonce.as_bytes());
        self.bytes(algorithm.as_str().as_bytes());
        let qop = qop.as_ref();
        self.option(qop.map(|sent| sent.qop.as_str().as_bytes()));
        self.bool(qop.is_some_and(|sent| sent.is_covered));
        self.bool(*is_hashed_name);
    }

    fn ask(&mut self, ask: &Ask, client: &Client) {
        let Ask {
            endpoint: _,
            id,
            realm,
            hash,
            again,
            refusals,
            is_fresh,
        } = ask;
        let place = client.spaces.iter().position(|space| space.id == *id);
        self.place(place);
        // One that is superseded stays so.
        let Some(space) = place.and_then(|at| client.spaces.iter().nth(at)) else {
            return;
        };
        assert_eq!(space.realm(), Some(realm.as_bytes()));
        assert_eq!(space.hash_function(), *hash);
        self.bool(*again);
        self.bool(*is_fresh);
        self.bool(*refusals == space.refused.refusals());
        for entry in by_refusal(&space.refused) {
            self.bool(*refusals < entry.last);
        }
    }

    /// What the checks remember.
    fn monitors(&mut self, world: &World) {
        self.bytes(&world.proven.map(strength));
        for paths in world.basic {
            paths.into_iter().for_each(|asked| self.bool(asked));
        }
        self.bool(world.is_preemptive_over);
    }
}

/// Whether the secret of an answer was accepted since it was made, and whether a refusal of it can still count.
fn changes(line: &Line, client: &Client, made: Moment) -> [bool; 2] {
    let space = line.exchange.answering_space;
    match space.and_then(|id| client.spaces.by_id(id)) {
        Some(ProtectionSpace {
            scheme: Scheme::Digest { nonce, .. },
            ..
        }) => [
            nonce.evidence.has_accepted_since(made),
            nonce.evidence.has_changed_since(made),
        ],
        _ => [false; 2],
    }
}

/// The refused secrets in the order in which they would be forgotten.
fn by_refusal(refused: &Refused) -> Vec<&Entry> {
    let mut entries: Vec<_> = refused.entries().collect();
    entries.sort_by_key(|entry| entry.last);
    entries
}

const fn strength(strength: Strength) -> u8 {
    strength as u8
}
