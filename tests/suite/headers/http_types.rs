//! Values and targets as the types of the crate `http`.

use countersign::{FieldValue, Target};
use http::{HeaderValue, Request};

#[test]
fn every_byte_of_a_value_is_kept_and_sensitive() {
    for c in ('\0'..='\u{ff}').filter(|c| !c.is_ascii_control() || *c == '\t') {
        let text = format!("{c}x{c}");
        let value = FieldValue::with_params("Bearer", &[("realm", &text)]).unwrap();
        let converted = HeaderValue::from(&value);
        assert_eq!(converted.as_bytes(), value.as_bytes(), "{c:?}");
        assert!(converted.is_sensitive());
        assert_eq!(HeaderValue::from(value), converted);
    }
}

#[test]
fn each_form_of_target() {
    for (method, uri, target) in [
        ("GET", "/a?b=c", "/a?b=c"),
        ("OPTIONS", "*", "*"),
        ("GET", "https://h:8443/a?b", "/a?b"),
        ("GET", "http://h", "/"),
        ("CONNECT", "h:443", "h:443"),
        ("CONNECT", "u:p@h:443", "h:443"),
        ("CONNECT", "https://h/chat", "/chat"),
    ] {
        let request = Request::builder().method(method).uri(uri).body(()).unwrap();
        let (head, ()) = request.clone().into_parts();
        for read in [Target::from(&request), Target::from(&head)] {
            assert_eq!(
                (read.method, read.uri),
                (method.as_bytes(), target.as_bytes())
            );
        }
    }
}
