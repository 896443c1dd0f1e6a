//! A client and a server without std: two devices, of which one tells the other to open a valve.
//!
//! ```text
//! cargo run
//! ```
#![no_std]
#![no_main]

extern crate alloc;

mod fetch;
mod platform;
mod valve;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::error::Error;
use core::ffi::c_int;

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::{Algorithm, QopSet};
use countersign::rand_core::TryRng;
use countersign::server::Realm;
use countersign::{EntityBody, Target, challenges};
use getrandom::SysRng;
use libc_print::std_name::{eprintln, println};

use fetch::{Wire, fetch};
use valve::Valve;

const PASSWORD: &str = "Circle of Life";

/// How long somebody can hold a request back. A client needs no longer for its answer.
const NONCE_LIFETIME_SECS: u32 = 5;

fn devices(realm: &str, password: &str) -> Result<(Client, Valve), Box<dyn Error>> {
    let mut key = [0; 32];
    SysRng.try_fill_bytes(&mut key)?;
    // The channel is in clear, so responses cover the body. A nonce is for one request, and lives
    // for seconds.
    let realm = Realm::new(realm)?
        .with_algorithms(&[Algorithm::SHA_256])
        .with_qop(QopSet::AUTH_INT)
        .with_one_time_nonces(true)
        .with_nonce_lifetime(NONCE_LIFETIME_SECS);
    let endpoint = Endpoint::origin("http", "valve", None)?;
    let policy = Policy::new().require_server_proof();
    let account = Account::new("Mufasa", password).for_realm("valve");
    let client = Client::new(endpoint, policy, &mut SysRng)?.with_account(account)?;
    Ok((client, Valve::new(realm, key)))
}

fn put(body: &'static [u8]) -> Target<'static> {
    Target::new("PUT", "/valve").with_body(EntityBody::Bytes(body))
}

/// Asks twice: the second time it is let in at once.
fn open(realm: &str, password: &str) -> Result<String, Box<dyn Error>> {
    let (mut client, mut valve) = devices(realm, password)?;
    let target = put(b"open");
    let outcome = (0..2).try_for_each(|_| fetch(&mut client, &mut valve, &target).map(drop));
    let outcome = outcome.map_or_else(|why| why.to_string(), |()| "open".to_string());
    Ok(format!("{outcome}, {} requests", valve.requests))
}

/// Somebody on the path holds a request back, and delivers it later: with another body, and, after
/// it was sent again, as it was.
fn held_back() -> Result<(), Box<dyn Error>> {
    let (mut client, mut valve) = devices("valve", PASSWORD)?;
    let target = put(b"open");
    fetch(&mut client, &mut valve, &target)?;
    let mut exchange = Exchange::new();
    let held = client.authorize(&mut exchange, &target)?;
    let held = held.for_new_request().cloned();
    let altered = valve.send(&put(b"shut"), held.as_ref()).status;
    fetch(&mut client, &mut valve, &target)?;
    let late = valve.send(&target, held.as_ref()).status;
    println!("held back: altered {altered}, late {late}");
    match (held, altered, late) {
        (Some(_), 401, 401) => Ok(()),
        _ => Err("expected 401".into()),
    }
}

/// Somebody holds a request back, and makes the client repeat it with another nonce, by a genuine
/// challenge to which they add `stale=true`. The nonce of the first request stays unused, so only
/// its lifetime ends what they can do with it.
fn held_back_by_a_forged_stale() -> Result<(), Box<dyn Error>> {
    let (mut client, mut valve) = devices("valve", PASSWORD)?;
    let target = put(b"open");
    fetch(&mut client, &mut valve, &target)?;
    let mut exchange = Exchange::new();
    let held = client.authorize(&mut exchange, &target)?;
    let held = held.for_new_request().cloned();

    let refusal = valve.send(&target, None);
    let (_, challenge) = refusal.fields.first().ok_or("no challenge")?;
    let forged = format!("{}, stale=true", challenge.to_str()?);
    let Next::Retry = client.challenged(&mut exchange, challenges([&forged])) else {
        return Err("expected another answer".into());
    };
    let answer = client.authorize(&mut exchange, &target)?;
    let repeated = valve.send(&target, answer.for_new_request()).status;

    valve.uptime_secs += u64::from(NONCE_LIFETIME_SECS) + 1;
    let late = valve.send(&target, held.as_ref()).status;
    println!("held back, and repeated for a forged stale: {repeated}, late {late}");
    match (held, repeated, late) {
        (Some(_), 200, 401) => Ok(()),
        _ => Err("expected 200, and 401 for the request that came late".into()),
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let expected = [
        ("valve", PASSWORD, "open, 3 requests"),
        (
            "valve",
            "Hakuna Matata",
            "wrong user name or password, 2 requests",
        ),
        (
            "x",
            PASSWORD,
            "no usable challenge: the account is for another realm, 1 requests",
        ),
    ];
    for (realm, password, expected) in expected {
        let shown = open(realm, password)?;
        println!("{shown}");
        if shown != expected {
            return Err(format!("expected {expected}").into());
        }
    }
    held_back()?;
    held_back_by_a_forged_stale()
}

#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    match run() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}
