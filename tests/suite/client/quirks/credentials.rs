//! What real servers insist on and a client must write.

use countersign::client::{LoginError, Policy, Quirk};
use countersign::{InvalidText, Target};

use super::{GET, answer_of, answer_to};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge};

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

/// Some strict servers.
#[cfg(feature = "md5")]
#[test]
fn q24_algorithm_is_not_sent_where_there_was_none() {
    let sent = answer_to(&[CHALLENGE.replace(", algorithm=SHA-256", "")]);
    assert_eq!(sent.param("algorithm"), None);
    assert_eq!(sent.get("response").len(), 32);
    let sent = answer_to(&[CHALLENGE.replace("SHA-256", "MD5")]);
    assert_eq!(sent.get("algorithm"), "MD5");
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

#[test]
fn q29_a_colon_in_the_user_name_is_for_digest_alone() {
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    dialog.login_as("a:b", "c:d").unwrap();
    assert!(dialog.send("/").unwrap().is_right("a:b", "c:d", &GET("/")));

    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged(["Basic realm=r"]), Said::Login);
    let refused = Err(LoginError::Text(InvalidText::ColonInUsername));
    assert_eq!(dialog.login_as("a:b", "c"), refused);
    // It can try again.
    dialog.login_as("a", "b:c").unwrap();
    let sent = dialog.send("/").unwrap();
    assert_eq!(sent.token68.as_deref(), Some("YTpiOmM="));
}
