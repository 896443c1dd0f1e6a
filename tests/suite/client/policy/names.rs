//! User names and passwords: HA1, userhash, charsets and `username*`.

use countersign::client::{Account, LoginError, Policy, Quirk};
use countersign::digest::{HashFunction, User, userhash};
use countersign::{Authorization, InvalidText, Target};

use super::BASIC;
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, Sent, USER, challenge, client};

fn login(policy: Policy, value: &str, user: &str, password: &str) -> Result<Sent, LoginError> {
    let mut dialog = Dialog::new(policy);
    assert_eq!(dialog.challenged([value]), Said::Login);
    dialog.login_as(user, password)?;
    Ok(dialog.send("/").unwrap())
}

#[test]
fn userhash_where_it_is_understood() {
    let value = challenge("n", ", userhash=true");
    let hashed = userhash(HashFunction::Sha256, USER, "r");
    let target = Target::new("GET", "/");
    let sent = login(Policy::new(), &value, USER, PASSWORD).unwrap();
    assert_eq!(sent.get("username"), hashed.as_str());
    assert_eq!(sent.get("userhash"), "true");
    assert!(sent.is_right(USER, PASSWORD, &target));
    for (policy, value) in [
        (Policy::new().with_quirk(Quirk::NoUserhash), &*value),
        (Policy::new(), &challenge("n", ", userhash=false")),
        (Policy::new(), CHALLENGE),
    ] {
        let sent = login(policy, value, USER, PASSWORD).unwrap();
        assert_eq!(sent.get("username"), USER);
        assert_eq!(sent.param("userhash"), None);
        assert!(sent.is_right(USER, PASSWORD, &target));
    }
    // Then a name beyond ASCII is sent in clear, too.
    let plain = Policy::new().with_quirk(Quirk::NoUserhash);
    let sent = login(plain, &value, "ü", "p").unwrap();
    assert_eq!(sent.get("username*"), "UTF-8''%C3%BC");
}

/// The octets of a name that is not hashed.
fn octets(sent: &Sent) -> &[u8] {
    let name = sent.params.iter().find(|(name, _)| name == "username");
    &name.expect("a name").1
}

#[test]
fn utf8_and_latin_1() {
    let utf8 = challenge("n", ", charset=UTF-8");
    let target = Target::new("GET", "/");
    let latin1 = Policy::new().with_quirk(Quirk::Latin1);
    for (policy, value) in [
        (Policy::new(), CHALLENGE),
        (Policy::new(), &utf8),
        (latin1, &utf8),
    ] {
        let sent = login(policy, value, "ü", "é").unwrap();
        assert_eq!(sent.get("username*"), "UTF-8''%C3%BC");
        assert!(sent.is_right("ü", "é", &target));
    }
    let sent = login(latin1, CHALLENGE, "ü", "é").unwrap();
    assert_eq!(octets(&sent), b"\xfc");
    assert!(sent.is_right(b"\xfc", b"\xe9", &target));
    let hashing = CHALLENGE.to_owned() + ", userhash=true";
    let sent = login(latin1, &hashing, "ü", "é").unwrap();
    let hashed = userhash(HashFunction::Sha256, b"\xfc", "r");
    assert_eq!(sent.get("username"), hashed.as_str());
    assert!(sent.is_right(b"\xfc", b"\xe9", &target));
    // What it does not have, and where.
    let not = |at| Err(LoginError::Text(InvalidText::NotLatin1(at)));
    assert_eq!(login(latin1, CHALLENGE, "aü€", "p"), not(3));
    assert_eq!(login(latin1, CHALLENGE, "a", "p€"), not(1));
    assert_eq!(login(latin1, BASIC, "a", "p€"), not(1));
    let basic = client(latin1).with_account(Account::new("€", "p").with_preemptive_basic());
    assert_eq!(basic.err(), not(0).err());
    assert!(login(latin1, &utf8, "€", "€").is_ok());
    // ASCII is the same in both.
    let plain = login(Policy::new(), CHALLENGE, "a", "p").unwrap();
    assert_eq!(login(latin1, CHALLENGE, "a", "p").unwrap(), plain);
}

/// Other servers than those that know RFC 7616 take `username*` for no user name at all.
#[test]
#[cfg(feature = "md5")]
fn extended_usernames_where_the_server_can_read_them() {
    let md5 = super::with_algorithm("MD5");
    let plain = Policy::new().with_quirk(Quirk::PlainUsernames);
    let extended = Policy::new().with_quirk(Quirk::ExtendedUsernames);
    for (value, by_default) in [
        (md5.clone(), false),
        (md5.replace(", algorithm=MD5", ""), false),
        (super::with_algorithm("MD5-sess"), false),
        (md5.clone() + ", charset=UTF-7", false),
        (md5.clone() + ", userhash=maybe", false),
        (md5.clone() + ", charset=UTF-8", true),
        (md5.clone() + ", userhash=false", true),
        (md5.clone() + ", userhash=TRUE", true),
        (CHALLENGE.to_owned(), true),
        (super::with_algorithm("SHA-256-sess"), true),
        (super::with_algorithm("SHA-512-256"), true),
    ] {
        for (policy, is_extended) in [
            (Policy::new(), by_default),
            (plain, false),
            (extended, true),
        ] {
            let policy = policy.with_quirk(Quirk::NoUserhash);
            let sent = login(policy, &value, "ü", "p").unwrap();
            let names = match is_extended {
                true => (None, Some("UTF-8''%C3%BC")),
                false => (Some("ü"), None),
            };
            let found = (sent.param("username"), sent.param("username*"));
            assert_eq!(found, names, "{value}");
            assert!(sent.is_right("ü", "p", &Target::new("GET", "/")));
            // ASCII is the same in each form.
            let sent = login(policy, &value, "u", "p").unwrap();
            assert_eq!(sent.get("username"), "u");
        }
    }
    // What a charset names, or does not, counts for more.
    let sent = login(extended.with_quirk(Quirk::Latin1), &md5, "ü", "p").unwrap();
    assert_eq!(octets(&sent), b"\xfc");
}

/// `username*` has a form for each byte (RFC 8187).
#[test]
fn every_character_beyond_ascii_can_be_sent() {
    for name in [
        "ä",
        "Jäsøn Doe",
        "日本",
        "😀",
        "a\"ä\\b'%",
        "\u{ffff}",
        "\u{a0}",
    ] {
        let sent = login(Policy::new(), CHALLENGE, name, "p").unwrap();
        let read = Authorization::parse(&sent.value).unwrap();
        assert_eq!(read.user(), Some(User::from(name)));
        assert!(sent.is_right(name, "p", &Target::new("GET", "/")));
    }
    for value in [CHALLENGE, BASIC] {
        assert!(login(Policy::new(), value, "", "").is_ok());
    }
}
