//! Accounts: bound to a realm and to Digest before anything is sent.

use countersign::challenges;
use countersign::client::{
    Account, Client, Endpoint, Exchange, LoginError, Policy, Quirk, SkipReason,
};
use countersign::digest::{Ha1, HashFunction};
use countersign::{EntityBody, Target};

use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, Sent, USER, accept, ask_of, challenge, client, sent_unasked,
};

const BASIC: &str = r#"Basic realm="r""#;

fn with(account: Account) -> Client {
    client(Policy::new()).with_account(account).unwrap()
}

fn mufasa() -> Account {
    Account::new(USER, PASSWORD)
}

/// What a client makes of one challenge to a request without an answer, and what it sends then.
fn answer(client: &mut Client, values: &[&str]) -> (Said, Option<Sent>) {
    let mut exchange = Exchange::new();
    let next = client.challenged(&mut exchange, challenges(values));
    let target = Target::new("GET", "/~mallory/").with_body(EntityBody::Bytes(b""));
    let field = client.authorize(&mut exchange, &target).unwrap();
    let sent = field.for_new_request().map(|it| Sent::read(it.as_bytes()));
    (Said::from(&next), sent)
}

fn skipped(why: &[LoginError]) -> Said {
    let why = why.iter().map(|why| SkipReason::Account(*why));
    Said::NoUsableChallenge(why.collect())
}

