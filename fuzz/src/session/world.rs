//! The actions of a script.

use std::collections::BTreeSet;

use countersign::client::{Exchange, Field, GiveUp, Next};
use countersign::{Authorization, Channel, EntityBody, Timestamp, challenges};

use super::attacker::{self, Attacker, Captured};
use super::client::{ORIGINS, Person};
use super::other_client;
use super::request::{Known, Request};
use super::script::Script;
use super::server::{PAGE, Reply, Sent, Site, Weather};
use super::store::ACCOUNTS;

/// The number of asks at which a secret that was refused may be used again, at the latest: see
/// `client::rules`.
const MAX_REFUSED_ASKS: u32 = 64;

pub(super) struct World {
    site: Site,
    people: Vec<Person>,
    attacker: Attacker,
    sent: Sent,
    weather: Weather,
    /// The latest time of the clock.
    latest: Timestamp,
    /// The latest challenge of the server.
    genuine: Option<String>,
    /// The clients that have met the attacker: person, origin, and whether encrypted.
    attacked: BTreeSet<(usize, usize, bool)>,
}

impl World {
    pub(super) fn new(script: &mut Script<'_>) -> Self {
        let now = Timestamp::from_unix_millis(1_700_000_000 * 1000);
        Self {
            site: Site::read(script),
            people: Person::read_all(script),
            attacker: Attacker::default(),
            sent: Sent::default(),
            weather: Weather {
                now,
                channel: Channel::Encrypted,
                binding: b"",
            },
            latest: now,
            genuine: None,
            attacked: BTreeSet::new(),
        }
    }

    pub(super) fn act(&mut self, script: &mut Script<'_>) {
        let action = script.byte();
        // The rest of the byte's range, so that older inputs keep their meaning.
        if action >= 247 {
            return self.answer_by_other_client(script);
        }
        match usize::from(action % 13) {
            0 | 1 => self.fetch(script, false),
            2 => self.fetch(script, true),
            kind @ 3..=10 => self.attack(kind, script),
            11 => self.set_clock(script),
            _ => self.change(script),
        }
    }

    /// Sends a captured request, unchanged or changed.
    fn attack(&mut self, kind: usize, script: &mut Script<'_>) {
        let Some(Captured { header, request }) = self.attacker.pick(script) else {
            return;
        };
        let _ = match kind {
            3 => self.deliver(&[header], &request),
            4..=6 => self.deliver(&[attacker::rewrite(&header, script)], &request),
            7 => self.deliver(&[attacker::mutate(header, script)], &request),
            8 => {
                let header = attacker::rewrite(&header, script);
                self.deliver(&[header], &Request::read(script))
            }
            _ => self.deliver(&[&header, &header], &request),
        };
    }

    /// A user sends a request with a client of another make. The attacker sees it, and may keep it
    /// from the server.
    fn answer_by_other_client(&mut self, script: &mut Script<'_>) {
        let choice = script.byte();
        let account = usize::from(choice & 3) % ACCOUNTS.len();
        let request = match choice >> 2 & 1 {
            0 => Request::get("/a?b=c"),
            _ => Request::read(script),
        };
        if self.genuine.is_none() {
            let _ = self.deliver(&[] as &[&[u8]], &request);
        }
        let genuine = self.genuine.as_deref();
        let Some(header) = other_client::answer(account, genuine, &request, script) else {
            return;
        };
        self.sent.add(account, &header, &request);
        self.attacker.capture(&header, &request);
        if choice >> 3 & 1 == 0 {
            let _ = self.deliver(&[header], &request);
        }
    }

    /// Sends one logical request, until the client stops. Under attack, some responses are the
    /// attacker's.
    fn fetch(&mut self, script: &mut Script<'_>, attacked: bool) {
        let choice = script.byte();
        let who = usize::from(choice & 3);
        let origin = usize::from(choice >> 2 & 3) % ORIGINS;
        let request = match choice >> 4 {
            0 => Request::get("/a?b=c"),
            _ => Request::read(script),
        };
        let channel = self.weather.channel;
        if attacked {
            let encrypted = channel == Channel::Encrypted;
            self.attacked.insert((who, origin, encrypted));
        }
        // As many requests may go without an answer as the client says.
        let requests = u16::from(self.people[who].max_answers) + 9;
        let mut exchange = Exchange::new();
        for _ in 0..requests {
            let Some(header) = self.send(who, origin, &mut exchange, &request) else {
                return;
            };
            let (reply, forged) = match if attacked { script.below(4) } else { 0 } {
                2 => {
                    let values = attacker::challenges(self.genuine.as_deref(), script);
                    (Err(values), true)
                }
                3 => {
                    let info = attacker::info(self.genuine.as_deref(), script);
                    (Ok(info), true)
                }
                _ => (self.deliver(header.as_deref().as_slice(), &request), false),
            };
            let person = &mut self.people[who];
            let knows_the_password = person.knows_the_password();
            let client = person.client(origin, channel);
            match reply {
                Ok(info) => {
                    let outcome =
                        client.completed(&mut exchange, 200, info.iter(), EntityBody::Bytes(PAGE));
                    if !forged {
                        assert!(knows_the_password, "granted without the password");
                        outcome.expect("our own server's proof");
                    }
                    return;
                }
                Err(refusal) => match client.challenged(&mut exchange, challenges(&refusal)) {
                    Next::Login(ask) => {
                        if !person.login(origin, channel, &ask) {
                            return;
                        }
                    }
                    Next::Retry => {}
                    Next::GiveUp(_) => return,
                    Next::Done(_) => panic!("it was refused"),
                },
            }
        }
        panic!("the client went on for more than {requests} requests");
    }

