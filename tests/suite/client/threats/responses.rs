//! Responses that hashed the wrong thing, or a count that stood still.

use countersign::Target;
use countersign::client::Policy;

use crate::support::client::{Dialog, Said};

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
    let sent = dialog.try_send_with(&target, cnonce).unwrap().unwrap();
    let hashed = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b";
    let response = "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5";
    assert_eq!(sent.get("username"), hashed);
    assert_eq!(sent.get("userhash"), "true");
    assert_eq!(sent.get("response"), response);
    assert!(!sent.is_right(hashed, password, &target));
}
