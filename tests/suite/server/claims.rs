//! Replays recognised by a store that several machines share: what is claimed there, for how long,
//! and what its reply is worth.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use countersign::digest::{Ha1, HashFunction};
use countersign::server::{
    Arrival, Authenticator, NonceKeys, PendingClaim, Reason, SharedStore, StoreReply, Verified,
};
use countersign::{Channel, InvalidText, Target, Timestamp};

use crate::support::server::{
    Answer, Challenges, PASSWORD, START, Seeded, Service, USER, Why, authenticator, ha1, look_up,
    nonce_keys, realm, reply, shared,
};

const LIFETIME: u64 = 300_000;
const MARGIN: u64 = 1000 * PendingClaim::<()>::STORE_MARGIN_SECS;

fn store() -> Authenticator<SharedStore> {
    shared(realm(), 1)
}

fn before(millis: u64) -> Timestamp {
    Timestamp::from_unix_millis(START.as_unix_millis() - millis)
}

fn verify<'a>(
    store: &'a Authenticator<SharedStore>,
    header: &'a str,
    target: &Target<'a>,
) -> Verified<'a, Ha1> {
    let arrival = Arrival::new(Channel::Encrypted, START);
    let attempt = store.begin([header].into_iter(), target, arrival).unwrap();
    let ha1 = ha1(attempt.hash_function());
    attempt.verify(Some(ha1)).unwrap()
}

fn pending<'a>(
    store: &'a Authenticator<SharedStore>,
    header: &'a str,
    target: &Target<'a>,
) -> PendingClaim<'a, Ha1> {
    let claim = store.claim(verify(store, header, target));
    claim.expect_err("something to claim")
}

#[test]
fn a_claim_has_a_key_for_each_count_and_its_time_to_live() {
    let store = store();
    let answer = Service::new(realm()).answer();
    let target = answer.target();
    let mut nonces = HashSet::new();
    for nc in [1, 2, u32::MAX] {
        let header = answer.counted(nc).header();
        let claim = pending(&store, &header, &target);
        let key = claim.key();
        // The same each time.
        assert_eq!(pending(&store, &header, &target).key(), key);
        let (time, end) = (START.as_unix_millis(), format!("-{nc:08x}"));
        assert!(key.is_ascii() && key.len() <= 38, "{key}");
        assert!(key.starts_with(&format!("{time:x}-")), "{key}");
        nonces.insert(key.strip_suffix(&end).expect("the count").to_owned());
        // The nonce is valid for the whole of the last millisecond, also by a clock that is late.
        assert_eq!(
            claim.time_to_live(),
            Duration::from_millis(LIFETIME + MARGIN + 1)
        );
    }
    assert_eq!(nonces.len(), 1, "of one nonce");
}

/// A nonce of `START`, by what the store says of its time and its losses.
#[test]
fn what_a_reply_decides() {
    let (service, store) = (Service::new(realm()), store());
    let answer = service.answer();
    let (header, target) = (answer.header(), answer.target());
    let after = |millis| START.plus_millis(millis);
    let forgotten = |until| Err(Reason::NonceForgotten { until });
    let epoch = Timestamp::from_unix_millis(0);
    let (expired, replayed) = (Err(Reason::NonceExpired), Err(Reason::Replayed));
    let late = after(LIFETIME + 1);
    let long_before = before(MARGIN + 1);
    for (is_first, now, lost_until, outcome) in [
        (true, START, None, Ok(())),
        (true, after(LIFETIME), None, Ok(())),
        (true, late, None, expired),
        (false, START, None, replayed),
        (false, late, None, replayed),
        // From the future.
        (true, before(MARGIN), None, Ok(())),
        (true, long_before, None, forgotten(epoch)),
        // A loss.
        (true, START, Some(epoch), Ok(())),
        (true, START, Some(before(1)), Ok(())),
        (true, START, Some(START), forgotten(START)),
        (true, START, Some(after(MARGIN)), forgotten(after(MARGIN))),
        (false, START, Some(START), replayed),
        (true, late, Some(START), expired),
        // A nonce that was issued right after a loss, which the store's clock has not reached.
        (true, long_before, Some(before(1)), Ok(())),
        (true, long_before, Some(before(2)), forgotten(before(2))),
    ] {
        let reply = StoreReply {
            lost_until,
            ..reply(is_first, now)
        };
        let settled = pending(&store, &header, &target).settle(reply);
        let settled = settled.why().map(|grant| assert!(grant.qop().is_some()));
        assert_eq!(settled, outcome, "{reply:?}");
    }
}

