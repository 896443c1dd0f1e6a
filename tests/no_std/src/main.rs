//! The crate in a program that has no standard library: it lets in a request that curl sent, once.
#![no_std]
#![no_main]

mod platform;

use core::ffi::c_int;

use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, Realm, Reason};
use countersign::{Channel, EntityBody, Target, Timestamp};

/// As curl 7.88.1 sent it to a server with this key, less than a second after it got the nonce.
const AUTHORIZATION: &str = r#"Digest username="Mufasa", realm="cluster", nonce="AaImSSbtmYpCq4wvc3Ihc5-wRpelqhtBBd9EVaUr", uri="/dir/index.html", cnonce="NGU5ZmQwMmY0ZjYxNzUwNDQ3ZjRkODg0YjIyZjZmMDk=", nc=00000001, qop=auth, response="ef59a8fafbe37191b01d01368cd584af6215ff05ef24c7e2c0f417ab40d3e0f0", algorithm=SHA-256"#;
/// The second after that.
const ARRIVED_SECS: u64 = 1_795_938_659;

/// What the server answered.
const INFO: &str = r#"qop=auth, rspauth="ffd1a2cb83abdc9d0047857203586a6f8727eae5980904e83e9ff0e64aa60df6", cnonce="NGU5ZmQwMmY0ZjYxNzUwNDQ3ZjRkODg0YjIyZjZmMDk=", nc=00000001"#;

fn server() -> Option<Authenticator> {
    let realm = Realm::new("cluster").ok()?;
    let realm = realm.with_algorithms(&[Algorithm::SHA_256]);
    let (mut key, mut next) = ([0; 32], 0..32);
    key.fill_with(|| next.next().unwrap_or_default());
    Some(Authenticator::from_fresh_seed(realm, 4, key))
}

/// Whether the request is let in with the answer that was captured, or why it is not.
fn serve(server: &Authenticator, uri: &str, password: &str) -> Result<bool, Reason> {
    let target = Target::new("GET", uri);
    let now = Timestamp::from_unix_millis(ARRIVED_SECS * 1000);
    let arrival = Arrival::new(Channel::Cleartext, now);
    let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "cluster", password);
    let find = |user: &User<'_>, _| (user.name() == Some("Mufasa")).then_some(ha1);
    let grant = server.check([AUTHORIZATION].into_iter(), &target, arrival, find);
    let grant = grant.map_err(|refusal| refusal.reason)?;
    let info = grant.authentication_info(EntityBody::Bytes(b"hello Mufasa\n"));
    Ok(info.is_some_and(|info| info == INFO))
}

/// Returns the number of the check that failed.
fn failed() -> c_int {
    let Some(server) = server() else {
        return 1;
    };
    let (uri, password) = ("/dir/index.html", "Circle of Life");
    for (number, (uri, password, expected)) in (2..).zip([
        (uri, "Circle of Lies", Err(Reason::WrongCredentials)),
        ("/other", password, Err(Reason::UriMismatch)),
        (uri, password, Ok(true)),
        (uri, password, Err(Reason::Replayed)),
    ]) {
        if serve(&server, uri, password) != expected {
            return number;
        }
    }
    #[cfg(feature = "precis")]
    if countersign::precis::username("Ja\u{308}s\u{f8}n") != "J\u{e4}s\u{f8}n" {
        return 6;
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    failed()
}
