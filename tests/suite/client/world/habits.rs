//! What is odd about servers and programs.

/// Which nonces a server takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Nonces {
    /// The one of its last challenge.
    Newest,
    /// One that no request has used yet.
    Once,
    /// Any, if the count is higher than all before.
    Rising,
    /// One for all clients, until twenty requests have used it.
    Common,
}

/// How a server decides.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Habits {
    /// `None` for Basic.
    pub(in super::super) nonces: Option<Nonces>,
    pub(in super::super) says_stale: bool,
    /// Looks at the nonce before the password, so that a wrong password may be told to be `stale`.
    pub(in super::super) looks_at_nonce_first: bool,
    /// How many requests in a thousand exceed a limit, whatever their credentials are.
    pub(in super::super) limited: u64,
    /// How many right answers in a thousand are refused.
    pub(in super::super) failing: u64,
    /// The next two requests after a wrong password exceed a limit.
    pub(in super::super) pauses: bool,
    /// How many requests in a thousand are refused by an application behind the server, which does
    /// not challenge.
    pub(in super::super) forbidden: u64,
}

/// How a program makes its requests.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Manners {
    /// The number of requests at a time.
    pub(in super::super) tasks: u8,
    /// The longest time between the end of one and the start of the next, in microseconds.
    pub(in super::super) pause: u64,
    /// How many requests in a thousand are for a path that asks nobody for a password.
    pub(in super::super) public: u64,
    /// How many responses in a thousand are lost.
    pub(in super::super) lost: u64,
    /// How many passwords in a thousand the user mistypes.
    pub(in super::super) mistyped: u64,
    /// Others go on while the user types.
    pub(in super::super) types_late: bool,
    /// The origin has two realms.
    pub(in super::super) two_realms: bool,
    /// The program can send a request again. If not, a request ends with its first refusal.
    pub(in super::super) repeats: bool,
}

/// A program, and the servers that it talks to.
#[derive(Debug)]
pub(in super::super) struct Setting {
    pub(in super::super) proxy: Option<Habits>,
    pub(in super::super) origin: Habits,
    pub(in super::super) manners: Manners,
    /// Where chance begins.
    pub(in super::super) seed: u64,
}

/// Some combinations, more of them when optimised.
pub(in super::super) fn settings() -> impl Iterator<Item = Setting> {
    // Prime, so that every habit is combined with every other.
    let step = if cfg!(debug_assertions) { 3989 } else { 89 };
    (0..ALL).step_by(step).map(setting)
}

/// One of the combinations, with two realms, a user who mistypes, and responses that are lost.
pub(in super::super) fn interleaved(number: u64) -> Setting {
    let Setting {
        proxy,
        origin,
        manners,
        seed,
    } = setting(number % ALL);
    Setting {
        proxy,
        origin: Habits {
            says_stale: true,
            failing: 0,
            forbidden: 0,
            ..origin
        },
        manners: Manners {
            tasks: 8,
            lost: 30,
            mistyped: 400,
            types_late: true,
            two_realms: true,
            repeats: true,
            ..manners
        },
        seed: seed ^ number << 16,
    }
}

const ALL: u64 = 5 * 3 * 3 * 512;

fn setting(number: u64) -> Setting {
    let mut rest = number;
    let mut one_of = |many: u64| {
        let chosen = rest % many;
        rest /= many;
        chosen
    };
    let kind = |nonces| Habits {
        nonces,
        says_stale: true,
        looks_at_nonce_first: false,
        limited: 0,
        failing: 0,
        pauses: false,
        forbidden: 0,
    };
    let nonces = match one_of(5) {
        0 => Some(Nonces::Newest),
        1 => Some(Nonces::Once),
        2 => Some(Nonces::Rising),
        3 => Some(Nonces::Common),
        _ => None,
    };
    let proxy = match one_of(3) {
        0 => None,
        1 => Some(kind(Some(Nonces::Rising))),
        _ => Some(kind(Some(Nonces::Once))),
    };
    let tasks = match one_of(3) {
        0 => 1,
        1 => 2,
        _ => 6,
    };
    Setting {
        proxy,
        origin: Habits {
            nonces,
            says_stale: one_of(2) == 1,
            looks_at_nonce_first: one_of(2) == 1,
            limited: 150 * one_of(2),
            failing: 20 * one_of(2),
            pauses: one_of(2) == 1,
            forbidden: 100 * one_of(2),
        },
        manners: Manners {
            tasks,
            pause: [10_000, 1_000_000][usize::from(one_of(2) == 1)],
            public: 500 * one_of(2),
            lost: 0,
            mistyped: 0,
            types_late: false,
            two_realms: false,
            // With one-time nonces of a proxy, no other program gets to the server.
            repeats: one_of(2) == 1 || proxy.is_some(),
        },
        seed: number,
    }
}
