//! Of servers. Whatever the settings: a wrong password is refused, a right one is granted or
//! refused for a reason that the setting gives.

use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::{Ha1, User};
use countersign::server::{
    Arrival, BasicOffer, Claim, Grant, NonceKey, Nonces, Realm, Rejected, Rejection,
};
use countersign::wire::basic_credentials;
use countersign::{Channel, Target, Timestamp};

use super::Try::{Bytes, Number, Text as Str};
use super::{Row, checked, fit, is_one_value};
use crate::support::server::{START, nonce_key};

const NAME: &str = "Mufasa";
const PASSWORD: &str = "Circle of Life";

fn realm() -> Realm {
    Realm::new("files").expect("plain text")
}

fn nonces(realm: &Realm, used_until: Option<Timestamp>, capacity: usize, salt: u64) -> Nonces {
    Nonces::new(realm, nonce_key(1), used_until, capacity, salt)
}

fn at(time: Timestamp) -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, time)
}

/// What a client sends with this password, if it can answer at all.
fn answer(
    nonces: &mut Nonces,
    realm: &Realm,
    arrival: &Arrival<'_>,
    pass: &str,
) -> Option<Vec<u8>> {
    let target = Target::new("GET", "/");
    let rejected = nonces.begin(realm, None::<&str>, &target, arrival);
    let refusal = nonces.refuse(&rejected.expect_err("no credentials"));
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
    nonces: &mut Nonces,
    realm: &'a Realm,
    arrival: &Arrival<'a>,
    header: &'a [u8],
) -> Result<Grant<'a, Ha1>, Rejected<'a>> {
    let attempt = nonces.begin(realm, [header], &Target::new("GET", "/"), arrival)?;
    let ha1 = Ha1::new(attempt.hash_function(), NAME, realm.name(), PASSWORD);
    let found = attempt.claimed_user() == User::Name(NAME.into());
    let verified = attempt.verify(found.then_some(ha1))?;
    nonces.admit(verified)
}

/// The outcome with the right password, used at once; `None` if no client can answer. It is never
/// granted twice, nor with a wrong password.
fn logs_in(
    realm: &Realm,
    nonces: &mut Nonces,
    arrival: &Arrival<'_>,
) -> Option<Result<(), Rejection>> {
    let wrong = answer(nonces, realm, arrival, "wrong")?;
    assert!(
        take(nonces, realm, arrival, &wrong).is_err(),
        "granted with a wrong password"
    );
    let right = answer(nonces, realm, arrival, PASSWORD)?;
    let outcome = take(nonces, realm, arrival, &right).map(drop);
    assert!(
        take(nonces, realm, arrival, &right).is_err(),
        "granted twice"
    );
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
    let mut nonces = nonces(&realm, None, 2, 0);
    let outcome = logs_in(&realm, &mut nonces, &at(START));
    // An answer repeats the text: see `SkipReason::TooLong`.
    assert!(outcome == Some(Ok(())) || text.len() > 2000, "{outcome:?}");
}

fn gets_nothing(nonces: &mut Nonces, realm: &Realm, header: &[u8]) {
    for start in [
        "",
        "Basic ",
        "Digest ",
        "Digest username=Mufasa, realm=files, nonce=",
    ] {
        let value = [start.as_bytes(), header].concat();
        assert!(take(nonces, realm, &at(START), &value).is_err());
    }
    assert!(nonces.is_empty());
}

/// Memory for more takes gigabytes: an allocation that fails is documented to panic.
fn capacity(number: u64) -> usize {
    fit::<u16>(number).min(5000).into()
}

