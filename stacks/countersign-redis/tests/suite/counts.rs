//! The store knows the counts of a nonce as the memory of one machine does.

use countersign::digest::{BodyHasher, Ha1, HashFunction};
use countersign::server::{Arrival, Attempt, Authenticator, Quirk, Realm, Reason, Refusal};
use countersign::{Challenge, Channel, EntityBody, Target, challenges};
use countersign_redis::{RedisStore, redis};
use getrandom::SysRng;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::server::Server;

const USERS: [&str; 2] = ["Mufasa", "Simba"];

#[derive(Clone, Copy, Debug)]
struct Request {
    user: &'static str,
    /// Without one it is in the form of RFC 2069, which may use a nonce once.
    count: Option<u32>,
}

/// A user, and where the count is: from the highest that the user has sent, or from a place.
#[derive(Clone, Copy, Debug)]
enum Step {
    Once,
    At(u32),
    From(i64),
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    // After the first a nonce is good for little.
    let steps = prop_oneof![
        1 => any::<u32>().prop_map(Step::At),
        800 => (-70..=8_i64).prop_map(Step::From),
        // To and from the ends of the window.
        600 => prop::sample::select(vec![-65, -64, -63, -62, -32, 31, 32, 62, 63, 64, 65])
            .prop_map(Step::From),
    ];
    (prop::sample::select(vec![0, 0, 0, 1]), steps)
}

fn steps() -> impl Strategy<Value = (u32, Vec<(usize, Step)>)> {
    let base = prop::sample::select(vec![0, 1000, (1 << 31) - 100, u32::MAX - 400]);
    let steps = |count| prop::collection::vec(step(), count);
    // At last the nonce is used up.
    let steps = (steps(0..150), prop::option::of(steps(1..9)));
    let steps = steps.prop_map(|(mut steps, after)| {
        if let Some(after) = after {
            steps.push((0, Step::Once));
            steps.extend(after);
        }
        steps
    });
    (base, steps)
}

fn hash(text: &str) -> String {
    let mut hasher = BodyHasher::new(HashFunction::Sha256);
    hasher.update(text.as_bytes());
    hasher.finish().as_str().to_owned()
}

impl Request {
    /// The credentials.
    fn answer(self, nonce: &str) -> String {
        let Self { user, count } = self;
        let counted = count.map_or(String::new(), |nc| format!("{nc:08x}:c:auth:"));
        let (ha1, ha2) = (hash(&format!("{user}:site:secret")), hash("GET:/x"));
        let response = hash(&format!("{ha1}:{nonce}:{counted}{ha2}"));
        let params = count.map_or(String::new(), |nc| {
            format!(", qop=auth, nc={nc:08x}, cnonce=\"c\"")
        });
        format!(
            "Digest username=\"{user}\", realm=\"site\", nonce=\"{nonce}\", uri=\"/x\", \
             algorithm=SHA-256, response=\"{response}\"{params}"
        )
    }
}

fn target() -> Target<'static> {
    Target::new("GET", "/x").with_body(EntityBody::Empty)
}

fn nonce<S>(machine: &Authenticator<S>) -> String {
    let refusal = machine.challenge(Arrival::now(Channel::Cleartext));
    let challenge = challenges(refusal.challenges.iter()).next();
    match challenge {
        Some(Ok(Challenge::Digest(challenge))) => challenge.nonce.to_str().unwrap().into_owned(),
        other => panic!("{other:?}"),
    }
}

fn begin<'a, S>(
    machine: &'a Authenticator<S>,
    answer: &'a str,
    target: &'a Target<'a>,
) -> Attempt<'a> {
    let arrival = Arrival::now(Channel::Cleartext);
    machine
        .begin([answer].into_iter(), target, arrival)
        .unwrap()
}

fn reason<T>(outcome: Result<T, Refusal>) -> Option<Reason> {
    outcome.err().map(|refusal| refusal.reason)
}

#[test]
fn the_store_refuses_the_counts_that_a_memory_refuses() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(redis) = runtime.block_on(Server::start()) else {
        return;
    };
    let store = RedisStore::new(redis::Client::open(redis.url()).unwrap());
    let realm = || Realm::new("site").unwrap().with_quirks(&[Quirk::Rfc2069]);
    let memory = Authenticator::new(realm(), 10, &mut SysRng).unwrap();
    let keys = "07".repeat(32).parse().unwrap();
    let shared = Authenticator::for_shared_store(realm(), &keys, &mut SysRng).unwrap();

    let by_memory = |request: Request, nonce: &str| {
        let (answer, target) = (request.answer(nonce), target());
        let attempt = begin(&memory, &answer, &target);
        let ha1 = Ha1::new(attempt.hash_function(), request.user, "site", "secret");
        reason(memory.admit(attempt.verify(Some(ha1)).unwrap()))
    };
    let by_store = |request: Request, nonce: &str| {
        let (answer, target) = (request.answer(nonce), target());
        let attempt = begin(&shared, &answer, &target);
        let ha1 = Ha1::new(attempt.hash_function(), request.user, "site", "secret");
        let claim = shared
            .claim(attempt.verify(Some(ha1)).unwrap())
            .unwrap_err();
        let (key, keep) = (claim.key(), claim.time_to_live());
        let reply = runtime.block_on(store.claim(&key, keep));
        reason(claim.settle(reply.unwrap()))
    };
    // A store that is new counts as a loss, which the machine hears of here.
    let first = Request {
        user: USERS[0],
        count: Some(1),
    };
    by_store(first, &nonce(&shared));

    let config = Config::with_cases(100);
    let run = TestRunner::new(config).run(&steps(), |(base, steps)| {
        let nonces = (nonce(&memory), nonce(&shared));
        let mut highest = [base; 2];
        for (user, step) in steps {
            let count = match step {
                Step::Once => None,
                Step::At(count) => Some(count),
                Step::From(ahead) => {
                    let count = (i64::from(highest[user]) + ahead).max(0);
                    Some(u32::try_from(count).unwrap_or(u32::MAX))
                }
            };
            highest[user] = highest[user].max(count.unwrap_or_default());
            let user = USERS[user];
            let request = Request { user, count };
            let reasons = (by_memory(request, &nonces.0), by_store(request, &nonces.1));
            prop_assert_eq!(reasons.0, reasons.1, "{:?}", request);
        }
        Ok(())
    });
    run.unwrap();
}
