//! What a server that is written by hand takes for the response of a user.

use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::wire::{DigestChallenge, DigestCredentials, QopParams, ha2, response};
use countersign::{Target, Text};

const HASH: HashFunction = HashFunction::Sha256;
const NC: &str = "00000001";

fn answer<'a>(
    challenge: &DigestChallenge<'a>,
    user: &'a User<'a>,
    key: &Ha1,
    [cnonce, method, uri]: [&'a str; 3],
) -> DigestCredentials<'a> {
    let params = QopParams::new("auth", NC, cnonce).unwrap();
    let right = response(key, "n", Some(&params), &ha2(HASH, method, uri, None));
    DigestCredentials::new(
        challenge,
        user,
        Text::new(uri).unwrap(),
        Some(params),
        right,
    )
    .unwrap()
}

fn ha1() -> Ha1 {
    Ha1::new(HASH, "Mufasa", "r", "Circle of Life")
}

#[test]
fn an_answer_is_for_its_own_target() {
    let challenge = DigestChallenge::new("r", "n", Algorithm::SHA_256).unwrap();
    let (user, ha1) = (User::from("Mufasa"), ha1());
    let sent = answer(&challenge, &user, &ha1, ["c", "GET", "/a"]);
    let expected = |target| sent.expected_response(&ha1, &target);
    assert_eq!(expected(Target::new("GET", "/a")), Some(sent.response));
    assert_eq!(expected(Target::new("GET", "/b")), None);
    assert_ne!(expected(Target::new("PUT", "/a")), Some(sent.response));
}

/// It is the session key of the cnonce that says what else it covers, so whoever has captured it could
/// sign any request.
#[test]
fn a_captured_response_is_no_session_key() {
    let challenge = DigestChallenge::new("r", "n", Algorithm::SHA_256).unwrap();
    let (user, ha1) = (User::from("Mufasa"), ha1());
    let captured = answer(&challenge, &user, &ha1, ["c", "GET", "/a"]).response;

    let challenge = DigestChallenge::new("r", "n", Algorithm::SHA_256_SESS).unwrap();
    let covered = ha2(HASH, "GET", "/a", None);
    let cnonce = format!("{NC}:c:auth:{}", covered.as_str());
    let key = Ha1::from_hex(HASH, captured.as_str()).unwrap();
    let forged = answer(&challenge, &user, &key, [&cnonce, "DELETE", "/all"]);
    let target = Target::new("DELETE", "/all");
    assert_eq!(forged.expected_response(&ha1, &target), None);
    // The formula itself would take it.
    let (session, asked) = (
        ha1.session_key("n", &cnonce),
        ha2(HASH, "DELETE", "/all", None),
    );
    let params = forged.qop_params.as_ref();
    assert_eq!(response(&session, "n", params, &asked), forged.response);
}
