//! Basic or Digest: which schemes a policy lets a client answer.

use countersign::client::{Account, Client, Endpoint, LoginError, Policy, SkipReason, Strength};
use countersign::{Channel, InvalidText};

use super::{BASIC, on};
use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, USER, client, client_on, covers, home, skipped,
};

#[test]
fn basic_needs_an_encrypted_channel() {
    let mut dialog = on(Channel::Encrypted, Policy::new());
    assert_eq!(dialog.challenged([BASIC]), Said::Login);
    let mut dialog = on(Channel::Cleartext, Policy::new());
    assert_eq!(
        skipped(&dialog.challenged([BASIC])),
        [SkipReason::CleartextBasic]
    );
    // Digest does not.
    dialog.next_exchange();
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
}

#[test]
fn with_cleartext_basic() {
    let policy = Policy::new().with_cleartext_basic();
    for channel in [Channel::Encrypted, Channel::Cleartext] {
        let mut dialog = on(channel, policy);
        assert_eq!(dialog.challenged([BASIC]), Said::Login);
        dialog.login();
        assert_eq!(dialog.send("/").unwrap().scheme, "Basic");
    }
}

#[test]
fn without_basic() {
    for policy in [
        Policy::new().require_strength(Strength::DigestRfc2069),
        Policy::new()
            .require_strength(Strength::DigestRfc2069)
            .with_cleartext_basic(),
    ] {
        for channel in [Channel::Encrypted, Channel::Cleartext] {
            let mut dialog = on(channel, policy);
            assert_eq!(skipped(&dialog.challenged([BASIC])), [SkipReason::Basic]);
            dialog.next_exchange();
            assert_eq!(dialog.challenged([BASIC, CHALLENGE]), Said::Login);
        }
    }
}

#[test]
fn with_basic_sends_it_with_the_first_request() {
    let unasked = |endpoint: Endpoint| {
        let client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        client
            .with_account(Account::new(USER, PASSWORD).with_preemptive_basic())
            .unwrap()
    };
    let proxy = Endpoint::proxy("https", "proxy", 3128);
    let mut dialog = Dialog::of(move || unasked(proxy.clone()));
    for uri in ["/", "/a/b?c", "*", "http://example.org/"] {
        let sent = dialog.send(uri).unwrap();
        assert_eq!(
            sent.token68.as_deref(),
            Some("TXVmYXNhOkNpcmNsZSBvZiBMaWZl")
        );
        assert!(covers(&dialog.client, uri.as_bytes()));
        dialog.next_exchange();
    }
    // Whatever the realm is called, a refusal is one.
    dialog.send("/");
    let refused = dialog.challenged([BASIC]);
    assert_eq!(refused, Said::WrongCredentials);
    assert_eq!(dialog.ask().realm(), b"r");

    // Another scheme is another matter.
    let mut dialog = Dialog::of(move || unasked(home()));
    assert!(dialog.send("/").is_some());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
    assert_eq!(dialog.send("/").unwrap().scheme, "Digest");

    // An origin's keeps to that.
    let mut dialog = Dialog::of(move || unasked(home()));
    assert_eq!(dialog.send("http://example.com/"), None);
    assert!(dialog.send("https://example.com/").is_some());
}

#[test]
fn with_basic_keeps_to_the_policy() {
    for (channel, policy) in [
        (Channel::Cleartext, Policy::new()),
        (
            Channel::Encrypted,
            Policy::new().require_strength(Strength::DigestRfc2069),
        ),
        (Channel::Encrypted, Policy::new().require_server_proof()),
        (Channel::Encrypted, Policy::new().require_auth_int()),
        (
            Channel::Cleartext,
            Policy::new()
                .require_strength(Strength::DigestRfc2069)
                .with_cleartext_basic(),
        ),
    ] {
        let client = client_on(channel, policy)
            .with_account(Account::new(USER, PASSWORD).with_preemptive_basic());
        assert_eq!(client.err(), Some(LoginError::BasicNotAllowed));
    }
    let policy = Policy::new().with_cleartext_basic();
    let client_too = client_on(Channel::Cleartext, policy);
    assert!(
        client_too
            .with_account(Account::new(USER, PASSWORD).with_preemptive_basic())
            .is_ok()
    );
    for strength in [Strength::Nothing, Strength::Basic, Strength::DigestRfc2069] {
        let client = client(Policy::new()).with_strength(strength);
        let is_enough = strength <= Strength::Basic;
        let with_basic = client.with_account(Account::new(USER, PASSWORD).with_preemptive_basic());
        assert_eq!(with_basic.is_ok(), is_enough, "{strength}");
    }
    let colon =
        client(Policy::new()).with_account(Account::new("a:b", "c").with_preemptive_basic());
    let wrong = LoginError::Text(InvalidText::ColonInUsername);
    assert_eq!(colon.err(), Some(wrong));
}
