//! A header eight times as long takes at most eight times as many instructions, however hostile: to
//! parse, for a server to refuse, and for a client to follow.
//!
//! Where there is no valgrind the test says so and checks nothing.

use std::hint::black_box;

use countersign::client::{Account, Client, Exchange, Field, Next, Policy};
use countersign::digest::Ha1;
use countersign::server::{Quirk, UriCheck};
use countersign::wire::AuthenticationInfo;
use countersign::{Authorization, EntityBody, Target, Text};

use crate::callgrind;
use crate::support::client::{PASSWORD, USER, client};
use crate::support::hostile;
use crate::support::server::{Service, realm};

/// Eight times, and what buffers add that grow by doubling. With the square it would be 64.
const RATIO: f64 = 10.0;

/// The lengths of the values. Without optimisation every byte takes ten times as long.
const SIZES: [usize; 2] = match cfg!(debug_assertions) {
    true => [256, 2 * 1024],
    false => [8 * 1024, 64 * 1024],
};

#[inline(never)]
fn measured_reading(read: fn(&str), value: &str) {
    read(black_box(value));
}

fn challenges(value: &str) {
    for challenge in countersign::raw_challenges([value]).flatten() {
        let is_x = |(_, value): &(&str, Text<'_>)| *value == "x";
        black_box(challenge.params().filter(is_x).count());
    }
    black_box(countersign::challenges([value]).count());
}

fn writing(value: &str) {
    for challenge in countersign::raw_challenges([value]).flatten() {
        black_box(challenge.to_field_value());
    }
}

fn authorization(value: &str) {
    black_box(Authorization::parse(value).is_ok());
}

fn authentication_info(value: &str) {
    black_box(AuthenticationInfo::parse([value]).is_ok());
}

/// All steps up to a refusal, with a request-target as long as the value.
fn server(value: &str) {
    let realm = realm()
        .with_userhash(true)
        .with_quirks(&[Quirk::Rfc2069])
        .with_quirks(&[Quirk::UncountedForm])
        .with_cleartext_basic()
        .with_uri_check(UriCheck::UncheckedQuery);
    let service = Service::new(realm);
    let uri = long_uri(value.len());
    let target = Target::new("GET", &uri).with_body(EntityBody::Bytes(b""));
    let rejected = match service.begin(value, &target) {
        Err(rejected) => rejected,
        Ok(attempt) => {
            black_box(attempt.claimed_user().to_string());
            attempt.verify(None::<Ha1>).expect_err("nobody is known")
        }
    };
    black_box(rejected.challenges.len());
}

/// Takes a challenge up, with a login if it is asked for.
fn follow(client: &mut Client, exchange: &mut Exchange, target: &Target<'_>, values: &[&str]) {
    let _ = client
        .authorize(exchange, target)
        .map(Field::for_new_request);
    if let Next::Login(ask) = client.challenged(exchange, countersign::challenges(values)) {
        black_box(ask.realm_text());
        let _ = client.login(&ask, &Account::new(USER, PASSWORD).with_basic());
        let _ = client
            .authorize(exchange, target)
            .map(Field::for_new_request);
    }
}

/// Exchanges of a client with a server that sends the value as a challenge, twice, and as its
/// `Authentication-Info`.
fn client_exchanges(value: &str) {
    let mut client = client(Policy::new());
    let uri = long_uri(value.len());
    let target = Target::new("GET", &uri).with_body(EntityBody::Bytes(b""));
    for _ in 0..3 {
        let mut exchange = Exchange::new();
        follow(&mut client, &mut exchange, &target, &[value, value]);
        let _ = client.completed(&mut exchange, 200, [value].into_iter(), EntityBody::Unknown);
    }
}

/// A client with one long list of paths that is sent another, each of which was compared with each.
fn one_domain_after_another(paths: &str) {
    let (mut client, mut exchange) = (client(Policy::new()), Exchange::new());
    for (nonce, start) in [("n1", "/a"), ("n2", "/b")] {
        let paths = paths.replace('/', start);
        let value = format!(
            "Digest realm=r, nonce={nonce}, qop=auth, algorithm=SHA-256, stale=true, domain=\"{paths}\""
        );
        follow(
            &mut client,
            &mut exchange,
            &Target::new("GET", "/"),
            &[&value],
        );
    }
}

fn long_uri(length: usize) -> String {
    format!("/{}", "%25".repeat(length / 3))
}

/// What a long value of one parameter consists of.
const UNITS: [&str; 7] = [
    "\\\"",
    "\\/",
    "%2525",
    "/a ",
    "auth,",
    "\u{9b}",
    "%F0%9F%98%80",
];

/// Values with one long parameter each, after parameters that are in order.
fn long_params(fine: &str, more: &str, size: usize) -> Vec<(String, String)> {
    let name_of = |param: &'_ str| param.split('=').next().unwrap().to_owned();
    let names = fine
        .split(", ")
        .map(name_of)
        .chain(more.split(' ').map(str::to_owned));
    let cases = names.flat_map(|name| UNITS.map(|unit| (name.clone(), unit)));
    let long = cases.map(|(name, unit)| {
        let is_other = |param: &&str| name_of(param) != name.trim_end_matches('*');
        let others: Vec<_> = fine.split(", ").filter(is_other).collect();
        let (others, long) = (others.join(", "), unit.repeat(size / unit.len()));
        let value = match name.ends_with('*') {
            true => format!("UTF-8''{long}"),
            false => format!("\"{long}\""),
        };
        (
            format!("{name} of {unit:?}"),
            format!("Digest {others}, {name}={value}"),
        )
    });
    long.collect()
}

fn credentials(size: usize) -> Vec<(String, String)> {
    let fine = "username=\"a\", realm=\"files\", nonce=\"n\", uri=\"/\", qop=\"auth\", \
        nc=\"00000001\", cnonce=\"c\", response=\"00000000000000000000000000000000\"";
    let mut all = long_params(fine, "username* algorithm opaque userhash x", size);
    let pairs = format!("Basic {}", "YTph".repeat(size / 4));
    all.push(("no pairs".to_owned(), format!("{pairs}!")));
    all.push(("pairs".to_owned(), pairs));
    all
}

fn client_values(size: usize) -> Vec<(String, String)> {
    let fine = "realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=\"SHA-256\"";
    let mut all = long_params(fine, "opaque domain stale userhash charset x", size);
    // Numbers of the same length.
    let numbered = |one: &str| {
        let count = size / (one.len() + 4);
        let numbers = (10_000..10_000 + count).map(|number| one.replace('#', &number.to_string()));
        numbers.collect::<String>()
    };
    let digest = |realm: &str, nonce: &str, more: &str| {
        format!("Digest realm={realm}, nonce={nonce}, qop=auth, algorithm=SHA-256{more}")
    };
    let paths = numbered("/# ");
    // CPython CVE-2020-8492, aiohttp, requests_kerberos#145: a regular expression took quadratic or
    // exponential time for commas, quotes or blanks.
    let blanks = format!("Digest realm=r, nonce=n{}", " ,\t".repeat(size / 3));
    for (name, value) in [
        ("blanks and commas", blanks),
        ("realms", numbered(&digest("\"r#\"", "n", ", "))),
        ("nonces", numbered(&digest("r", "\"n#\"", ", stale=true, "))),
        (
            "nextnonce",
            format!("nextnonce=\"{}\"", "\\n".repeat(size / 2)),
        ),
        ("rspauth", format!("rspauth=\"{}\"", "0".repeat(size))),
        ("paths", digest("r", "n", &format!(", domain=\"{paths}\""))),
    ] {
        all.push((name.to_owned(), value));
    }
    all
}

type Read = fn(&str);

/// What reads a value, its shape, and the value in all sizes.
type Case = (&'static str, Read, String, [String; 2]);

/// What is measured, in this order: without optimisation, every twenty-fifth case.
fn plan() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let [small, large] = SIZES.map(hostile::values);
    for ((name, small), (_, large)) in small.into_iter().zip(large) {
        let plain = [small, large];
        let rest = plain
            .each_ref()
            .map(|value| hostile::without_scheme(value).to_owned());
        let with = |scheme: &str| rest.each_ref().map(|rest| [scheme, rest].join(" "));
        let (other, digest) = (with("A"), with("Digest"));
        for (reader, read, values) in [
            ("challenges", challenges as Read, &plain),
            ("challenges", challenges, &digest),
            ("writing", writing, &plain),
            ("authorization", authorization, &other),
            ("authorization", authorization, &digest),
            ("authentication_info", authentication_info, &rest),
            ("server", server, &digest),
            ("client", client_exchanges, &digest),
        ] {
            cases.push((reader, read, name.to_owned(), values.clone()));
        }
    }
    for (reader, read, values) in [
        ("server", server as Read, SIZES.map(credentials)),
        ("client", client_exchanges, SIZES.map(client_values)),
    ] {
        let [small, large] = values;
        let both = small.into_iter().zip(large);
        cases.extend(both.map(|((name, small), (_, large))| (reader, read, name, [small, large])));
    }
    let step = if cfg!(debug_assertions) { 25 } else { 1 };
    let mut cases: Vec<Case> = cases.into_iter().step_by(step).collect();
    let paths = |size| {
        (10_000..10_000 + size / 8)
            .map(|n| format!("/{n} "))
            .collect()
    };
    let name = "one domain after another".to_owned();
    cases.push(("client", one_domain_after_another, name, SIZES.map(paths)));
    cases
}

#[test]
fn hostile_values_are_read_in_linear_time() {
    let Some(counts) = callgrind::count("linear::worker") else {
        return;
    };
    let plan = plan();
    assert_eq!(counts.len(), plan.len() * SIZES.len());
    let mut wrong = Vec::new();
    for ((reader, _, name, _), counts) in plan.iter().zip(counts.chunks(SIZES.len())) {
        println!("{reader}, {name}: {counts:?}");
        if counts[1] as f64 > RATIO * counts[0] as f64 {
            wrong.push(format!("{reader}, {name}: {counts:?}"));
        }
    }
    assert!(wrong.is_empty(), "more than linear: {wrong:#?}");
}

/// Does all of it once; the other test runs this one in callgrind.
#[test]
fn worker() {
    for (_, read, _, values) in plan() {
        for value in &values {
            measured_reading(read, value);
            callgrind::batch_is_over(value.len());
        }
    }
}
