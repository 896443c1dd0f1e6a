//! `fetch` against `serve`.

use std::thread;
use std::time::Duration;

use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::Algorithm;
use countersign::{EntityBody, Target};

use crate::programs::{Fetched, Serve, fetch, fetch_as};
use crate::wire::{self, Canned};
use crate::{PASSWORD, USER};

const GRANTED: &str = "granted Mufasa";

#[test]
fn logs_in_with_each_algorithm_and_qop() {
    for algorithm in Algorithm::ALL {
        for qop in ["auth", "auth-int", "auth,auth-int"] {
            // MD5 does not protect a body, so it is not offered for `auth-int` alone.
            if qop == "auth-int" && algorithm.as_str().starts_with("MD5") {
                continue;
            }
            let serve = Serve::start(&["--algorithm", algorithm.as_str(), "--qop", qop]);
            let fetched = fetch(&["--data", "a=1", "--repeat", "3"], &serve.url("/form?x=1"));
            assert!(fetched.0.success, "{algorithm} {qop} {fetched:?}");
            assert_eq!(fetched.statuses(), [401, 200, 200, 200]);
            assert_eq!(fetched.proofs(), 3);
            assert!(fetched.0.stdout.ends_with("Hello, Mufasa.\n"));
            let expected = ["no-credentials", GRANTED, GRANTED, GRANTED];
            assert_eq!(serve.outcomes(), expected, "{algorithm} {qop}");
        }
    }
}

#[test]
fn a_hundred_requests_cost_one_refusal() {
    for options in [&[] as &[&str], &["--nextnonce"]] {
        let serve = Serve::start(options);
        let fetched = fetch(&["--repeat", "100"], &serve.url("/"));
        assert!(fetched.0.success);
        assert_eq!((fetched.count(401), fetched.count(200)), (1, 100));
        assert_eq!(fetched.proofs(), 100);
        let log = serve.outcomes();
        assert_eq!(log[0], "no-credentials");
        assert!(log[1..].iter().all(|outcome| outcome == GRANTED));
    }
}

/// Nonces that live two seconds, and a second request that comes later than the first by `delay`.
fn with_delay(delay: u64) -> (Fetched, Vec<String>) {
    let serve = Serve::start(&["--nonce-lifetime", "2"]);
    let address = serve.address.clone();
    let mut delay = Some(Duration::from_millis(delay));
    let relay = Canned::start(move |head| {
        if head.contains("nc=00000002") {
            thread::sleep(delay.take().unwrap_or_default());
        }
        wire::forward(&address, head)
    });
    let fetched = fetch(&["--repeat", "3"], &format!("http://{}/", relay.address));
    (fetched, serve.outcomes())
}

#[test]
fn an_old_nonce_is_followed_by_another() {
    // When half of its life is over, the next comes with the response.
    let (fetched, log) = with_delay(1200);
    assert_eq!(fetched.statuses(), [401, 200, 200, 200], "{fetched:?}");
    assert_eq!(log, ["no-credentials", GRANTED, GRANTED, GRANTED]);
    // When all of it is over, it takes a refusal.
    let (fetched, log) = with_delay(2200);
    assert_eq!(fetched.statuses(), [401, 200, 401, 200, 200], "{fetched:?}");
    let expected = ["no-credentials", GRANTED, "nonce-expired", GRANTED, GRANTED];
    assert_eq!(log, expected);
}

#[test]
fn a_body_held_back_does_not_outlive_the_nonce() {
    let serve = Serve::start(&["--nonce-lifetime", "1", "--qop", "auth"]);
    let endpoint = Endpoint::origin("http", "test", None).unwrap();
    let mut client = Client::new(endpoint, Policy::default(), &mut getrandom::SysRng).unwrap();
    let mut exchange = Exchange::new();
    let target = Target::new("POST", "/vault");
    assert!(client.authorize(&mut exchange, &target).unwrap().is_none());
    let refused = wire::send(&serve.address, "POST /vault", &["content-length: 0"]);
    let challenge = wire::field(&refused, "www-authenticate");
    let fields = |_: &str| challenge;
    let body = EntityBody::Bytes(b"");
    let next = client.received(&mut exchange, 401, fields, body).unwrap();
    let Next::Login(ask) = next else {
        panic!("{next:?}")
    };
    client.login(&ask, USER, PASSWORD).unwrap();
    let answer = client.authorize(&mut exchange, &target).unwrap().unwrap();
    let field = format!("authorization: {}", answer.to_str().unwrap());

    let fields = [&field, "content-length: 1"];
    let delay = Duration::from_secs(2);
    let late = wire::send_late(&serve.address, "POST /vault", &fields, delay, b"x");
    assert!(late.starts_with("HTTP/1.1 401 "), "{late}");
    assert!(late.contains("stale=true"), "{late}");
    assert_eq!(serve.outcomes(), ["no-credentials", "nonce-expired"]);
}

#[test]
fn legacy_takes_permission() {
    let algorithms = Algorithm::ALL.iter().filter(|a| !a.is_sess());
    for algorithm in algorithms {
        let serve = Serve::start(&["--qop", "none", "--algorithm", algorithm.as_str()]);
        let fetched = fetch(&[], &serve.url("/"));
        assert!(!fetched.0.success);
        assert!(
            fetched.0.stdout.contains("Policy::with_rfc2069"),
            "{fetched:?}"
        );
        let fetched = fetch(&["--legacy"], &serve.url("/"));
        assert!(fetched.0.success, "{fetched:?}");
        assert_eq!(fetched.statuses(), [401, 200]);
        let expected = ["no-credentials", "no-credentials", GRANTED];
        assert_eq!(serve.outcomes(), expected);
    }
}

