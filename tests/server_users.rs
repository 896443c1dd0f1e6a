//! Who is it? Names in all the forms they come in, and the stores they are looked up in.

mod support;

use countersign::digest::{Algorithm, Ha1, Hash, Htdigest, User, userhash};
use countersign::server::{Rejection, Server};
use countersign::{InvalidText, Target, basic};
use support::server::{
    PASSWORD, REALM, Service, USER, ha1, nonce_key, octets_with_response, quoted, server,
};

const WRONG: Rejection = Rejection::WrongCredentials;

/// Who claims to send this header, to a server that takes Basic and all of Digest.
fn claimed(header: impl AsRef<[u8]>, uri: &str) -> User<'static> {
    let server = server()
        .with_basic()
        .with_userhash()
        .with_algorithms(Algorithm::ALL);
    let service = Service::new(server);
    let header = header.as_ref().to_vec();
    let target = Target::new("GET", uri);
    let attempt = service.begin(&header, &target);
    attempt.expect("in order").claimed_user().into_owned()
}

/// The outcome of one step on an attempt, with that of the proof as a name.
fn outcome(
    server: &Server,
    header: &str,
    user: Option<(&str, &str)>,
) -> Result<Option<String>, Rejection> {
    let service = Service::new(server.clone());
    let target = Target::new("GET", "/a?b=c");
    let attempt = service.begin(header, &target)?;
    let grant = attempt.verify_password(user)?.dangerous_skip_replay_check();
    Ok(grant.user().name().map(str::to_owned))
}

#[test]
fn a_name_is_the_same_however_it_comes() {
    let mut service = Service::new(server());
    for name in [
        "Mufasa",
        "Jäsøn Doe",
        "a:b",
        r#"DOMAIN\user"#,
        "\"",
        "",
        "😀",
    ] {
        let mut answer = service.answer();
        answer.user = name.to_owned();
        let extended: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let params = answer.params();
        for header in [
            params.to_string(),
            params
                .clone()
                .without("username")
                .with("username*", format!("UTF-8''{extended}"))
                .to_string(),
            params
                .clone()
                .without("username")
                .with("username*", format!("utf-8'en'{extended}"))
                .with("userhash", "false")
                .to_string(),
            params.with("userhash", "\"FALSE\"").to_string(),
        ] {
            let expected = User::Name(name.to_owned().into());
            assert_eq!(claimed(&header, &answer.uri), expected, "{header}");
            let verified = outcome(&service.server, &header, Some((name, PASSWORD)));
            assert_eq!(verified, Ok(Some(name.to_owned())), "{header}");
        }
    }
}

#[test]
fn names_in_forms_that_are_no_names() {
    let mut service = Service::new(server().with_userhash());
    let answer = service.answer();
    let params = answer.params();
    let extended = |value: &str| {
        let params = params.clone().without("username");
        params.with("username*", value)
    };
    for params in [
        params.clone().with("username*", "UTF-8''Mufasa"),
        extended("Mufasa"),
        extended("\"UTF-8''Mufasa\""),
        extended("ISO-8859-1''Mufasa"),
        extended("UTF-8''%4"),
        extended("UTF-8''%C3%28"),
        extended("UTF-8''%00"),
        extended("UTF-8''Mufasa").with("userhash", "true"),
        params.clone().with("userhash", "true"),
        params.clone().with("userhash", "yes"),
        params.clone().with("userhash", "\"\""),
    ] {
        let rejection = service.take_header(params.to_string(), &answer);
        let Err(Rejection::Header(_)) = rejection else {
            panic!("{params}: {rejection:?}");
        };
    }
}

/// Clients that know nothing of UTF-8 send the name in ISO-8859-1, and hash it so.
#[test]
fn names_that_are_not_utf_8() {
    let mut service = Service::new(server().with_basic());
    let answer = service.answer();
    let octets = b"J\xe4s\xf8n".as_slice();
    let stored = Ha1::new(Hash::Sha256, octets, REALM, PASSWORD);
    let params = answer.params().with("username", "\"J\u{e4}s\u{f8}n\"");
    let digest = octets_with_response(params, &stored, &answer.target());
    let basic = basic::credentials(octets, PASSWORD).unwrap();
    for header in [&digest, basic.as_bytes()] {
        let user = claimed(header, &answer.uri);
        assert_eq!(user, User::Octets(octets.into()));
        assert_eq!(user.name(), None);
        let begin = || {
            let attempt = service.begin(header, &answer.target());
            attempt.expect("in order")
        };
        assert!(begin().verify(Some(&stored)).is_ok());
        assert_eq!(begin().verify_password(None).unwrap_err(), WRONG);
        // The same name in UTF-8 is another.
        let utf_8 = Ha1::new(Hash::Sha256, "Jäsøn", REALM, PASSWORD);
        assert_eq!(begin().verify(Some(&utf_8)).unwrap_err(), WRONG);
    }
    // Basic in UTF-8, name and password.
    let header = basic::credentials("Jäsøn", "pässwörd:").unwrap();
    let user = outcome(&service.server, &header, Some(("Jäsøn", "pässwörd:")));
    assert_eq!(user, Ok(Some("Jäsøn".to_owned())));
}