/// A user of the origin has paths there, and asks by Basic in the same realm, or in another.
#[test]
fn nobody_else_gets_the_password() {
    for is_used in [false, true] {
        let mut client = with(mufasa().for_realm("r"));
        if is_used {
            assert_eq!(answer(&mut client, &[CHALLENGE]).0, Said::Retry);
        }
        for (value, why) in [
            (BASIC, LoginError::BasicNotAllowed),
            (r#"Basic realm="x""#, LoginError::OtherRealm),
            (&CHALLENGE.replace("\"r\"", "\"x\""), LoginError::OtherRealm),
        ] {
            let (said, sent) = answer(&mut client, &[value]);
            assert_eq!(said, skipped(&[why]));
            // A space without `domain` is the whole origin, for Digest in its own realm alone.
            assert_eq!(sent.is_some(), is_used);
            let realm = sent.map(|sent| (sent.scheme.clone(), sent.get("realm").to_owned()));
            assert!(realm.is_none_or(|it| it == ("Digest".to_owned(), "r".to_owned())));
        }
        let (said, sent) = answer(&mut client, &[BASIC, CHALLENGE]);
        assert_eq!(
            (said, sent.unwrap().scheme.as_str()),
            (Said::Retry, "Digest")
        );
        client.logout();
        assert_eq!(
            answer(&mut client, &[CHALLENGE]).0,
            Said::Login,
            "it is gone"
        );
    }
}

/// Somebody else's page asks first, and accepts, a thousand times; or the realm changes its name.
/// Only a proof holds an account, and to Digest alone.
#[test]
fn whoever_answers_first_locks_nobody_out() {
    let other = CHALLENGE.replace("\"r\"", "\"x\"");
    for with_proof in [false, true] {
        let mut client = with(mufasa().with_basic());
        for value in [BASIC, &other] {
            assert_eq!(accept(&mut client, value, false), Said::Retry);
        }
        if with_proof {
            accept(&mut client, &other, true);
        }
        for n in 0..1000 {
            let said = answer(&mut client, &[&challenge(&format!("m{n}"), "")]).0;
            assert_eq!(said, Said::Retry);
        }
        let said = answer(&mut client, &[BASIC]).0;
        match with_proof {
            false => assert_eq!(said, Said::Retry),
            true => assert_eq!(said, skipped(&[LoginError::BasicNotAllowed])),
        }
        // The realm is named, so the password may go there.
        let named = mufasa().with_basic().for_realm("r");
        let mut client = client.with_account(named).unwrap();
        assert_eq!(answer(&mut client, &[BASIC]).0, Said::Retry);
        let early = client.with_account(mufasa().with_preemptive_basic()).err();
        assert_eq!(early, with_proof.then_some(LoginError::BasicNotAllowed));
        // Who is proved by an account of its own holds no other.
        let mut client = with(mufasa().with_basic())
            .with_account(mufasa().for_realm("r"))
            .unwrap();
        accept(&mut client, CHALLENGE, true);
        let basic = r#"Basic realm="b""#;
        assert_eq!(answer(&mut client, &[basic]).0, Said::Retry);
    }
}

#[test]
fn an_ha1_in_place_of_the_password() {
    let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
    let mut client = with(Account::from_ha1(USER, "r", &ha1).with_basic());
    let strong = CHALLENGE.replace("SHA-256", "SHA-512-256");
    for (value, why) in [
        (BASIC, LoginError::PasswordNeeded),
        (strong.as_str(), LoginError::OtherHash),
        (&CHALLENGE.replace("\"r\"", "\"x\""), LoginError::OtherRealm),
    ] {
        assert_eq!(answer(&mut client, &[value]).0, skipped(&[why]));
    }
    // The challenge that the HA1 can answer is chosen, though another one is stronger.
    let (said, sent) = answer(&mut client, &[&strong, CHALLENGE]);
    assert_eq!(said, Said::Retry);
    let target = Target::new("GET", "/~mallory/");
    assert!(sent.unwrap().is_right(USER, PASSWORD, &target));
}

/// What can never be sent is told when the client is made, and not at the first request.
#[test]
fn an_account_that_cannot_be_sent_is_no_account() {
    let text = client(Policy::new()).with_account(Account::new("a\0", "b"));
    assert!(matches!(text, Err(LoginError::Text(_))), "{text:?}");
    // Only the challenge tells which charset is needed.
    let latin1 = client(Policy::new().with_quirk(Quirk::Latin1));
    let mut client = latin1.with_account(Account::new("日本", PASSWORD)).unwrap();
    let (said, _) = answer(&mut client, &[CHALLENGE]);
    let why = crate::support::client::skipped(&said);
    assert!(
        matches!(why, [SkipReason::Account(LoginError::Text(_))]),
        "{said:?}"
    );
    let utf8 = challenge("n", ", charset=UTF-8");
    assert_eq!(answer(&mut client, &[&utf8]).0, Said::Retry);
}

/// The ask of one client is no other's, even if both were wrongly made from one seed.
#[test]
fn an_ask_is_answered_at_its_own_endpoint() {
    let [a, mut b] = ["a", "b"].map(|host| {
        let endpoint = Endpoint::origin("https", host, None).unwrap();
        let mut dialog = Dialog::at(&endpoint, Policy::new());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog
    });
    let login = b.client.login(a.ask(), &mufasa());
    assert_eq!(login, Err(LoginError::Superseded));
}

/// An account for any realm had logged in to a realm, for which the program adds another account.
#[test]
fn an_account_that_is_added_ends_the_logins_of_others() {
    let mut client = with(mufasa());
    assert!(answer(&mut client, &[CHALLENGE]).1.is_some());
    assert!(sent_unasked(&mut client, "/").is_some());
    let rafiki = Account::new("Rafiki", "Asante sana").for_realm("r");
    let mut client = client.with_account(rafiki).unwrap();
    assert_eq!(sent_unasked(&mut client, "/"), None);
    let (_, sent) = answer(&mut client, &[CHALLENGE]);
    assert_eq!(sent.unwrap().get("username"), "Rafiki");
}

/// Whatever it has answered, and the new one is at hand if it is preemptive.
#[test]
fn a_replaced_account_answers_nowhere() {
    let rafiki = || Account::new("Rafiki", "Asante sana");
    let replaced = |new| {
        with(mufasa().with_preemptive_basic())
            .with_account(new)
            .unwrap()
    };
    assert_eq!(sent_unasked(&mut replaced(rafiki()), "/"), None);
    let sent = sent_unasked(&mut replaced(rafiki().with_preemptive_basic()), "/").unwrap();
    assert_eq!(sent.token68.as_deref(), Some("UmFmaWtpOkFzYW50ZSBzYW5h"));
    // Nor does an ask from before bring it back.
    let mut client = with(mufasa().with_preemptive_basic());
    let mut asks = (0..4).filter_map(|_| {
        let mut exchange = Exchange::new();
        let _ = client
            .authorize(&mut exchange, &Target::new("GET", "/"))
            .unwrap();
        ask_of(&client.challenged(&mut exchange, challenges(&[""; 0]))).cloned()
    });
    let ask = asks.next().expect("the fourth bare 401 refuses it");
    let mut client = client.with_account(rafiki()).unwrap();
    let login = client.login(&ask, &mufasa().with_basic());
    assert_eq!(login, Err(LoginError::Superseded));
}
