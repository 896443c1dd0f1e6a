//! What a client holds, and what it tells.

use countersign::client::{
    Account, AuthCache, Client, Endpoint, Error, Exchange, Field, GiveUp, LoginError, Next, Policy,
    Quirk, SkipReason,
};
use countersign::digest::{BodyHasher, HashFunction};
use countersign::{Challenge, EntityBody, InvalidText, Target, challenges};

use super::{HEX, MARK, hides, hides_error};

fn challenge(more: &str) -> String {
    format!(
        "Digest realm=\"{MARK}\", nonce=\"{MARK}\", opaque=\"{MARK}\", domain=\"/{MARK}\", \
         qop=auth, algorithm=SHA-256{more}"
    )
}

fn client() -> Client {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let seed = *HEX.as_bytes().first_chunk().unwrap();
    Client::from_seed(endpoint, Policy::new(), seed)
}

/// A login by Digest and by Basic, from the challenge to the refusal.
pub(super) fn client_steps_are_redacted() {
    let seed = *HEX.as_bytes().first_chunk().unwrap();
    let account = &Account::new(MARK, MARK).for_realm(MARK).with_basic();
    hides(account);
    for value in &[challenge(""), format!("Basic realm=\"{MARK}\"")] {
        let mut cache = AuthCache::from_seed(2, Policy::new(), seed);
        let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
        hides(&endpoint);
        let client = cache.client(&endpoint);
        let mut exchange = Exchange::new();
        hides(&exchange);
        let next = client.challenged(&mut exchange, challenges([value]));
        hides(&next);
        let Next::Login(ask) = next else {
            panic!("no login")
        };
        hides(&ask);
        client.login(&ask, account).unwrap();
        let uri = format!("/{MARK}/{MARK}?{MARK}");
        let target = Target::new(MARK, &uri).with_body(EntityBody::Bytes(MARK.as_bytes()));
        hides(&target);
        hides(&target.body);
        hides::<Field<'_>>(&client.authorize(&mut exchange, &target).unwrap());
        hides(&exchange);
        hides(client);
        let info = format!("nextnonce=\"{MARK}\", rspauth=\"{HEX}\"");
        let proof = client.completed(&mut exchange, 200, [&info].into_iter(), EntityBody::Unknown);
        proof.iter().for_each(hides);
        proof.err().iter().for_each(hides_error::<Error>);
        hides(client);
        // And the refusal of it.
        let mut exchange = Exchange::new();
        for _ in 0..2 {
            let _ = client.authorize(&mut exchange, &target).unwrap();
            let next = client.challenged(&mut exchange, challenges([value]));
            hides(&next);
            if let Next::GiveUp(why) = next {
                hides_error::<GiveUp>(&why);
            }
            hides(client);
        }
        hides_error::<LoginError>(&client.login(&ask, account).unwrap_err());
        hides(&cache);
    }
}

pub(super) fn client_errors_are_redacted() {
    let (mut client, mut exchange) = (client(), Exchange::new());
    for value in [
        format!("{MARK} {MARK}={MARK}"),
        format!("Digest realm={MARK}, realm={MARK}"),
        format!("Digest realm={MARK}, nonce={MARK}, algorithm={MARK}"),
        challenge(&format!(", opaque2=\"{}\"", MARK.repeat(900))),
    ] {
        let next = client.challenged(&mut exchange, challenges([&value]));
        hides(&next);
        if let Next::GiveUp(why) = next {
            hides_error(&why);
            if let GiveUp::NoUsableChallenge(skipped) = why {
                skipped.iter().for_each(hides::<SkipReason>);
            }
        }
    }
    for target in [Target::new("a b", "/"), Target::new("GET", "/\0hunter2")] {
        let error = client
            .authorize(&mut exchange, &target)
            .map(Field::for_new_request)
            .unwrap_err();
        hides_error::<Error>(&error);
    }
    let error = LoginError::Text(InvalidText::Control(1));
    hides_error(&error);
    hides_error(&Error::from(error));
}

pub(super) fn other_types_are_redacted() {
    let value = challenge("");
    let values = [&value];
    let found = challenges(values).next().unwrap().unwrap();
    hides::<Challenge<'_>>(&found);
    let mut hasher = BodyHasher::new(HashFunction::Sha256);
    hasher.update(MARK.as_bytes());
    hides(&hasher);
    hides(&Policy::new());
    hides(&Quirk::Rfc2069);
}
