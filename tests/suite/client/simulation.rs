//! Servers that let in whoever has the password, with habits that real servers have, and a program
//! that makes several requests at a time, in simulated time.

use super::world::habits::{self, Habits, Nonces, Setting};
use super::world::{Figures, World};
use crate::support::client::PASSWORD;

/// How many requests are made in each part of a test.
const REQUESTS: u32 = 1000;

fn figures(setting: &Setting, typed: &'static str) -> Figures {
    let mut world = World::new(setting);
    world.type_in(typed);
    world.run(REQUESTS)
}

/// How many of the requests may fail with the right password.
fn tolerated(setting: &Setting) -> u32 {
    let Setting {
        origin, manners, ..
    } = setting;
    match (manners.tasks, origin.nonces) {
        // Refused again and again, before a response has shown that it is right.
        _ if origin.failing > 0 => 150,
        // A password that no response has shown to be right yet, with a nonce that is used up.
        (1, _) if origin.forbidden > 0 && !origin.says_stale => 3,
        (1, _) => 0,
        (_, Some(Nonces::Once)) if !origin.says_stale => 70,
        // Each answer of one task makes that of another stale, and three are the most.
        (_, Some(Nonces::Once | Nonces::Newest)) => 55,
        _ => 20,
    }
}

/// Requests that make each other's nonces invalid all the time.
fn is_contended(setting: &Setting) -> bool {
    let Setting {
        proxy,
        origin,
        manners,
        ..
    } = setting;
    let has_once = |habits: &Habits| habits.nonces == Some(Nonces::Once);
    let is_fast = manners.pause < 1_000_000;
    manners.tasks > 1
        && match origin.nonces {
            Some(Nonces::Newest) => is_fast,
            Some(Nonces::Once) => !origin.says_stale && proxy.as_ref().is_some_and(has_once),
            _ => false,
        }
}

#[test]
fn a_right_password_gets_in() {
    for setting in habits::settings().filter(|it| it.manners.repeats && !is_contended(it)) {
        let figures = figures(&setting, PASSWORD);
        let seen = format!("{setting:?}: {figures:?}");
        assert!(figures.failures() <= tolerated(&setting), "{seen}");
        assert_eq!(figures.wrong, 0, "{seen}");
        assert!(figures.most_requests <= 32, "{seen}");
    }
}

#[test]
fn a_wrong_password_is_sent_about_twenty_times() {
    for setting in habits::settings() {
        let figures = figures(&setting, "Circle of Lies");
        let tasks = u32::from(setting.manners.tasks);
        // Twice as often, if a path that asks for no password has just accepted it.
        let most = match setting.manners.public {
            0 => 24,
            _ => 48,
        };
        let most = most * tasks;
        assert!(figures.wrong <= most, "{setting:?}: {figures:?}");
        assert!(figures.most_requests <= 32, "{setting:?}: {figures:?}");
    }
}

/// The user types the old one for some time.
#[test]
fn a_changed_password_is_sent_a_bounded_number_of_times() {
    for setting in habits::settings() {
        let mut world = World::new(&setting);
        world.run(REQUESTS);
        world.change("Be prepared");
        let figures = world.run(REQUESTS);
        let tasks = u32::from(setting.manners.tasks);
        assert!(figures.wrong <= 60 * tasks, "{setting:?}: {figures:?}");

        world.type_in("Be prepared");
        let figures = world.run(REQUESTS);
        let seen = format!("{setting:?}: {figures:?}");
        // The old one may still be there, and is sent until it is refused often enough.
        assert!(figures.wrong <= 8 * tasks, "{seen}");
        if setting.manners.repeats && !is_contended(&setting) {
            let tolerated = tolerated(&setting) + tasks;
            assert!(figures.failures() <= tolerated, "{seen}");
        }
    }
}
