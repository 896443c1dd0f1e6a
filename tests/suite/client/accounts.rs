//! Accounts: bound to a realm and to Digest before anything is sent.

use countersign::client::{
    Account, AuthCache, Client, Endpoint, Exchange, Field, GiveUp, LoginError, Next, Policy, Quirk,
    SkipReason,
};
use countersign::digest::{Ha1, HashFunction};
use countersign::{Authorization, FieldValue, challenges};
use countersign::{EntityBody, Target};

use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, Sent, USER, ask_of, challenge, client, sent_unasked,
};
use crate::support::digest::proof_for;

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

/// The same, and the server accepts it, with a proof or without.
fn accepted_with(client: &mut Client, value: &str, proof: impl Fn(&FieldValue) -> String) -> Said {
    let mut exchange = Exchange::new();
    let next = client.challenged(&mut exchange, challenges([value]));
    let field = client.authorize(&mut exchange, &Target::new("GET", "/"));
    let answer = field.unwrap().for_new_request().expect("an answer").clone();
    let info = [proof(&answer)];
    let info = info.iter().filter(|it| !it.is_empty());
    let proof = client.completed(&mut exchange, 200, info, EntityBody::Unknown);
    assert!(proof.is_ok());
    Said::from(&next)
}

fn accepted(client: &mut Client, value: &str) -> Said {
    accepted_with(client, value, |_| String::new())
}

fn proved(client: &mut Client, value: &str) {
    let proof = |answer: &FieldValue| {
        let Ok(Authorization::Digest(answer)) = Authorization::parse(answer) else {
            panic!("not Digest");
        };
        let hash = answer.algorithm().hash_function();
        let ha1 = Ha1::new(hash, USER, answer.realm.to_bytes(), PASSWORD);
        format!("rspauth={}", proof_for(&answer, &ha1, b""))
    };
    assert_eq!(accepted_with(client, value, proof), Said::Retry);
}

