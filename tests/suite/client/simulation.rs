//! Honest servers with odd habits, and a program that makes several requests at a time.

use countersign::client::Policy;

use super::world::{Came, Nonces, Server, World};
use crate::support::client::{client, home};

/// How many requests are made in each part of a test.
const REQUESTS: u32 = 1000;

#[derive(Debug)]
struct Setting {
    server: Server,
    tasks: usize,
    repeats: bool,
}

/// Some combinations, all of them when optimised.
fn settings() -> impl Iterator<Item = Setting> {
    // Prime, so that every habit is combined with every other.
    let step = if cfg!(debug_assertions) { 71 } else { 1 };
    (0..5 * 3 * 32).step_by(step).map(|number: usize| {
        let nonces = [
            Some(Nonces::Newest),
            Some(Nonces::Once),
            Some(Nonces::Rising),
            Some(Nonces::Common(20)),
            None,
        ];
        let bits = number / 15;
        let has = |bit: usize| bits >> bit & 1 == 1;
        Setting {
            server: Server {
                says_stale: has(0),
                looks_at_nonce_first: has(1),
                is_limited: has(2),
                has_public: has(3),
                ..Server::new(home(), nonces[number % 5])
            },
            tasks: [1, 2, 6][number / 5 % 3],
            repeats: has(4),
        }
    })
}

impl Setting {
    fn world(&self) -> World {
        let client = client(Policy::new());
        World::new(self.server.clone(), client, self.tasks, self.repeats)
    }

    /// Whether requests make each other's nonces invalid all the time.
    fn is_contended(&self) -> bool {
        let nonces = self.server.nonces;
        self.tasks > 1 && matches!(nonces, Some(Nonces::Newest | Nonces::Once))
    }

    /// Checks that requests with a right password get in. One that is refused again and again before a
    /// response has shown that it is right may fail.
    fn gets_in(&self, came: &Came) {
        let is_let_in = !self.repeats || self.is_contended() || came.told + came.failed <= 8;
        assert!(is_let_in, "{self:?}: {came:?}");
    }

    /// Checks how often a wrong password was sent. A path that asks nobody for a password accepts it.
    fn is_seldom_wrong(&self, came: &Came, most: u32) {
        let is_bounded = self.server.has_public || came.wrong <= most * self.tasks as u32;
        assert!(is_bounded, "{self:?}: {came:?}");
    }
}

#[test]
fn a_right_password_gets_in() {
    for setting in settings() {
        let came = setting.world().run(REQUESTS);
        assert_eq!(came.wrong, 0, "{setting:?}: {came:?}");
        setting.gets_in(&came);
    }
}

#[test]
fn a_wrong_password_is_sent_about_twenty_times() {
    for setting in settings() {
        let mut world = setting.world();
        world.typed = "Circle of Lies";
        setting.is_seldom_wrong(&world.run(REQUESTS), 24);
    }
}

/// The user types the old one for some time.
#[test]
fn a_changed_password_is_sent_a_bounded_number_of_times() {
    for setting in settings() {
        let mut world = setting.world();
        world.run(REQUESTS);
        world.server.password = "Be prepared";
        setting.is_seldom_wrong(&world.run(REQUESTS), 60);
        // The old one may still be there, and is sent until it is refused often enough.
        world.typed = "Be prepared";
        let came = world.run(REQUESTS);
        setting.is_seldom_wrong(&came, 8);
        setting.gets_in(&came);
    }
}
