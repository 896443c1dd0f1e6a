//! The server that a program keeps: its key, its memory and its clock through a whole life, and what
//! cannot be done to it by accident.
#![cfg(feature = "std")]

mod support;

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;
use std::thread;

use countersign::digest::{Algorithm, HashFunction};
use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::{
    Arrival, Authenticator, BasicOffer, Grant, NextNonce, NonceKey, Realm, Refusal, Rejected,
    Rejection, Verified,
};
use countersign::{AuthenticationInfo, Channel, EntityBody, Target, Timestamp};
use support::server::{
    Answer, PASSWORD, REALM, START, Seeded, USER, Why, authenticator, ha1, is_stale, look_up,
    nonce_key, nonce_of, nonces, realm, texts,
};

/// One table, and several.
const CAPACITIES: [usize; 2] = [10, 2000];

const REPLAYED: Result<(), Rejection> = Err(Rejection::Replayed);
const FOREIGN: Result<(), Rejection> = Err(Rejection::NonceForeign);

fn at(time: Timestamp) -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, time)
}

fn challenge(auth: &Authenticator, time: Timestamp) -> Refusal {
    let target = Target::new("GET", "/");
    let arrival = at(time);
    let refused = auth.begin(None::<&str>, &target, &arrival);
    auth.refuse(&refused.expect_err("no credentials"))
}

/// An answer to a nonce of this time.
fn answer(auth: &Authenticator, time: Timestamp) -> Answer {
    Answer::to(&nonce_of(&texts(&challenge(auth, time))))
}

fn verify<'a>(
    auth: &'a Authenticator,
    header: &'a str,
    target: &Target<'a>,
    time: Timestamp,
) -> Result<Verified<'a, countersign::digest::Ha1>, Rejected<'a>> {
    let attempt = auth.begin([header], target, &at(time))?;
    let ha1 = look_up(&attempt);
    attempt.verify(ha1)
}

fn take(auth: &Authenticator, answer: &Answer, time: Timestamp) -> Result<(), Rejection> {
    respond(auth, answer, time).map_err(|(why, _)| why)
}

/// The same, with the challenges of a refusal.
fn respond(
    auth: &Authenticator,
    answer: &Answer,
    time: Timestamp,
) -> Result<(), (Rejection, Vec<String>)> {
    let header = answer.header();
    let target = answer.target();
    let granted = verify(auth, &header, &target, time).and_then(|verified| auth.admit(verified));
    match granted {
        Ok(grant) => {
            assert_eq!(*grant.account(), ha1(answer.algorithm.hash_function()));
            Ok(())
        }
        Err(rejected) => Err((rejected.rejection(), texts(&auth.refuse(&rejected)))),
    }
}

fn is_forgotten(outcome: Result<(), Rejection>) -> bool {
    matches!(outcome, Err(Rejection::NonceForgotten { .. }))
}

/// A refusal that costs an honest client one round trip and no more.
fn costs_a_round_trip(auth: &Authenticator, answer: &Answer, time: Timestamp) -> Rejection {
    let (why, challenges) = respond(auth, answer, time).unwrap_err();
    assert!(is_stale(&challenges), "{why}");
    let again = Answer::to(&nonce_of(&challenges));
    assert_eq!(take(auth, &again, time), Ok(()), "after {why}");
    why
}

#[test]
fn a_request_is_let_in_once() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        assert!(auth.is_empty());
        let answers: Vec<_> = (0..10).map(|_| answer(&auth, START)).collect();
        for (number, answer) in answers.iter().enumerate() {
            assert_eq!(take(&auth, answer, START), Ok(()));
            assert_eq!(auth.len(), number + 1);
        }
        for answer in &answers {
            assert_eq!(take(&auth, answer, START), REPLAYED);
            let take = |nc| take(&auth, &answer.counted(nc), START);
            assert_eq!(take(100), Ok(()));
            assert_eq!(take(37), Ok(()), "63 behind");
            assert_eq!(take(36), REPLAYED, "64 behind");
            assert_eq!(take(1), REPLAYED);
        }
        assert_eq!(auth.len(), 10);
        assert!(!auth.is_empty());
        assert_eq!(auth.realm().name(), REALM);
    }
}

