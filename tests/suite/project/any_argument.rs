//! A caller that passes anything: odd texts and absurd numbers. The answer is a typed error or the
//! documented result, never a panic, a control byte in a header, or a grant without the secret.

use countersign::client::{AuthCache, Endpoint, Exchange, Field, Policy};
use countersign::server::Realm;
use countersign::{Target, Timestamp};

use crate::support::client::{CHALLENGE, Dialog, Said};
use crate::support::server::{START, Service, realm};

/// Zero, one, and about every power that a narrower type ends at.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    63,
    64,
    65,
    u8::MAX as u64,
    u16::MAX as u64 - 1,
    u16::MAX as u64,
    u32::MAX as u64 - 1,
    u32::MAX as u64,
    u32::MAX as u64 + 1,
    (1 << 48) - 1,
    i64::MAX as u64,
    u64::MAX - 1,
    u64::MAX,
];

/// The number, or the greatest of its type that there is.
fn fit<T: TryFrom<u64>>(number: u64, most: T) -> T {
    T::try_from(number).unwrap_or(most)
}

/// Every byte between others, nothing, much, and what means something in a header.
fn texts() -> Vec<String> {
    let between = (0..=0xFF_u8).map(|byte| format!("a{}b", char::from(byte)));
    let special = [
        "",
        "\0",
        "\r\nSet-Cookie: a=b",
        "a\", realm=\"b",
        "\\\"",
        "realm=\"a\", nonce=\"b\"",
        "Basic YTpi",
        CHALLENGE,
        "UTF-8''%00%0D%0A",
        "auth-int",
        "ffffffff",
        "100000000",
        "-1",
        "https://user:password@example.com/",
        "//",
        "http://",
        "a:b:c",
        "\u{1F600}",
        "e\u{301}",
        "\u{FFFD}\u{202E}",
    ];
    let long = [("a", 70_000), ("\"", 140_000), (",", 5000), ("A b,", 300)];
    let long = long.map(|(text, times)| text.repeat(times));
    let short = special.map(str::to_owned);
    between.chain(short).chain(long).collect()
}

#[test]
fn a_client_sends_one_value_that_proves_what_was_typed() {
    let target = Target::new("GET", "/");
    for text in texts() {
        for (name, password) in [(&*text, "p"), ("u", &*text)] {
            let mut dialog = Dialog::new(Policy::new());
            assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
            if dialog.login_as(name, password).is_ok() {
                match dialog.try_send(&target) {
                    Ok(sent) => assert!(sent.unwrap().is_right(name, password, &target)),
                    Err(error) => assert!(text.len() > 40_000, "{error}"),
                }
            } else {
                assert!(text.contains(char::is_control));
            }
        }
        // A request-target, and an endpoint.
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        let _ = dialog.try_send(&Target::new("GET", &text));
        let mut cache = AuthCache::from_seed(2, Policy::new(), [7; 32]);
        for endpoint in [
            Endpoint::proxy(&text, "h", 1),
            Endpoint::proxy("https", &text, 1),
        ] {
            let client = cache.client(&endpoint);
            let mut exchange = Exchange::new();
            let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
            assert_eq!(answer, Ok(Field::Remove));
        }
        // And any response.
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        let _ = dialog.challenged([&text, &text]);
        let _ = dialog.accepted(&format!("nextnonce={text}"));
    }
}

#[test]
fn a_realm_of_any_text_makes_fields_without_control_characters() {
    for text in texts() {
        for made in [
            Realm::new(&text),
            realm().with_opaque(&text),
            // A list of paths and URIs, separated by spaces.
            realm().with_domain(&format!("/{}", text.replace(' ', "/"))),
        ] {
            let Ok(realm) = made else {
                assert!(text.contains(char::is_control));
                continue;
            };
            let service = Service::new(realm);
            let refused =
                service.begin_at(None::<&str>, &Target::new("GET", "/"), service.arrival());
            let refusal = refused.expect_err("no credentials");
            for value in &refusal.challenges {
                assert!(
                    !value
                        .as_bytes()
                        .iter()
                        .any(crate::support::client::is_control)
                );
            }
        }
    }
}

/// Whatever the clock and the settings: what is granted is granted once, and only with the password.
#[test]
fn a_server_works_at_any_time_and_with_any_room() {
    for number in NUMBERS {
        let logs_in = |service: &Service| {
            let answer = service.answer();
            let mut wrong = answer.clone();
            wrong.password = "wrong".to_owned();
            assert!(service.take(&wrong).is_err());
            let outcome = service.take(&answer);
            assert!(service.take(&answer).is_err(), "granted twice");
            outcome
        };
        let time = Timestamp::from_unix_millis(number);
        let mut service = Service::new(realm());
        service.now = time;
        // Nonces are issued at most so late, in the year 10855, and last for 300 seconds.
        let is_issued = number < (1 << 48) - (1 << 40) + 300_000;
        assert_eq!(logs_in(&service).is_ok(), is_issued, "{number}");

        // Memory for more takes gigabytes: an allocation that fails is documented to panic.
        let capacity = fit(number, u16::MAX).min(5000);
        let service = Service::new(realm()).with_capacity(capacity.into());
        assert_eq!(logs_in(&service).is_ok(), capacity > 0);

        let lifetime = fit(number, u32::MAX);
        let mut service = Service::new(realm().with_nonce_lifetime(lifetime));
        assert!(logs_in(&service).is_ok());
        let answer = service.answer();
        service.now = START.plus_millis(1000 * u64::from(lifetime)).plus_millis(1);
        assert!(service.take(&answer).is_err());
        service.now = START.plus_millis(1000 * u64::from(lifetime));
        assert!(service.take(&answer).is_ok());
    }
}

#[test]
fn numbers_of_a_client_and_times_may_be_anything() {
    for number in NUMBERS {
        assert_eq!(Timestamp::from_unix_millis(number).as_unix_millis(), number);
        let later = Timestamp::from_unix_millis(u64::MAX - 1).plus_millis(number);
        assert_eq!(
            later.as_unix_millis(),
            (u64::MAX - 1).saturating_add(number)
        );

        let room = usize::try_from(number).unwrap_or(usize::MAX);
        let mut cache = AuthCache::from_seed(room, Policy::new(), [7; 32]);
        for port in 1..=70 {
            cache.client(&Endpoint::origin("https", "h", Some(port)).expect("a port"));
        }
        assert_eq!(clients(&cache), number.clamp(1, 70));

        let bound = fit(number, u8::MAX);
        let mut dialog = Dialog::new(Policy::new().with_max_answers(bound));
        let mut sent = 0;
        for realm in 0.. {
            sent += u32::from(dialog.send("/").is_some());
            let other = CHALLENGE.replace("\"r\"", &format!("\"{realm}\""));
            match dialog.challenged([&other]) {
                Said::Login => dialog.login(),
                Said::Retry => {}
                _ => break,
            }
        }
        assert_eq!(sent, u32::from(bound.max(1)));
    }
}

/// How many clients a cache has, which its `Debug` lists.
fn clients(cache: &AuthCache) -> u64 {
    format!("{cache:?}").matches("Client {").count() as u64
}
