//! A script of clients, a server with its user store, the clock, and an attacker who sits between
//! them.
//!
//! What must hold, whatever the script:
//! - a request is granted only if a user sent it: with the right password, this method, this `uri`,
//!   and this body where the response covers it, and with a nonce that the server issued under the
//!   same binding;
//! - no count of a nonce is granted twice to an account, nor a nonce that is good for one use,
//!   however the header is written and whatever the store takes for the same name;
//! - a password is taken only over a channel that it was allowed on;
//! - a client stops after as many requests as its policy allows, sends nothing for another origin,
//!   and foretells what it sends;
//! - after whatever the attacker said, an honest server lets a client in within two requests.

mod attacker;
mod client;
mod header;
mod memory;
mod request;
mod rng;
mod script;
mod server;
mod store;
mod world;

use script::Script;
use world::World;

/// Enough for a story, and little enough for many of them a second.
const MAX_ACTIONS: usize = 64;

/// Runs the script that `data` is.
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
