//! Basic or Digest: which schemes a policy lets a client answer.

use countersign::client::{
    Account, Client, Endpoint, LoginError, Policy, Quirk, SkipReason, Strength,
};
use countersign::{Channel, InvalidText};

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
    let not_allowed = Some(LoginError::BasicNotAllowed);
    for policy in [
        Policy::new().require_server_proof(),
        Policy::new().require_auth_int(),
        Policy::new().with_quirk(Quirk::OnlyWhenAsked),
    ] {
        assert_eq!(client(policy).with_account(preemptive()).err(), not_allowed);
        let account = Account::new(USER, PASSWORD);
        assert!(client(policy).with_account(account).is_ok());
    }
    for strength in [Strength::Nothing, Strength::Basic, Strength::DigestRfc2069] {
        let client = client(Policy::new().require_strength(strength));
        let is_enough = strength <= Strength::Basic;
        assert_eq!(
            client.with_account(preemptive()).is_ok(),
            is_enough,
            "{strength:?}"
        );
    }
    // Nor where any realm has proved more, before the account is there or after that.
    for is_late in [false, true] {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        let proof = dialog.proof();
        if is_late {
            dialog.client = dialog.client.with_account(preemptive()).unwrap();
        }
        dialog.accepted(&proof).unwrap();
        match is_late {
            true => assert_eq!(sent_unasked(&mut dialog.client, "/"), None),
            false => assert_eq!(dialog.client.with_account(preemptive()).err(), not_allowed),
        }
    }
    let colon = Account::new("a:b", "c").with_preemptive_basic();
    let wrong = LoginError::Text(InvalidText::ColonInUsername);
    assert_eq!(client(Policy::new()).with_account(colon).err(), Some(wrong));
}
