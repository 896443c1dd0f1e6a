//! What a client reads of a response: by its status, and by the name of the field.

use countersign::client::{Account, Client, Endpoint, Error, Exchange, Next, Policy, ServerProof};
use countersign::{EntityBody, Target};

use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Sends, Sent, USER, ask_of, challenge, sent_unasked,
};

/// Final responses of an origin, but for a challenge.
const STATUSES: [u16; 12] = [200, 204, 206, 302, 304, 400, 403, 404, 410, 429, 500, 503];

/// RFC 9110, section 11.6.1: a response that is no 401 may have the field, too. It says that other
/// credentials may change the response, and refuses nothing.
#[test]
fn a_challenge_beside_another_status_changes_nothing() {
    let stale = challenge("n2", ", stale=true");
    let field = |name| Some(stale.as_str()).filter(|_| name == "www-authenticate");
    for status in STATUSES.into_iter().chain([407]) {
        let received = |dialog: &mut Dialog| {
            let (client, exchange) = (&mut dialog.client, &mut dialog.exchange);
            let fields = |name| field(name).into_iter();
            let next = client.received(exchange, status, fields, EntityBody::Unknown);
            assert_eq!(next, Ok(Next::Done(ServerProof::Absent)), "{status}");
        };
        // Nobody is asked to log in,
        let mut dialog = Dialog::new(Policy::new());
        dialog.send("/");
        received(&mut dialog);
        assert_eq!(dialog.would_send_unasked("/"), None, "{status}");

        // and nothing is sent again.
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        let sent = dialog.send("/").expect("an answer");
        assert_eq!(sent.get("nc"), "00000001");
        received(&mut dialog);
        dialog.next_exchange();
        let sent = dialog.send("/").expect("an answer");
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n1", "00000002"));
    }
}

/// RFC 7615, section 3: the field may come with any status.
#[test]
fn a_proof_and_a_next_nonce_are_read_with_any_status() {
    for status in STATUSES {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        assert!(dialog.send("/").is_some());
        let right = format!("{}, nextnonce=\"n2\"", dialog.proof());
        let wrong = format!("rspauth={}, nextnonce=\"n2\"", "0".repeat(64));
        for (info, expected, nonce) in [
            (&right, Ok(ServerProof::Valid), "n2"),
            (&wrong, Err(Error::WrongProof), "n1"),
        ] {
            let mut dialog = dialog.clone();
            assert_eq!(dialog.completed(status, Some(info)), expected, "{status}");
            dialog.next_exchange();
            assert_eq!(dialog.send("/").unwrap().get("nonce"), nonce, "{status}");
        }
    }
}

/// RFC 9110, sections 11.6 and 11.7: what is said to the client of a proxy does not concern the
/// client of the origin, and the reverse.
#[test]
fn the_fields_of_a_proxy_and_of_an_origin_are_told_apart() {
    let [of_origin, of_proxy] = ["origin", "proxy"].map(|name| challenge(name, ""));
    let fields = |name: &str| match name {
        "www-authenticate" => [&*of_origin],
        "proxy-authenticate" => [&*of_proxy],
        "authentication-info" => [r#"nextnonce="next of origin""#],
        "proxy-authentication-info" => [r#"nextnonce="next of proxy""#],
        other => panic!("what is {other}?"),
    };
    let origin = Endpoint::origin("https", "example.com", None).unwrap();
    let proxy = Endpoint::proxy("https", "example.com", 3128);
    for (endpoint, uri, status, name, field) in [
        (origin, "/", 401, "origin", "authorization"),
        (proxy, "https://h/", 407, "proxy", "proxy-authorization"),
    ] {
        assert_eq!(endpoint.challenger().credentials_field(), field);
        let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let target = Target::new("GET", uri);
        assert_eq!(client.sends(&mut exchange, &target), None);
        let body = EntityBody::Unknown;
        let next = client.received(&mut exchange, status, |name| fields(name).into_iter(), body);
        let next = next.unwrap();
        let ask = ask_of(&next).expect("a login is asked for");
        client.login(ask, &Account::new(USER, PASSWORD)).unwrap();
        let answer = client.sends(&mut exchange, &target);
        let sent = Sent::read(answer.expect("an answer").as_bytes());
        assert_eq!(sent.get("nonce"), name);
        let next = client.received(&mut exchange, 200, |name| fields(name).into_iter(), body);
        assert_eq!(next, Ok(Next::Done(ServerProof::Absent)));
        let sent = sent_unasked(&mut client, uri).expect("an answer");
        assert_eq!(sent.get("nonce"), format!("next of {name}"));
    }
}