    /// Returns the header that a client sends, if any. The outer `None` means that it cannot
    /// answer.
    fn send(
        &mut self,
        who: usize,
        origin: usize,
        exchange: &mut Exchange,
        request: &Request,
    ) -> Option<Option<Vec<u8>>> {
        let channel = self.weather.channel;
        let person = &mut self.people[who];
        let account = person.account;
        let knows_the_password = person.knows_the_password();
        let client = person.client(origin, channel);
        let answer = client.authorize(exchange, &request.target());
        let answer = answer.map(Field::for_new_request);
        let Ok(answer) = answer else {
            return None;
        };
        let Some(answer) = answer else {
            return Some(None);
        };
        let header = answer.as_bytes().to_vec();
        let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
        assert!(!header.iter().any(is_control));
        Authorization::parse(&header).expect("what a client of ours writes");
        assert!(
            origin == 2 || request.origin().is_none_or(|it| it.contains("example.com")),
            "sent to another origin"
        );
        if knows_the_password {
            self.sent.add(account, &header, request);
        }
        self.attacker.capture(&header, request);
        Some(Some(header))
    }

    /// Returns the server's response to a request.
    fn deliver(
        &mut self,
        headers: &[impl AsRef<[u8]>],
        request: &Request,
    ) -> Result<Option<Vec<u8>>, Vec<Vec<u8>>> {
        let headers: Vec<&[u8]> = headers.iter().map(AsRef::as_ref).collect();
        let (site, weather) = (&mut self.site, &self.weather);
        match site.serve(&headers, request, weather, &self.sent) {
            Reply::Granted(info) => Ok(info.map(Vec::from)),
            Reply::Refused(challenges) => {
                if let Some(first) = challenges.first() {
                    self.genuine = first.to_str().ok().map(str::to_owned);
                }
                Err(challenges.into_iter().map(Vec::from).collect())
            }
        }
    }

    fn set_clock(&mut self, script: &mut Script<'_>) {
        let now = self.weather.now;
        let choice = script.byte();
        let millis = 40 * u64::from(script.byte());
        self.weather.now = match choice & 1 {
            0 => now.plus_millis(millis),
            _ => {
                let margin = self.site.memory.clock_margin_secs().saturating_mul(1000);
                let earliest = self.latest.as_unix_millis().saturating_sub(margin);
                let back = now.as_unix_millis().saturating_sub(millis);
                Timestamp::from_unix_millis(back.max(earliest))
            }
        };
        self.latest = self.latest.max(self.weather.now);
    }

    fn change(&mut self, script: &mut Script<'_>) {
        match script.below(6) {
            0 => self.site.rotate(script.byte() & 1 == 0),
            1 => self.site.restart(),
            2 => self.weather.binding = script.pick(&[b"", b"one", b"another"]),
            3 => self.weather.channel = script.pick(&[Channel::Cleartext, Channel::Encrypted]),
            4 => {
                let (who, origin) = (script.below(self.people.len()), script.below(ORIGINS));
                self.people[who]
                    .client(origin, self.weather.channel)
                    .logout();
            }
            _ => {
                let header = script.text();
                let request = Request::read(script);
                let _ = self.deliver(&[header], &request);
            }
        }
    }

    /// Checks that an honest server still admits every client that has met the attacker.
    pub(super) fn end(&mut self) {
        for (who, origin, encrypted) in self.attacked.clone() {
            self.weather.channel = match encrypted {
                true => Channel::Encrypted,
                false => Channel::Cleartext,
            };
            self.is_let_in_within_two_requests(who, origin);
        }
    }

    fn is_let_in_within_two_requests(&mut self, who: usize, origin: usize) {
        let person = &self.people[who];
        // The server refuses the answer with the attacker's nonce, so a second one is needed.
        if !person.knows_the_password() || person.max_answers < 2 {
            return;
        }
        self.site = Site::honest();
        let request = Request {
            known: Known::Nothing,
            ..Request::get("/a?b=c")
        };
        let channel = self.weather.channel;
        let mut exchange = Exchange::new();
        let mut refused_asks = 0;
        let mut sent = 0;
        while sent < 2 {
            sent += 1;
            let header = self.send(who, origin, &mut exchange, &request);
            let header = header.expect("an honest server can be answered");
            let reply = self.deliver(header.as_deref().as_slice(), &request);
            let person = &mut self.people[who];
            let client = person.client(origin, channel);
            match reply {
                Ok(info) => {
                    let proof =
                        client.completed(&mut exchange, 200, info.iter(), EntityBody::Bytes(PAGE));
                    proof.expect("our own server's proof");
                    return;
                }
                Err(refusal) => match client.challenged(&mut exchange, challenges(&refusal)) {
                    Next::Login(ask) => {
                        // The attacker refused the right password. The user is sure of it, and goes
                        // on trying.
                        if !person.login(origin, channel, &ask) {
                            refused_asks += 1;
                            assert!(refused_asks < MAX_REFUSED_ASKS, "refused for ever");
                            exchange = Exchange::new();
                            sent = 0;
                        }
                    }
                    Next::Retry => {}
                    // An answer with the attacker's nonce, which was not asked for here.
                    Next::GiveUp(GiveUp::WrongCredentials(_)) => {
                        refused_asks += 1;
                        assert!(refused_asks < MAX_REFUSED_ASKS, "refused for ever");
                        exchange = Exchange::new();
                        sent = 0;
                    }
                    Next::GiveUp(why) => panic!("the client gave up: {why}"),
                    Next::Done(_) => panic!("it was refused"),
                },
            }
        }
        panic!("two requests did not do");
    }
}