#[test]
fn every_step_refuses_what_it_is_for() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let right = answer(&auth, START);
        let with = |change: fn(&mut Answer)| {
            let mut answer = right.clone();
            change(&mut answer);
            take(&auth, &answer, START)
        };
        let wrong = with(|answer| answer.password = "wrong".to_owned());
        assert_eq!(wrong, Err(Rejection::WrongCredentials));
        let unknown = with(|answer| answer.user = "nobody".to_owned());
        assert_eq!(unknown, Err(Rejection::WrongCredentials));
        let realm = with(|answer| answer.realm = "other".to_owned());
        assert_eq!(realm, Err(Rejection::RealmMismatch));
        let foreign = with(|answer| answer.nonce = "foreign".to_owned());
        assert_eq!(foreign, FOREIGN);
        let expired = take(&auth, &right, START.plus_millis(300_001));
        assert_eq!(expired, Err(Rejection::NonceExpired));
        assert_eq!((auth.len(), auth.horizon()), (0, Timestamp::EPOCH));
        assert_eq!(take(&auth, &right, START.plus_secs(300)), Ok(()));
    }
}

/// However the nonces spread over the tables, as many as were asked for are remembered.
#[test]
fn there_is_room_for_as_many_nonces_as_were_asked_for() {
    for capacity in [0, 1, 2, 100, 1023, 1024, 1025, 3000] {
        let auth = authenticator(realm(), capacity);
        let answers: Vec<_> = (0..capacity).map(|_| answer(&auth, START)).collect();
        for answer in &answers {
            assert_eq!(take(&auth, answer, START), Ok(()), "{capacity}");
        }
        assert_eq!(auth.len(), capacity);
        for answer in &answers {
            assert_eq!(take(&auth, answer, START), REPLAYED, "{capacity}");
            assert_eq!(take(&auth, &answer.counted(2), START), Ok(()));
        }
        assert_eq!(auth.len(), capacity);
    }
}

/// Nonces of one memory are evicted by others of the same table. None that was used is let in
/// again, and a new one is always let in, in whichever table it belongs.
#[test]
fn what_was_evicted_is_forgotten() {
    for capacity in [1, 4, 1024] {
        let auth = authenticator(realm(), capacity);
        let mut now = START;
        let mut used = Vec::new();
        for number in 0..3 * capacity {
            // The clock stands still for a while, and is set back once.
            now = match number {
                _ if number == 2 * capacity => START,
                _ if number % 7 == 0 => now.plus_millis(1),
                _ => now,
            };
            let answer = answer(&auth, now);
            assert_eq!(take(&auth, &answer, now), Ok(()), "{number} of {capacity}");
            used.push(answer);
        }
        let remembered = auth.len();
        assert!(remembered >= capacity && remembered <= 3 * capacity / 2 + 1);
        let mut replayed = 0;
        for answer in &used {
            match take(&auth, answer, now) {
                REPLAYED => replayed += 1,
                outcome => assert!(is_forgotten(outcome), "{outcome:?}"),
            }
        }
        assert_eq!(replayed, remembered);
        assert_eq!(auth.len(), remembered);
    }
}

#[test]
fn the_horizon_is_that_of_the_latest_nonce_used() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        assert_eq!(auth.horizon(), Timestamp::EPOCH);
        let early = answer(&auth, START);
        let late = answer(&auth, START.plus_secs(10));
        assert_eq!(auth.horizon(), Timestamp::EPOCH, "none was used");
        let now = START.plus_secs(20);
        assert_eq!(take(&auth, &late, now), Ok(()));
        assert_eq!(auth.horizon(), START.plus_secs(10));
        assert_eq!(take(&auth, &early, now), Ok(()));
        assert_eq!(auth.horizon(), START.plus_secs(10), "it never goes back");

        // Nonces are made no earlier, so a clock that is set back costs nothing.
        let back = answer(&auth, Timestamp::from_unix_secs(1));
        assert_eq!(take(&auth, &back, Timestamp::from_unix_secs(2)), Ok(()));
        assert_eq!(auth.horizon(), START.plus_secs(10));
    }
}

