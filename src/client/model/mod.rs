//! A search of the states that a client can be in: breadth first, for a small alphabet of what its
//! users and its peers do, with several policies.
//!
//! Checked at every step:
//!
//! - no loop: an exchange sends no more answers than [`with_max_answers`] allows, one more after a
//!   guess of the realm, eight more if there are two exchanges, at most nine requests without one,
//!   and no answer after [`Next::GiveUp`];
//! - no count twice: each nonce is sent with 1, 2, 3 and so on, whatever comes in between;
//! - no secret where it does not belong: the user types another password for each realm and scheme,
//!   and each answer must have been made with one that was typed for the realm and scheme that it
//!   is sent to. Basic is sent only for a path where it was asked for, or preemptively;
//! - no downgrade, and no strength required that was not proven; no proof taken from a peer that
//!   does not know the secret; a refused secret is not sent again at once.
//!
//! Checked in every state: no lockout. An honest server of each kind that is strong enough, alone
//! from then on, lets the client in within two requests, or within two after it refused a wrong
//! password or the policy ended the exchange; if it had refused the right one before, after no more
//! asks than [`states`](super::states#refused-secrets) says.
//!
//! Also checked in every state: if the password is changed at the server, and every answer with the
//! old one is refused from then on, the client drops it after at most twice as many answers as the
//! exchanges under way may send; also if a path that asks for no password accepts it meanwhile.
//!
//! # What a state is
//!
//! All fields of the client and its exchanges, as [`state`] writes them, with these abstractions:
//!
//! - Ids of spaces and numbers of refusals are only compared with each other, so an ask is shown by
//!   the place of its space and by the results of these comparisons.
//! - Nonce counts and the hash state kept for a nonce are left out, except in one setup, which
//!   shows which nonces were used. In every state, the counts kept must be those that were sent.
//! - Cnonces, and what the next request replaces, are left out.
//! - It does not matter which of two exchanges is the first.
//! - Secrets are refused at most as often as the setup says. States beyond are checked but not
//!   expanded.
//!
//! That equal states behave alike is checked for a sample: for about one in [97](search) histories
//! that end in a known state, all that the client says next, and all states that follow, are
//! compared with what the first history led to.
//!
//! [`with_max_answers`]: super::Policy::with_max_answers
//! [`Next::GiveUp`]: super::Next::GiveUp

use alloc::vec::Vec;
use std::println;

mod changed;
mod honest;
mod messages;
mod search;
mod secrets;
mod setup;
mod state;
mod world;

use search::search;
use setup::SETUPS;

#[test]
fn every_state_is_safe_and_no_state_is_a_lockout() {
    let full = usize::from(!cfg!(debug_assertions));
    let found: Vec<_> = SETUPS
        .iter()
        .map(|setup| {
            let found = search(setup, setup.depth[full]);
            println!("{}: {found:?}", setup.name);
            assert!(found.states >= setup.states[full], "{}", setup.name);
            assert_eq!(found.is_complete, setup.depth[full] == usize::MAX);
            found
        })
        .collect();
    let total = |of: fn(&search::Found) -> usize| found.iter().map(of).sum::<usize>();
    println!(
        "{} setups: {} states, {} edges",
        found.len(),
        total(|it| it.states),
        total(|it| it.edges)
    );
    assert!(total(|it| it.compared) > [5, 5000][full]);
}
