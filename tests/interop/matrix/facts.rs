//! What is known of the peers: `peers.json`.

use std::sync::OnceLock;

use serde_json::Value;

use super::{Case, Remedy};

fn all() -> &'static Value {
    static ALL: OnceLock<Value> = OnceLock::new();
    ALL.get_or_init(|| serde_json::from_str(include_str!("peers.json")).unwrap())
}

/// All cases with their meaning and the kinds of peers that can take part, if not all.
pub(super) fn cases() -> impl Iterator<Item = (Case, &'static str, Option<&'static str>)> {
    let cases = all()["cases"].as_array().unwrap().iter();
    cases.map(|case| {
        let text = |at: usize| case[at].as_str();
        (text(0).unwrap(), text(1).unwrap(), text(2))
    })
}

/// A peer, and what is known of it.
#[derive(Clone, Copy)]
pub(super) struct Facts(&'static Value, &'static str);

impl Facts {
    /// All peers of a kind.
    pub(super) fn of(kind: &'static str) -> impl Iterator<Item = Self> {
        let all = all()[kind].as_array().unwrap().iter();
        all.map(move |facts| Self(facts, kind))
    }

    pub(super) fn name(self) -> &'static str {
        self.0["peer"].as_str().unwrap()
    }

    /// Whether it starts at once, and is easily had.
    pub(super) fn is_light(self) -> bool {
        self.0["light"] == true
    }

    fn of_case(self, field: &str, case: Case) -> &'static Value {
        &self.0[field][case]
    }

    /// The cases that come into question: a peer may have no such thing, or another row has it.
    pub(super) fn cases(self) -> Vec<Case> {
        let not_tried = self.0["not_tried"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let is_tried = |case: Case, kinds: Option<&str>| {
            kinds.is_none_or(|kinds| kinds.contains(self.1)) && !not_tried.contains(&case.into())
        };
        let tried = cases().filter(|(case, _, kinds)| is_tried(case, *kinds));
        tried.map(|(case, ..)| case).collect()
    }

    /// What is known to go wrong, and why.
    pub(super) fn limit(self, case: Case) -> Option<&'static str> {
        self.of_case("limits", case).as_str()
    }

    /// What makes up for it.
    pub(super) fn remedy(self, case: Case) -> Option<Remedy> {
        remedy(self.of_case("remedies", case))
    }

    /// How it is run, if by a script.
    pub(super) fn run(self) -> Option<&'static str> {
        self.0["run"].as_str()
    }

    /// What our server must offer for its sake.
    pub(super) fn offer(self) -> Option<Remedy> {
        remedy(&self.0["offer"])
    }

    /// The path at which a server is tried.
    pub(super) fn place(self, case: Case) -> &'static str {
        let place = self.of_case("places", case).as_str();
        place.or_else(|| self.0["place"].as_str()).unwrap()
    }

    /// Why a server does not offer it, as the challenge at the place shows.
    pub(super) fn lack(self, case: Case) -> Option<&'static str> {
        self.of_case("lacks", case).as_str()
    }

    /// For how many milliseconds an answer is held back so that its nonce grows old. With none, the
    /// client is given a nonce that the server does not know, and calls stale.
    pub(super) fn expiry(self) -> Option<u64> {
        self.0["expiry"].as_u64()
    }
}

fn remedy(option: &'static Value) -> Option<Remedy> {
    let option = option.as_str()?;
    Some((option, all()["options"][option].as_str().unwrap()))
}
