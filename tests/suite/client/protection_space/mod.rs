//! Protection spaces: where credentials are sent unasked, and where never.

mod auth_cache;
mod basic;
mod domain;
mod realms;

use countersign::client::{Endpoint, Policy};

use crate::support::client::{CHALLENGE, Dialog, Said, challenge, home};

const BASIC: &str = r#"Basic realm="r""#;

/// A client of `origin` that has logged in to a challenge with this domain.
fn with_domain(origin: &Endpoint, domain: &str) -> Dialog {
    let mut dialog = Dialog::at(origin, Policy::new());
    let value = challenge("n", &format!(r#", domain="{domain}""#));
    assert_eq!(dialog.challenged([&value]), Said::Login, "{domain}");
    dialog.login();
    dialog
}

/// A client that has answered a Basic challenge for a request to `asked`.
fn with_basic(asked: &str) -> Dialog {
    let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
    assert!(dialog.send(asked).is_some(), "{asked}");
    dialog
}

/// What is covered is sent unasked, and nothing else; what is asked for is sent.
fn check(dialog: &Dialog, target: &str, inside: bool, shown: &str) {
    let sent = dialog.would_send_unasked(target);
    assert_eq!(sent.is_some(), inside, "{shown}: {target}");
}

/// Where the client was asked it answers, in its space or not.
fn check_asked(dialog: &Dialog, challenge: &str, target: &str) {
    let mut dialog = dialog.clone();
    dialog.next_exchange();
    assert_eq!(dialog.challenged([challenge]), Said::Retry);
    assert!(dialog.send(target).is_some(), "{target}");
}

/// Checks request-targets, separated by blanks, inside of a domain and outside of it.
fn check_domain(domain: &str, inside: &str, outside: &str) {
    let dialog = with_domain(&home(), domain);
    for (targets, is_inside) in [(inside, true), (outside, false)] {
        for target in targets.split_whitespace() {
            check(&dialog, target, is_inside, domain);
            check_asked(&dialog, CHALLENGE, target);
        }
    }
}
