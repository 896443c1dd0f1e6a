//! Challenges that were misread, or answered in a weaker form than the server meant.

use countersign::client::{Field, Policy, Quirk, ServerProof, SkipReason};
use countersign::digest::{Algorithm, HashFunction};
use countersign::{EntityBody, Target};

use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge, skipped};
use crate::support::errors::{param, problem};

/// curl 2a2a2e5d: the realm was searched for in the values of other parameters.
#[test]
fn curl_2a2a2e5d_a_realm_inside_another_value() {
    let value = r#"Digest opaque="realm=\"no\", nonce=no", other="x, Digest realm=no, nonce=no", realm="Digest realm=z, nonce=y", nonce="n, realm=no", qop="auth", algorithm=SHA-256"#;
    let mut dialog = Dialog::logged_in(Policy::new(), value);
    let sent = dialog.send("/").unwrap();
    assert_eq!(sent.get("realm"), "Digest realm=z, nonce=y");
    assert_eq!(sent.get("nonce"), "n, realm=no");
    assert_eq!(sent.get("opaque"), r#"realm="no", nonce=no"#);
}

/// libsoup CVE-2025-32910, CVE-2025-32912 and CVE-2025-4476 (405a8a34, cd077513, e64c221f): a
/// challenge without realm or nonce, or with an odd domain, was a null pointer.
#[test]
fn libsoup_cve_2025_32910_32912_4476_missing_parameters() {
    let params = [
        r#"realm="r""#,
        r#"nonce="n""#,
        r#"qop="auth""#,
        "algorithm=SHA-256",
        r#"opaque="o""#,
        r#"domain="/""#,
        "stale=false",
        "charset=UTF-8",
        "userhash=false",
    ];
    for gone in 0..params.len() {
        let mut left = params.to_vec();
        let name = left.remove(gone).split('=').next().unwrap();
        let value = format!("Digest {}", left.join(", "));
        let next = Dialog::new(Policy::new()).challenged([&value]);
        match name {
            "realm" | "nonce" => {
                let [SkipReason::Header(error)] = skipped(&next) else {
                    panic!("{next:?}");
                };
                assert_eq!(error.name().unwrap(), name);
                assert_eq!(problem(error), "missing");
            }
            "qop" => assert_eq!(skipped(&next), [SkipReason::Rfc2069]),
            // Then it is MD5.
            "algorithm" if cfg!(not(feature = "md5")) => {
                assert!(matches!(skipped(&next), [SkipReason::Header(_)]));
            }
            _ => assert_eq!(next, Said::Login, "{value}"),
        }
    }
    for value in [
        "Digest",
        "Digest ",
        "Digest ,",
        "Digest abc==",
        "Basic abc==",
    ] {
        let next = Dialog::new(Policy::new()).challenged([value]);
        assert!(matches!(skipped(&next), [SkipReason::Header(_)]), "{value}");
    }
    for value in ["Basic", "Basic ,"] {
        let next = Dialog::new(Policy::new()).challenged([value]);
        assert_eq!(next, Said::Login, "{value}");
    }
}

/// libmicrohttpd: the name of an algorithm, quoted and with an escape, was taken for another.
#[test]
fn libmicrohttpd_an_algorithm_is_the_same_however_it_is_written() {
    for algorithm in Algorithm::ALL {
        let name = algorithm.as_str();
        let (head, tail) = name.split_at(1);
        for written in [
            name.to_owned(),
            format!("\"{name}\""),
            format!("\"{head}\\{tail}\""),
            format!("\"\\{name}\""),
            name.to_ascii_lowercase(),
        ] {
            let value = CHALLENGE.replace("SHA-256", &written);
            let mut dialog = Dialog::logged_in(Policy::new(), &value);
            let sent = dialog.send("/").unwrap();
            let sent_name = sent.get("algorithm");
            assert!(
                sent_name.eq_ignore_ascii_case(name),
                "{written}: {sent_name}"
            );
            assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
        }
        // The beginning of one, or one with something behind it, is none.
        for wrong in [
            &name[..name.len() - 1],
            &format!("{name}x"),
            &format!(" {name}"),
        ] {
            let value = CHALLENGE.replace("SHA-256", &format!("\"{wrong}\""));
            let next = Dialog::new(Policy::new()).challenged([&value]);
            let [SkipReason::Header(error)] = skipped(&next) else {
                panic!("{wrong}: {next:?}");
            };
            assert_eq!(error.name(), Some("algorithm"));
        }
    }
}

/// curl 7.88 and 8.14, Chromium, Firefox: where no qop was known, or only `auth-int`, a response
/// in the form of RFC 2069 was sent, which can be replayed.
mod curl_chromium_and_firefox_downgrade_to_rfc_2069 {
    use super::*;

    #[test]
    fn an_unknown_qop_is_not_taken_for_none() {
        for policy in [Policy::new(), Policy::new().with_quirk(Quirk::Rfc2069)] {
            for qop in [
                "crazy",
                ", crazy,",
                "auth auth-int",
                "auth-conf",
                "\\\"auth\\\"",
            ] {
                let value = CHALLENGE.replace("qop=\"auth\"", &format!("qop=\"{qop}\""));
                let next = Dialog::new(policy).challenged([&value]);
                let [SkipReason::Header(error)] = skipped(&next) else {
                    panic!("{qop}: {next:?}");
                };
                assert_eq!(error.name(), Some("qop"));
                assert_eq!(problem(error), "not supported");
            }
        }
    }

    #[test]
    fn auth_int_alone_is_answered_with_auth_int_or_not_at_all() {
        let value = CHALLENGE.replace("qop=\"auth\"", "qop=\"auth-int\"");
        for policy in [Policy::new(), Policy::new().with_quirk(Quirk::Rfc2069)] {
            let mut dialog = Dialog::logged_in(policy, &value);
            let target = Target::new("POST", "/");
            let answer = dialog
                .client
                .authorize_with_cnonce(&mut dialog.exchange, &target, "c")
                .map(Field::for_new_request);
            assert_eq!(
                answer.err(),
                Some(countersign::client::AuthorizeError::BodyNeeded(
                    HashFunction::Sha256
                ))
            );
            let target = target.with_body(EntityBody::Bytes(b"a=1"));
            let sent = dialog.send_target(&target).unwrap();
            assert_eq!(sent.get("qop"), "auth-int");
        }
    }

    #[test]
    fn auth_int_with_blanks_beside_auth_is_not_taken_for_none() {
        let value = CHALLENGE.replace("qop=\"auth\"", "qop=\" auth-int , auth \"");
        let mut dialog = Dialog::logged_in(Policy::new(), &value);
        assert_eq!(dialog.send("/").unwrap().get("qop"), "auth");
    }

    #[test]
    fn none_is_answered_only_if_the_policy_says_so() {
        let value = CHALLENGE.replace(", qop=\"auth\"", "");
        let next = Dialog::new(Policy::new()).challenged([&value]);
        assert_eq!(skipped(&next), [SkipReason::Rfc2069]);
        let mut dialog = Dialog::logged_in(Policy::new().with_quirk(Quirk::Rfc2069), &value);
        assert_eq!(dialog.send("/").unwrap().param("qop"), None);
    }

    /// Who takes the qop out of the second challenge gets no more than who does so in the first.
    #[test]
    fn none_is_not_answered_later_either() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        dialog.send("/");
        let value = challenge("n2", ", stale=true").replace(", qop=\"auth\"", "");
        assert_eq!(skipped(&dialog.challenged([&value])), [SkipReason::Rfc2069]);
    }
}

