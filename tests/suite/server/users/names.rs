//! User names that are not UTF-8, and names in a log. Every way to write a name of each kind of store is
//! in `server::model`.

use countersign::digest::{Ha1, HashFunction, User, userhash};

use super::WRONG;
use crate::support::basic_header;
use crate::support::server::{PASSWORD, REALM, Service, USER, Why, octets_with_response, realm};

/// Clients that know nothing of UTF-8 send the name in ISO-8859-1, and hash it so.
#[test]
fn names_not_in_utf_8() {
    let service = Service::new(realm().with_basic());
    let answer = service.answer();
    let octets = b"J\xe4s\xf8n".as_slice();
    let stored = Ha1::new(HashFunction::Sha256, octets, REALM, PASSWORD);
    let utf_8 = Ha1::new(HashFunction::Sha256, "Jäsøn", REALM, PASSWORD);
    let params = answer.params().with("username", "\"J\u{e4}s\u{f8}n\"");
    let digest = octets_with_response(params, &stored, &answer.target());
    let basic = basic_header(octets, PASSWORD);
    for header in [&digest, basic.as_bytes()] {
        let begin = || service.begin(header, &answer.target()).unwrap();
        let user = begin().claimed_user();
        assert_eq!(user, User::Octets(octets.into()));
        assert_eq!(user.name(), None);
        assert!(begin().verify(Some(&stored)).is_ok());
        // The same name in UTF-8 is another.
        assert_eq!(begin().verify(Some(&utf_8)).why().unwrap_err(), WRONG);
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
