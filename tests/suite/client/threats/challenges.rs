//! Challenges that were misread, or answered in a weaker form than the server meant.

use countersign::Target;
use countersign::client::{Policy, Quirk, ServerProof, SkipReason};
use countersign::digest::Algorithm;

use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge, skipped};
use crate::support::errors::param;

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
            let asked = dialog.ask().hash_function();
            assert_eq!(asked, Some(algorithm.hash_function()));
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
