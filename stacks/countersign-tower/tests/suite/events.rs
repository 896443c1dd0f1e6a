//! What an administrator is told.

use std::sync::{Arc, Mutex};

use countersign::Channel;
use countersign::server::Realm;
use countersign_tower::server::{AuthLayer, ClientAddress};
use http::Request;
use tower::ServiceExt;

use crate::server::with_basic;
use crate::support::{Body, Store, USER, authenticator, behind, get};

/// What each event says, and its line for a log.
#[tokio::test]
async fn an_event_says_what_an_administrator_has_to_know() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lines);
    let realm = Realm::new("files \"new\"").unwrap().with_basic();
    let layer = AuthLayer::builder(authenticator(realm.clone()), Channel::Encrypted, Store)
        .on_event(move |event| {
            let status = event.status.map(|status| status.as_u16());
            let is_fault = event.outcome.is_server_fault();
            log.lock()
                .unwrap()
                .push((event.to_string(), status, is_fault));
        })
        .build();
    let alone = layer.with_realm(realm.with_algorithms(&[]));
    let address = |mut request: Request<Body>| {
        let address = "::ffff:192.0.2.1".parse().unwrap();
        request
            .extensions_mut()
            .insert(ClientAddress(Some(address)));
        request
    };
    let mut in_clear = get("/");
    in_clear.extensions_mut().insert(Channel::Cleartext);
    let long = "\u{7}".repeat(2000);
    for (layer, request) in [
        (&layer, get("/")),
        (&layer, address(with_basic("/", USER.0, USER.1))),
        (
            &layer,
            address(with_basic("/", &long.replace('\u{7}', "\u{202e}"), "x")),
        ),
        (&layer, with_basic("/", "Zazu", "x")),
        (&alone, in_clear),
    ] {
        behind(layer.clone()).oneshot(request).await.unwrap();
    }
    let place = r#"in "files \"new\"", user"#;
    let shown = "\\u{202e}".repeat(20);
    let expected = [
        (format!("no-credentials from - {place} -"), Some(401), false),
        (
            format!(r#"granted from 192.0.2.1 {place} "Mufasa""#),
            None,
            false,
        ),
        (
            format!(
                "wrong-credentials from 192.0.2.1 {place} \"{}",
                &shown[..99]
            ),
            Some(401),
            false,
        ),
        (
            format!(r#"store-failed from - {place} "Zazu""#),
            Some(503),
            true,
        ),
        (
            format!(r#"nothing-offered from - {place} -"#),
            Some(403),
            true,
        ),
    ];
    assert_eq!(*lines.lock().unwrap(), expected);
}