/// A restart with the key it had: what was issued up to the horizon is forgotten, because it may
/// have been used, and the clients pay a round trip.
#[test]
fn a_restart_with_the_horizon_lets_nothing_in_twice() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let used = answer(&auth, START);
        let unused = answer(&auth, START);
        let later = answer(&auth, START.plus_millis(1));
        assert_eq!(take(&auth, &used, START), Ok(()));
        let horizon = auth.horizon();
        assert_eq!(horizon, START);
        drop(auth);

        // Whatever the clock says then.
        for now in [START.plus_secs(1), START, Timestamp::from_unix_secs(1)] {
            let rng = &mut Seeded(9);
            let restarted =
                Authenticator::restarted(realm(), nonce_key(1), horizon, capacity, rng).unwrap();
            assert!(restarted.is_empty());
            assert_eq!(restarted.horizon(), horizon.plus_millis(1));
            let until = horizon;
            for answer in [&used, &used.counted(2), &unused] {
                let why = costs_a_round_trip(&restarted, answer, now);
                assert_eq!(why, Rejection::NonceForgotten { until });
            }
            // One that is later than all that was used is as good as ever.
            assert_eq!(take(&restarted, &later, START.plus_secs(1)), Ok(()));
        }
    }
}

/// What a client sees of a restart with a new key, and of one with the key it had, is the same: one
/// refusal with `stale`, after which it gets in. So a new key at each start is fine.
#[test]
fn a_new_key_and_a_kept_one_cost_a_client_the_same() {
    let auth = authenticator(realm(), 100);
    let captured = answer(&auth, START);
    assert_eq!(take(&auth, &captured, START), Ok(()));
    let now = START.plus_secs(1);
    let rng = &mut Seeded(9);
    let kept = Authenticator::restarted(realm(), nonce_key(1), START, 100, rng).unwrap();
    let new = Authenticator::new(realm(), 100, rng).unwrap();
    for auth in [kept, new] {
        let next = captured.counted(2);
        let why = costs_a_round_trip(&auth, &next, now);
        assert!(
            matches!(
                why,
                Rejection::NonceForgotten { .. } | Rejection::NonceForeign
            ),
            "{why}"
        );
        assert!(
            take(&auth, &captured, now).is_err(),
            "nor is it let in twice"
        );
    }
}

/// Where a framework makes one for each worker, each has a key of its own: a captured header is
/// granted by none but the one whose nonce it has.
#[test]
fn one_for_each_worker_grants_a_captured_header_once() {
    let rng = &mut Seeded(4);
    let workers: Vec<_> = (0..4)
        .map(|_| Authenticator::new(realm(), 100, rng).unwrap())
        .collect();
    let captured = answer(&workers[2], START);
    let granted: Vec<_> = (0..12)
        .map(|n| take(&workers[n % 4], &captured, START))
        .collect();
    assert_eq!(granted.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(granted[2], Ok(()));
    assert_eq!(granted[6], REPLAYED);
    assert_eq!(granted[3], FOREIGN);
}

#[test]
fn a_changed_key_is_good_for_one_change() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let first = answer(&auth, START);
        let header = first.counted(9).header();
        let target = first.target();
        let under_way = verify(&auth, &header, &target, START).unwrap();
        assert_eq!(take(&auth, &first, START), Ok(()));

        auth.rotate(nonce_key(2));
        let second = answer(&auth, START);
        assert_eq!(take(&auth, &first, START), REPLAYED);
        assert_eq!(take(&auth, &first.counted(2), START), Ok(()));
        assert_eq!(take(&auth, &second, START), Ok(()));
        // A request whose key changes between two steps goes on.
        assert!(auth.admit(under_way).is_ok());

        auth.rotate(nonce_key(3));
        let why = costs_a_round_trip(&auth, &first.counted(3), START);
        assert_eq!(why, Rejection::NonceForeign);
        assert_eq!(take(&auth, &second, START), REPLAYED);
        assert_eq!(take(&auth, &second.counted(2), START), Ok(()));

        // Twice voids all nonces at once.
        let third = answer(&auth, START);
        auth.rotate(nonce_key(4));
        auth.rotate(nonce_key(5));
        for answer in [first, second, third] {
            assert_eq!(take(&auth, &answer.counted(8), START), FOREIGN);
        }
        let last = answer(&auth, START);
        assert_eq!(take(&auth, &last, START), Ok(()));
    }
}

