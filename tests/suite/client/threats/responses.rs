//! Responses that hashed the wrong thing, or a count that stood still.

use countersign::client::{Field, Policy};
use countersign::{EntityBody, Target};

use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, Sent, USER};

/// curl aae235b6, HttpComponents: the hashed user name was put into HA1, which is made of the
/// name itself (RFC 7616, section 3.9.2, with erratum 4897).
#[test]
fn curl_aae235b6_userhash_is_no_part_of_ha1() {
    let value = r#"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#;
    let (user, password) = ("Jäsøn Doe", "Secret, or not?");
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged([value]), Said::Login);
    dialog.login_as(user, password).unwrap();
    let target = Target::new("GET", "/doe.json");
    let cnonce = "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v";
    let answer = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, cnonce)
        .map(Field::for_new_request)
        .unwrap();
    let sent = Sent::read(answer.unwrap().as_bytes());
    let hashed = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b";
    let response = "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5";
    assert_eq!(sent.get("username"), hashed);
    assert_eq!(sent.get("userhash"), "true");
    assert_eq!(sent.get("response"), response);
    assert!(!sent.is_right(hashed, password, &target));
}

/// curl 647ed7c7: the count stood still for `auth-int`.
#[test]
fn curl_647ed7c7_auth_int_counts_too() {
    let value = CHALLENGE.replace("qop=\"auth\"", "qop=\"auth-int\"");
    let mut dialog = Dialog::logged_in(Policy::new(), &value);
    let target = Target::new("POST", "/").with_body(EntityBody::Bytes(b"a=1"));
    for count in ["00000001", "00000002", "00000003"] {
        let sent = dialog.send_target(&target).unwrap();
        assert_eq!((sent.get("qop"), sent.get("nc")), ("auth-int", count));
        assert!(sent.is_right(USER, PASSWORD, &target));
        dialog.next_exchange();
    }
}
