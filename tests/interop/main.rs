//! The example programs against other clients and servers, over loopback.
//!
//! Each test starts what it needs on a free port and ends it. A test whose peer is not installed
//! says so and passes. The programs are built first if they are not up to date. The servers among
//! them are for many threads, and so need `std`.
#![cfg(all(unix, feature = "std"))]

#[cfg(feature = "md5")]
mod apache;
mod curl;
mod fetch;
mod lighttpd;
#[cfg(feature = "md5")]
mod matrix;
mod process;
mod programs;
mod rtsp;
mod wire;

/// Who may log in everywhere.
const USER: &str = "Mufasa";
const PASSWORD: &str = "Circle Of Life";
const LOGIN: &str = "Mufasa:Circle Of Life";
const REALM: &str = "test realm";

/// What servers and clients are most likely to get wrong. The files of `tests/peers` have it, too.
#[cfg(feature = "md5")]
const QUOTED_REALM: &str = r#"a"b\c"#;
#[cfg(feature = "md5")]
const UTF8_USER: &str = "Jäsøn";
#[cfg(feature = "md5")]
const UTF8_PASSWORD: &str = "pässword";
const UTF8_LOGIN: &str = "Jäsøn:pässword";

/// SHA-1 of the password, as `htpasswd` files have it: there is no other form without a salt.
#[cfg(feature = "md5")]
const PASSWORD_SHA: &str = "HDWE96v093gThQ8bU2xY5rEgegA=";

/// A line of a file as `htdigest` writes it.
fn htdigest(
    hash: countersign::digest::HashFunction,
    (user, realm, password): (&str, &str, &str),
) -> String {
    let ha1 = countersign::digest::Ha1::new(hash, user, realm, password);
    format!("{user}:{realm}:{}", ha1.as_hex())
}

/// Whether this build knows all algorithms of a list: without the feature `md5` they are fewer.
fn is_known(algorithms: &str) -> bool {
    let mut names = algorithms.split(',');
    let is_known = names.all(|name| name.parse::<countersign::digest::Algorithm>().is_ok());
    if !is_known {
        println!("skipped: {algorithms} is not in this build");
    }
    is_known
}
