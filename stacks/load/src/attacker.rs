//! Floods: each task sends as fast as the server answers.
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use hyper::header::WWW_AUTHENTICATE;
use hyper::{Response, StatusCode};
use loopback::Error;

use crate::PASSWORD;
use crate::connection::Connection;
use crate::forger::Forger;

/// What an attacker sends.
#[derive(Clone, Copy)]
pub enum Attack {
    /// Nothing but the request.
    Bare,
    /// Answers with a valid nonce and a wrong password.
    WrongPassword,
    /// Answers of a user of their own, each again and again, and then their count with another URI.
    Replay,
}

/// How often an answer is sent again.
const REPLAYS: u32 = 8;

/// What an attacker got.
#[derive(Clone, Copy, Default)]
pub struct Got {
    pub requests: u64,
    /// Granted as they should be.
    pub granted: u64,
    /// Granted that should not have been.
    pub wrongly: u64,
}

pub async fn attack(attack: Attack, address: SocketAddr, until: Instant) -> Result<Got, Error> {
    let mut connection = Connection::new(address);
    let mut forger = match attack {
        Attack::Bare | Attack::WrongPassword => Forger::new("user-0", "Circle of Lies"),
        Attack::Replay => Forger::new("mallory", PASSWORD),
    };
    let mut got = Got::default();
    let mut nc = 0;
    while Instant::now() < until {
        // The server is gone for a moment while it restarts.
        let round = round(attack, &mut connection, &mut forger, &mut nc, &mut got);
        if round.await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    Ok(got)
}

async fn round(
    attack: Attack,
    connection: &mut Connection,
    forger: &mut Forger,
    nc: &mut u32,
    got: &mut Got,
) -> Result<(), Error> {
    if matches!(attack, Attack::Bare) || *nc == 0 {
        let response = send(connection, "/", None, got).await?;
        got.wrongly += u64::from(response.status() == StatusCode::OK);
        renew(forger, &response, nc);
        return Ok(());
    }
    *nc += 1;
    let answer = forger.answer("/", *nc)?;
    let response = send(connection, "/", Some(answer.as_bytes()), got).await?;
    match (attack, response.status() == StatusCode::OK) {
        (Attack::Replay, true) => got.granted += 1,
        (_, true) => got.wrongly += 1,
        (Attack::Replay, false) => {
            // The nonce is too old, or the server was restarted.
            renew(forger, &response, nc);
            return Ok(());
        }
        (_, false) => return Ok(()),
    }
    let moved = forger.answer("/moved", *nc)?;
    for number in 0..=REPLAYS {
        let (uri, again) = match number {
            REPLAYS => ("/moved", &moved),
            _ => ("/", &answer),
        };
        let response = send(connection, uri, Some(again.as_bytes()), got).await?;
        got.wrongly += u64::from(response.status() == StatusCode::OK);
    }
    Ok(())
}

async fn send(
    connection: &mut Connection,
    uri: &str,
    credentials: Option<&[u8]>,
    got: &mut Got,
) -> Result<Response<Bytes>, Error> {
    let response = connection.get(uri, credentials).await?;
    got.requests += 1;
    Ok(response)
}

/// Takes the nonce of a refusal.
fn renew(forger: &mut Forger, response: &Response<Bytes>, nc: &mut u32) {
    if let Some(challenge) = response.headers().get(WWW_AUTHENTICATE) {
        forger.challenged(challenge.as_bytes());
        *nc = 1;
    }
}