#[test]
fn without_a_count_a_nonce_is_good_for_one_use() {
    let uncounted = (["--uncounted-form"].as_slice(), "--uncounted-form");
    for (serve, option) in [(["--qop", "none"].as_slice(), "--legacy"), uncounted] {
        // So each response brings the next.
        let serve = Serve::start(serve);
        let fetched = fetch(&[option, "--repeat", "4"], &serve.url("/"));
        assert!(fetched.0.success, "{fetched:?}");
        assert_eq!(fetched.statuses(), [401, 200, 200, 200, 200]);
        let outcomes = ["no-credentials", GRANTED, GRANTED, GRANTED, GRANTED];
        assert_eq!(serve.outcomes(), outcomes);
    }
}

#[test]
fn the_uncounted_form_takes_two() {
    for (serve, client, granted) in [
        (
            &["--uncounted-form"] as &[&str],
            &["--uncounted-form"] as &[&str],
            true,
        ),
        (&[], &["--uncounted-form"], false),
        (&["--uncounted-form"], &[], true),
    ] {
        let serve = Serve::start(serve);
        let fetched = fetch(client, &serve.url("/"));
        assert_eq!(fetched.0.success, granted, "{fetched:?}");
        assert_eq!(fetched.proofs(), usize::from(granted));
        let outcome = if granted {
            GRANTED
        } else {
            "wrong-credentials"
        };
        assert_eq!(serve.outcomes(), ["no-credentials", outcome]);
    }
}

#[test]
fn a_wrong_password_is_refused_once() {
    for login in ["Mufasa:wrong", "Scar:Circle Of Life"] {
        let serve = Serve::start(&[]);
        let fetched = fetch_as(login, &[], &serve.url("/"));
        assert!(!fetched.0.success);
        assert_eq!(fetched.statuses(), [401, 401]);
        assert_eq!(serve.outcomes(), ["no-credentials", "wrong-credentials"]);
    }
}

#[test]
fn the_password_takes_permission() {
    let basic = ["--basic", "--allow-cleartext-basic"];
    // An empty list of algorithms cannot be given; one that the client refuses is as good.
    let serve = [
        &basic[..],
        &["--algorithm", "SHA-256-sess", "--qop", "none"],
    ]
    .concat();
    for (options, granted) in [
        (&[] as &[&str], false),
        (&["--allow-cleartext-basic"], true),
        (&["--allow-cleartext-basic", "--no-basic"], false),
    ] {
        let serve = Serve::start(&serve);
        let fetched = fetch(options, &serve.url("/"));
        assert_eq!(fetched.0.success, granted, "{fetched:?}");
        let log = serve.outcomes();
        assert_eq!(log.len(), 1 + usize::from(granted), "{log:?}");
    }
}

#[cfg(feature = "md5")]
#[test]
fn md5_can_be_refused() {
    let serve = Serve::start(&["--algorithm", "MD5"]);
    let fetched = fetch(&["--no-md5"], &serve.url("/"));
    assert!(!fetched.0.success);
    assert_eq!(serve.outcomes(), ["no-credentials"]);
}

#[test]
fn names_and_realms_may_hold_anything() {
    let login = "Jäsøn \"Doe\" \\:pä:ss";
    let serve = Serve::start(&["--user", login, "--realm", "a\"b\\c é"]);
    let fetched = fetch_as(login, &[], &serve.url("/"));
    assert!(fetched.0.success, "{fetched:?}");
    let expected = ["no-credentials", "granted Jäsøn \"Doe\" \\"];
    assert_eq!(serve.outcomes(), expected);
}

#[test]
fn a_url_gives_the_request_target() {
    for (path, target) in [
        ("", "/"),
        ("?x=y", "/?x=y"),
        ("/a%2Fb//c/../%7e?#d", "/a%2Fb//c/../%7e?"),
    ] {
        let serve = Serve::start(&[]);
        let fetched = fetch(&[], &serve.url(path));
        assert!(fetched.0.success, "{fetched:?}");
        assert_eq!(serve.stop()[1].target, target);
    }
}

#[test]
fn a_response_without_a_body_has_a_proof_too() {
    for qop in ["auth", "auth-int"] {
        let serve = Serve::start(&["--qop", qop]);
        let fetched = fetch(&["--method", "HEAD"], &serve.url("/"));
        assert!(fetched.0.success, "{fetched:?}");
        assert_eq!(fetched.proofs(), 1);
    }
}

#[test]
fn the_trace_shows_the_formulas() {
    let serve = Serve::start(&["--algorithm", "SHA-256-sess", "--qop", "auth-int"]);
    let fetched = fetch(&["--trace"], &serve.url("/"));
    for part in [
        "> GET / HTTP/1.1",
        "< HTTP/1.1 401 Unauthorized",
        "H(username:realm:password)",
        "H(HA1:nonce:cnonce)",
        "H(method:uri:H(body))",
        "H(HA1:nonce:nc:cnonce:qop:HA2)",
    ] {
        assert!(fetched.0.stderr.contains(part), "{part}: {fetched:?}");
    }
}
