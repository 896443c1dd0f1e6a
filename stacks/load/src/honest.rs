//! A user who knows the password.
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
use countersign::{EntityBody, Target};
use loopback::Error;

use crate::PASSWORD;
use crate::connection::Connection;

pub struct Honest {
    name: String,
    uri: String,
    client: Client,
    connection: Connection,
    /// Of the requests that were granted, from the first byte sent to the last one received.
    pub latencies: Vec<Duration>,
    /// How often credentials were refused.
    pub refused: u32,
    /// How often the user was prompted.
    pub prompts: u32,
}

impl Honest {
    pub fn new(address: SocketAddr, name: &str, uri: &str) -> Result<Self, Error> {
        let (host, port) = (address.ip().to_string(), address.port());
        let endpoint = Endpoint::origin("http", &host, Some(port))?;
        Ok(Self {
            name: name.to_owned(),
            uri: uri.to_owned(),
            client: Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?,
            connection: Connection::new(address),
            latencies: Vec::new(),
            refused: 0,
            prompts: 0,
        })
    }

    /// Sends one request until it is granted. Returns whether it was, and not lost with its
    /// connection.
    ///
    /// # Errors
    ///
    /// If the server refuses it for good.
    pub async fn get(&mut self) -> Result<bool, Error> {
        let target = Target::new("GET", &self.uri).with_body(EntityBody::Empty);
        let mut exchange = Exchange::new();
        loop {
            let start = Instant::now();
            let answer = self.client.authorize(&mut exchange, &target)?;
            let answer = answer.for_new_request();
            let answered = answer.is_some();
            let sent = self.connection.get(&self.uri, answer.map(AsRef::as_ref));
            let Ok(response) = sent.await else {
                return Ok(false);
            };
            let status = response.status().as_u16();
            self.refused += u32::from(answered && status != 200);
            let field = |name| response.headers().get_all(name).iter();
            let body = EntityBody::Bytes(response.body());
            match self.client.received(&mut exchange, status, field, body)? {
                Next::Done(_) if answered && status == 200 => {
                    self.latencies.push(start.elapsed());
                    return Ok(true);
                }
                Next::Done(_) => return Err(format!("status {status}").into()),
                Next::Retry => {}
                Next::Login(ask) => {
                    self.prompts += 1;
                    let account = Account::new(&self.name, PASSWORD);
                    self.client.login(&ask, &account)?;
                }
                Next::GiveUp(why) => return Err(why.into()),
            }
        }
    }
}

/// The latency that 99 of 100 requests keep.
pub fn p99(latencies: &mut [Duration]) -> Duration {
    latencies.sort_unstable();
    let at = (latencies.len() * 99 / 100).min(latencies.len().saturating_sub(1));
    latencies.get(at).copied().unwrap_or_default()
}
