//! Several realms of one origin.

use countersign::client::Policy;

use crate::support::client::{Dialog, Said, challenge, orders};

fn with_realms(domains: &[(&str, &str)]) -> Dialog {
    let mut dialog = Dialog::new(Policy::new());
    for (realm, domain) in domains {
        let value = challenge("n", &format!(r#", domain="{domain}""#));
        let value = value.replace("\"r\"", &format!("\"{realm}\""));
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&value]), Said::Login);
        dialog.login();
    }
    dialog
}

#[test]
fn the_most_specific_path_wins() {
    for order in orders(&[("all", "/"), ("a", "/a /a/b/e"), ("deep", "/a/b /c")]) {
        let dialog = with_realms(&order);
        for (uri, realm) in [
            ("/", "all"),
            ("/ab", "all"),
            ("/a", "a"),
            ("/a/c", "a"),
            ("/a/b", "deep"),
            ("/a/b/c?d", "deep"),
            ("/a/b/e/f", "a"),
            ("/c/", "deep"),
        ] {
            let sent = dialog.would_send_unasked(uri).unwrap();
            assert_eq!(sent.get("realm"), realm, "{uri}");
        }
    }
}

/// Those that were used last.
#[test]
fn eight_realms_are_kept() {
    let paths: Vec<_> = (0..9).map(|n| format!("/{n}")).collect();
    let realms: Vec<_> = paths.iter().map(|path| (&**path, &**path)).collect();
    let dialog = with_realms(&realms);
    let kept = paths.iter().map(|path| dialog.would_send_unasked(path));
    assert!(kept.map(|sent| sent.is_some()).eq((0..9).map(|n| n > 0)));
}

#[test]
fn of_equal_paths_the_realm_used_last_wins() {
    let mut dialog = with_realms(&[("a", "/"), ("b", "/")]);
    assert_eq!(dialog.would_send_unasked("/").unwrap().get("realm"), "b");
    dialog.next_exchange();
    let value = challenge("n2", r#", domain="/""#).replace("\"r\"", "\"a\"");
    assert_eq!(dialog.challenged([&value]), Said::Retry);
    assert_eq!(dialog.would_send_unasked("/").unwrap().get("realm"), "a");
}

/// Without `domain` every realm covers all paths, so the folders tell which one is likely.
#[test]
fn of_equal_paths_the_realm_challenged_in_the_nearest_folder_wins() {
    for (homes, uri, realm) in [
        (["/a/x", "/b/x"], "/a/y", "first"),
        (["/a/b/x", "/a/x"], "/a/b/y", "first"),
        // A segment that begins alike is another one: both are as near, and the later one wins.
        (["/a/bc", "/a/x"], "/a/bd", "second"),
        (["/ab/x", "/b/x"], "/a/x", "second"),
        (["/x", "*"], "/y", "first"),
    ] {
        let mut dialog = Dialog::new(Policy::new());
        for (home, realm) in homes.into_iter().zip(["first", "second"]) {
            let value = challenge("n", "").replace("\"r\"", &format!("\"{realm}\""));
            dialog.next_exchange();
            dialog.send(home);
            assert_eq!(dialog.challenged([&value]), Said::Login);
            dialog.login();
        }
        let sent = dialog.would_send_unasked(uri).unwrap();
        assert_eq!(sent.get("realm"), realm, "{homes:?} {uri}");
    }
}
