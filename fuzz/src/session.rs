//! A script of both roles, the clock and an attacker.
//!
//! What must hold, whatever the script:
//! - nobody is granted anything but the user whose password was used;
//! - no count of a nonce is granted twice;
//! - a client stops after as many requests as its policy allows.

use std::collections::HashSet;

use countersign::client::{Client, Exchange, Next, Policy};
use countersign::digest::{Algorithm, Cnonce, Ha1, Hash, QopSet, User, userhash};
use countersign::rand_core::{Infallible, TryCryptoRng, TryRng};
use countersign::server::{Arrival, NonceKey, Rejection, ReplayTable, Server};
use countersign::{Authorization, Body, Channel, Target, Timestamp};

const REALM: &str = "realm";
const USER: &str = "Mufasa";
const PASSWORD: &str = "Circle of Life";
const URIS: [&str; 3] = ["/", "/a?b", "*"];
const MAX_ANSWERS: u8 = 2;

/// Runs the script that `data` is.
pub fn session(data: &[u8]) {
    let mut bytes = data.iter().copied();
    let Some(config) = bytes.next() else { return };
    let mut world = World::new(config, bytes.next().unwrap_or(0));
    while let Some(action) = bytes.next() {
        let mut operand = || bytes.next().unwrap_or(0);
        match action % 8 {
            0 => world.fetch(0, operand()),
            1 => world.fetch(1, operand()),
            2 => world.replay(operand()),
            3 => world.replay_mutated(operand(), operand(), operand()),
            4 => world.now = world.now.plus_millis(u64::from(operand()) * 40),
            5 => {
                let back = u64::from(operand()) * 40;
                let now = world.now.as_unix_millis().saturating_sub(back);
                world.now = Timestamp::from_unix_millis(now);
            }
            6 => world.rotate(operand()),
            _ => {
                let length = usize::from(operand());
                let value: Vec<u8> = bytes.by_ref().take(length).collect();
                world.hostile_challenge(&value);
            }
        }
    }
}

struct World {
    config: u8,
    server: Server,
    replays: ReplayTable,
    now: Timestamp,
    rng: Counter,
    /// The first knows the password, the second does not.
    clients: [Client; 2],
    /// What was sent: the header, and for which request-target.
    captured: Vec<(Vec<u8>, &'static str)>,
    granted: HashSet<(Vec<u8>, u32)>,
    key: u8,
}

impl World {
    fn new(config: u8, capacity: u8) -> Self {
        let policy = Policy::new()
            .with_rfc2069()
            .with_max_answers(MAX_ANSWERS)
            .prefer_auth_int();
        let client = Client::new(Channel::Encrypted, policy);
        Self {
            config,
            server: server(config, 0),
            replays: ReplayTable::with_capacity(usize::from(capacity % 9)),
            now: Timestamp::from_unix_secs(1_700_000_000),
            rng: Counter(0),
            clients: [client.clone(), client],
            captured: Vec::new(),
            granted: HashSet::new(),
            key: 0,
        }
    }

    /// One request of a user, until the client stops.
    fn fetch(&mut self, who: usize, uri: u8) {
        let uri = URIS[usize::from(uri) % URIS.len()];
        let target = Target::new("GET", uri).with_body(Body::Bytes(b""));
        let mut exchange = Exchange::new();
        for _ in 0..=MAX_ANSWERS {
            let cnonce = Cnonce::generate(&mut self.rng);
            let Ok(answer) = self.clients[who].authorize(&mut exchange, &target, &cnonce) else {
                return;
            };
            let header = answer.map(|answer| answer.as_bytes().to_vec());
            if let Some(header) = &header {
                assert!(header.iter().all(|byte| !byte.is_ascii_control()));
                self.captured.push((header.clone(), uri));
            }
            match self.serve(header.as_deref(), uri) {
                Ok(info) => {
                    assert_eq!(who, 0, "granted without the password");
                    let info = info.iter().map(String::as_str);
                    self.clients[who]
                        .accepted(&mut exchange, info, Body::Bytes(b""))
                        .expect("our own server's proof");
                    return;
                }
                Err(challenges) => match self.clients[who].challenged(&mut exchange, &challenges) {
                    Next::Login => {
                        let password = [PASSWORD, "wrong"][who];
                        self.clients[who].login(USER, password).expect("plain text");
                    }
                    Next::Retry => {}
                    Next::Refused(_) => return,
                },
            }
        }
        panic!("the client went on for more than one request and {MAX_ANSWERS} answers");
    }

