//! Of servers. Whatever the settings: a wrong password is refused, a right one is granted or
//! refused for a reason that the setting gives.

use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::{Ha1, HashFunction, User};
use countersign::server::{
    Arrival, Authenticator, BasicOffer, Grant, NonceKey, Realm, Rejected, Rejection, Use,
};
use countersign::{Channel, Target, Timestamp, basic};

use super::Try::{Bytes, Number, Text as Str};
use super::{Row, checked, fit, is_one_value};
use crate::support::server::{START, Seeded, authenticator, no_field, saved, shared};

const NAME: &str = "Mufasa";
const PASSWORD: &str = "Circle of Life";

fn realm() -> Realm {
    Realm::new("files").expect("plain text")
}

/// A server with room for two auth.
fn server(realm: &Realm) -> Authenticator {
    authenticator(realm.clone(), 2)
}

/// When a request arrives, and what its nonces are bound to.
#[derive(Clone, Copy)]
struct When<'a>(Timestamp, &'a [u8]);

impl<'a> When<'a> {
    const fn arrival(self) -> Arrival<'a> {
        Arrival::new(Channel::Encrypted, self.0).bound_to(self.1)
    }
}

const fn at(time: Timestamp) -> When<'static> {
    When(time, b"")
}

/// What a client sends with this password, if it can answer at all.
fn answer(auth: &Authenticator, realm: &Realm, when: When<'_>, pass: &str) -> Option<Vec<u8>> {
    let target = Target::new("GET", "/");
    let rejected = auth.begin_as(realm, no_field(), &target, when.arrival());
    let refusal = auth.refuse(&rejected.expect_err("no credentials"));
    refusal.challenges.iter().for_each(is_one_value);
    let endpoint = Endpoint::origin("https", "example.com", None).expect("a known port");
    let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
    let mut exchange = Exchange::new();
    let Next::Login(ask) = client.challenged(&mut exchange, &refusal.challenges) else {
        return None;
    };
    client.login(&ask, NAME, pass).expect("plain text");
    let answer = client
        .authorize(&mut exchange, &target)
        .expect("short enough");
    Some(answer.expect("a login").as_bytes().to_vec())
}

fn take<'a>(
    auth: &Authenticator,
    realm: &'a Realm,
    when: When<'a>,
    header: &'a [u8],
) -> Result<Grant<'a, Ha1>, Rejected> {
    let attempt = auth.begin_as(
        realm,
        [header].into_iter(),
        &Target::new("GET", "/"),
        when.arrival(),
    )?;
    let ha1 = Ha1::new(attempt.hash_function(), NAME, realm.name(), PASSWORD);
    let found = attempt.claimed_user() == User::Name(NAME.into());
    let verified = attempt.verify(found.then_some(ha1))?;
    auth.admit(verified)
}

/// The outcome with the right password, used at once; `None` if no client can answer. It is never
/// granted twice, nor with a wrong password.
fn logs_in(realm: &Realm, auth: &Authenticator, when: When<'_>) -> Option<Result<(), Rejection>> {
    let wrong = answer(auth, realm, when, "wrong")?;
    assert!(
        take(auth, realm, when, &wrong).is_err(),
        "granted with a wrong password"
    );
    let right = answer(auth, realm, when, PASSWORD)?;
    let outcome = take(auth, realm, when, &right).map(drop);
    assert!(take(auth, realm, when, &right).is_err(), "granted twice");
    Some(outcome.map_err(|rejected| rejected.rejection()))
}

fn is_forgotten(outcome: Option<Result<(), Rejection>>) -> bool {
    matches!(outcome, Some(Err(Rejection::NonceForgotten { .. })))
}

/// Of a realm with a text that may be refused.
fn logs_in_to(text: &str, made: Result<Realm, countersign::InvalidText>) {
    let Some(realm) = checked(text, made) else {
        return;
    };
    let outcome = logs_in(&realm, &server(&realm), at(START));
    // An answer repeats the text: see `SkipReason::TooLong`.
    assert!(outcome == Some(Ok(())) || text.len() > 2000, "{outcome:?}");
}

fn gets_nothing(auth: &Authenticator, realm: &Realm, header: &[u8]) {
    for start in [
        "",
        "Basic ",
        "Digest ",
        "Digest username=Mufasa, realm=files, nonce=",
    ] {
        let value = [start.as_bytes(), header].concat();
        assert!(take(auth, realm, at(START), &value).is_err());
    }
    assert_eq!(auth.len(), 0);
}