/// For several machines: nothing is remembered here, so nothing that has a count is let in here.
#[test]
fn one_for_a_shared_store_admits_nothing_that_must_be_counted() {
    let basic = realm().with_basic(BasicOffer::Encrypted);
    let reusable = basic.with_rfc2069(true).with_reusable_nonces(true);
    let auth = Authenticator::for_shared_store(reusable, nonce_key(1), &mut Seeded(0)).unwrap();
    for _ in 0..2 {
        let mut answer = answer(&auth, START);
        assert!(is_forgotten(take(&auth, &answer, START)));
        // What can be replayed anyway needs no memory.
        answer.qop = None;
        assert_eq!(take(&auth, &answer, START), Ok(()));
        let header = support::basic_header(USER, PASSWORD);
        let target = Target::new("GET", "/");
        let verified = verify(&auth, &header, &target, START).unwrap();
        assert!(auth.admit(verified).is_ok());
    }
    assert!(auth.is_empty());
}

/// Other settings for some routes, over the same nonces.
#[test]
fn a_request_may_have_another_realm() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let old_devices = realm()
            .with_rfc2069(true)
            .with_algorithms(&[Algorithm::SHA_512_256]);
        let take_as = |realm: &Realm, answer: &Answer| {
            let header = answer.header();
            let target = answer.target();
            let granted = auth
                .begin_as(realm, [&header], &target, &at(START))
                .and_then(|attempt| {
                    let ha1 = look_up(&attempt);
                    attempt.verify(ha1)
                })
                .and_then(|verified| auth.admit(verified));
            granted
                .map(drop)
                .map_err(|rejected| (rejected.rejection(), texts(&auth.refuse(&rejected))))
        };

        let mut rfc2069 = answer(&auth, START);
        rfc2069.qop = None;
        assert_eq!(take(&auth, &rfc2069, START), Err(Rejection::QopNotOffered));
        rfc2069.algorithm = Algorithm::SHA_512_256;
        assert_eq!(take_as(&old_devices, &rfc2069), Ok(()));
        let (why, challenges) = take_as(&old_devices, &rfc2069).unwrap_err();
        assert_eq!(why, Rejection::Replayed);
        // A refusal offers what that realm offers.
        assert_eq!(challenges.len(), 1);
        assert!(challenges[0].contains("algorithm=SHA-512-256"));

        // The counts are the same: a nonce that was used by one route is not unused for another.
        let used = answer(&auth, START);
        assert_eq!(take(&auth, &used, START), Ok(()));
        let (why, _) = take_as(&realm().for_proxy(), &used).unwrap_err();
        assert_eq!(why, Rejection::Replayed);

        // And so are the status and the fields.
        let proxy = realm().for_proxy();
        let target = Target::new("GET", "/");
        let arrival = at(START);
        let refused = auth.begin_as(&proxy, None::<&str>, &target, &arrival);
        let refusal = auth.refuse(&refused.unwrap_err());
        assert_eq!((refusal.status, refusal.field), (407, "proxy-authenticate"));
    }
}

/// A nonce that some requests use once and others count, or that expires at two times, would be two
/// uses of one header: in a shared store, and in a table that forgets by one of the times.
#[test]
fn a_nonce_is_good_for_the_settings_it_was_issued_for() {
    let all = [
        realm(),
        realm().with_one_time_nonces(true),
        realm().with_nonce_lifetime(1),
        realm().with_nonce_lifetime(3600),
        realm().with_hash_like_cnonces(true),
    ];
    let shared = || Authenticator::for_shared_store(realm(), nonce_key(1), &mut Seeded(0)).unwrap();
    for auth in [
        shared(),
        authenticator(realm(), 10),
        authenticator(realm(), 2000),
    ] {
        let target = Target::new("GET", "/");
        let arrival = at(START);
        for (issuing, issued_by) in all.iter().enumerate() {
            let refused = auth.begin_as(issued_by, None::<&str>, &target, &arrival);
            let refusal = auth.refuse(&refused.unwrap_err());
            let answer = Answer::to(&nonce_of(&texts(&refusal)));
            let (header, target) = (answer.header(), answer.target());
            for (using, used_by) in all.iter().enumerate() {
                let attempt = auth
                    .begin_as(used_by, [&header], &target, &arrival)
                    .unwrap();
                assert_eq!(attempt.nonce_is_ours(), issuing == using);
                let account = look_up(&attempt);
                let outcome = attempt.verify(account).map(drop).why();
                let expected = if issuing == using { Ok(()) } else { FOREIGN };
                assert_eq!(outcome, expected, "{issued_by:?} {used_by:?}");
            }
        }
    }
}

