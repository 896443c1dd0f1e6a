//! What the type system is meant to promise, checked by compiling.

use std::collections::HashMap;

use countersign::client::{Ask, AuthCache, Client, Endpoint, Exchange, GiveUp, LoginError};
use countersign::digest::{Algorithm, Ha1, HashFunction, HexDigest, User, userhash};
use countersign::server::{
    Arrival, Attempt, Authenticator, Grant, NonceKeys, PendingClaim, Quirk, Realm, Reason, Receipt,
    Refusal, SharedStore, StoreReply, UriCheck, Verdict, Verified,
};
use countersign::wire::{AuthenticationInfo, DigestChallenge, DigestCredentials};
use countersign::{
    Authorization, Channel, FieldValue, HeaderError, InvalidText, RawChallenge, Target, Text,
    Timestamp, raw_challenges,
};

fn send_sync<T: Send + Sync>() {}
fn copy<T: Copy>() {}
fn clone<T: Clone>() {}
fn bytes<T: AsRef<[u8]>>() {}
fn hash<T: std::hash::Hash + Eq>() {}
fn owned<T: 'static>() {}
fn error<T: std::error::Error + Send + Sync + 'static>() {}

#[test]
fn types_are_send_and_sync_and_errors_static() {
    send_sync::<(Client, Ask, Exchange, AuthCache, Realm, NonceKeys)>();
    send_sync::<(Authorization<'_>, Ha1, FieldValue, Receipt, Refusal)>();
    // Without it a server belongs to one thread, with all that borrows it.
    #[cfg(feature = "std")]
    send_sync::<(Authenticator, Authenticator<SharedStore>, Attempt<'_>)>();
    #[cfg(feature = "std")]
    send_sync::<(Verified<'_, Ha1>, Grant<'_, Ha1>, PendingClaim<'_, Ha1>)>();
    owned::<(Receipt, Refusal, FieldValue, Reason)>();
    copy::<(RawChallenge<'_>, Text<'_>, AuthenticationInfo<'_>)>();
    copy::<(DigestChallenge<'_>, DigestCredentials<'_>)>();
    copy::<(HeaderError, InvalidText, Reason)>();
    copy::<(Quirk, UriCheck, StoreReply, Verdict<()>)>();
    clone::<(Exchange, Endpoint, Ask, Realm)>();
    clone::<(Attempt<'_>, Refusal, Receipt)>();
    bytes::<FieldValue>();
    hash::<(HeaderError, Reason, HexDigest, HashFunction)>();
    error::<HeaderError>();
    error::<InvalidText>();
    error::<Reason>();
    error::<GiveUp>();
    error::<LoginError>();
}

/// Compiles only if the type is not `Clone`.
macro_rules! is_not_clone {
    ($type:ty) => {{
        trait AmbiguousIfClone<Reason> {
            fn check() {}
        }
        struct Cloned;
        impl<T: ?Sized> AmbiguousIfClone<()> for T {}
        impl<T: ?Sized + Clone> AmbiguousIfClone<Cloned> for T {}
        <$type as AmbiguousIfClone<_>>::check();
    }};
}

/// One key for two memories of counts would grant a captured header twice, and so would two grants
/// of one request.
#[test]
fn keys_nonces_and_verdicts_are_not_clone() {
    is_not_clone!(NonceKeys);
    is_not_clone!(Authenticator);
    is_not_clone!(Authenticator<SharedStore>);
    is_not_clone!(Arrival<'static>);
    is_not_clone!(Verified<'static, ()>);
    is_not_clone!(PendingClaim<'static, ()>);
    is_not_clone!(Grant<'static, ()>);
}

/// The name of a column, or a setting: that of its plain algorithm.
#[test]
fn hash_functions_have_names() {
    for &hash in HashFunction::ALL {
        let name = hash.to_string();
        for written in [name.clone(), name.to_lowercase(), name.to_uppercase()] {
            let algorithm: Algorithm = written.parse().unwrap();
            let found = (algorithm.hash_function(), algorithm.is_sess());
            assert_eq!(found, (hash, false));
        }
    }
}

/// A store that finds users by the hash of their name.
#[test]
fn digests_are_map_keys() {
    let hash = HashFunction::Sha256;
    let names = ["Mufasa", "Scar", "Jäsøn Doe"];
    let users: HashMap<HexDigest, &str> = names
        .into_iter()
        .map(|name| (userhash(hash, name, "files"), name))
        .collect();
    for name in names {
        let digest = userhash(hash, name, "files");
        assert_eq!(users[&digest], name);
        // Of either case, as it came in a header.
        let upper = digest.as_str().to_uppercase();
        let sent = |algorithm| {
            let value = format!(
                "Digest username={upper}, userhash=true, realm=files, nonce=n, uri=\"/\", \
                 response={upper}, algorithm={algorithm}"
            );
            match Authorization::parse(&value).unwrap().user() {
                Some(User::Hash(read)) => read,
                _ => unreachable!(),
            }
        };
        assert_eq!(users.get(&sent("SHA-256")), Some(&name));
        let other = sent("SHA-512-256");
        assert_eq!(users.get(&other), None, "of another hash function");
    }
    assert_eq!(users.get(&userhash(hash, "nobody", "files")), None);
}

/// Every way an HTTP library may hand over header values.
#[test]
fn header_values_of_every_type_are_accepted() {
    let mut map = http::HeaderMap::new();
    map.append("www-authenticate", "Basic realm=x".parse().unwrap());
    map.append("www-authenticate", "Digest realm=x".parse().unwrap());
    map.insert("authorization", "Basic dTpw".parse().unwrap());
    let owned = ["Basic realm=x".to_owned()];
    let bytes: Vec<&[u8]> = vec![b"Basic realm=x"];

    assert_eq!(raw_challenges(map.get_all("www-authenticate")).count(), 2);
    assert_eq!(raw_challenges(&owned).count(), 1);
    assert_eq!(raw_challenges(bytes).count(), 1);
    assert_eq!(raw_challenges(["Basic realm=x"]).count(), 1);
    assert_eq!(raw_challenges(Some("Basic realm=x")).count(), 1);
    assert!(Authorization::parse(&map["authorization"]).is_ok());
    assert!(Authorization::parse("Basic dTpw").is_ok());
    assert!(Authorization::parse(b"Basic dTpw").is_ok());
    assert!(AuthenticationInfo::parse(map.get_all("authentication-info")).is_ok());

    // A server takes all values of its field, of whatever type.
    let realm = Realm::new("x").unwrap().with_basic();
    let auth = Authenticator::from_fresh_seed(realm, 1, [1; 32]);
    let target = Target::new("GET", "/");
    let now = Timestamp::from_unix_millis(1_700_000_000 * 1000);
    let arrival = || Arrival::new(Channel::Encrypted, now);
    let sent = b"Basic dTpw".to_vec();
    let fields = map.get_all("authorization");
    let begun = [
        auth.begin(fields.iter(), &target, arrival()).is_ok(),
        auth.begin(["Basic dTpw"].into_iter(), &target, arrival())
            .is_ok(),
        auth.begin([&sent].into_iter(), &target, arrival()).is_ok(),
    ];
    assert_eq!(begun, [true; 3]);
}

/// A caller may hold its generator as a trait object, and one that can fail as it is.
#[cfg(feature = "std")]
#[test]
fn a_generator_may_be_a_trait_object() {
    use countersign::rand_core::{CryptoRng, TryCryptoRng, UnwrapErr};
    use countersign::server::Authenticator;

    let rng: &mut dyn CryptoRng = &mut UnwrapErr(getrandom::SysRng);
    let fallible: &mut dyn TryCryptoRng<Error = getrandom::Error> = &mut getrandom::SysRng;
    let realm = || Realm::new("x").unwrap();
    assert!(Authenticator::new(realm(), 1, rng).is_ok());
    assert!(Authenticator::new(realm(), 1, fallible).is_ok());
    let keys = "07".repeat(32).parse().unwrap();
    assert!(Authenticator::for_shared_store(realm(), &keys, fallible).is_ok());
}
