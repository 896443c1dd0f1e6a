//! What a server that is written by hand takes for the response of a user.

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::wire::ha2;
use countersign::{Authorization, Target};

use crate::support::server::{Answer, PASSWORD, REALM, USER, quoted, response_by_digits};

const HASH: HashFunction = HashFunction::Sha256;

/// A response that went over the wire is the session key of the cnonce that says what else it covers,
/// so whoever has captured it could sign any request.
#[test]
fn an_answer_is_for_its_own_target_and_no_session_key() {
    let ha1 = Ha1::new(HASH, USER, REALM, PASSWORD);
    let expected = |header: &str, target| match Authorization::parse(header) {
        Ok(Authorization::Digest(sent)) => sent.expected_response(&ha1, &target),
        other => panic!("{other:?}"),
    };
    let captured = Answer::to("n");
    let (header, target) = (captured.header(), captured.target());
    assert_eq!(expected(&header, target), Some(captured.response()));
    assert_eq!(expected(&header, Target::new("GET", "/b")), None);
    let put = Target::new("PUT", target.uri);
    assert_ne!(expected(&header, put), Some(captured.response()));

    let covered = ha2(HASH, "GET", &captured.uri, None);
    let forged = Answer {
        method: "DELETE".to_owned(),
        uri: "/all".to_owned(),
        algorithm: Algorithm::SHA_256_SESS,
        cnonce: format!("{}:{}:auth:{covered}", captured.nc, captured.cnonce),
        ..captured.clone()
    };
    let response = response_by_digits(captured.response().as_str(), &forged);
    // The formula itself would take it.
    assert_eq!(forged.response().as_str(), response);
    let header = forged
        .params()
        .with("response", quoted(&response))
        .to_string();
    assert_eq!(expected(&header, forged.target()), None);
}
