//! What real servers insist on and a client must write.

use countersign::Target;
use countersign::client::{Policy, Quirk};

use super::{answer_of, answer_to};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, USER, challenge};

/// Amcrest and Dahua refuse them quoted: scrypted#2123, http-auth-utils#27, requests#5745,
/// digest-fetch#37, drbrain/net-http-digest_auth#6, nahi/httpclient#27.
#[test]
fn q21_algorithm_qop_and_nc_are_not_quoted() {
    for value in [
        CHALLENGE.to_owned(),
        CHALLENGE.replace("SHA-256", "\"SHA-256\""),
    ] {
        let sent = answer_to(&[value]);
        let text = sent.text();
        assert!(text.contains(", algorithm=SHA-256, "), "{text}");
        assert!(text.contains(", qop=auth, nc=00000001, "), "{text}");
    }
}

/// Old IIS wants this one quoted.
#[test]
fn q21_qop_is_quoted_on_demand() {
    let sent = answer_of(Policy::new().with_quirk(Quirk::QuotedQop), &[CHALLENGE]);
    let text = sent.text();
    assert!(text.contains(r#", qop="auth", nc=00000001, "#), "{text}");
}

/// Lilin wants `response` last (icholy/digest#8), Intel AMT `username` first
/// (xinsnake/go-http-digest-auth-client#12); see also lua-http-digest#2.
#[test]
fn q22_parameters_come_in_one_order() {
    let all = [
        "username",
        "realm",
        "nonce",
        "uri",
        "algorithm",
        "qop",
        "nc",
        "cnonce",
        "opaque",
        "userhash",
        "response",
    ];
    let more = r#", opaque="o", userhash=true"#;
    assert_eq!(answer_to(&[challenge("n", more)]).names(), all);
    let legacy = challenge("n", more).replace(r#", qop="auth""#, "");
    let sent = answer_of(Policy::new().with_quirk(Quirk::Rfc2069), &[legacy]);
    let fewer = all
        .into_iter()
        .filter(|name| !["qop", "nc", "cnonce"].contains(name));
    assert_eq!(sent.names(), fewer.collect::<Vec<_>>());
}

/// httpd PR 27758, nginx-http-auth-digest PR 9, curl test 64 and 134fb661.
#[test]
fn q26_uri_is_the_request_target_byte_for_byte() {
    let uris: [&[u8]; 9] = [
        b"/",
        b"/a?b=c&d=e",
        b"/a?",
        b"/%7Euser/%2f",
        b"/a b",
        br#"/"quoted"?\"#,
        b"example.com:443",
        b"*",
        b"/\xc3\xa4\xff",
    ];
    for uri in uris {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        let target = Target::new("GET", uri);
        let sent = dialog.send_target(&target).unwrap();
        let (_, sent_uri) = sent.params.iter().find(|(name, _)| name == "uri").unwrap();
        assert_eq!(sent_uri, uri);
        assert!(sent.is_right(USER, PASSWORD, &target));
    }
}

/// Squid's post_workaround is for browsers that hashed another.
#[test]
fn q27_method_is_the_one_of_the_request_case_and_all() {
    for method in ["GET", "get", "POST", "M-SEARCH", "REGISTER", "!"] {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        let target = Target::new(method, "/");
        let sent = dialog.send_target(&target).unwrap();
        assert!(sent.is_right(USER, PASSWORD, &target));
        for other in ["GET", "get", "Get", "POST"] {
            let right = sent.is_right(USER, PASSWORD, &Target::new(other, "/"));
            assert_eq!(right, method == other, "{method} {other}");
        }
    }
}