/// A header field map of the caller's may do what it likes while it is read.
#[test]
fn values_are_read_before_a_lock_is_taken() {
    let auth = authenticator(realm(), 10);
    let answer = answer(&auth, START);
    let (header, target) = (answer.header(), answer.target());
    let values = std::iter::once_with(|| {
        auth.rotate(nonce_key(9));
        &header
    });
    let attempt = auth.begin(values, &target, &at(START)).unwrap();
    assert!(attempt.nonce_is_ours(), "by the previous key");
}

/// Another server remembers what was used of a nonce, so what it has verified is refused, whatever
/// it is, and changes nothing.
#[test]
fn what_another_server_verified_is_refused() {
    let realm = || realm().with_basic(BasicOffer::Encrypted);
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let other_key =
            Authenticator::restarted(realm(), nonce_key(2), Timestamp::EPOCH, 100, &mut Seeded(0))
                .unwrap();
        let other_name = authenticator(
            Realm::new("other")
                .unwrap()
                .with_basic(BasicOffer::Encrypted),
            capacity,
        );
        for (other, realm) in [(&other_key, REALM), (&other_name, "other")] {
            for qop in [Some("auth"), Some("Basic")] {
                let mut answer = answer(other, START);
                answer.realm = realm.to_owned();
                let header = match qop {
                    Some("Basic") => support::basic_header(USER, PASSWORD),
                    _ => answer.header(),
                };
                let target = answer.target();
                let begin = || other.begin([&header], &target, &at(START)).unwrap();
                let account = || (USER, PASSWORD);
                let verify = || {
                    begin()
                        .verify_password(Some(account()), |pair| *pair)
                        .unwrap()
                };
                let refused = auth.admit(verify()).unwrap_err();
                assert_eq!(refused.rejection(), Rejection::NonceForeign);
                assert_eq!(refused.claimed_user().unwrap().name(), Some(USER));
                assert_eq!((auth.len(), auth.horizon()), (0, Timestamp::EPOCH));
                // It is still good where it belongs.
                assert!(other.admit(verify()).is_ok());
            }
        }
        // The same between a server for many threads and the steps for one.
        let mut plain = nonces(&realm(), 10);
        let mine = answer(&other_key, START);
        let header = mine.header();
        let target = mine.target();
        let verified = verify(&other_key, &header, &target, START).unwrap();
        assert_eq!(plain.admit(verified).why().map(drop), FOREIGN);
        assert!(plain.is_empty());
    }
}

/// A generator that counts, and that fails from one call on.
struct Meter {
    calls: usize,
    fails_at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Exhausted(usize);

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no randomness at call {}", self.0)
    }
}

impl std::error::Error for Exhausted {}

impl Meter {
    const fn failing_at(fails_at: usize) -> Self {
        Self { calls: 0, fails_at }
    }

    fn call(&mut self) -> Result<u64, Exhausted> {
        self.calls += 1;
        match self.calls >= self.fails_at {
            true => Err(Exhausted(self.calls)),
            false => Ok(self.calls as u64),
        }
    }
}

impl TryRng for Meter {
    type Error = Exhausted;

