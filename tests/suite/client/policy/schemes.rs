//! Basic or Digest: which schemes a policy lets a client answer.

use countersign::Channel;
use countersign::client::{
    Account, Client, Endpoint, LoginError, Policy, Quirk, SkipReason, Strength,
};

use super::BASIC;
use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, USER, client, client_on, home, sent_unasked, skipped,
};

fn preemptive() -> Account {
    Account::new(USER, PASSWORD).with_preemptive_basic()
}

/// Digest may be used on each, and so Basic with the first request where Basic may.
#[test]
fn basic_needs_an_encrypted_channel() {
    use Channel::{Cleartext, Encrypted};
    let (new, without) = (
        Policy::new(),
        Policy::new().require_strength(Strength::DigestRfc2069),
    );
    for (channel, policy, why) in [
        (Encrypted, new, None),
        (Cleartext, new, Some(SkipReason::CleartextBasic)),
        (Encrypted, new.with_cleartext_basic(), None),
        (Cleartext, new.with_cleartext_basic(), None),
        (Encrypted, without, Some(SkipReason::BelowStrength)),
        (
            Cleartext,
            without.with_cleartext_basic(),
            Some(SkipReason::BelowStrength),
        ),
    ] {
        let mut dialog = Dialog::on(channel, policy);
        match dialog.challenged([BASIC]) {
            Said::Login => {
                dialog.login();
                assert_eq!(dialog.send("/").unwrap().scheme, "Basic");
                assert_eq!(why, None);
            }
            said => assert_eq!(skipped(&said), why.as_slice()),
        }
        assert_eq!(
            Dialog::on(channel, policy).challenged([BASIC, CHALLENGE]),
            Said::Login
        );
        let early = client_on(channel, policy).with_account(preemptive()).err();
        assert_eq!(early, why.map(|_| LoginError::BasicNotAllowed));
    }
}

#[test]
fn with_basic_sends_it_with_the_first_request() {
    let unasked = |endpoint: Endpoint| {
        let client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        client.with_account(preemptive()).unwrap()
    };
    let proxy = Endpoint::proxy("https", "proxy", 3128);
    let mut dialog = Dialog::of(move || unasked(proxy.clone()));
    for uri in ["/", "/a/b?c", "*", "http://example.org/"] {
        let sent = dialog.send(uri).unwrap();
        assert_eq!(
            sent.token68.as_deref(),
            Some("TXVmYXNhOkNpcmNsZSBvZiBMaWZl")
        );
        dialog.next_exchange();
    }
    // Whatever the realm is called, a refusal is one.
    dialog.send("/");
    assert_eq!(dialog.challenged([BASIC]), Said::WrongCredentials);
    assert_eq!(dialog.ask().realm(), b"r");

    // An origin's keeps to that, and another scheme is another matter.
    let mut dialog = Dialog::of(move || unasked(home()));
    assert_eq!(dialog.send("http://example.com/"), None);
    assert!(dialog.send("/").is_some());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
    assert_eq!(dialog.send("/").unwrap().scheme, "Digest");
}

#[test]
fn with_basic_keeps_to_the_policy() {
    let policy = Policy::new();
    for (policy, is_allowed) in [
        (policy.require_server_proof(), false),
        (policy.require_auth_int(), false),
        (policy.with_quirk(Quirk::OnlyWhenAsked), false),
        (policy.require_strength(Strength::Basic), true),
        (policy.require_strength(Strength::DigestRfc2069), false),
    ] {
        match client(policy).with_account(preemptive()) {
            Ok(mut client) => assert!(is_allowed && sent_unasked(&mut client, "/").is_some()),
            Err(why) => assert!(!is_allowed && why == LoginError::BasicNotAllowed),
        }
        let account = Account::new(USER, PASSWORD);
        assert!(client(policy).with_account(account).is_ok());
    }
}
