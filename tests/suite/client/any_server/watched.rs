//! A client, and what is known of all that it has sent.

use std::collections::BTreeSet;

use countersign::client::{Ask, AuthorizeError, Client, Exchange, Next, Strength};
use countersign::digest::{Algorithm, Ha1};
use countersign::{Channel, EntityBody, Target};

use super::events::{Config, Event, USERS, is_elsewhere};
use crate::support::client::{Sent, ask_of};
use crate::support::generate::Bytes;

/// One request of the user.
#[derive(Default)]
pub(super) struct Line {
    pub(super) exchange: Exchange,
    pub(super) uri: &'static str,
    pub(super) requests: u32,
    /// A request is under way.
    pub(super) waits: bool,
}

/// A client that is watched.
pub(super) struct Watched {
    pub(super) config: Config,
    pub(super) client: Client,
    /// The login that was asked for last.
    pub(super) ask: Option<Ask>,
    /// Who has logged in to which realm so far.
    pub(super) logins: BTreeSet<(Bytes, usize)>,
    pub(super) lines: Vec<Line>,
    /// The nonces and counts that were sent.
    pub(super) counts: Vec<(Bytes, u32)>,
    /// Says which requests must not be answered unasked, whatever the client says.
    pub(super) never_unasked: fn(&str) -> bool,
}

impl Watched {
    pub(super) fn new(config: Config, exchanges: usize, never_unasked: fn(&str) -> bool) -> Self {
        Self {
            config,
            client: config.client(),
            ask: None,
            logins: BTreeSet::new(),
            lines: (0..exchanges).map(|_| Line::default()).collect(),
            counts: Vec::new(),
            never_unasked,
        }
    }

    pub(super) fn happen(&mut self, event: Event) {
        match event {
            Event::Send(at, uri) if !self.lines[at].waits => self.send(at, uri),
            Event::Challenged(at, values) if self.lines[at].waits => self.challenged(at, &values),
            Event::Accepted(at, info) if self.lines[at].waits => {
                let line = &mut self.lines[at];
                let body = EntityBody::Bytes(b"");
                let _ = self.client.completed(&mut line.exchange, 200, &info, body);
                *line = Line::default();
            }
            Event::Login(user) => self.login(user),
            Event::Logout => self.client.logout(),
            _ => {}
        }
    }

    pub(super) fn login(&mut self, user: usize) {
        let Some(ask) = &self.ask else { return };
        let (name, password) = USERS[user];
        if self.client.login(ask, name, password).is_ok() {
            self.logins.insert((ask.realm().to_vec(), user));
        }
    }

    pub(super) fn challenged(&mut self, at: usize, values: &[Bytes]) {
        let line = &mut self.lines[at];
        line.waits = false;
        let next = self.client.challenged(&mut line.exchange, values);
        self.ask = ask_of(&next).cloned().or_else(|| self.ask.take());
        match next {
            Next::Login(_) => self.login(at % USERS.len()),
            Next::Retry => {}
            _ => *line = Line::default(),
        }
    }

    pub(super) fn send(&mut self, at: usize, uri: &'static str) {
        let line = &mut self.lines[at];
        let unasked = line.requests == 0;
        if unasked {
            line.uri = uri;
        }
        let covered = self.client.covers(line.uri);
        let target = Target::new("GET", line.uri).with_body(EntityBody::Bytes(b""));
        let answer = match self.client.authorize(&mut line.exchange, &target) {
            Ok(answer) => answer.map(|answer| answer.as_bytes().to_vec()),
            Err(AuthorizeError::BodyNeeded(_)) => panic!("it is known"),
            Err(error) => panic!("{error}"),
        };
        line.waits = true;
        line.requests += 1;
        // Eight refusals do not count if other requests may be the reason.
        assert!(line.requests <= 9 + 8 + u32::from(self.config.max_answers));
        let uri = line.uri;
        if let Some(value) = answer {
            assert!(!unasked || covered, "{uri} is outside");
            assert!(!unasked || !(self.never_unasked)(uri), "{uri}");
            assert!(!is_elsewhere(uri), "{uri}");
            self.check(&value, &target);
            self.count(&Sent::read(&value));
        }
    }

    /// No count of a nonce comes twice, unless the nonce has been out of use for long.
    pub(super) fn count(&mut self, sent: &Sent) {
        let find = |name: &str| sent.params.iter().find(|(found, _)| found == name);
        let (Some((_, nonce)), Some(_)) = (find("nonce"), find("nc")) else {
            return;
        };
        let count = u32::from_str_radix(sent.get("nc"), 16).expect("a count");
        if let Some(at) = self.counts.iter().rposition(|(before, _)| before == nonce) {
            let (before, since) = self.counts[at..].split_first().expect("the last use");
            let since: BTreeSet<_> = since.iter().map(|(nonce, _)| nonce).collect();
            assert!(count > before.1 || since.len() > 16, "{count} again");
        }
        self.counts.push((nonce.clone(), count));
    }

    /// What holds of every header value.
    pub(super) fn check(&self, value: &[u8], target: &Target<'_>) {
        let sent = Sent::read(value);
        let has = |secret: &str| value.windows(secret.len()).any(|w| w == secret.as_bytes());
        for (_, password) in USERS {
            assert!(!has(password), "the password");
        }
        let strength = match sent.param("algorithm") {
            _ if sent.scheme == "Basic" => Strength::Basic,
            _ if sent.param("qop").is_none() => Strength::DigestRfc2069,
            Some(sha2) if sha2.to_ascii_uppercase().starts_with("SHA") => Strength::DigestSha2,
            _ => Strength::DigestMd5,
        };
        assert!(
            strength >= self.client.strength(),
            "weaker than what was taken"
        );
        if sent.scheme == "Basic" {
            assert!(self.config.basic && self.config.channel == Channel::Encrypted);
            return;
        }
        let param = |name: &str| {
            let found = sent.params.iter().find(|(found, _)| found == name);
            found.map(|(_, value)| value.as_slice())
        };
        let realm = param("realm").unwrap();
        for algorithm in Algorithm::ALL {
            for (name, password) in USERS {
                let ha1 = Ha1::new(algorithm.hash_function(), name, realm, password);
                assert!(!has(ha1.as_hex()), "HA1");
            }
        }
        assert!(param("qop").is_some() || self.config.rfc2069, "a downgrade");
        assert!(!self.config.strong || param("response").unwrap().len() == 64);
        let uncounted = self.config.uncounted && param("qop").is_some();
        // Whoever it is of, they have logged in to this realm.
        let mut users = self.logins.iter().filter(|(of, _)| of == realm);
        let is_right = users.any(|(_, user)| {
            let (name, password) = USERS[*user];
            sent.is_right(name, password, target)
        });
        assert!(uncounted || is_right);
        assert_eq!(param("uri"), Some(target.uri));
    }
}