/// curl test 1437, libsoup: of two nonces one client took the last and another the first, so who
/// slips one in chooses what each sees.
#[test]
fn curl_test_1437_repeated_parameters() {
    for (again, name) in [
        ("realm=\"s\"", "realm"),
        ("NONCE=\"n2\"", "nonce"),
        ("qop=auth-int", "qop"),
        ("algorithm=SHA-512-256", "algorithm"),
        ("opaque=a, opaque=a", "opaque"),
        ("domain=a, Domain=b", "domain"),
        ("stale=true, stale=false", "stale"),
        ("charset=UTF-8, charset=x", "charset"),
        ("userhash=true, userhash=true", "userhash"),
    ] {
        let value = challenge("n1", &format!(", {again}"));
        let next = Dialog::new(Policy::new()).challenged([&value]);
        let [SkipReason::Header(error)] = skipped(&next) else {
            panic!("{again}: {next:?}");
        };
        assert_eq!(param(*error), Some((name, "given more than once")));
    }
    let next = Dialog::new(Policy::new()).challenged(["Basic realm=a, Realm=b"]);
    assert!(matches!(skipped(&next), [SkipReason::Header(_)]));
    // What nobody knows may come as often as it likes.
    let value = challenge("n1", ", x=1, x=2, X=3");
    assert_eq!(Dialog::new(Policy::new()).challenged([&value]), Said::Login);

    // The same where the server proves itself.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.send("/");
    let info = dialog.accepted("nextnonce=a, nextnonce=b");
    assert!(matches!(info, Ok(ServerProof::Unreadable)));
}