/// Memory for more takes gigabytes: an allocation that fails is documented to panic.
fn capacity(number: u64) -> usize {
    fit::<u16>(number).min(5000).into()
}

/// The first 32 bytes, or zeros after fewer.
fn key_bytes(given: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes
        .iter_mut()
        .zip(given)
        .for_each(|(place, byte)| *place = *byte);
    bytes
}

pub(super) const ROWS: &[Row] = &[
    (
        "server::Arrival::new",
        "time",
        Number(|it| {
            let (realm, time) = (realm(), Timestamp::from_unix_millis(it));
            let outcome = logs_in(&realm, &server(&realm), at(time));
            // Authenticator are issued at most so late, in the year 10855, and last for 300 seconds.
            match time.as_unix_millis() < (1 << 48) - (1 << 40) + 300_000 {
                true => assert_eq!(outcome, Some(Ok(()))),
                false => assert_eq!(outcome, Some(Err(Rejection::NonceExpired))),
            }
        }),
    ),
    (
        "server::Arrival::bound_to",
        "binding",
        Bytes(|it| {
            let realm = realm();
            let (bound, bare) = (When(START, it), at(START));
            let auth = server(&realm);
            assert_eq!(logs_in(&realm, &auth, bound), Some(Ok(())));
            let header = answer(&auth, &realm, bound, PASSWORD).expect("an answer");
            let elsewhere = take(&auth, &realm, bare, &header);
            assert_eq!(elsewhere.is_ok(), it.is_empty());
        }),
    ),
    (
        "server::SavedKey::from_bytes",
        "bytes",
        Number(|it| {
            let (realm, until) = (realm(), Timestamp::from_unix_millis(it));
            let auth = Authenticator::from_saved(realm.clone(), saved(1, until), 2);
            // Nonces are issued after it.
            match it < (1 << 48) - 1 {
                true => assert_eq!(logs_in(&realm, &auth, at(START)), Some(Ok(()))),
                false => assert!(is_forgotten(logs_in(&realm, &auth, at(START)))),
            }
        }),
    ),
    (
        "server::Authenticator::new",
        "capacity",
        Number(|it| {
            let (realm, capacity) = (realm(), capacity(it));
            let Ok(auth) = Authenticator::new(realm.clone(), capacity, &mut Seeded(0));
            let outcome = logs_in(&realm, &auth, at(START));
            match capacity {
                0 => assert!(is_forgotten(outcome)),
                _ => assert_eq!(outcome, Some(Ok(()))),
            }
        }),
    ),
    (
        "server::Authenticator::from_seed",
        "seed",
        Bytes(|it| {
            let realm = realm();
            let auth = Authenticator::from_seed(realm.clone(), 2, key_bytes(it));
            assert_eq!(logs_in(&realm, &auth, at(START)), Some(Ok(())));
        }),
    ),
    (
        "server::Authenticator::from_seed",
        "capacity",
        Number(|it| {
            let (realm, capacity) = (realm(), capacity(it));
            let auth = Authenticator::from_seed(realm.clone(), capacity, [1; 32]);
            let outcome = logs_in(&realm, &auth, at(START));
            assert_eq!(outcome == Some(Ok(())), capacity > 0);
        }),
    ),
    (
        "server::Authenticator::from_os_rng",
        "capacity",
        Number(|_it| {
            #[cfg(feature = "getrandom")]
            assert!(Authenticator::from_os_rng(realm(), capacity(_it)).is_ok());
        }),
    ),
    (
        "server::Authenticator::from_saved",
        "capacity",
        Number(|it| {
            let (realm, capacity) = (realm(), capacity(it));
            let auth = Authenticator::from_saved(realm.clone(), saved(1, START), capacity);
            let outcome = logs_in(&realm, &auth, at(START));
            assert_eq!(outcome == Some(Ok(())), capacity > 0);
        }),
    ),
    (
        "server::Authenticator::begin",
        "credentials",
        Bytes(|it| {
            let (auth, target) = (server(&realm()), Target::new("GET", "/"));
            let arrival = || at(START).arrival();
            assert!(
                auth.begin([it, it].into_iter(), &target, arrival())
                    .is_err()
            );
            let attempt = auth.begin([it].into_iter(), &target, arrival());
            assert!(attempt.and_then(|it| it.verify(None::<Ha1>)).is_err());
        }),
    ),
    (
        "server::Authenticator::check",
        "credentials",
        Bytes(|it| {
            let (auth, target) = (server(&realm()), Target::new("GET", "/"));
            let arrival = at(START).arrival();
            let granted = auth.check([it].into_iter(), &target, arrival, |_, _| None::<Ha1>);
            assert!(granted.is_err());
        }),
    ),
    (
        "server::Authenticator::begin_as",
        "credentials",
        Bytes(|it| {
            let realm = realm().with_basic(BasicOffer::Anywhere);
            gets_nothing(&server(&realm), &realm, it);
        }),
    ),
    (
        "server::PendingClaim::settle",
        "now",
        Number(|it| {
            let realm = realm();
            let (auth, store) = (server(&realm), shared(realm.clone(), 1));
            let header = answer(&auth, &realm, at(START), PASSWORD).expect("an answer");
            for used in [Use::First, Use::Seen] {
                let target = Target::new("GET", "/");
                let attempt = auth
                    .begin_as(&realm, [&header].into_iter(), &target, at(START).arrival())
                    .expect("read");
                let ha1 = Ha1::new(attempt.hash_function(), NAME, "files", PASSWORD);
                let claim = store.claim(attempt.verify(Some(ha1)).expect("right"));
                let claim = claim.expect_err("something to claim");
                let settled = claim.settle(used, Timestamp::from_unix_millis(it));
                let is_in_time = START.as_unix_millis() <= it.saturating_add(60_000)
                    && it <= START.plus_secs(300).as_unix_millis();
                assert_eq!(settled.is_ok(), used == Use::First && is_in_time);
            }
        }),
    ),
    (
        "server::NonceKey::from_bytes",
        "key",
        Bytes(|it| {
            let (realm, key) = (realm(), NonceKey::from_bytes(key_bytes(it)));
            assert_eq!(NonceKey::from_bytes(key.to_bytes()), key);
            let auth = server(&realm);
            auth.rotate(key);
            assert_eq!(logs_in(&realm, &auth, at(START)), Some(Ok(())));
        }),
    ),
    (
        "server::Realm::new",
        "name",
        Str(|it| logs_in_to(it, Realm::new(it))),
    ),
    (
        "server::Realm::ha1",
        "username",
        Bytes(|it| {
            let (realm, hash) = (realm(), HashFunction::Sha256);
            assert_eq!(realm.ha1(hash, it, "p"), Ha1::new(hash, it, "files", "p"));
        }),
    ),
    (
        "server::Realm::ha1",
        "password",
        Bytes(|it| {
            let (realm, hash) = (realm(), HashFunction::Sha256);
            assert_eq!(realm.ha1(hash, "u", it), Ha1::new(hash, "u", "files", it));
        }),
    ),
    (
        "server::Realm::with_name",
        "name",
        Str(|it| logs_in_to(it, realm().with_name(it))),
    ),
    (
        "server::Realm::with_opaque",
        "opaque",
        Str(|it| logs_in_to(it, realm().with_opaque(it))),
    ),
    (
        "server::Realm::with_domain",
        "domain",
        Str(|it| logs_in_to(it, realm().with_domain(it))),
    ),
    (
        "server::Realm::with_nonce_lifetime",
        "secs",
        Number(|it| {
            let secs: u32 = fit(it);
            let realm = realm().with_nonce_lifetime(secs);
            let auth = server(&realm);
            assert_eq!(logs_in(&realm, &auth, at(START)), Some(Ok(())));
            let header = answer(&auth, &realm, at(START), PASSWORD).expect("an answer");
            let end = START.plus_secs(secs.into());
            let late = take(&auth, &realm, at(end.plus_millis(1)), &header).map(drop);
            let late = late.map_err(|rejected| rejected.rejection());
            assert_eq!(late, Err(Rejection::NonceExpired));
            assert!(take(&auth, &realm, at(end), &header).is_ok());
        }),
    ),
    (
        "server::Attempt::verify_password",
        "pair",
        Str(|it| {
            // Nobody gets in by a name or a password of the store that is odd: only by that password.
            let realm = realm().with_basic(BasicOffer::Encrypted);
            let auth = server(&realm);
            let target = Target::new("GET", "/");
            for stored in [(NAME, it), (it, PASSWORD)] {
                for sent in ["p", it] {
                    let Ok(header) = basic::credentials(NAME, sent) else {
                        continue;
                    };
                    let attempt =
                        auth.begin_as(&realm, [&header].into_iter(), &target, at(START).arrival());
                    let Ok(attempt) = attempt else { continue };
                    // Basic is compared by the HA1 of what was sent.
                    let is_right = stored == (NAME, sent);
                    assert_eq!(
                        attempt.verify_password(Some(stored), |it| *it).is_ok(),
                        is_right
                    );
                }
            }
        }),
    ),
];