/// Somebody else's page asks first, and accepts, a thousand times; or the realm changes its name.
/// Only a proof holds an account, and to Digest alone.
#[test]
fn whoever_answers_first_locks_nobody_out() {
    let other = CHALLENGE.replace("\"r\"", "\"x\"");
    for with_proof in [false, true] {
        let mut client = with(mufasa().with_basic());
        for value in [BASIC, &other] {
            assert_eq!(accepted(&mut client, value), Said::Retry);
        }
        if with_proof {
            proved(&mut client, &other);
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
        // Who is proved by an account of its own holds no other.
        let mut client = with(mufasa().with_basic())
            .with_account(mufasa().for_realm("r"))
            .unwrap();
        proved(&mut client, CHALLENGE);
        let basic = r#"Basic realm="b""#;
        assert_eq!(answer(&mut client, &[basic]).0, Said::Retry);
    }
}

/// A request was challenged by Basic, and dropped or late, when another realm proved itself.
#[test]
fn a_login_by_basic_does_not_outlive_a_proof() {
    let target = |uri| Target::new("GET", uri).with_body(EntityBody::Bytes(b""));
    let mut client = with(mufasa().with_basic());
    let mut late = Exchange::new();
    let _ = client.authorize(&mut late, &target("/~mallory/")).unwrap();
    let basic = r#"Basic realm="m""#;
    assert_eq!(
        client.challenged(&mut late, challenges([basic])),
        Next::Retry
    );
    proved(&mut client, CHALLENGE);
    let field = client.authorize(&mut late, &target("/~mallory/"));
    assert_eq!(field, Ok(Field::Remove));
    let sent = sent_unasked(&mut client, "/~mallory/x");
    assert!(sent.is_none_or(|sent| sent.scheme == "Digest"));
}

/// The same account once more, or another password: the list does not grow, and the last counts.
#[test]
fn an_account_replaces_that_of_the_same_realm() {
    for realm in [None, Some("r")] {
        for is_refused in [true, false] {
            let bound = |account: Account| match realm {
                Some(realm) => account.for_realm(realm),
                None => account,
            };
            let mut client = with(bound(Account::new(USER, "wrong")));
            assert_eq!(accepted(&mut client, CHALLENGE), Said::Retry);
            if is_refused {
                let mut exchange = Exchange::new();
                let target = Target::new("GET", "/");
                assert_ne!(client.authorize(&mut exchange, &target), Ok(Field::Remove));
                let next = client.challenged(&mut exchange, challenges([CHALLENGE]));
                assert_eq!(Said::from(&next), Said::WrongCredentials);
            }
            let mut client = client.with_account(bound(mufasa())).unwrap();
            assert_eq!(sent_unasked(&mut client, "/"), None);
            let (said, sent) = answer(&mut client, &[&challenge("n2", "")]);
            assert_eq!(said, Said::Retry);
            let target = Target::new("GET", "/~mallory/");
            assert!(sent.unwrap().is_right(USER, PASSWORD, &target));
        }
    }
}

/// The password was changed, and a person types the new one: the account has it from then on.
#[test]
fn a_login_replaces_the_account_of_its_realm() {
    for realm in [None, Some("r")] {
        let wrong = Account::new(USER, "wrong");
        let wrong = match realm {
            Some(realm) => wrong.for_realm(realm),
            None => wrong,
        };
        let mut client = with(wrong);
        let refused = |client: &mut Client, nonce: &str| {
            let mut exchange = Exchange::new();
            let target = Target::new("GET", "/");
            for nonce in [nonce.to_owned(), format!("{nonce}a")] {
                let _ = client.authorize(&mut exchange, &target).unwrap();
                let next = client.challenged(&mut exchange, challenges([&challenge(&nonce, "")]));
                if let Next::GiveUp(GiveUp::WrongCredentials(ask)) = next {
                    return ask;
                }
            }
            panic!("not refused");
        };
        let ask = refused(&mut client, "n1");
        client.login(&ask, &mufasa()).unwrap();
        assert_eq!(accepted(&mut client, &challenge("n2", "")), Said::Retry);
        // A forged refusal ends the login, and the account answers again, but not the old one.
        let _ = refused(&mut client, "n3");
        let (said, sent) = answer(&mut client, &[&challenge("n4", "")]);
        assert_eq!(said, Said::Retry);
        let target = Target::new("GET", "/~mallory/");
        assert!(sent.unwrap().is_right(USER, PASSWORD, &target));
        // `logout` leaves no account, so it asks.
        client.logout();
        assert_eq!(answer(&mut client, &[CHALLENGE]).0, Said::Login);
    }
}

/// Also where the new one is not for the scheme or the hash function of the login.
#[test]
fn a_replaced_account_answers_no_more() {
    let ha1 = Ha1::new(HashFunction::Sha512_256, "Rafiki", "r", "Asante sana");
    for (value, new) in [
        (BASIC, Account::new("Rafiki", "Asante sana")),
        (CHALLENGE, Account::from_ha1("Rafiki", "r", &ha1)),
    ] {
        let old = mufasa().with_basic().for_realm("r");
        let mut client = with(old);
        assert_eq!(accepted(&mut client, value), Said::Retry);
        assert!(sent_unasked(&mut client, "/~mallory/").is_some());
        let mut client = client.with_account(new.for_realm("r")).unwrap();
        assert_eq!(sent_unasked(&mut client, "/~mallory/"), None, "{value}");
    }
}

/// Whatever it has answered, and the new one is at hand if it is preemptive.
#[test]
fn a_replaced_account_answers_nowhere() {
    let rafiki = || Account::new("Rafiki", "Asante sana");
    // In two realms, whose challenges came at once.
    let mut client = with(mufasa());
    let realms = ["a", "b"].map(|realm| CHALLENGE.replace("\"r\"", &format!("\"{realm}\"")));
    let target = Target::new("GET", "/");
    let mut exchanges = [(); 2].map(|()| Exchange::new());
    for (exchange, realm) in exchanges.iter_mut().zip(&realms) {
        assert_eq!(
            client.challenged(exchange, challenges([realm])),
            Next::Retry
        );
        let _ = client.authorize(exchange, &target).unwrap();
    }
    for exchange in &mut exchanges {
        let none = std::iter::empty::<&[u8]>();
        client
            .completed(exchange, 200, none, EntityBody::Unknown)
            .unwrap();
    }
    let mut client = client.with_account(rafiki()).unwrap();
    assert_eq!(sent_unasked(&mut client, "/"), None);
    for first in [mufasa(), mufasa().for_realm("r")] {
        let mut client = with(first.with_preemptive_basic())
            .with_account(rafiki().with_preemptive_basic())
            .unwrap();
        let sent = sent_unasked(&mut client, "/").unwrap();
        assert_eq!(sent.token68.as_deref(), Some("UmFmaWtpOkFzYW50ZSBzYW5h"));
    }
    let mut client = with(mufasa().for_realm("r").with_preemptive_basic())
        .with_account(rafiki().for_realm("r"))
        .unwrap();
    assert_eq!(sent_unasked(&mut client, "/"), None);
    // Nor does an ask from before bring it back.
    let mut client = with(mufasa().with_preemptive_basic());
    let mut asks = (0..4).filter_map(|_| {
        let (mut exchange, none) = (Exchange::new(), [""; 0]);
        let _ = client.authorize(&mut exchange, &target).unwrap();
        let next = client.challenged(&mut exchange, challenges(&none));
        ask_of(&next).cloned()
    });
    let ask = asks.next().expect("the fourth bare 401 refuses it");
    let mut client = client.with_account(rafiki()).unwrap();
    let login = client.login(&ask, &mufasa().with_basic());
    assert_eq!(login, Err(LoginError::Superseded));
}

/// Each realm has its own, whatever their order, and none is asked for.
#[test]
fn several_accounts_of_one_origin() {
    let accounts = [
        Account::new("anybody", "any"),
        Account::new("a", "1").for_realm("a"),
        Account::new("b", "2").for_realm("b").with_basic(),
    ];
    for first in 0..3 {
        let mut client = client(Policy::new());
        for n in 0..3 {
            client = client
                .with_account(accounts[(first + n) % 3].clone())
                .unwrap();
        }
        for _ in 0..2 {
            for (realm, name) in [("a", "a"), ("b", "b"), ("c", "anybody")] {
                let value = CHALLENGE.replace("\"r\"", &format!("{realm:?}"));
                let (said, sent) = answer(&mut client, &[&value]);
                assert_eq!((said, sent.unwrap().get("username")), (Said::Retry, name));
            }
        }
        // It is told of the account that comes nearest.
        let said = answer(&mut client, &[r#"Basic realm="a""#]).0;
        assert_eq!(said, skipped(&[LoginError::BasicNotAllowed]));
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

/// A password that was typed for one realm by Digest goes nowhere else.
#[test]
fn a_login_by_a_prompt_is_held_to_its_account() {
    let mut client = client(Policy::new());
    let mut ask = |value: &str| match client.challenged(&mut Exchange::new(), challenges([value])) {
        Next::Login(ask) => ask,
        other => panic!("{other:?}"),
    };
    let (basic, digest) = (ask(r#"Basic realm="b""#), ask(CHALLENGE));
    for (ask, account, expected) in [
        (&basic, mufasa(), Err(LoginError::BasicNotAllowed)),
        (
            &basic,
            mufasa().with_basic().for_realm("r"),
            Err(LoginError::OtherRealm),
        ),
        (&basic, mufasa().with_basic(), Ok(())),
        (
            &digest,
            mufasa().for_realm("b"),
            Err(LoginError::OtherRealm),
        ),
        (&digest, mufasa(), Ok(())),
    ] {
        assert_eq!(client.login(ask, &account), expected);
    }
}

/// The ask of one client is no other's, even if both were wrongly made from one seed.
#[test]
fn an_ask_is_answered_at_its_own_endpoint() {
    let [a, b] = ["a", "b"].map(|host| {
        let endpoint = Endpoint::origin("https", host, None).unwrap();
        let mut dialog = Dialog::at(&endpoint, Policy::new());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog
    });
    assert!(a.ask() != b.ask());
    let mut client = b.client;
    assert_eq!(
        client.login(a.ask(), &mufasa()),
        Err(LoginError::Superseded)
    );
    assert_eq!(sent_unasked(&mut client, "/~mallory/"), None);
}

/// Preemptive Basic replaces the logins that were there.
#[test]
fn preemptive_basic_replaces_all_earlier_logins() {
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.send("/a/x"), None);
    assert_eq!(dialog.challenged([BASIC]), Said::Login);
    dialog.login_as("old", "old").unwrap();
    let new = Account::new("new", "new").with_preemptive_basic();
    let mut client = dialog.client.with_account(new).unwrap();
    for target in ["/a/x", "/b"] {
        let sent = sent_unasked(&mut client, target).expect("an answer");
        assert_eq!(sent.token68.as_deref(), Some("bmV3Om5ldw=="));
    }
}

/// Preemptive Basic ends with the first challenge, also for a client that is made anew, and is not
/// taken where any realm has proved more.
#[test]
fn preemptive_basic_ends_with_the_first_challenge() {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let mut cache = AuthCache::from_seed(1, Policy::new(), [7; 32]);
    cache
        .add_account(&endpoint, mufasa().with_preemptive_basic())
        .unwrap();
    assert_eq!(answer(cache.client(&endpoint), &[CHALLENGE]).0, Said::Retry);
    cache.client(&Endpoint::proxy("https", "elsewhere", 1));
    assert_eq!(sent_unasked(cache.client(&endpoint), "/"), None);
}

/// Two realms of Basic that share a folder, a name and a password: what one refuses says nothing of
/// the other.
#[test]
fn what_another_realm_refused_is_not_refused_here() {
    let mut client = with(mufasa().for_realm("a").with_basic())
        .with_account(mufasa().for_realm("b").with_basic())
        .unwrap();
    let (a, b) = (r#"Basic realm="a""#, r#"Basic realm="b""#);
    assert_eq!(accepted(&mut client, a), Said::Retry);
    let mut failed = 0;
    for _ in 0..20 {
        let mut exchange = Exchange::new();
        for value in [b, b] {
            assert!(
                client
                    .authorize(&mut exchange, &Target::new("GET", "/b"))
                    .is_ok()
            );
            let next = client.challenged(&mut exchange, challenges([value]));
            failed += u32::from(matches!(next, Next::GiveUp(_)));
        }
    }
    assert!(failed > 0, "b refuses");
    let sent = sent_unasked(&mut client, "/a").expect("a goes on");
    assert_eq!(sent.scheme, "Basic");
}