#[test]
fn basic_has_nothing_to_claim() {
    let header = crate::support::basic_header(USER, PASSWORD);
    let store = shared(realm().with_basic(), 1);
    let target = Target::new("GET", "/");
    let granted = store
        .claim(verify(&store, &header, &target))
        .expect("a grant");
    assert_eq!(*granted.account(), ha1(HashFunction::Sha256));
}

/// A claim at another server than the one that verified the request.
#[test]
fn a_claim_of_another_server_is_foreign() {
    let store = store();
    let header = Service::new(realm()).answer().header();
    let target = Target::new("GET", "/a?b=c");
    for other in [shared(realm(), 2), shared(realm(), 1)] {
        let claim = other.claim(verify(&store, &header, &target));
        let settled = claim
            .expect_err("something to claim")
            .settle(reply(true, START));
        assert_eq!(settled.why().map(drop), Err(Reason::NonceForeign));
    }
}

#[test]
fn keys_are_one_to_three_words_of_hexadecimal_digits() {
    let word = |digits: &str| digits.repeat(32);
    let (a, b) = (word("aB"), word("0f"));
    let digits = |found| Err(InvalidText::Digits { wanted: 64, found });
    for (text, expected) in [
        (a.clone(), Ok(())),
        (format!(" {a}\n"), Ok(())),
        (format!("{a} {b}"), Ok(())),
        (format!("{a}\r\n{b}\t{a}\n"), Ok(())),
        (String::new(), Err(InvalidText::Empty)),
        (a[2..].to_owned(), digits(62)),
        (a[1..].to_owned(), digits(63)),
        (format!("{a}{b}"), digits(128)),
        (format!("{a} {b} {a} {b}"), Err(InvalidText::TooManyKeys(4))),
        (format!("{a} {}", word("0g")), Err(InvalidText::NotHex(66))),
        (word("é"), Err(InvalidText::NotHex(0))),
    ] {
        assert_eq!(text.parse::<NonceKeys>().map(drop), expected, "{text}");
    }
}

mod machines {
    use super::*;

    /// A machine with keys and a generator of its own, and a clock that may be wrong.
    fn machine(keys: &[u8], seed: u64) -> Authenticator<SharedStore> {
        let (keys, rng) = (nonce_keys(keys), &mut Seeded(seed));
        let Ok(machine) = Authenticator::for_shared_store(realm(), &keys, rng);
        machine
    }

    /// What a script keeps in a store: keys with their expiry.
    struct Store {
        now: Timestamp,
        keys: HashMap<String, Timestamp>,
        lost_until: Option<Timestamp>,
        /// A plain store replies with the time of the machine.
        is_plain: bool,
    }

    impl Store {
        fn new(is_plain: bool) -> Self {
            Self {
                now: START,
                keys: HashMap::new(),
                lost_until: None,
                is_plain,
            }
        }

        fn claim(&mut self, claim: &PendingClaim<'_, Ha1>, machine: Timestamp) -> StoreReply {
            let now = self.now;
            self.keys.retain(|_, expires| *expires > now);
            let keep = u64::try_from(claim.time_to_live().as_millis()).unwrap();
            let is_first = !self.keys.contains_key(&claim.key());
            self.keys
                .entry(claim.key())
                .or_insert_with(|| now.plus_millis(keep));
            match self.is_plain {
                true => reply(is_first, machine),
                false => StoreReply {
                    lost_until: self.lost_until,
                    ..reply(is_first, now)
                },
            }
        }
    }

