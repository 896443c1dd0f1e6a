//! A wrong password, and every server whose reactions to it come in a cycle of up to three: how often
//! it is refused.

use countersign::client::{Client, Exchange, Next, Policy};
use countersign::{EntityBody, Target};

use super::steps;
use crate::support::client::{PASSWORD, USER, client};

/// How a server reacts to an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reaction {
    /// It refuses the answer, and names another nonce.
    OtherNonce,
    SameNonce,
    /// It refuses the answer, and asks for `auth-int`, for which the program has no body.
    OtherQop,
    /// It refuses the answer, and no longer supports hashed user names.
    NoUserhash,
    Stale,
    /// A 401 without a challenge.
    Silent,
    /// A response with this status.
    Status(u16),
}

use Reaction::{NoUserhash, OtherNonce, OtherQop, SameNonce, Silent, Stale, Status};

const REACTIONS: [Reaction; 8] = [
    OtherNonce,
    SameNonce,
    OtherQop,
    NoUserhash,
    Stale,
    Silent,
    Status(429),
    Status(503),
];

#[derive(Clone, Copy, Debug)]
struct Program {
    /// The password was right until the server changed it.
    was_right: bool,
    /// Sends a request again. If not, a request ends with the first refusal.
    repeats: bool,
    /// Gets something that asks for no password before each request.
    is_public_first: bool,
}

struct Server {
    cycle: Vec<Reaction>,
    answers: usize,
    /// The refusals of answers whose password, or whose parameters, the server looked at.
    refusals: u32,
    nonces: u32,
}

impl Server {
    fn challenge(&mut self, more: &str) -> String {
        self.nonces += 1;
        self.same_nonce(more)
    }

    fn same_nonce(&self, more: &str) -> String {
        let nonce = self.nonces;
        format!(r#"Digest realm="r", nonce="n{nonce}", algorithm=SHA-256, {more}"#)
    }

    /// The status, and the challenge if there is one.
    fn react(&mut self, is_answered: bool) -> (u16, Option<String>) {
        const ASKED: &str = r#"qop="auth", userhash=true"#;
        if !is_answered {
            return (401, Some(self.challenge(ASKED)));
        }
        let reaction = self.cycle[self.answers % self.cycle.len()];
        self.answers += 1;
        if matches!(reaction, OtherNonce | SameNonce | OtherQop | NoUserhash) {
            self.refusals += 1;
        }
        match reaction {
            OtherNonce => (401, Some(self.challenge(ASKED))),
            SameNonce => (401, Some(self.same_nonce(ASKED))),
            OtherQop => (
                401,
                Some(self.challenge(r#"qop="auth-int", userhash=true"#)),
            ),
            NoUserhash => (401, Some(self.challenge(r#"qop="auth""#))),
            Stale => (401, Some(self.challenge(&format!("{ASKED}, stale=true")))),
            Silent => (401, None),
            Status(status) => (status, None),
        }
    }
}

/// Returns how many answers with the password are refused in this number of requests.
fn refusals(cycle: &[Reaction], program: Program, requests: u32) -> u32 {
    let mut server = Server {
        cycle: cycle.to_vec(),
        answers: 0,
        refusals: 0,
        nonces: 0,
    };
    let mut client = if program.was_right {
        let challenge = server.challenge(r#"qop="auth""#);
        steps::accepted_once(Policy::new(), &challenge)
    } else {
        client(Policy::new())
    };
    for _ in 0..requests {
        if program.is_public_first {
            let mut exchange = Exchange::new();
            steps::sends(&mut client, &mut exchange, "/public");
            steps::responds(&mut client, &mut exchange, 200);
        }
        request(&mut client, &mut server, program.repeats);
    }
    server.refusals
}

fn request(client: &mut Client, server: &mut Server, repeats: bool) {
    let mut exchange = Exchange::new();
    // More than any exchange takes.
    for _ in 0..40 {
        let Ok(answer) = client.authorize(&mut exchange, &Target::new("GET", "/")) else {
            return;
        };
        let is_answered = answer.is_some();
        let (status, challenge) = server.react(is_answered);
        let field = |name: &str| challenge.as_ref().filter(|_| name == "www-authenticate");
        let next = client.received(&mut exchange, status, field, EntityBody::Unknown);
        match next.unwrap() {
            Next::Retry if repeats || !is_answered => {}
            Next::Login(ask) if client.login(&ask, USER, PASSWORD).is_ok() => {}
            _ => return,
        }
    }
    panic!("a loop: {exchange:?}");
}

/// All cycles of one to three reactions.
fn cycles() -> Vec<Vec<Reaction>> {
    let longer = |cycles: &[Vec<Reaction>]| -> Vec<_> {
        let all = cycles.iter();
        all.flat_map(|cycle| REACTIONS.map(|next| [&cycle[..], &[next]].concat()))
            .collect()
    };
    let one = longer(&[Vec::new()]);
    let two = longer(&one);
    let three = longer(&two);
    [one, two, three].concat()
}

fn programs() -> impl Iterator<Item = Program> {
    (0..8).map(|bits| Program {
        was_right: bits & 1 > 0,
        repeats: bits & 2 > 0,
        is_public_first: bits & 4 > 0,
    })
}

#[test]
fn a_password_is_refused_a_bounded_number_of_times() {
    const REQUESTS: u32 = 400;
    // The n-th time that it turns out to be wrong, it is not sent for 2^(n-1) requests, at most 64.
    // Before that, at most eight refusals may have other reasons.
    const MOST: u32 = 8 * 11;
    let cycles = cycles();
    assert_eq!(cycles.len(), 8 + 64 + 512);
    let step = if cfg!(debug_assertions) { 41 } else { 1 };
    for program in programs() {
        for cycle in cycles.iter().step_by(step) {
            let refusals = refusals(cycle, program, REQUESTS);
            assert!(refusals <= MOST, "{cycle:?}, {program:?}: {refusals}");
        }
    }
}
