//! Random use of a server, compared with a model that forgets nothing: many nonces, several accounts
//! that use them in turn, names in all the spellings that user stores take, counts in any order, a
//! clock that jumps, keys that change, tables that are lost, and all the tables too small.
//!
//! A use is a count of a nonce by the holder of an HA1, which is all that a response covers: the
//! model knows neither the spelling of a name nor the algorithm beyond its hash. Whatever happens,
//! no use is granted twice, and one that was not granted is refused only for one of the reasons
//! there are.
//!
//! Some requests are held: between `begin` and `verify` as when a body comes slowly, and between
//! `verify` and `admit`. They are taken up in any order, and may have been copied; the same header comes
//! to several realms of one name. `begin` judges the nonce, and `admit` whether its use is new, with the
//! memory as it is then.

mod actions;
mod requests;
mod world;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use actions::{REALMS, Settings, Step, settings, step};
use countersign::server::Reason;
use proptest::collection::vec;
use proptest::test_runner::TestRunner;
use requests::{Checked, Held, Request};
use world::{Rules, World};

use crate::support::effort::cases;

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
                let nonce = self.world.one_of_latest(index, latest);
                let request =
                    self.requests[self.sent].get_or_init(|| self.world.request(nonce, a_use));
                self.sent += 1;
                self.begin(request, realm, copies);
            }
            Step::Again(index, realm, copies) if self.sent > 0 => {
                let request = self.requests[index.index(self.sent)].get();
                self.begin(request.expect("a request that was sent"), realm, copies);
            }
            Step::Verify(index) if !self.held.is_empty() => {
                let held = self.held.swap_remove(index.index(self.held.len()));
                self.verify(held);
            }
            Step::Admit(index) if !self.checked.is_empty() => {
                let checked = self.checked.swap_remove(index.index(self.checked.len()));
                self.admit(checked);
            }
            Step::Use(index, latest, a_use, realm, back) if !self.world.nonces.is_empty() => {
                let nonce = self.world.one_of_latest(index, latest);
                self.world.use_and_retry(nonce, a_use, realm, back);
            }
            Step::Crowd(clients) => (0..clients).for_each(|client| self.world.log_in(client)),
            Step::Clock(millis) => self.world.set_clock(millis),
            Step::Rotate { keep } => self.world.rotate(keep),
            Step::Restart => self.world.restart(),
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
        let begun = checked.1;
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
fn no_use_is_granted_twice_and_none_refused_without_a_reason() {
    const CASES: u32 = 2000;
    let counts = RefCell::new((BTreeMap::new(), 0));
    let strategy = (settings(), vec(step(), 1..250));
    let result = TestRunner::new(cases(CASES)).run(&strategy, |(settings, steps)| {
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