/// The server finds the user by the hash of the name, in either case of its digits.
#[test]
fn names_that_are_hashed() {
    for &algorithm in Algorithm::ALL {
        let hash = algorithm.hash();
        let server = server().with_userhash().with_algorithms(&[algorithm]);
        let mut service = Service::new(server);
        let hashed = userhash(hash, USER, REALM);
        for (nc, written) in [
            (1, hashed.as_str().to_owned()),
            (2, hashed.as_str().to_uppercase()),
        ] {
            let mut answer = service.answer().counted(nc);
            answer.algorithm = algorithm;
            let params = answer.params().with("userhash", "true");
            let header = params.with("username", quoted(&written)).to_string();
            assert_eq!(claimed(&header, &answer.uri), User::Hash(hashed));
            assert_eq!(service.take_header(&header, &answer), Ok(()));
            // The same with the name and password that were found by it, and no others.
            let found = outcome(&service.server, &header, Some((USER, PASSWORD)));
            assert_eq!(found, Ok(None));
            let refused = outcome(&service.server, &header, Some(("Scar", PASSWORD)));
            assert_eq!(refused, Err(WRONG));
        }
        let unknown = userhash(hash, "nobody", REALM);
        let mut answer = service.answer();
        answer.algorithm = algorithm;
        let params = answer.params().with("userhash", "true");
        let header = params.with("username", quoted(unknown.as_str()));
        let outcome = service.take_header(header.to_string(), &answer);
        assert_eq!(outcome, Err(WRONG));
    }
}

#[test]
fn a_file_of_htdigest() {
    let hash = Hash::Sha256;
    let line = |user, realm, password| {
        let ha1 = Ha1::new(hash, user, realm, password);
        format!("{user}:{realm}:{}\n", ha1.as_hex())
    };
    let file = [
        "# users of both realms\n\n",
        &line("Mufasa", "other", "wrong"),
        &line("Pumbaa", REALM, "Hakuna Matata"),
        &line("Mufasa", REALM, PASSWORD).to_uppercase(),
        &line("Mufasa", REALM, PASSWORD),
    ]
    .concat();
    let look_up = |user: &User<'_>| {
        Htdigest::lines(&file, hash)
            .map(|line| line.expect("three fields"))
            .find(|line| line.realm() == REALM && Some(line.username()) == user.name())
            .map(|line| line.ha1().clone())
    };
    let mut service = Service::new(server().with_basic());
    for (user, password, known) in [
        ("Mufasa", PASSWORD, true),
        ("Mufasa", "wrong", false),
        ("Pumbaa", "Hakuna Matata", true),
        ("Pumbaa", PASSWORD, false),
        ("nobody", "", false),
    ] {
        let mut answer = service.answer();
        answer.user = user.to_owned();
        answer.password = password.to_owned();
        let digest = answer.header();
        let basic = basic::credentials(user, password).unwrap();
        for header in [digest, basic] {
            let attempt = service.begin(&header, &answer.target()).unwrap();
            let stored = look_up(&attempt.claimed_user());
            let outcome = attempt.verify(stored.as_ref());
            assert_eq!(outcome.is_ok(), known, "{header}");
        }
    }
}

