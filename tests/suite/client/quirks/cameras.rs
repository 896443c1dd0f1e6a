//! What cameras and other small devices send, row by row, and how odd an `Authentication-Info` may be.

use countersign::Channel;
use countersign::client::{Policy, Quirk, ServerProof, ServerProofError, SkipReason};

use crate::support::client::{CHALLENGE, Dialog, Said, skipped};
use crate::support::errors::{param, problem};

/// Most cameras: neither an algorithm nor a qop.
#[cfg(feature = "md5")]
#[test]
fn q30_nothing_but_a_realm_and_a_nonce() {
    use countersign::Target;

    use crate::support::client::{PASSWORD, USER};

    let value = r#"Digest realm="AXIS_00", nonce="00""#;
    let mut dialog = Dialog::on(Channel::Cleartext, Policy::new());
    assert_eq!(skipped(&dialog.challenged([value])), [SkipReason::Rfc2069]);
    let mut dialog = Dialog::on(Channel::Cleartext, Policy::new().with_quirk(Quirk::Rfc2069));
    assert_eq!(dialog.challenged([value]), Said::Login);
    dialog.login();
    let sent = dialog.send("/").unwrap();
    assert_eq!(
        sent.names(),
        ["username", "realm", "nonce", "uri", "response"]
    );
    assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
}

#[test]
fn q31_a_blank_is_no_comma() {
    for value in [
        CHALLENGE.replace(", ", " "),
        CHALLENGE.replacen(", ", " ", 1),
        r#"Digest realm="camera" nonce="abc" qop="auth""#.to_owned(),
    ] {
        let next = Dialog::new(Policy::new()).challenged([&value]);
        let [SkipReason::Header(error)] = skipped(&next) else {
            panic!("{value}: {next:?}");
        };
        assert_eq!(problem(error), "expected `,` or the end", "{value}");
    }
}

#[test]
fn q32_an_algorithm_without_its_hyphen_is_none() {
    for name in ["SHA256", "SHA_256", "SHA512256", "MD-5"] {
        let value = CHALLENGE.replace("SHA-256", name);
        let next = Dialog::new(Policy::new().with_quirk(Quirk::Rfc2069)).challenged([&value]);
        let [SkipReason::Header(error)] = skipped(&next) else {
            panic!("{name}: {next:?}");
        };
        assert_eq!(param(*error), Some(("algorithm", "not supported")));
    }
}

/// A camera has no TLS: beside Digest nobody misses Basic, and alone it wants to be allowed.
#[test]
fn q33_basic_first_over_a_cleartext_channel() {
    let basic = r#"Basic realm="r""#;
    for values in [vec![basic, CHALLENGE], vec![CHALLENGE, basic]] {
        for values in [
            vec![values.join(", ")],
            values.iter().map(|&value| value.to_owned()).collect(),
        ] {
            for policy in [Policy::new(), Policy::new().with_cleartext_basic()] {
                let mut dialog = Dialog::on(Channel::Cleartext, policy);
                assert_eq!(dialog.challenged(&values), Said::Login);
                assert!(dialog.ask().hash_function().is_some());
                dialog.login();
                assert_eq!(dialog.send("/").unwrap().scheme, "Digest");
            }
        }
    }
    for value in ["Basic", basic] {
        let mut dialog = Dialog::on(Channel::Cleartext, Policy::new());
        assert_eq!(
            skipped(&dialog.challenged([value])),
            [SkipReason::CleartextBasic]
        );
        let mut dialog = Dialog::on(Channel::Cleartext, Policy::new().with_cleartext_basic());
        assert_eq!(dialog.challenged([value]), Said::Login);
        dialog.login();
        assert_eq!(dialog.send("/").unwrap().scheme, "Basic");
    }
}

/// The root is everything; and what asked is answered, wherever it says that it is.
#[test]
fn q34_domain_of_a_camera() {
    let asked = "/onvif/device_service";
    for (domain, unasked) in [("/", true), ("/axis-cgi", false)] {
        let value = format!(r#"{CHALLENGE}, opaque="", domain="{domain}""#);
        let mut dialog = Dialog::logged_in(Policy::new(), &value);
        let sent = dialog.send(asked).unwrap();
        assert_eq!(sent.get("opaque"), "");
        dialog.accepted("").unwrap();
        assert_eq!(
            dialog.would_send_unasked(asked).is_some(),
            unasked,
            "{domain}"
        );
        assert!(dialog.would_send_unasked("/axis-cgi/mjpg").is_some());
    }
}

/// A response to a request that was let in is not lost for what nobody can read in it, unless the
/// policy wants a proof.
#[test]
fn q35_an_info_that_cannot_be_read() {
    let zeros = "0".repeat(64);
    let mismatch = format!(r#"rspauth="{zeros}", qop=auth, nc=00000001, cnonce="z""#);
    for info in [
        "nonsense",
        r#"rspauth="""#,
        r#"qop=auth, nc=00000001, cnonce="c1""#,
        r#"nextnonce="x" qop=auth"#,
        r#"nextnonce="a", nextnonce="b""#,
        r#"Digest nextnonce="x""#,
    ] {
        let answered = |policy| {
            let mut dialog = Dialog::logged_in(policy, CHALLENGE);
            dialog.send("/");
            dialog
        };
        let mut dialog = answered(Policy::new());
        assert_eq!(dialog.accepted(info), Ok(ServerProof::Unreadable), "{info}");
        // Nor was anything of it taken.
        assert_eq!(
            dialog.would_send_unasked("/").unwrap().get("nonce"),
            "n1",
            "{info}"
        );
        let strict = answered(Policy::new().require_server_proof()).accepted(info);
        assert!(
            matches!(strict, Err(ServerProofError::Missing)),
            "{info}: {strict:?}"
        );
    }
    for (info, proof) in [
        (r#"nextnonce="""#, Ok(ServerProof::Absent)),
        (r#"nextnonce="x""#, Ok(ServerProof::Absent)),
        (&mismatch, Err(ServerProofError::Wrong)),
    ] {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        assert_eq!(dialog.accepted(info), proof, "{info}");
    }
}
