//! Random histories in which requests are held: between `begin` and `verify` as when a body comes
//! slowly, and between `verify` and `admit`. They are taken up in any order, over changes of the
//! clock, of keys and of the server's memory, and may have been copied; the same header comes to
//! several realms of one name.
//!
//! `begin` judges the nonce, and `admit` whether its use is new, with the memory as it is then.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use countersign::server::Reason;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

use super::actions::{Action, Settings, Use, a_use, settings};
use super::requests::{Checked, Held, Request};
use super::world::{Rules, World};
use crate::support::accounts::Spelling;
use crate::support::effort::cases;

#[derive(Clone, Debug)]
enum Step {
    /// Asks for a nonce of a realm.
    Challenge(usize),
    /// Begins a request to a realm with one of this many nonces that are the latest, and copies the
    /// attempt.
    Begin(Index, usize, Use, usize, usize),
    /// Begins a request with a header that was sent before, and copies the attempt.
    Again(Index, usize, usize),
    Verify(Index),
    Admit(Index),
    /// What happens to a server that holds nothing.
    Other(Action),
}

const REALMS: usize = 4;

fn step() -> impl Strategy<Value = Step> {
    let realm = || prop_oneof![1 => Just(0), 1 => 0..REALMS];
    let latest = prop_oneof![3 => Just(2), 2 => Just(5), 1 => Just(usize::MAX)];
    let copies = || prop_oneof![3 => Just(0), 1 => 1..3_usize];
    let in_clear = a_use().prop_map(|a_use| Use {
        spelling: Spelling::Clear,
        ..a_use
    });
    prop_oneof![
        12 => realm().prop_map(Step::Challenge),
        20 => (any::<Index>(), latest, prop_oneof![a_use(), in_clear], realm(), copies())
            .prop_map(|(index, latest, a_use, realm, copies)| {
                Step::Begin(index, latest, a_use, realm, copies)
            }),
        15 => (any::<Index>(), realm(), copies())
            .prop_map(|(index, realm, copies)| Step::Again(index, realm, copies)),
        30 => any::<Index>().prop_map(Step::Verify),
        30 => any::<Index>().prop_map(Step::Admit),
        1 => (1..5_usize).prop_map(|clients| Step::Other(Action::Crowd(clients))),
        3 => (-12_000..12_000_i64).prop_map(|millis| Step::Other(Action::Clock(millis))),
        3 => (0..3_000_i64).prop_map(|millis| Step::Other(Action::Clock(millis))),
        1 => any::<bool>().prop_map(|keep| Step::Other(Action::Rotate { keep })),
        1 => Just(Step::Other(Action::Restart)),
    ]
}

/// Realms of one name. All but the second have the same nonces.
fn realms() -> [Rules; REALMS] {
    let base = Rules::new(false);
    let opaque = Rules {
        realm: base.realm.clone().with_opaque("opaque").unwrap(),
        ..base
    };
    let counted_only = Rules::counted_only();
    [base, Rules::new(true), counted_only, opaque]
}

struct History<'r> {
    world: World<'r>,
    /// The requests there are, and room for more. They outlive the attempts, which borrow them.
    requests: &'r [OnceCell<Request>],
    sent: usize,
    held: Vec<Held<'r>>,
    checked: Vec<Checked<'r>>,
    most_held: usize,
}

impl<'r> History<'r> {
    fn act(&mut self, step: Step) {
        match step {
            Step::Challenge(realm) => {
                self.world.challenge(realm);
            }
            Step::Begin(index, latest, a_use, realm, copies) if !self.world.nonces.is_empty() => {
                let count = self.world.nonces.len();
                let nonce = count - 1 - index.index(count.min(latest));
                let request =
                    self.requests[self.sent].get_or_init(|| self.world.request(nonce, a_use));
                self.sent += 1;
                self.begin(request, realm, copies);
            }
            Step::Again(index, realm, copies) if self.sent > 0 => {
                let request = self.requests[index.index(self.sent)].get();
                self.begin(request.expect("one that was sent"), realm, copies);
            }
            Step::Verify(index) if !self.held.is_empty() => {
                let held = self.held.swap_remove(index.index(self.held.len()));
                self.verify(held);
            }
            Step::Admit(index) if !self.checked.is_empty() => {
                let checked = self.checked.swap_remove(index.index(self.checked.len()));
                self.admit(checked);
            }
            Step::Other(action) => self.world.act(&action),
            _ => {}
        }
        self.most_held = self.most_held.max(self.held.len() + self.checked.len());
    }

    fn begin(&mut self, request: &'r Request, realm: usize, copies: usize) {
        if let Ok(held) = self.world.begin(request, realm) {
            self.held.extend(vec![held; copies + 1]);
        }
    }

    fn verify(&mut self, held: Held<'r>) {
        if let Ok(checked) = self.world.verify(held) {
            self.checked.push(checked);
        }
    }

    /// A nonce that comes with a late refusal is one to use, too.
    fn admit(&mut self, checked: Checked<'r>) {
        let begun = checked.begun;
        if let Err(rejected) = self.world.admit(checked)
            && matches!(rejected.reason, Reason::NonceForgotten { .. })
        {
            self.world.take_up(&rejected, &begun);
        }
    }
}

fn run(settings: Settings, steps: Vec<Step>) -> (BTreeMap<&'static str, u32>, usize) {
    let (realms, count) = (realms(), steps.len());
    let requests: Vec<_> = (0..count).map(|_| OnceCell::new()).collect();
    let mut history = History {
        world: World::new(settings, &realms),
        requests: &requests,
        sent: 0,
        held: Vec::new(),
        checked: Vec::new(),
        most_held: 0,
    };
    steps.into_iter().for_each(|step| history.act(step));
    // The others at last, the latest first.
    while let Some(held) = history.held.pop() {
        history.verify(held);
    }
    while let Some(checked) = history.checked.pop() {
        history.admit(checked);
    }
    (history.world.outcomes, history.most_held)
}

#[test]
fn no_use_is_granted_twice_however_late_it_is_admitted() {
    const CASES: u32 = 2000;
    let counts = RefCell::new((BTreeMap::new(), 0));
    let strategy = (settings(), vec(step(), 1..200));
    let result = TestRunner::new(cases(CASES)).run(&strategy, |(settings, steps)| {
        let settings = Settings {
            one_time: false,
            ..settings
        };
        let (outcomes, most_held) = run(settings, steps);
        let (counts, most) = &mut *counts.borrow_mut();
        for (outcome, count) in outcomes {
            *counts.entry(outcome).or_insert(0) += count;
        }
        *most = most_held.max(*most);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (counts, most) = counts.into_inner();
    println!("up to {most} requests held at once: {counts:?}");
    // None of them may be left out for want of cases.
    assert_eq!(counts.len(), 8);
    assert!(counts.values().all(|count: &u32| *count > 20), "{counts:?}");
}