    /// The server's side of one request: what to add to a grant, or what to refuse it with.
    fn serve(&mut self, header: Option<&[u8]>, uri: &str) -> Result<Option<String>, Vec<String>> {
        let target = Target::new("GET", uri).with_body(Body::Bytes(b""));
        let mut arrival = Arrival::new(Channel::Encrypted, self.now);
        // As it should be, and as it may be left out.
        if self.key % 2 == 0 {
            arrival = arrival.not_before(self.replays.horizon());
        }
        let (replays, granted) = (&mut self.replays, &mut self.granted);
        let mut admit = || -> Result<Option<String>, Rejection> {
            let attempt = self.server.begin(header, &target, &arrival)?;
            let ha1 = secret(&attempt.claimed_user(), attempt.hash());
            let grant = replays.admit(attempt.verify(ha1.as_ref())?)?;
            assert!(secret(&grant.user(), Hash::Sha256).is_some());
            if let Ok(Authorization::Digest(credentials)) =
                Authorization::parse(header.unwrap_or(b""))
            {
                let nc = credentials
                    .protection()
                    .map_or(0, |protection| protection.nc());
                let nonce = credentials.nonce().to_bytes().into_owned();
                assert!(granted.insert((nonce, nc)), "granted twice");
            }
            let next = self.server.next_nonce(&grant, &arrival, &mut self.rng);
            Ok(grant.info(next.as_ref(), Body::Bytes(b"")))
        };
        admit().map_err(|why| {
            self.server
                .challenges(&why, &arrival, &mut self.rng)
                .collect()
        })
    }

    fn replay(&mut self, which: u8) {
        let which = usize::from(which);
        if let Some((header, uri)) = self
            .captured
            .get(which % self.captured.len().max(1))
            .cloned()
        {
            let _ = self.serve(Some(&header), uri);
        }
    }

    fn replay_mutated(&mut self, which: u8, at: u8, byte: u8) {
        let which = usize::from(which) % self.captured.len().max(1);
        if let Some((mut header, uri)) = self.captured.get(which).cloned() {
            // Headers are longer than an operand reaches.
            let at = usize::from(at) * 2 % header.len();
            header[at] = byte;
            let _ = self.serve(Some(&header), uri);
        }
    }

    fn rotate(&mut self, keep: u8) {
        let previous = self.key;
        self.key = self.key.wrapping_add(1);
        self.server = server(self.config, self.key);
        if keep % 2 == 0 {
            let previous = NonceKey::new([previous; 32]);
            self.server = self.server.clone().with_previous_key(previous);
        }
    }

    /// What a client makes of a server that is not ours.
    fn hostile_challenge(&mut self, value: &[u8]) {
        let mut client = self.clients[0].clone();
        let target = Target::new("GET", "/").with_body(Body::Bytes(b""));
        let mut exchange = Exchange::new();
        for _ in 0..=MAX_ANSWERS {
            let cnonce = Cnonce::generate(&mut self.rng);
            if let Ok(Some(answer)) = client.authorize(&mut exchange, &target, &cnonce) {
                let value = answer.as_bytes();
                assert!(
                    value
                        .iter()
                        .all(|byte| !byte.is_ascii_control() || *byte == b'\t')
                );
            }
            match client.challenged(&mut exchange, [value]) {
                Next::Login => client.login(USER, PASSWORD).expect("plain text"),
                Next::Retry => {}
                Next::Refused(_) => return,
            }
        }
        panic!("the client went on for more than one request and {MAX_ANSWERS} answers");
    }
}

/// Only what keeps counts apart is configured: with reusable nonces a replay is granted.
fn server(config: u8, key: u8) -> Server {
    let algorithms: &[Algorithm] = match config & 3 {
        0 => &[Algorithm::SHA_256],
        1 => &[Algorithm::SHA_512_256_SESS, Algorithm::SHA_256],
        2 => Algorithm::ALL,
        _ => &[Algorithm::SHA_256_SESS],
    };
    let qop = match config >> 2 & 3 {
        0 => QopSet::AUTH,
        1 => QopSet::AUTH_INT,
        2 => QopSet::BOTH,
        _ => QopSet::LEGACY,
    };
    let mut server = Server::new(REALM, NonceKey::new([key; 32]))
        .expect("a plain realm")
        .with_algorithms(algorithms)
        .with_qop(qop)
        .with_nonce_lifetime(5);
    if config & 16 != 0 {
        server = server.with_overview_form();
    }
    if config & 32 != 0 {
        server = server.with_one_time_nonces();
    }
    if config & 64 != 0 {
        server = server.with_userhash();
    }
    if config & 128 != 0 {
        server = server.with_rfc2069();
    }
    server
}

fn secret(user: &User<'_>, hash: Hash) -> Option<Ha1> {
    let known = match user {
        User::Name(name) => name == USER,
        User::Hash(hashed) => *hashed == userhash(hashed.hash(), USER, REALM),
        _ => false,
    };
    known.then(|| Ha1::new(hash, USER, REALM, PASSWORD))
}

/// A generator that repeats nothing, which is all the script needs of one.
struct Counter(u64);

impl TryRng for Counter {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|n| (n >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 += 1;
        Ok(self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for place in bytes {
            *place = (self.try_next_u64()? >> 56) as u8;
        }
        Ok(())
    }
}

impl TryCryptoRng for Counter {}
