//! A scripted simulation of clients, a server with its user store, the clock, and an attacker
//! between them.
//!
//! The properties, for every script:
//! - a request is granted only if a user sent it: with the right password, this method, this `uri`,
//!   and this body where the response covers it, and with a nonce that the server issued under the
//!   same binding;
//! - no count of a nonce, and no nonce that is valid for one use, is granted twice to an account,
//!   however the header is spelled and whichever names the store treats as equal;
//! - a password is accepted only over a channel on which it is allowed;
//! - a client stops after as many requests as its policy allows, and sends nothing to another origin;
//! - after an attack of any kind, an honest server admits a client within two requests, and if the
//!   attacker refused the right password, within two of one of the next 64 exchanges.

mod attacker;
mod client;
mod header;
mod memory;
mod other_client;
mod request;
mod rng;
mod script;
mod server;
mod store;
mod world;

use script::Script;
use world::World;

/// Enough for a long interaction, and few enough for many scripts per second.
const MAX_ACTIONS: usize = 64;

/// Runs `data` as a script.
pub fn session(data: &[u8]) {
    let mut script = Script::new(data);
    let mut world = World::new(&mut script);
    for _ in 0..MAX_ACTIONS {
        if script.is_empty() {
            break;
        }
        world.act(&mut script);
    }
    world.end();
}
