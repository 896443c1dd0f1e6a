//! What the type system is meant to promise, checked by compiling.

use std::collections::HashSet;

use countersign::client::{Ask, AuthCache, Client, Endpoint, Exchange, GiveUp, LoginError};
use countersign::digest::{BodyHasher, Cnonce, Ha1, Hash, HtdigestError, Qop, User};
use countersign::rand_core::{CryptoRng, UnwrapErr};
use countersign::server::{
    Arrival, Attempt, Grant, Nonce, NonceKey, Proof, Rejection, ReplayTable, Server,
};
use countersign::{
    AuthenticationInfo, Authorization, Challenge, Channel, HeaderError, InvalidText, ParamError,
    ParseError, Text, Timestamp, basic, digest,
};

fn send_sync<T: Send + Sync>() {}
fn copy<T: Copy>() {}
fn clone<T: Clone>() {}
fn bytes<T: AsRef<[u8]>>() {}
fn hash<T: std::hash::Hash + Eq>() {}
fn error<T: std::error::Error + Send + Sync + 'static>() {}

#[test]
fn everything_crosses_threads_and_errors_are_plain_data() {
    send_sync::<(Client, Ask, Exchange, AuthCache, Server, ReplayTable)>();
    send_sync::<(Attempt<'_>, Proof<'_>, Grant<'_>, Authorization<'_>, Ha1)>();
    copy::<(Challenge<'_>, Text<'_>, AuthenticationInfo<'_>, Arrival<'_>)>();
    copy::<(
        basic::Challenge<'_>,
        digest::Challenge<'_>,
        digest::Credentials<'_>,
    )>();
    copy::<(ParseError, ParamError, HeaderError, InvalidText, Rejection)>();
    clone::<(Exchange, Endpoint, Ask, Server)>();
    bytes::<countersign::FieldValue>();
    hash::<(Nonce, HtdigestError)>();
    error::<ParseError>();
    error::<ParamError>();
    error::<HeaderError>();
    error::<InvalidText>();
    error::<HtdigestError>();
    error::<Rejection>();
    error::<GiveUp>();
    error::<LoginError>();
}

#[test]
fn what_has_a_text_displays_it() {
    let rng = &mut UnwrapErr(getrandom::SysRng);
    let server = Server::new("files", NonceKey::generate(rng)).unwrap();
    let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
    let nonce = server.mint(&arrival, rng);
    let cnonce = Cnonce::generate(rng);
    let digest = BodyHasher::new(Hash::Sha256).finish();
    assert_eq!(nonce.to_string(), nonce.as_str());
    assert_eq!(cnonce.to_string(), cnonce.as_str());
    assert_eq!(digest.to_string(), digest.as_str());
    assert_eq!(Qop::AuthInt.to_string(), "auth-int");
}

#[test]
fn users_are_keys_of_a_set() {
    let digest = BodyHasher::new(Hash::Sha256).finish();
    let users = [
        User::Name("Mufasa".into()),
        User::Octets(b"Mufasa".into()),
        User::Name(digest.as_str().into()),
        User::Hash(digest),
    ];
    let set: HashSet<_> = users.iter().cloned().collect();
    assert_eq!(set.len(), users.len());
    assert!(
        users
            .iter()
            .all(|user| set.contains(&user.clone().into_owned()))
    );
    assert!(!set.contains(&User::Name("Scar".into())));
}

#[test]
fn errors_are_a_few_bytes() {
    assert!(size_of::<ParseError>() <= 8);
    assert!(size_of::<ParamError>() <= 2);
    assert!(size_of::<HeaderError>() <= 12);
    assert!(size_of::<Rejection>() <= 16);
}

/// Every way an HTTP library may hand over header values.
#[test]
fn header_values_come_as_they_are() {
    let mut map = http::HeaderMap::new();
    map.append("www-authenticate", "Basic realm=x".parse().unwrap());
    map.append("www-authenticate", "Digest realm=x".parse().unwrap());
    map.insert("authorization", "Basic dTpw".parse().unwrap());
    let owned = ["Basic realm=x".to_owned()];
    let bytes: Vec<&[u8]> = vec![b"Basic realm=x"];

    assert_eq!(
        countersign::challenges(map.get_all("www-authenticate")).count(),
        2
    );
    assert_eq!(countersign::challenges(&owned).count(), 1);
    assert_eq!(countersign::challenges(bytes).count(), 1);
    assert_eq!(countersign::challenges(["Basic realm=x"]).count(), 1);
    assert_eq!(countersign::challenges(Some("Basic realm=x")).count(), 1);
    assert!(Authorization::parse(&map["authorization"]).is_ok());
    assert!(Authorization::parse("Basic dTpw").is_ok());
    assert!(Authorization::parse(b"Basic dTpw").is_ok());
    assert!(AuthenticationInfo::parse(map.get_all("authentication-info")).is_ok());
}

/// A caller may hold its generator as a trait object.
#[test]
fn a_generator_may_be_a_trait_object() {
    let rng: &mut dyn CryptoRng = &mut UnwrapErr(getrandom::SysRng);
    assert_ne!(
        Cnonce::generate(rng).as_str(),
        Cnonce::generate(rng).as_str()
    );
}
