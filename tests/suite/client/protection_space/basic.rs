//! The protection space of Basic: what lies below the directory that was asked for.

use countersign::client::{Account, Client, Endpoint, Policy};

use super::{BASIC, check, check_asked, with_basic};
use crate::support::client::{Dialog, PASSWORD, Said, USER, covers, home};

/// RFC 7617, section 2.2.
#[test]
fn covers_the_directory_of_the_request() {
    for (asked, targets) in [
        (
            "/a/b/c.html?d/e",
            &[
                ("/a/b/c.html", true),
                ("/a/b/", true),
                ("/a/b/x", true),
                ("/a/b/x/y?z", true),
                ("/a/b", false),
                ("/a/", false),
                ("/a/bx", false),
                ("/", false),
            ][..],
        ),
        ("/a/", &[("/a/x", true), ("/a", false), ("/b", false)]),
        (
            "/a",
            &[("/", true), ("/b", true), ("/a/b/c", true), ("*", false)],
        ),
        ("/", &[("/", true), ("/a/b", true)]),
        (
            "https://example.com/a/b",
            &[
                ("/a/c", true),
                ("https://example.com/a/", true),
                ("/b", false),
            ],
        ),
        ("https://example.com", &[("/", true), ("/a", true)]),
        ("*", &[("*", true), ("/", false)]),
        (
            "example.com:443",
            &[
                ("example.com:443", true),
                ("example.com:444", false),
                ("/", false),
            ],
        ),
    ] {
        let dialog = with_basic(asked);
        for &(target, inside) in targets {
            check(&dialog, target, inside, asked);
            // Another origin is not answered even if it asks.
            if target != "example.com:444" {
                check_asked(&dialog, BASIC, target);
            }
        }
    }
}

#[test]
fn grows_with_each_challenged_directory() {
    let mut dialog = with_basic("/a/b");
    dialog.goes_on();
    assert_eq!(dialog.send("/c/d"), None);
    assert_eq!(dialog.challenged([BASIC]), Said::Retry);
    assert!(dialog.send("/c/d").is_some());
    for (target, inside) in [("/a/x", true), ("/c/x", true), ("/d", false)] {
        check(&dialog, target, inside, "/a/ and /c/");
    }
}

/// Who does not say which request was challenged says it with the next one.
#[test]
fn known_from_the_first_answer_on_without_a_target() {
    let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
    assert!(!covers(&dialog.client, "/"));
    assert_eq!(dialog.would_send_unasked("/"), None);
    assert!(dialog.send("/").is_some());
    assert!(covers(&dialog.client, "/"));
}

/// The password of a realm is none of the others' business, although the one before it was sent
/// everywhere.
#[test]
fn the_login_after_preemptive_credentials_keeps_to_the_directory() {
    let unasked = |policy: Policy, endpoint: Endpoint, name: &str| {
        let client = Client::from_seed(endpoint, policy, [7; 32]);
        client
            .with_account(Account::new(name, PASSWORD).with_preemptive_basic())
            .unwrap()
    };
    for (name, policy, challenge, said) in [(USER, Policy::new(), BASIC, Said::WrongCredentials)] {
        let name = name.to_owned();
        let mut dialog = Dialog::of(move || unasked(policy, home(), &name));
        assert!(dialog.send("/a/b").is_some());
        assert_eq!(dialog.challenged([challenge]), said);
        if said != Said::Retry {
            dialog.login_as(USER, "Asante sana").unwrap();
        }
        for (target, inside) in [
            ("/a/b", true),
            ("/a/c/d", true),
            ("/b", false),
            ("/", false),
        ] {
            check(&dialog, target, inside, "/a/");
        }
    }
    // A proxy has no other realms.
    let proxy = Endpoint::proxy("https", "proxy", 3128);
    let mut dialog = Dialog::of(move || unasked(Policy::new(), proxy.clone(), USER));
    assert!(dialog.send("http://a/b").is_some());
    assert_eq!(dialog.challenged([BASIC]), Said::WrongCredentials);
    dialog.login_as(USER, "Asante sana").unwrap();
    check(&dialog, "http://c/", true, "a proxy");
}