    fn try_next_u32(&mut self) -> Result<u32, Exhausted> {
        self.call().map(|number| number as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Exhausted> {
        self.call()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Exhausted> {
        let number = self.call()?;
        bytes.fill(number as u8);
        Ok(())
    }
}

impl TryCryptoRng for Meter {}

#[test]
fn a_generator_that_fails_is_an_error_and_no_panic() {
    type Make = fn(&mut Meter) -> Result<Authenticator, Exhausted>;
    let makers: [Make; 3] = [
        |rng| Authenticator::new(realm(), 100, rng),
        |rng| Authenticator::restarted(realm(), nonce_key(1), START, 100, rng),
        |rng| Authenticator::for_shared_store(realm(), nonce_key(1), rng),
    ];
    for make in makers {
        let mut counting = Meter::failing_at(usize::MAX);
        make(&mut counting).unwrap();
        assert!((1..10).contains(&counting.calls), "{}", counting.calls);
        for fails_at in 1..=counting.calls {
            let mut failing = Meter::failing_at(fails_at);
            assert_eq!(make(&mut failing).err(), Some(Exhausted(fails_at)));
        }
    }
    let failed = NonceKey::random(&mut Meter::failing_at(1));
    assert_eq!(failed, Err(Exhausted(1)));
}

/// A request draws no randomness: the generator is borrowed by the constructor alone, and can be at
/// its end afterwards.
#[test]
fn requests_draw_no_randomness() {
    let mut rng = Meter::failing_at(usize::MAX);
    let realm = realm().with_next_nonce(NextNonce::Always);
    let auth = Authenticator::new(realm, 100, &mut rng).unwrap();
    let drawn = rng.calls;
    rng.fails_at = 0;
    let mut seen = HashSet::new();
    for _ in 0..50 {
        let answer = answer(&auth, START);
        let header = answer.header();
        let target = answer.target();
        let verified = verify(&auth, &header, &target, START).unwrap();
        let grant: Grant<'_, _> = auth.admit(verified).unwrap();
        let value = grant.authentication_info(EntityBody::Unknown).unwrap();
        let info = AuthenticationInfo::parse([&value]).unwrap();
        let next = info.nextnonce().unwrap().to_str().unwrap().into_owned();
        assert!(seen.insert(answer.nonce.clone()));
        assert!(seen.insert(next));
    }
    auth.rotate(nonce_key(2));
    assert_eq!(take(&auth, &answer(&auth, START), START), Ok(()));
    assert_eq!(rng.calls, drawn);
}

/// Threads draw from one counter, so no two get the same nonce, in whatever millisecond.
#[test]
fn nonces_of_many_threads_are_unique() {
    const EACH: usize = 2000;
    let auth = authenticator(realm().with_next_nonce(NextNonce::Always), 2000);
    let first = answer(&auth, START);
    let nonces: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8_u32)
            .map(|thread| {
                let (auth, first) = (&auth, &first);
                scope.spawn(move || {
                    let mut nonces = Vec::new();
                    for number in 0..EACH {
                        nonces.push(answer(auth, START).nonce);
                        if number % 20 == 0 {
                            // And those that come with a response.
                            let mut answer = first.counted(1);
                            answer.user = USER.to_owned();
                            answer.cnonce = format!("{thread}-{number}");
                            let header = answer.header();
                            let target = answer.target();
                            let verified = verify(auth, &header, &target, START).unwrap();
                            let grant = verified.dangerous_skip_replay_check();
                            let value = grant.authentication_info(EntityBody::Unknown).unwrap();
                            let info = AuthenticationInfo::parse([&value]).unwrap();
                            let next = info.nextnonce().unwrap();
                            nonces.push(next.to_str().unwrap().into_owned());
                        }
                    }
                    nonces
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(nonces.len(), 8 * (EACH + EACH / 20));
    let unique: HashSet<_> = nonces.iter().collect();
    assert_eq!(unique.len(), nonces.len());
    // All of them are good.
    for nonce in nonces.iter().step_by(97) {
        assert_eq!(take(&auth, &Answer::to(nonce), START), Ok(()));
    }
}

#[test]
fn debug_shows_neither_key_nor_nonces() {
    let auth = authenticator(realm(), 10);
    let answer = answer(&auth, START);
    assert_eq!(take(&auth, &answer, START), Ok(()));
    let debug = format!("{auth:?}");
    assert!(debug.starts_with("Authenticator { realm: Realm { name: \"files\""));
    assert!(debug.contains("len: 1"));
    for hidden in ["keys", "Mac", "salt", &answer.nonce] {
        assert!(!debug.contains(hidden), "{debug}");
    }
}

/// What the constructors take and give is what a program has at hand.
#[test]
fn it_is_made_of_what_a_program_has() -> Result<(), Box<dyn std::error::Error>> {
    let hex = NonceKey::random(&mut Seeded(1))?.to_hex();
    let rng = &mut getrandom::SysRng;
    let auth = Authenticator::restarted(
        Realm::new(REALM)?,
        NonceKey::from_hex(&hex)?,
        Timestamp::now(),
        100,
        rng,
    )?;
    let target = Target::new("GET", "/a?b=c");
    let arrival = Arrival::now(Channel::Encrypted);
    let refused = auth.begin(None::<&str>, &target, &arrival).unwrap_err();
    let answer = Answer::to(&nonce_of(&texts(&auth.refuse(&refused))));
    let header = answer.header();
    let attempt = auth.begin([&header], &target, &Arrival::now(Channel::Encrypted));
    let verified = attempt
        .unwrap()
        .verify(Some(ha1(HashFunction::Sha256)))
        .unwrap();
    assert!(auth.admit(verified).is_ok());
    let infallible: Result<Authenticator, Infallible> =
        Authenticator::new(Realm::new(REALM)?, 100, &mut Seeded(1));
    assert!(infallible.is_ok());
    Ok(())
}
