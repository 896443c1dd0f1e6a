//! What is in quotes and what is not in every header that is written, and what is escaped there.

use countersign::digest::{Algorithm, HashFunction, HexDigest, QopSet, User};
use countersign::wire::{
    AuthenticationInfo, DigestChallenge, DigestCredentials, QopParams, basic_challenge,
};
use countersign::{FieldValue, Text, raw_challenges};

const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn response() -> HexDigest {
    HexDigest::from_hex(HashFunction::Sha256, HEX).expect("64 digits")
}

fn text(bytes: &[u8]) -> Text<'_> {
    Text::new(bytes).expect("plain text")
}

fn string(written: FieldValue) -> String {
    String::from_utf8(written.into()).expect("UTF-8")
}

/// RFC 7616, section 3.5: `nextnonce`, `rspauth` and `cnonce` are, `qop` and `nc` must not be.
#[test]
fn in_authentication_info() {
    let proof = response();
    let expected = format!(r#"nextnonce="n", qop=auth, rspauth="{HEX}", cnonce="c", nc=0000000a"#);
    let protection = QopParams::new("auth", "0000000a", "c").expect("a protection");
    let mut info = AuthenticationInfo::with_proof(&proof, &protection);
    info.nextnonce = Some(text(b"n"));
    assert_eq!(string(info.to_field_value()), expected);
    // However they were read.
    for value in [
        format!("qop=\"auth\", rspauth={HEX}, cnonce=c, nc=\"0000000a\", nextnonce=n"),
        format!("nextnonce=\"n\", nc=0000000A, qop=\"\\aUTH\", cnonce=\"\\c\", rspauth=\"{HEX}\""),
    ] {
        let read = AuthenticationInfo::parse([&value]).expect(&value);
        assert_eq!(string(read.to_field_value()), expected);
    }
}

/// RFC 7616, section 3.3: `realm`, `domain`, `nonce`, `opaque` and `qop` are; `stale`, `algorithm`
/// must not be; and `charset` and `userhash` have no quotes in the examples.
#[test]
fn in_a_digest_challenge() {
    let mut written = DigestChallenge::new("r", "n", Algorithm::SHA_256).expect("plain text");
    written.qop = QopSet::BOTH;
    written.opaque = Some(text(b"o"));
    written.domain = Some(text(b"/"));
    written.stale = true;
    written.utf8 = true;
    written.userhash = Some(true);
    let expected = r#"Digest realm="r", qop="auth,auth-int", algorithm=SHA-256, nonce="n", opaque="o", domain="/", stale=true, charset=UTF-8, userhash=true"#;
    assert_eq!(string(written.to_field_value()), expected);
    // However it was read: the algorithm as it was spelled.
    for (algorithm, spelled) in [
        ("SHA-256", "SHA-256"),
        ("\"SHA-256\"", "SHA-256"),
        ("\"sha-256-SESS\"", "sha-256-SESS"),
        ("\"\\S\\HA-512-256\"", "SHA-512-256"),
    ] {
        for value in [
            format!(
                "Digest realm=r, qop=\"auth-int,auth\", algorithm={algorithm}, nonce=n, opaque=o, \
                 domain=/, stale=\"TRUE\", charset=\"utf-8\", userhash=\"true\""
            ),
            format!(
                "Digest userhash=true, charset=UTF-8, stale=true, domain=\"/\", opaque=\"o\", \
                 nonce=\"n\", algorithm={algorithm}, qop=\"auth, auth-int\", realm=\"r\""
            ),
        ] {
            let generic = raw_challenges([&value]).next().expect("one").expect(&value);
            let read = DigestChallenge::try_from(generic).expect(&value);
            let expected = expected.replace("SHA-256", spelled);
            assert_eq!(string(read.to_field_value()), expected);
        }
    }
}

/// RFC 9110, section 11.5, for a `realm`, and RFC 7617, section 2.1, for a `charset`.
#[test]
fn in_a_challenge_of_basic_and_of_any_scheme() {
    let basic = basic_challenge("r").expect("plain text");
    assert_eq!(basic, r#"Basic realm="r", charset="UTF-8""#);
    for (value, written) in [
        ("Basic realm=r, x=y", r#"Basic realm="r", x=y"#),
        (r#"A Realm=r, x="y", z="#, r#"A Realm="r", x="y", z="""#),
        ("A b==", "A b=="),
    ] {
        let generic = raw_challenges([value]).next().expect("one").expect(value);
        assert_eq!(string(generic.to_field_value()), written);
    }
}

/// RFC 7616, section 3.4: `algorithm`, `qop`, `nc` and `userhash` must not be.
#[test]
fn in_digest_credentials() {
    let mut challenge = DigestChallenge::new("r", "n", Algorithm::SHA_256).expect("plain text");
    challenge.opaque = Some(text(b"o"));
    let protection = QopParams::new("auth", "00000001", "c").expect("a protection");
    let write = |user: User<'_>| {
        let (uri, protection) = (text(b"/"), Some(protection));
        let sent = DigestCredentials::new(&challenge, &user, uri, protection, response());
        string(sent.expect("a name").to_field_value())
    };
    let expected = format!(
        r#"Digest username="u", realm="r", nonce="n", uri="/", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="c", opaque="o", response="{HEX}""#
    );
    assert_eq!(write(User::from("u")), expected);
    assert_eq!(
        write(User::from("ä")),
        expected.replace("username=\"u\"", "username*=UTF-8''%C3%A4")
    );
    assert_eq!(
        write(User::Hash(response())),
        expected
            .replace("username=\"u\"", &format!("username=\"{HEX}\""))
            .replace(", response", ", userhash=true, response")
    );
}
