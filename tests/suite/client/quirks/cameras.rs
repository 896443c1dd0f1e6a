//! What cameras and other small devices send, row by row, and how odd an `Authentication-Info` may be.

use countersign::Channel;
use countersign::client::{Policy, Quirk, ServerProof, ServerProofError, SkipReason};

use crate::support::client::{CHALLENGE, Dialog, Said, skipped};

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