    /// The nonce of the challenges to a request without credentials.
    fn issued(machine: &Authenticator<SharedStore>, now: Timestamp) -> Answer {
        let refusal = machine.challenge(Arrival::new(Channel::Encrypted, now));
        Answer::to(&refusal.nonce())
    }

    /// Or the nonce of the refusal.
    fn take(
        machine: &Authenticator<SharedStore>,
        answer: &Answer,
        now: Timestamp,
        store: &mut Store,
    ) -> Result<(), Box<(Reason, Answer)>> {
        let (header, target) = (answer.header(), answer.target());
        let arrival = Arrival::new(Channel::Encrypted, now);
        let attempt = machine.begin([&header].into_iter(), &target, arrival);
        let account = attempt.as_ref().ok().and_then(look_up);
        let granted = attempt.unwrap().verify(account).and_then(|verified| {
            let claim = machine.claim(verified).expect_err("something to claim");
            let reply = store.claim(&claim, now);
            claim.settle(reply).map(drop)
        });
        granted.map_err(|refusal| Box::new((refusal.reason, Answer::to(&refusal.nonce()))))
    }

    #[test]
    fn machines_never_make_the_same_nonce() {
        let machines = [1, 2].map(|seed| machine(&[1], seed));
        let nonces = (0..10_000).map(|n| issued(&machines[n % 2], START).nonce);
        assert_eq!(nonces.collect::<HashSet<_>>().len(), 10_000);
    }

    /// For two lifetimes a captured header comes to two machines, whose clocks differ
    /// from that of the store. Users get in, at the second try at most.
    #[test]
    fn wrong_clocks_let_nothing_in_again() {
        const MINUTE: i64 = 60_000;
        let apart = [-60 * MINUTE, -10 * MINUTE, -MINUTE, 0, MINUTE, 10 * MINUTE];
        let pairs = || apart.iter().flat_map(|a| apart.iter().map(|b| [*a, *b]));
        let ways = [true, false]
            .into_iter()
            .flat_map(|is_plain| pairs().map(move |it| (is_plain, it)));
        for (is_plain, pair @ [first, second]) in ways {
            let mut store = Store::new(is_plain);
            let machines = [1, 2].map(|seed| machine(&[1], seed));
            let clock = |store: &Store, at: usize| {
                let millis = store.now.as_unix_millis().saturating_add_signed(pair[at]);
                Timestamp::from_unix_millis(millis)
            };
            // The nonce is of the first machine, and used at either.
            let now = clock(&store, 0);
            let mut captured = issued(&machines[0], now);
            let mut granted = 0;
            match take(&machines[0], &captured, now, &mut store) {
                Err(refused) => captured = refused.1,
                Ok(()) => granted = 1,
            }
            for _ in 0..140 {
                for (at, machine) in machines.iter().enumerate() {
                    let now = clock(&store, at);
                    granted += u32::from(take(machine, &captured, now, &mut store).is_ok());
                }
                store.now = store.now.plus_millis(5000);
            }
            // By their own clocks, machines may differ by the margin.
            if !is_plain || (first - second).abs() <= MINUTE {
                assert!(granted <= 1, "{granted} grants, {pair:?} {is_plain}");
            }
            // A machine that is late follows the store.
            if !is_plain && first <= MINUTE {
                let now = clock(&store, 0);
                let again = take(&machines[0], &issued(&machines[0], now), now, &mut store);
                assert!(again.is_ok() && granted == 1, "{pair:?}");
            }
        }
    }

    /// A store whose clock was far ahead for one reply locks nobody out.
    #[test]
    fn the_clock_of_the_store_may_go_back() {
        let (mut store, machine) = (Store::new(false), machine(&[1], 1));
        store.now = START.plus_millis(100 * MARGIN);
        assert!(take(&machine, &issued(&machine, START), START, &mut store).is_err());
        store.now = START;
        let refused = take(&machine, &issued(&machine, START), START, &mut store);
        let (why, next) = *refused.unwrap_err();
        assert!(matches!(why, Reason::NonceForgotten { .. }));
        assert_eq!(take(&machine, &next, START, &mut store), Ok(()));
    }

