//! Credentials and state that went to another origin, proxy, realm or user.

use countersign::Target;
use countersign::client::{AuthCache, Endpoint, Policy};

use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, USER, accept, challenge, sent_unasked,
};

/// A cache that has logged in at these endpoints and answered there.
fn logged_in_at(endpoints: &[&Endpoint]) -> AuthCache {
    let mut cache = AuthCache::from_seed(10, Policy::new(), [7; 32]);
    for endpoint in endpoints {
        accept(cache.client(endpoint), CHALLENGE, false);
    }
    cache
}

/// curl CVE-2026-7168, CVE-2026-8927 and CVE-2026-3784, 5c6b4880, 7ec25148 and 6daf4bc7: the state
/// of Digest was used again for another proxy, another origin or another user.
mod curl_cve_2026_7168_8927_3784_state_used_again {
    use super::*;

    #[test]
    fn a_proxy_and_an_origin_of_one_name_are_two() {
        let proxy = &Endpoint::proxy("http", "proxy", 3128);
        let origin = &Endpoint::origin("http", "proxy", Some(3128)).unwrap();
        for (first, second) in [(proxy, origin), (origin, proxy)] {
            let mut cache = logged_in_at(&[first]);
            assert!(sent_unasked(cache.client(first), "/").is_some());
            assert_eq!(sent_unasked(cache.client(second), "/"), None);
        }
        // Each with its own count.
        let mut cache = logged_in_at(&[proxy, origin, proxy]);
        for (endpoint, count) in [(proxy, "00000003"), (origin, "00000002")] {
            let sent = sent_unasked(cache.client(endpoint), "/").unwrap();
            assert_eq!(sent.get("nc"), count);
        }
    }

    #[test]
    fn another_user_has_no_nonce() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        dialog.goes_on();
        dialog.login_as("Scar", "Be prepared").unwrap();
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
        let target = Target::new("GET", "/");
        assert!(sent.is_right("Scar", "Be prepared", &target));

        // A late word to the first user says nothing to the second.
        let mut first = Dialog::logged_in(Policy::new(), CHALLENGE);
        first.send("/");
        first.login_as("Scar", "Be prepared").unwrap();
        first.accepted(r#"nextnonce="stolen""#).unwrap();
        first.next_exchange();
        assert_eq!(first.send("/"), None);
    }
}

/// tropel#328: HA1 was kept although the realm had changed. nginx-http-auth-digest: one realm was
/// taken for another that it is the beginning of.
#[test]
fn tropel_328_another_realm_wants_another_login() {
    for (first, second) in [
        ("a", "b"),
        ("a", "ab"),
        ("ab", "a"),
        ("a", "A"),
        ("a", ""),
        ("", "a"),
        ("a", "a "),
        ("a\"b", "a\\\"b"),
    ] {
        let value = |realm: &str| {
            let realm = realm.replace('\\', r"\\").replace('"', "\\\"");
            CHALLENGE.replace("realm=\"r\"", &format!("realm=\"{realm}\""))
        };
        let mut dialog = Dialog::logged_in(Policy::new(), &value(first));
        dialog.send("/");
        dialog.goes_on();
        dialog.send("/");
        // The nonce is the same: only the realm tells.
        assert_eq!(dialog.challenged([&value(second)]), Said::Login);
        assert_eq!(Some(dialog.ask().realm()), Some(second.as_bytes()));
        assert_eq!(dialog.send("/"), None);
        dialog.login();
        let sent = dialog.send("/").unwrap();
        assert_eq!(sent.get("realm"), second);
        assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
    }
    // However it is written, it is the same realm.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    for same in [r#""\r""#, "r", "\t\"r\""] {
        let value = CHALLENGE.replace("\"r\"", same);
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&value]), Said::Retry, "{value}");
    }
}
