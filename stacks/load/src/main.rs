//! Servers under load, on loopback: see `run` beside this package.
//!
//! ```text
//! load serve LISTEN USERS LIFETIME [LOG]   a server on hyper, until it gets SIGTERM
//! load layer LISTEN                        the same with countersign-tower, until it is killed
//! load drive NAME PID URL                  requests a second, latency, CPU time and memory of a server
//! load flood SECONDS USERS                 honest clients beside attackers, a rotated key and a restart
//! ```
mod attacker;
mod child;
mod connection;
mod drive;
mod flood;
mod forger;
mod honest;
mod layer;
mod log;
mod process;
mod server;

use loopback::Error;

/// The password of all users.
const PASSWORD: &str = "Circle Of Life";

#[tokio::main]
async fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve", listen, users, lifetime, ref log @ ..] => {
            let log = log.first().copied();
            server::serve(listen, users.parse()?, lifetime.parse()?, log).await
        }
        ["layer", listen] => layer::serve(listen).await,
        ["drive", name, pid, url] => drive::drive(name, pid.parse()?, url).await,
        ["flood", seconds, users] => flood::flood(seconds.parse()?, users.parse()?).await,
        _ => Err("usage: load serve | layer | drive | flood".into()),
    }
}
