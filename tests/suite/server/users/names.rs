//! User names in all the forms they come in.

use countersign::digest::{Algorithm, Ha1, HashFunction, User, userhash};
use countersign::server::Attempt;

use super::{WRONG, claimed, outcome};
use crate::support::server::{
    PASSWORD, REALM, Service, USER, Why, octets_with_response, quoted, realm,
};

#[test]
fn all_forms_of_a_name_are_equal() {
    let service = Service::new(realm());
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
            let verified = outcome(&service.realm, &header, Some((name, PASSWORD)));
            assert_eq!(verified, Ok(Some(name.to_owned())), "{header}");
        }
    }
}

/// Clients that know nothing of UTF-8 send the name in ISO-8859-1, and hash it so.
#[test]
fn names_not_in_utf_8() {
    let service = Service::new(realm().with_basic());
    let answer = service.answer();
    let octets = b"J\xe4s\xf8n".as_slice();
    let stored = Ha1::new(HashFunction::Sha256, octets, REALM, PASSWORD);
    let params = answer.params().with("username", "\"J\u{e4}s\u{f8}n\"");
    let digest = octets_with_response(params, &stored, &answer.target());
    let basic = crate::support::basic_header(octets, PASSWORD);
    let nobody = |attempt: Attempt<'_>| {
        let outcome = attempt.verify_password(None::<()>, |()| unreachable!("no account"));
        outcome.why().unwrap_err()
    };
    for header in [&digest, basic.as_bytes()] {
        let user = claimed(header, &answer.uri);
        assert_eq!(user, User::Octets(octets.into()));
        assert_eq!(user.name(), None);
        let begin = || {
            let attempt = service.begin(header, &answer.target());
            attempt.expect("in order")
        };
        assert!(begin().verify(Some(&stored)).is_ok());
        assert_eq!(nobody(begin()), WRONG);
        // The same name in UTF-8 is another.
        let utf_8 = Ha1::new(HashFunction::Sha256, "Jäsøn", REALM, PASSWORD);
        assert_eq!(begin().verify(Some(&utf_8)).why().unwrap_err(), WRONG);
    }
    // Basic in UTF-8, name and password.
    let header = crate::support::basic_header("Jäsøn", "pässwörd:");
    let user = outcome(&service.realm, &header, Some(("Jäsøn", "pässwörd:")));
    assert_eq!(user, Ok(Some("Jäsøn".to_owned())));
}

/// The server finds the user by the hash of the name, in either case of its digits.
#[test]
fn hashed_names() {
    for &algorithm in Algorithm::ALL {
        let hash = algorithm.hash_function();
        let server = realm().with_userhash(true).with_algorithms(&[algorithm]);
        let service = Service::new(server);
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
            let found = outcome(&service.realm, &header, Some((USER, PASSWORD)));
            assert_eq!(found, Ok(None));
            let refused = outcome(&service.realm, &header, Some(("Scar", PASSWORD)));
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

/// In a log: one line, quoted, so that a name can be told from a hash and from what follows.
#[test]
fn users_are_written_on_one_line() {
    let hashed = userhash(HashFunction::Sha256, USER, REALM);
    let hash = format!("userhash:{hashed}");
    for (user, expected) in [
        (User::Name("Mufasa".into()), r#""Mufasa""#),
        (User::Name("O'Brien ÄÖ😀".into()), r#""O'Brien ÄÖ😀""#),
        (User::Name("".into()), r#""""#),
        (
            User::Name("a\r\nb\t\0\x1b[31m".into()),
            r#""a\r\nb\t\0\u{1b}[31m""#,
        ),
        (User::Name("\" \\ userhash:".into()), r#""\" \\ userhash:""#),
        // A next line, a line separator, and one that turns what follows around.
        (
            User::Name("\u{85}\u{2028}\u{202e}".into()),
            r#""\u{85}\u{2028}\u{202e}""#,
        ),
        (User::Octets(b"J\xe4\n\"".into()), r#"b"J\xe4\n\"""#),
        (User::Hash(hashed), &*hash),
    ] {
        assert_eq!(user.to_string(), expected);
    }
}
