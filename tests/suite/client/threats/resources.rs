//! Headers that took quadratic time, too much memory, or requests without end.

use std::time::{Duration, Instant};

use countersign::client::{Policy, SkipReason};
use countersign::{MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES, Target};

use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge, skipped};
use crate::support::errors::problem;
use crate::support::hostile;

/// curl be9c873a, hoppscotch#6148; curl, HttpComponents and libsoup still: a server that calls
/// every nonce stale was asked for ever.
#[test]
fn curl_be9c873a_and_hoppscotch_6148_stale_for_ever() {
    for same in [true, false] {
        for bound in [1, 2, 3, 10] {
            let mut dialog = Dialog::new(Policy::new().with_max_answers(bound));
            let (mut requests, mut nonces) = (0, 0);
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
                (false, 1) => (2, Said::TooManyAnswers),
                (false, _) => (3, Said::StaleAgain),
            };
            assert_eq!((requests, why), expected, "same: {same}, bound: {bound}");
        }
    }
}

/// CPython CVE-2020-8492, aiohttp, requests_kerberos#145: a regular expression took quadratic or
/// exponential time for commas, quotes or blanks.
#[test]
fn cpython_cve_2020_8492_and_requests_kerberos_145_linear_time() {
    // Those that get through to a session, and those that need not.
    let read: [(&str, &str, &str, &str); 6] = [
        ("a realm of escapes", "realm=\"", "\\\"", "\", nonce=n"),
        ("a nonce of escapes", "realm=r, nonce=\"", "\\\\", "\""),
        (
            "an opaque of commas",
            "realm=r, nonce=n, opaque=\"",
            ",",
            "\"",
        ),
        (
            "a domain of paths",
            "realm=r, nonce=n, domain=\"",
            "/a ",
            "\"",
        ),
        (
            "a domain of blanks",
            "realm=r, nonce=n, domain=\"",
            " ",
            "\"",
        ),
        ("blanks and commas", "realm=r, nonce=n", " ,\t", ""),
    ];
    let shapes = |size: usize| {
        let read = read.into_iter().map(|(name, start, unit, end)| {
            let middle = unit.repeat(size / unit.len());
            let value = format!("Digest algorithm=SHA-256, qop=auth, {start}{middle}{end}");
            (name, value)
        });
        let basic = format!("Basic {} A", ",".repeat(size));
        let hostile = hostile::values(size).into_iter();
        let shapes = hostile
            .chain(read)
            .chain([("commas behind a scheme", basic)]);
        shapes.collect::<Vec<_>>()
    };
    for ((name, short), (_, long)) in shapes(4_000).into_iter().zip(shapes(100_000)) {
        let time = |value: &str| {
            let start = Instant::now();
            let mut dialog = Dialog::new(Policy::new());
            if dialog.challenged([value]) == Said::Login {
                dialog.login();
                dialog.send("/");
                // Again, for what is compared with what was there.
                let _ = dialog.challenged([value]);
                let _ = dialog.accepted(value);
            }
            start.elapsed()
        };
        // 25 times the length; quadratic would be 625 times the time. The machine may be busy for
        // a while, but not for all of so many tries.
        let mut best = [Duration::MAX; 2];
        let fits = (0..20).any(|_| {
            best = [time(&short).min(best[0]), time(&long).min(best[1])];
            best[1] < best[0] * 150 + Duration::from_millis(5)
        });
        assert!(fits, "{name}: {best:?} for 4 kB and 100 kB");
    }
}

/// Two long lists of paths, each of which was compared with each.
#[test]
fn one_domain_after_another_in_linear_time() {
    let time = |number: u32| {
        let value = |nonce, from: u32| {
            let paths: Vec<_> = (from..from + number).map(|n| format!("/{n:x}")).collect();
            let domain = paths.join(" ");
            challenge(nonce, &format!(r#", stale=true, domain="{domain}""#))
        };
        let mut dialog = Dialog::logged_in(Policy::new(), &value("n1", 0));
        dialog.send("/1").unwrap();
        let second = value("n2", number);
        let start = Instant::now();
        assert_eq!(dialog.challenged([&second]), Said::Retry);
        start.elapsed()
    };
    let mut best = [Duration::MAX; 2];
    let fits = (0..20).any(|_| {
        best = [time(600).min(best[0]), time(15_000).min(best[1])];
        best[1] < best[0] * 150 + Duration::from_millis(5)
    });
    assert!(fits, "{best:?} for 600 and 15,000 paths");
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
        .authorize_with_cnonce(&mut dialog.exchange, &target, "c");
    assert_eq!(
        answer.unwrap_err(),
        countersign::client::AuthorizeError::TooLong
    );
    let target = Target::new("GET", "/");
    let answer = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, "c")
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