pub(super) const ROWS: &[Row] = &[
    (
        "server::Arrival::new",
        "time",
        Number(|it| {
            let (realm, time) = (realm(), Timestamp::from_unix_millis(it));
            let outcome = logs_in(&realm, &mut nonces(&realm, None, 2, 0), &at(time));
            // Nonces are issued at most so late, in the year 10855, and last for 300 seconds.
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
            let (bound, bare) = (at(START).bound_to(it), at(START));
            let mut nonces = nonces(&realm, None, 2, 0);
            assert_eq!(logs_in(&realm, &mut nonces, &bound), Some(Ok(())));
            let header = answer(&mut nonces, &realm, &bound, PASSWORD).expect("an answer");
            let elsewhere = take(&mut nonces, &realm, &bare, &header);
            assert_eq!(elsewhere.is_ok(), it.is_empty());
        }),
    ),
    (
        "server::Nonces::new",
        "used_until",
        Number(|it| {
            let (realm, until) = (realm(), Timestamp::from_unix_millis(it));
            let mut nonces = nonces(&realm, Some(until), 2, 0);
            // Nonces are issued after it.
            match it < (1 << 48) - 1 {
                true => assert_eq!(logs_in(&realm, &mut nonces, &at(START)), Some(Ok(()))),
                false => assert!(is_forgotten(logs_in(&realm, &mut nonces, &at(START)))),
            }
        }),
    ),
    (
        "server::Nonces::new",
        "capacity",
        Number(|it| {
            let (realm, capacity) = (realm(), capacity(it));
            let outcome = logs_in(&realm, &mut nonces(&realm, None, capacity, 0), &at(START));
            match capacity {
                0 => assert!(is_forgotten(outcome)),
                _ => assert_eq!(outcome, Some(Ok(()))),
            }
        }),
    ),
    (
        "server::Nonces::new",
        "salt",
        Number(|it| {
            let realm = realm();
            assert_eq!(
                logs_in(&realm, &mut nonces(&realm, None, 2, it), &at(START)),
                Some(Ok(()))
            );
        }),
    ),
    (
        "server::Nonces::begin",
        "credentials",
        Bytes(|it| {
            let realm = realm().with_basic(BasicOffer::Anywhere);
            gets_nothing(&mut nonces(&realm, None, 2, 0), &realm, it);
        }),
    ),
    #[cfg(feature = "std")]
    (
        "server::Authenticator::new",
        "capacity",
        Number(|it| {
            let rng = &mut crate::support::server::Seeded(0);
            let Ok(auth) = countersign::server::Authenticator::new(realm(), capacity(it), rng);
            threads::log_in(&auth, capacity(it) > 0);
        }),
    ),
    #[cfg(feature = "std")]
    (
        "server::Authenticator::with_key",
        "capacity",
        Number(|it| {
            threads::log_in(&threads::with_key(None, capacity(it)), capacity(it) > 0);
        }),
    ),
    #[cfg(feature = "std")]
    (
        "server::Authenticator::with_key",
        "used_until",
        Number(|it| {
            let until = Some(Timestamp::from_unix_millis(it));
            threads::log_in(&threads::with_key(until, 2), it < (1 << 48) - 1);
        }),
    ),
    #[cfg(feature = "std")]
    (
        "server::Authenticator::begin",
        "credentials",
        Bytes(|it| {
            let auth = threads::with_key(None, 2);
            let target = Target::new("GET", "/");
            assert!(auth.begin([it, it], &target, &at(START)).is_err());
            let attempt = auth.begin([it], &target, &at(START));
            assert!(attempt.and_then(|it| it.verify(None::<Ha1>)).is_err());
        }),
    ),
    #[cfg(feature = "std")]
    (
        "server::Authenticator::begin_as",
        "credentials",
        Bytes(|it| {
            let (auth, realm) = (threads::with_key(None, 2), realm());
            let attempt = auth.begin_as(&realm, [it], &Target::new("GET", "/"), &at(START));
            assert!(attempt.and_then(|it| it.verify(None::<Ha1>)).is_err());
        }),
    ),
    (
        "server::PendingClaim::settle",
        "now",
        Number(|it| {
            let realm = realm();
            let mut nonces = nonces(&realm, None, 0, 0);
            let header = answer(&mut nonces, &realm, &at(START), PASSWORD).expect("an answer");
            for first in [true, false] {
                let target = Target::new("GET", "/");
                let attempt = nonces
                    .begin(&realm, [&header], &target, &at(START))
                    .expect("read");
                let ha1 = Ha1::new(attempt.hash_function(), NAME, "files", PASSWORD);
                let Claim::Pending(claim) = attempt.verify(Some(ha1)).expect("right").claim()
                else {
                    panic!("nothing to claim")
                };
                let settled = claim.settle(first, Timestamp::from_unix_millis(it));
                let is_late = it > START.plus_secs(300).as_unix_millis();
                assert_eq!(settled.is_ok(), first && !is_late);
            }
        }),
    ),
    (
        "server::NonceKey::from_bytes",
        "key",
        Bytes(|it| {
            let mut bytes = [0; 32];
            bytes
                .iter_mut()
                .zip(it)
                .for_each(|(place, byte)| *place = *byte);
            let (realm, key) = (realm(), NonceKey::from_bytes(bytes));
            assert_eq!(NonceKey::from_hex(&key.to_hex()).as_ref(), Ok(&key));
            let mut nonces = Nonces::new(&realm, key, None, 2, 0);
            assert_eq!(logs_in(&realm, &mut nonces, &at(START)), Some(Ok(())));
        }),
    ),
    (
        "server::NonceKey::from_hex",
        "hex",
        Str(|it| {
            let digits = it.trim_ascii();
            let fits = digits.len() == 64 && digits.bytes().all(|it| it.is_ascii_hexdigit());
            assert_eq!(NonceKey::from_hex(it).is_ok(), fits);
        }),
    ),
    (
        "server::Realm::new",
        "name",
        Str(|it| logs_in_to(it, Realm::new(it))),
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
            let mut nonces = nonces(&realm, None, 2, 0);
            assert_eq!(logs_in(&realm, &mut nonces, &at(START)), Some(Ok(())));
            let header = answer(&mut nonces, &realm, &at(START), PASSWORD).expect("an answer");
            let end = START.plus_secs(secs.into());
            let late = take(&mut nonces, &realm, &at(end.plus_millis(1)), &header).map(drop);
            let late = late.map_err(|rejected| rejected.rejection());
            assert_eq!(late, Err(Rejection::NonceExpired));
            assert!(take(&mut nonces, &realm, &at(end), &header).is_ok());
        }),
    ),
    (
        "server::Attempt::verify_password",
        "pair",
        Str(|it| {
            // Nobody gets in by a name or a password of the store that is odd: only by that password.
            let realm = realm().with_basic(BasicOffer::Encrypted);
            let mut nonces = nonces(&realm, None, 2, 0);
            let target = Target::new("GET", "/");
            for stored in [(NAME, it), (it, PASSWORD)] {
                for sent in ["p", it] {
                    let Ok(header) = basic_credentials(NAME, sent) else {
                        continue;
                    };
                    let attempt = nonces.begin(&realm, [&header], &target, &at(START));
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

#[cfg(feature = "std")]
mod threads {
    use countersign::server::Authenticator;

    use super::*;
    use crate::support::server::Seeded;

    pub(super) fn with_key(used_until: Option<Timestamp>, capacity: usize) -> Authenticator {
        let (key, rng) = (nonce_key(1), &mut Seeded(0));
        let Ok(auth) = Authenticator::with_key(realm(), key, used_until, capacity, rng);
        auth
    }

    /// With the right password, and is granted once or not at all.
    pub(super) fn log_in(auth: &Authenticator, granted: bool) {
        let (target, arrival) = (Target::new("GET", "/"), at(START));
        let rejected = auth
            .begin(None::<&str>, &target, &arrival)
            .expect_err("no credentials");
        let refusal = auth.refuse(&rejected);
        let endpoint = Endpoint::origin("https", "example.com", None).expect("a known port");
        let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let Next::Login(ask) = client.challenged(&mut exchange, &refusal.challenges) else {
            panic!("no login")
        };
        client.login(&ask, NAME, PASSWORD).expect("plain text");
        let answer = client
            .authorize(&mut exchange, &target)
            .expect("short enough");
        let header = answer.expect("a login").as_bytes().to_vec();
        let outcomes = [(); 2].map(|()| {
            let attempt = auth.begin([&header], &target, &arrival).expect("read");
            let ha1 = Ha1::new(attempt.hash_function(), NAME, "files", PASSWORD);
            auth.admit(attempt.verify(Some(ha1)).expect("right"))
                .is_ok()
        });
        assert_eq!(outcomes, [granted, false]);
    }
}
