//! Headers that took too much memory, or requests without end. Time is counted in `measured::linear`.

use countersign::client::{Field, Policy, SkipReason};
use countersign::{MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES, Target};

use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge, skipped};
use crate::support::errors::problem;

/// curl be9c873a, hoppscotch#6148; curl, HttpComponents and libsoup still: a server that calls
/// every nonce stale was asked for ever.
#[test]
fn curl_be9c873a_and_hoppscotch_6148_stale_for_ever() {
    for same in [true, false] {
        for bound in [1, 2, 3, 10] {
            let mut dialog = Dialog::new(Policy::new().with_max_answers(bound));
            let (mut requests, mut nonces) = (0_u8, 0);
            let why = loop {
                dialog.send("/");
                requests += 1;
                nonces += u32::from(!same);
                let stale = challenge(&format!("n{nonces}"), ", stale=true");
                match dialog.challenged([&stale]) {
                    Said::Login => dialog.login(),
                    Said::Retry => {}
                    why => break why,
                }
                assert!(requests <= 20);
            };
            let expected = match (same, bound) {
                (true, _) => (2, Said::WrongCredentials),
                (false, _) => (1 + bound, Said::TooManyAnswers),
            };
            assert_eq!((requests, why), expected, "same: {same}, bound: {bound}");
        }
    }
}

/// curl f206d6c0, libmicrohttpd: values were copied to buffers of a fixed size.
#[test]
fn curl_f206d6c0_values_of_64_kib() {
    let long = "x".repeat(64 * 1024);
    // No server could read the answer to these.
    for value in [
        CHALLENGE.replace("\"r\"", &format!("\"{long}\"")),
        CHALLENGE.replace("n1", &long),
        challenge("n", &format!(r#", opaque="{long}""#)),
    ] {
        let said = Dialog::new(Policy::new()).challenged([&value]);
        assert_eq!(skipped(&said), [SkipReason::TooLong]);
    }
    for value in [
        challenge("n", &format!(r#", domain="/{long}""#)),
        challenge("n", &format!(", {long}=x")),
        challenge("n", &format!(", x={long}")),
    ] {
        let mut dialog = Dialog::logged_in(Policy::new(), &value);
        let sent = dialog.send("/").unwrap();
        assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
    }
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    dialog.login_as(&long, &long).unwrap();
    let uri = format!("/{long}");
    let target = Target::new("GET", &uri);
    // Each part can be sent, but all of them are more than anyone reads.
    let answer = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, "c")
        .map(Field::for_new_request);
    assert_eq!(
        answer.unwrap_err(),
        countersign::client::AuthorizeError::TooLong
    );
    let target = Target::new("GET", "/");
    let answer = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, "c")
        .map(Field::for_new_request)
        .unwrap();
    let value = answer.unwrap().as_bytes();
    assert!(value.len() > long.len());
    assert!(crate::support::naive::credentials(value).is_some());
}

/// Nobody bounds the number of parameters or challenges.
#[test]
fn more_parameters_or_challenges_than_anyone_sends() {
    let kinds = |next: &Said| -> Vec<&str> {
        let kind = |why: &SkipReason| match why {
            SkipReason::Header(error) => Some(problem(error)),
            _ => None,
        };
        skipped(next).iter().filter_map(kind).collect()
    };
    let value = challenge("n", &", a=b".repeat(MAX_PARAMS));
    let next = Dialog::new(Policy::new()).challenged([&value]);
    assert_eq!(kinds(&next), ["too many parameters"]);

    let value = "A,".repeat(50_000);
    let next = Dialog::new(Policy::new()).challenged([&value]);
    assert_eq!(skipped(&next).len(), MAX_CHALLENGES + 1);
    assert_eq!(kinds(&next), ["too many challenges"]);

    let fields = vec!["A"; 100_000];
    let next = Dialog::new(Policy::new()).challenged(fields);
    assert_eq!(skipped(&next).len(), MAX_CHALLENGES + 1);

    let value = challenge("n", &format!(r#", a="{}""#, "x".repeat(MAX_VALUE_BYTES)));
    let next = Dialog::new(Policy::new()).challenged([&value]);
    assert_eq!(kinds(&next), ["header value too long"]);
    // It hides no other.
    let next = Dialog::new(Policy::new()).challenged([&value[..], CHALLENGE]);
    assert_eq!(next, Said::Login);
}
