//! What is in quotes and what is not in every header that is written, however it was read.

use countersign::wire::basic_challenge;

use super::{Rewrite, challenge, credentials, info, raw};
use crate::support::round_trip;

const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Each of the values is written so, and so is what was written.
fn check(write: Rewrite, values: &[&str], written: &str) {
    for value in values.iter().chain([&written]) {
        assert_eq!(write(value).expect(value), written, "{value}");
        round_trip::read(value.as_bytes());
    }
}

/// RFC 7616, section 3.5: `nextnonce`, `rspauth` and `cnonce` are, `qop` and `nc` must not be.
#[test]
fn in_authentication_info() {
    let some = format!(r#"qop="auth", rspauth={HEX}, cnonce=c, nc="0000000a", nextnonce=n"#);
    let most = format!(r#"nc=0000000A, qop="\aUTH", cnonce="\c", rspauth="{HEX}", nextnonce="n""#);
    let written = format!(r#"nextnonce="n", qop=auth, rspauth="{HEX}", cnonce="c", nc=0000000a"#);
    check(info, &[&some, &most], &written);
}

/// RFC 7616, section 3.3: `realm`, `domain`, `nonce`, `opaque` and `qop` are; `stale`, `algorithm`
/// must not be; and `charset` and `userhash` have no quotes in the examples.
#[test]
fn in_a_digest_challenge() {
    const WRITTEN: &str = r#"Digest realm="r", qop="auth,auth-int", algorithm=SHA-256, nonce="n", opaque="o", domain="/", stale=true, charset=UTF-8, userhash=true"#;
    const VALUES: [&str; 2] = [
        r#"Digest realm=r, qop="auth-int,auth", algorithm=SHA-256, nonce=n, opaque=o, domain=/, stale="TRUE", charset="utf-8", userhash="true""#,
        r#"Digest userhash=true, charset=UTF-8, stale=true, domain="/", opaque="o", nonce="n", algorithm=SHA-256, qop="auth, auth-int", realm="r""#,
    ];
    // The algorithm as it was spelled.
    for (algorithm, spelled) in [
        ("SHA-256", "SHA-256"),
        ("\"sha-256-SESS\"", "sha-256-SESS"),
        ("\"\\S\\HA-512-256\"", "SHA-512-256"),
    ] {
        let [some, more] = VALUES.map(|value| value.replace("SHA-256", algorithm));
        check(
            challenge,
            &[&some, &more],
            &WRITTEN.replace("SHA-256", spelled),
        );
    }
    // That a challenge speaks of hashed names shows a client what the server can read, so it is written
    // again even where it says that there are none.
    const START: &str = r#"Digest realm="r", algorithm=SHA-256, nonce="n""#;
    for (userhash, written) in [
        (", userhash=TRUE", ", userhash=true"),
        (", userhash=\"False\"", ", userhash=false"),
        (", userhash=maybe", ""),
        ("", ""),
    ] {
        let value = [START, userhash].concat();
        check(challenge, &[&value], &[START, written].concat());
    }
}

/// RFC 9110, section 11.5, for a `realm`, and RFC 7617, section 2.1, for a `charset`.
#[test]
fn in_a_challenge_of_basic_and_of_any_scheme() {
    const BASIC: &str = r#"Basic realm="r", charset="UTF-8""#;
    check(challenge, &["basic charset=utf-8, realm=r"], BASIC);
    assert_eq!(basic_challenge("r", true).unwrap(), BASIC);
    check(raw, &["Basic realm=r, x=y"], r#"Basic realm="r", x=y"#);
    check(
        raw,
        &[r#"A Realm=r, x="y", z="#],
        r#"A Realm="r", x="y", z="""#,
    );
    check(raw, &["A \t b=="], "A b==");
    check(raw, &["A ,, b = c ,d=\"\\e\\\"\" ,,"], "A b=c, d=\"e\\\"\"");
}

/// RFC 7616, section 3.4: `algorithm`, `qop`, `nc` and `userhash` must not be.
#[test]
fn in_digest_credentials() {
    let some = format!(
        "digest response={HEX}, username=u, uri=*, nonce=a,realm=b, algorithm=\"sha-256\", \
         other=c, qop=\"AUTH\", cnonce=\"d\", nc=\"1\", userhash=false, opaque=e"
    );
    let written = format!(
        "Digest username=\"u\", realm=\"b\", nonce=\"a\", uri=\"*\", algorithm=sha-256, qop=AUTH, \
         nc=1, cnonce=\"d\", opaque=\"e\", response=\"{HEX}\""
    );
    check(credentials, &[&some], &written);
    let extended = some.replace("username=u", "username*=utf-8'en'%61%c3%A4");
    let value = written.replace("username=\"u\"", "username*=UTF-8''a%C3%A4");
    check(credentials, &[&extended], &value);
    let hashed = some
        .replace("=u,", &format!("={HEX},"))
        .replace("userhash=false", "userhash=TRUE");
    let value = written.replace("\"u\"", &format!("\"{HEX}\""));
    check(
        credentials,
        &[&hashed],
        &value.replace(", response", ", userhash=true, response"),
    );
    check(credentials, &["basic YTpi"], "Basic YTpi");
    check(credentials, &["Basic YTo"], "Basic YTo=");
}