/// An HA1 of another hash, realm or name is a wrong one.
#[test]
fn an_ha1_is_good_for_one_hash_one_realm_and_one_name() {
    for &algorithm in Algorithm::ALL {
        let mut service = Service::new(server().with_algorithms(Algorithm::ALL));
        let mut answer = service.answer();
        answer.algorithm = algorithm;
        let header = answer.header();
        let verify = |ha1: &Ha1| {
            let attempt = service.begin(&header, &answer.target());
            let attempt = attempt.unwrap();
            assert_eq!(attempt.hash(), algorithm.hash());
            assert_eq!(attempt.algorithm(), Some(algorithm));
            attempt.verify(Some(ha1)).is_ok()
        };
        for other in Algorithm::ALL {
            let same = other.hash() == algorithm.hash();
            assert_eq!(verify(&ha1(other.hash())), same, "{algorithm} {other}");
        }
        let hash = algorithm.hash();
        assert!(!verify(&Ha1::new(hash, USER, "other", PASSWORD)));
        assert!(!verify(&Ha1::new(hash, "mufasa", REALM, PASSWORD)));
        assert!(!verify(&Ha1::new(hash, USER, REALM, "circle of life")));
    }
}

/// A store of slow hashes decides itself. Only Basic has the password that this takes.
#[test]
fn the_caller_decides_on_passwords() {
    let mut service = Service::new(server().with_basic());
    let target = Target::new("GET", "/a?b=c");
    for (user, password) in [(USER, PASSWORD), ("", ""), ("a", "b:c:")] {
        let header = basic::credentials(user, password).unwrap();
        let begin = || {
            let attempt = service.begin(&header, &target);
            attempt.unwrap()
        };
        assert_eq!(begin().password(), Some(password.as_bytes()));
        assert_eq!(begin().claimed_user().name(), Some(user));
        assert_eq!(begin().algorithm(), None);
        assert_eq!(begin().wants_body(), None);
        assert!(begin().decide(true).is_ok());
        assert_eq!(begin().decide(false).unwrap_err(), WRONG);
    }
    let header = service.answer().header();
    for verdict in [true, false] {
        let attempt = service.begin(&header, &target);
        let attempt = attempt.unwrap();
        assert_eq!(attempt.password(), None);
        assert_eq!(attempt.decide(verdict).unwrap_err(), WRONG);
    }
}

/// Basic is compared by an HA1 of the first algorithm's hash, whatever that is.
#[test]
fn basic_takes_the_ha1_that_digest_has() {
    for algorithms in Algorithm::ALL.iter().map(|it| vec![*it]).chain([vec![]]) {
        let server = server().with_basic().with_algorithms(&algorithms);
        let mut service = Service::new(server);
        let expected = algorithms.first().map_or(Hash::Sha256, |it| it.hash());
        let target = Target::new("GET", "/a?b=c");
        for (password, right) in [(PASSWORD, true), ("wrong", false), ("", false)] {
            let header = basic::credentials(USER, password).unwrap();
            let attempt = service.begin(&header, &target);
            assert_eq!(attempt.unwrap().hash(), expected);
            let grant = service.grant(&header, &target);
            assert_eq!(grant.is_ok(), right, "{password}");
            // As often as you like: nothing counts it.
            let again = service.grant(&header, &target).map(|grant| {
                assert!(!grant.is_counted());
                assert_eq!((grant.algorithm(), grant.qop()), (None, None));
                grant.user().name() == Some(USER)
            });
            assert_eq!(again, right.then_some(true).ok_or(WRONG));
        }
        let header = basic::credentials("nobody", PASSWORD).unwrap();
        let outcome = service.grant(&header, &target).map(|_| ());
        assert_eq!(outcome, Err(WRONG));
    }
}

/// A realm beyond ASCII is hashed as it is sent, in UTF-8.
#[test]
fn a_realm_in_utf_8() {
    let server = Server::new("Käse \"weiß\"", nonce_key(1)).unwrap();
    let mut service = Service::new(server);
    let mut answer = service.answer();
    answer.realm = "Käse \"weiß\"".to_owned();
    let header = answer.header();
    let name = outcome(&service.server, &header, Some((USER, PASSWORD)));
    assert_eq!(name, Ok(Some(USER.to_owned())));
}

#[test]
fn what_cannot_be_a_user_of_basic() {
    let colon = Some(InvalidText::ColonInUsername);
    assert_eq!(basic::credentials("a:b", "c").err(), colon);
    let service = Service::new(server().with_basic());
    let target = Target::new("GET", "/");
    // No colon, a control byte in name or password, and no base64.
    for value in [
        "Basic YWI=",
        "Basic YQBiOmM=",
        "Basic YTpiAGM=",
        "Basic YTpi\tYw",
    ] {
        let attempt = service.begin(value, &target);
        assert!(matches!(attempt, Err(Rejection::Header(_))), "{value}");
    }
}
