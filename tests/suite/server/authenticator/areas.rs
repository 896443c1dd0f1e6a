//! One server of several realms: what they share, and what keeps them apart.

use countersign::server::{Authenticator, Quirk, Realm, Rejection};
use countersign::{Target, Timestamp};

use super::{CAPACITIES, at};
use crate::support::server::{
    Answer, PASSWORD, START, USER, authenticator, digest_challenge, is_stale, no_field, nonce_of,
    saved, texts,
};

fn area(name: &str) -> Realm {
    Realm::new(name).unwrap()
}

/// Both orders: which of the two the server was made with must not matter.
fn orders() -> [[Realm; 2]; 2] {
    let [files, admin] = ["files", "admin"].map(area);
    [[files.clone(), admin.clone()], [admin, files]]
}

fn server(own: &Realm, used_until: Option<Timestamp>, capacity: usize) -> Authenticator {
    match used_until {
        None => authenticator(own.clone(), capacity),
        Some(until) => Authenticator::from_saved(own.clone(), saved(1, until), capacity),
    }
}

/// The challenges of an area, and an answer to them.
fn answer(auth: &Authenticator, area: &Realm) -> Answer {
    let arrival = at(START);
    let refused = auth.begin_as(area, no_field(), &Target::new("GET", "/"), arrival);
    let challenges = texts(&refused.unwrap_err());
    assert_eq!(digest_challenge(&challenges[0]).realm, area.name());
    Answer {
        realm: area.name().to_owned(),
        ..Answer::to(&nonce_of(&challenges))
    }
}

/// Why an area refuses a request, with which challenges.
fn take(
    auth: &Authenticator,
    area: &Realm,
    answer: &Answer,
) -> Result<(), (Rejection, Vec<String>)> {
    take_header(auth, area, &answer.header(), answer)
}

fn take_header(
    auth: &Authenticator,
    area: &Realm,
    header: &str,
    answer: &Answer,
) -> Result<(), (Rejection, Vec<String>)> {
    let (target, arrival) = (answer.target(), at(START));
    let granted = auth
        .begin_as(area, [header].into_iter(), &target, arrival)
        .and_then(|attempt| attempt.verify_password(Some((USER, PASSWORD)), |pair| *pair))
        .and_then(|verified| auth.admit(verified));
    granted
        .map(drop)
        .map_err(|rejected| (rejected.reason, texts(&rejected)))
}

fn why(outcome: Result<(), (Rejection, Vec<String>)>) -> Rejection {
    outcome.unwrap_err().0
}

#[test]
fn credentials_are_granted_once_and_only_in_their_realm() {
    for capacity in CAPACITIES {
        for [own, other] in orders() {
            let auth = server(&own, None, capacity);
            for (here, there) in [(&own, &other), (&other, &own)] {
                let answer = answer(&auth, here);
                // What is refused has the challenges of the area that refuses it.
                let (why_there, challenges) = take(&auth, there, &answer).unwrap_err();
                assert_eq!(why_there, Rejection::RealmMismatch);
                assert_eq!(digest_challenge(&challenges[0]).realm, there.name());
                assert!(!is_stale(&challenges));
                // The name of the realm is part of the secret, so it cannot be rewritten.
                let renamed = answer.params().with("realm", format!("{:?}", there.name()));
                let outcome = take_header(&auth, there, &renamed.to_string(), &answer);
                assert_eq!(why(outcome), Rejection::WrongCredentials);

                assert_eq!(take(&auth, here, &answer), Ok(()));
                let (again, challenges) = take(&auth, here, &answer).unwrap_err();
                assert_eq!(again, Rejection::Replayed);
                assert_eq!(digest_challenge(&challenges[0]).realm, here.name());
            }
        }
    }
}

/// The counts of a nonce are kept by HA1, and so by area: neither uses up those of the other.
#[test]
fn areas_have_counts_of_their_own_in_one_memory() {
    for [own, other] in orders() {
        let auth = server(&own, None, 10);
        let first = answer(&auth, &own);
        let second = Answer {
            realm: other.name().to_owned(),
            ..first.clone()
        };
        for (area, answer) in [(&own, &first), (&other, &second)] {
            assert_eq!(take(&auth, area, answer), Ok(()));
            assert_eq!(why(take(&auth, area, answer)), Rejection::Replayed);
        }
        assert_eq!(auth.len(), 2);
    }
}

/// One stored key and one horizon keep the nonces of both realms valid across a restart.
#[test]
fn one_key_and_horizon_serve_all_realms_across_a_restart() {
    for [own, other] in orders() {
        let auth = server(&own, None, 10);
        let areas = [&own, &other];
        let answers = areas.map(|area| answer(&auth, area));
        let restarted = server(&own, None, 10);
        for (area, answer) in areas.into_iter().zip(&answers) {
            assert_eq!(take(&restarted, area, answer), Ok(()));
        }
        let restarted = Authenticator::from_saved(own.clone(), restarted.into_saved_key(), 10);
        for (area, answer) in areas.into_iter().zip(&answers) {
            let why = why(take(&restarted, area, answer));
            assert_eq!(why, Rejection::NonceForgotten { until: START });
        }
    }
}

/// A nonce of one area is no key to the laxer terms of another.
#[test]
fn a_nonce_keeps_the_settings_of_its_realm() {
    for [own, other] in orders() {
        for other in [
            other.clone().with_nonce_lifetime(3600),
            other.clone().with_one_time_nonces(true),
            other.with_quirks(&[Quirk::HashLikeCnonces]),
        ] {
            let auth = server(&own, None, 10);
            for (here, there) in [(&own, &other), (&other, &own)] {
                let elsewhere = Answer {
                    realm: there.name().to_owned(),
                    ..answer(&auth, here)
                };
                let (why, challenges) = take(&auth, there, &elsewhere).unwrap_err();
                assert_eq!(why, Rejection::NonceForeign);
                assert!(is_stale(&challenges));
                assert_eq!(take(&auth, there, &answer(&auth, there)), Ok(()));
            }
        }
    }
}

/// Clients take two realms of the same name for one. So they are refused at each change from one to
/// the other, and without `stale` where the realms offer different things.
#[test]
fn same_named_realms_with_different_settings_refuse_each_others_nonces() {
    use countersign::digest::Algorithm;

    let own = area("files").with_algorithms(&[Algorithm::SHA_256]);
    let auth = server(&own, None, 10);
    let answer = answer(&auth, &own);
    let long = own.clone().with_nonce_lifetime(3600);
    let (why, challenges) = take(&auth, &long, &answer).unwrap_err();
    assert_eq!(
        (why, is_stale(&challenges)),
        (Rejection::NonceForeign, true)
    );
    let strong = own.clone().with_algorithms(&[Algorithm::SHA_512_256]);
    let (why, challenges) = take(&auth, &strong, &answer).unwrap_err();
    let expected = (Rejection::AlgorithmNotOffered, false);
    assert_eq!((why, is_stale(&challenges)), expected);
    assert_eq!(take(&auth, &own, &answer), Ok(()));
}
