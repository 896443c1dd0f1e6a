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

use countersign::client::{Client, Endpoint, Policy};
use countersign::digest::Algorithm;
use countersign::rand_core::TryRng;
use countersign::server::Realm;
use countersign::{EntityBody, Target};
use getrandom::SysRng;
use libc_print::std_name::{eprintln, println};

use fetch::fetch;
use valve::Valve;

/// Asks twice: the second time it is let in at once.
fn open(password: &str) -> Result<String, Box<dyn Error>> {
    let mut key = [0; 32];
    SysRng.try_fill_bytes(&mut key)?;
    let realm = Realm::new("valve")?.with_algorithms(&[Algorithm::SHA_256]);
    let mut valve = Valve::new(realm, key);
    let endpoint = Endpoint::origin("http", "valve", None)?;
    let policy = Policy::new().require_server_proof();
    let mut client = Client::new(endpoint, policy, &mut SysRng)?;
    let target = Target::new("PUT", "/valve").with_body(EntityBody::Bytes(b"open"));
    let outcome =
        (0..2).try_for_each(|_| fetch(&mut client, &mut valve, &target, password).map(drop));
    let outcome = outcome.map_or_else(|why| why.to_string(), |()| "open".to_string());
    Ok(format!("{outcome}, {} requests", valve.requests))
}

fn run() -> Result<(), Box<dyn Error>> {
    let expected = [
        ("Circle of Life", "open, 3 requests"),
        ("Hakuna Matata", "wrong user name or password, 2 requests"),
    ];
    for (password, expected) in expected {
        let shown = open(password)?;
        println!("{shown}");
        if shown != expected {
            return Err(format!("expected {expected}").into());
        }
    }
    Ok(())
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
