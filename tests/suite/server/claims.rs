//! Replays recognised by a store that several machines share: what is claimed there, for how long,
//! and what its reply is worth.

use std::collections::{HashMap, HashSet};

use countersign::digest::{Ha1, HashFunction};
use countersign::server::{
    Arrival, Authenticator, PendingClaim, Reason, SharedStore, StoreReply, Use, Verified,
};
use countersign::{Channel, InvalidText, Target, Timestamp};

use crate::support::server::{
    Answer, PASSWORD, START, Seeded, Service, USER, Why, ha1, is_stale, look_up, nonce_keys,
    nonce_of, realm, reply, shared, texts,
};

const LIFETIME: u64 = 300_000;
const MARGIN: u64 = 60_000;

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
    let (service, store) = (Service::new(realm()), store());
    let answer = service.answer();
    let mut keys = HashSet::new();
    for nc in [1, 2, u32::MAX] {
        let header = answer.counted(nc).header();
        let target = answer.target();
        let key = pending(&store, &header, &target).key();
        // The same each time, and another for each count.
        let claim = pending(&store, &header, &target);
        assert_eq!(key, claim.key());
        assert!(key.is_ascii() && key.len() <= 38, "{key}");
        let (time, end) = (START.as_unix_millis(), format!("-{nc:08x}"));
        assert!(
            key.starts_with(&format!("{time:x}-")) && key.ends_with(&end),
            "{key}"
        );
        assert!(keys.insert(key.clone()));
        // The nonce is valid for the whole of the last millisecond, also by a clock that is late.
        assert_eq!(PendingClaim::<()>::STORE_MARGIN_SECS * 1000, MARGIN);
        let keep = u64::try_from(claim.time_to_live().as_millis()).unwrap();
        assert_eq!(keep, LIFETIME + MARGIN + 1);
    }
    let nonces: HashSet<_> = keys.iter().map(|key| &key[..key.len() - 9]).collect();
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
    use Use::{First, Seen};
    for (used, now, lost_until, outcome) in [
        (First, START, None, Ok(())),
        (First, after(LIFETIME), None, Ok(())),
        (First, after(LIFETIME + 1), None, Err(Reason::NonceExpired)),
        (Seen, START, None, Err(Reason::Replayed)),
        (Seen, after(LIFETIME + 1), None, Err(Reason::Replayed)),
        // From the future.
        (First, before(MARGIN), None, Ok(())),
        (First, before(MARGIN + 1), None, forgotten(epoch)),
        // A loss.
        (First, START, Some(epoch), Ok(())),
        (First, START, Some(before(1)), Ok(())),
        (First, START, Some(START), forgotten(START)),
        (First, START, Some(after(MARGIN)), forgotten(after(MARGIN))),
        (Seen, START, Some(START), Err(Reason::Replayed)),
        (
            First,
            after(LIFETIME + 1),
            Some(START),
            Err(Reason::NonceExpired),
        ),
        // A nonce that was issued right after a loss, which the store's clock has not reached.
        (First, before(MARGIN + 1), Some(before(1)), Ok(())),
        (
            First,
            before(MARGIN + 1),
            Some(before(2)),
            forgotten(before(2)),
        ),
    ] {
        let reply = StoreReply {
            used,
            now,
            lost_until,
        };
        let settled = pending(&store, &header, &target).settle(reply);
        if let Err(refusal) = &settled {
            assert!(is_stale(&texts(refusal)), "{reply:?}");
        }
        assert_eq!(
            settled.why().map(|grant| assert!(grant.qop().is_some())),
            outcome,
            "{reply:?}"
        );
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
    for right in [
        a.clone(),
        format!(" {a}\n"),
        format!("{a} {b}"),
        format!("{a}\r\n{b}\t{a}\n"),
    ] {
        let keys = right.parse::<countersign::server::NonceKeys>();
        assert_eq!(format!("{:?}", keys.unwrap()), "NonceKeys(..)");
    }
    let digits = |found| InvalidText::Digits { wanted: 64, found };
    for (wrong, error) in [
        (String::new(), InvalidText::Empty),
        (a[2..].to_owned(), digits(62)),
        (a[1..].to_owned(), digits(63)),
        (format!("{a}{b}"), digits(128)),
        (format!("{a} {b} {a} {b}"), InvalidText::TooManyKeys(4)),
        (format!("{a} {}", word("0g")), InvalidText::NotHex(66)),
        (word("é"), InvalidText::NotHex(0)),
    ] {
        let keys = wrong.parse::<countersign::server::NonceKeys>();
        assert_eq!(keys.err(), Some(error), "{wrong}");
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

    /// What a script keeps in a store: keys with their expiry, and what it knows of losses.
    struct Store {
        now: Timestamp,
        keys: HashMap<String, Timestamp>,
        lost_until: Option<Timestamp>,
        /// A plain store replies with the time of the machine, and knows of no loss.
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

        fn lose(&mut self) {
            self.keys.clear();
            self.lost_until = (!self.is_plain).then(|| self.now.plus_millis(MARGIN));
        }
    }

    /// The nonce of the challenges to a request without credentials.
    fn issued(machine: &Authenticator<SharedStore>, now: Timestamp) -> Answer {
        let refusal = machine.challenge(Arrival::new(Channel::Encrypted, now));
        Answer::to(&nonce_of(&texts(&refusal)))
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
        granted
            .map_err(|refusal| Box::new((refusal.reason, Answer::to(&nonce_of(&texts(&refusal))))))
    }

    #[test]
    fn a_captured_header_is_granted_by_one_machine_once() {
        let machines = [1, 2].map(|seed| machine(&[1], seed));
        let store = &mut Store::new(true);
        for made_by in &machines {
            for first in &machines {
                let answer = issued(made_by, START);
                assert!(take(first, &answer, START, store).is_ok());
                // A client may change machines at every request.
                for nc in 2..10 {
                    let machine = &machines[nc as usize % 2];
                    assert!(take(machine, &answer.counted(nc), START, store).is_ok());
                }
                for nc in 1..10 {
                    for machine in &machines {
                        let replay = take(machine, &answer.counted(nc), START, store);
                        assert_eq!(replay.unwrap_err().0, Reason::Replayed);
                    }
                }
            }
        }
    }

    #[test]
    fn machines_never_make_the_same_nonce() {
        let machines = [1, 2].map(|seed| machine(&[1], seed));
        let nonces: HashSet<_> = (0..10_000)
            .map(|n| issued(&machines[n % 2], START).nonce)
            .collect();
        assert_eq!(nonces.len(), 10_000);
    }

    /// For two lifetimes a captured header comes to two machines, whose clocks differ
    /// from that of the store. Users get in, at the second try at most.
    #[test]
    fn wrong_clocks_let_nothing_in_again() {
        const MINUTE: i64 = 60_000;
        let apart = [-60 * MINUTE, -10 * MINUTE, -MINUTE, 0, MINUTE, 10 * MINUTE];
        for is_plain in [true, false] {
            for (first, second) in apart
                .iter()
                .flat_map(|a| apart.iter().map(move |b| (*a, *b)))
            {
                let mut store = Store::new(is_plain);
                let machines = [(first, machine(&[1], 1)), (second, machine(&[1], 2))];
                let clock = |store: &Store, apart: i64| {
                    let millis = store.now.as_unix_millis().saturating_add_signed(apart);
                    Timestamp::from_unix_millis(millis)
                };
                // The nonce is of the first machine, and used at either.
                let (apart, issuer) = &machines[0];
                let mut captured = issued(issuer, clock(&store, *apart));
                let mut granted = 0;
                if let Err(refused) = take(issuer, &captured, clock(&store, *apart), &mut store) {
                    captured = refused.1;
                } else {
                    granted = 1;
                }
                for _ in 0..140 {
                    for (apart, machine) in &machines {
                        let now = clock(&store, *apart);
                        granted += u32::from(take(machine, &captured, now, &mut store).is_ok());
                    }
                    store.now = store.now.plus_millis(5000);
                }
                // By their own clocks, machines may differ by the margin.
                if !is_plain || (first - second).abs() <= MINUTE {
                    let shown = format!("{granted} grants, {first} {second} {is_plain}");
                    assert!(granted <= 1, "{shown}");
                }
                // A machine that is late follows the store.
                if !is_plain && first <= MINUTE {
                    let answer = issued(issuer, clock(&store, first));
                    let again = take(issuer, &answer, clock(&store, first), &mut store);
                    assert_eq!(
                        again.map_err(|refused| refused.0),
                        Ok(()),
                        "{first} {second}"
                    );
                    assert_eq!(granted, 1);
                }
            }
        }
    }

    /// What was granted before is refused for ever, and every session pays one round trip, also at
    /// a machine that has not yet heard of the loss.
    #[test]
    fn a_loss_that_the_store_tells_lets_nothing_in_again() {
        for late in [0, MARGIN, 10 * MARGIN] {
            let mut store = Store::new(false);
            let machines = [1, 2].map(|seed| machine(&[1], seed));
            let machine_clock =
                |store: &Store| Timestamp::from_unix_millis(store.now.as_unix_millis() - late);
            // A machine whose clock is late learns the store's time.
            for machine in &machines {
                let answer = issued(machine, machine_clock(&store));
                let _ = take(machine, &answer, machine_clock(&store), &mut store);
            }
            let now = machine_clock(&store);
            let used: Vec<_> = (0..10).map(|n| issued(&machines[n % 2], now)).collect();
            for (n, answer) in used.iter().enumerate() {
                assert!(
                    take(&machines[n % 2], answer, now, &mut store).is_ok(),
                    "{late}"
                );
            }
            store.lose();
            for (n, answer) in used.iter().enumerate() {
                let machine = &machines[n / 5];
                let refused = take(machine, answer, now, &mut store);
                let (why, next) = *refused.unwrap_err();
                let until = store.lost_until.unwrap();
                assert_eq!(why, Reason::NonceForgotten { until });
                // At either machine.
                assert_eq!(
                    take(&machines[n % 2], &next, now, &mut store),
                    Ok(()),
                    "{late}"
                );
            }
            for _ in 0..80 {
                store.now = store.now.plus_millis(5000);
                let now = machine_clock(&store);
                let again = |answer| take(&machines[0], answer, now, &mut store).is_ok();
                assert_eq!(used.iter().map(again).filter(|it| *it).count(), 0);
                // And nobody pays twice.
                let answer = issued(&machines[1], now);
                assert_eq!(
                    take(&machines[1], &answer, now, &mut store),
                    Ok(()),
                    "{late}"
                );
            }
        }
        // A plain store does not know.
        let (mut store, machine) = (Store::new(true), machine(&[1], 1));
        let answer = issued(&machine, START);
        for _ in 0..2 {
            assert!(take(&machine, &answer, START, &mut store).is_ok());
            store.lose();
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
    }

    /// For a balancer, without a store: each machine has its own key and memory.
    #[test]
    fn a_nonce_names_its_machine() {
        use crate::support::server::authenticator;
        let named = |name| authenticator(realm(), 10_000).with_machine(name);
        for name in ["AA", "AB", "m1", "z-", "__", "9A"] {
            let auth = named(name).unwrap();
            let mut all = HashSet::new();
            for _ in 0..1000 {
                let refusal = auth.challenge(Arrival::new(Channel::Encrypted, START));
                let nonce = nonce_of(&texts(&refusal));
                assert_eq!(&nonce[8..10], name);
                assert!(all.insert(nonce));
            }
            let answer = Answer::to(all.iter().next().unwrap());
            let take = |auth: &Authenticator, answer: &Answer| {
                let (header, target) = (answer.header(), answer.target());
                let arrival = Arrival::new(Channel::Encrypted, START);
                let find = |_: &_, hash| Some(ha1(hash));
                let granted = auth.check([&header].into_iter(), &target, arrival, find);
                granted.map(drop).why()
            };
            assert_eq!(take(&auth, &answer), Ok(()));
            assert_eq!(take(&auth, &answer), Err(Reason::Replayed));
            // The name is under the MAC.
            let mut renamed = answer.counted(2);
            renamed.nonce.replace_range(8..10, "xx");
            assert_eq!(take(&auth, &renamed), Err(Reason::NonceForeign));
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