/// lighttpd CVE-2007-3946: a `-sess` algorithm without a cnonce was a null pointer. There is none
/// where there is no qop.
#[test]
fn lighttpd_cve_2007_3946_session_algorithms_without_a_qop() {
    for algorithm in Algorithm::ALL.iter().filter(|a| a.is_sess()) {
        let value = format!("Digest realm=r, nonce=n, algorithm={algorithm}");
        for policy in [Policy::new(), Policy::new().with_quirk(Quirk::Rfc2069)] {
            let next = Dialog::new(policy).challenged([&value]);
            assert_eq!(skipped(&next), [SkipReason::SessionAlgorithm]);
        }
    }
}

/// Squid CVE-2019-12525: the length of a quoted string of one quote was negative. httpd
/// CVE-2017-9788: a name without a value had that of the name before it.
#[test]
fn squid_cve_2019_12525_and_httpd_cve_2017_9788_values_that_are_none() {
    for value in [
        r#"Digest realm="#,
        r#"Digest realm=""#,
        r#"Digest realm="\"#,
        r#"Digest realm="\""#,
        r#"Digest realm="a", nonce"#,
        r#"Digest realm="a", nonce, qop=auth"#,
        r#"Digest realm="a", nonce=;, qop=auth"#,
        r#"Digest realm="a", nonce=""#,
        r#"Digest realm="a" nonce="b""#,
        r#"Basic realm=\"#,
        r#"Basic realm=""#,
    ] {
        let next = Dialog::new(Policy::new()).challenged([value]);
        let first = skipped(&next).first();
        assert!(
            matches!(first, Some(SkipReason::Header(_))),
            "{value}: {next:?}"
        );
        // Not even what stands behind it in a field of its own is lost.
        let next = Dialog::new(Policy::new()).challenged([value, CHALLENGE]);
        assert_eq!(next, Said::Login, "{value}");
    }
    // Two quotes are a value, and an empty one; so is nothing.
    for empty in ["\"\"", ""] {
        let value = CHALLENGE.replace("\"r\"", empty).replace("\"n1\"", empty);
        let sent = Dialog::logged_in(Policy::new(), &value).send("/").unwrap();
        assert_eq!((sent.get("realm"), sent.get("nonce")), ("", ""), "{value}");
    }
    assert_eq!(
        Dialog::new(Policy::new()).challenged(["Basic realm="]),
        Said::Login
    );
}