    /// Machines accept each other's nonces, whichever of them reads the new keys first.
    /// By the machine that refuses, and by those that hear of the loss later.
    #[test]
    fn after_a_loss_the_nonce_of_the_refusal_is_good_at_once() {
        let mut store = Store::new(false);
        let machines = [1, 2].map(|seed| machine(&[1], seed));
        let captured = issued(&machines[0], START);
        assert!(take(&machines[0], &captured, START, &mut store).is_ok());
        store.keys.clear();
        store.lost_until = Some(START.plus_millis(MARGIN));
        let (reason, answer) = *take(&machines[1], &captured, START, &mut store).unwrap_err();
        assert!(
            matches!(reason, Reason::NonceForgotten { .. }),
            "{reason:?}"
        );
        for (machine, nc) in machines.iter().zip(1..) {
            assert!(take(machine, &answer.counted(nc), START, &mut store).is_ok());
            let new = issued(machine, START);
            assert!(take(machine, &new, START, &mut store).is_ok());
        }
    }

    #[test]
    fn keys_are_read_in_any_order() {
        let texts: [&[u8]; 4] = [&[1, 2], &[2, 3, 1], &[3, 4, 2], &[4, 5, 3]];
        let accepts = |machine: &Authenticator<SharedStore>, answer: &Answer| {
            take(machine, answer, START, &mut Store::new(true)).map_err(|refused| refused.0)
        };
        for pair in texts.windows(2) {
            for (issuer, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                let (issuer, other) = (machine(issuer, 1), machine(other, 2));
                let answer = issued(&issuer, START);
                assert_eq!(accepts(&issuer, &answer), Ok(()));
                assert_eq!(accepts(&other, &answer), Ok(()));
            }
        }
        // As one machine goes through them.
        let walker = machine(texts[0], 1);
        let mut seen: Vec<Answer> = Vec::new();
        for (step, text) in texts.iter().enumerate() {
            walker.set_keys(&nonce_keys(text));
            for (at, answer) in seen.iter().enumerate() {
                let expected = match step - at {
                    1 => Ok(()),
                    _ => Err(Reason::NonceForeign),
                };
                assert_eq!(accepts(&walker, answer), expected, "{at} at {step}");
            }
            seen.push(issued(&walker, START));
        }
        // After a leak, three that are new.
        walker.set_keys(&nonce_keys(&[6, 7, 8]));
        for answer in &seen {
            assert_eq!(accepts(&walker, answer), Err(Reason::NonceForeign));
        }
    }

    /// For a balancer, without a store: each machine has its own key and memory.
    #[test]
    fn a_nonce_names_its_machine() {
        let named = |name| authenticator(realm(), 10_000).with_machine(name);
        for name in ["AA", "AB", "m1", "z-", "__", "9A"] {
            let service = Service {
                auth: named(name).unwrap(),
                ..Service::new(realm())
            };
            let nonces: HashSet<_> = (0..1000).map(|_| service.nonce()).collect();
            assert_eq!(nonces.len(), 1000);
            assert!(nonces.iter().all(|nonce| nonce[8..10] == *name));
            let answer = service.answer();
            assert_eq!(service.take(&answer), Ok(()));
            // The name is under the MAC.
            let mut renamed = answer.counted(2);
            renamed.nonce.replace_range(8..10, "xx");
            assert_eq!(service.take(&renamed), Err(Reason::NonceForeign));
        }
        for (name, error) in [
            ("", InvalidText::Empty),
            ("a", InvalidText::NotToken(1)),
            ("abc", InvalidText::TooLong(2)),
            ("ä", InvalidText::NotToken(0)),
            ("a=", InvalidText::NotToken(0)),
            ("+a", InvalidText::NotToken(0)),
            ("a/", InvalidText::NotToken(0)),
            ("a ", InvalidText::NotToken(0)),
        ] {
            assert_eq!(named(name).err(), Some(error), "{name}");
        }
    }
}
