//! No message locks a client out: whatever was said before, an honest server grants its next
//! request within two.

mod support;

use std::fmt;

use countersign::client::{
    Ask, AuthorizeError, Client, Exchange, LoginError, Next, Policy, SkipReason,
};
use countersign::digest::{Algorithm, HashFunction, HexDigest, QopSet};
use countersign::server::Realm;
use countersign::{Channel, EntityBody, MAX_VALUE_BYTES, Target};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use support::client::{CHALLENGE, Dialog, Said, ask_of, challenge, client_on, cnonce};
use support::generate::{self, Bytes, cases};
use support::pair::{PAGE, Pair, Reply, USERS};

const REALM: &str = "files";
/// Stands for the nonce that the honest server sent last.
const LAST_NONCE: &str = "LAST";
/// The most that the honest server reads of a field, if it has a limit: most have this one.
const SERVER_LIMIT: usize = 8192;
/// Stands for as much text as makes the value nearly as long as a value may be.
const FILL: &str = "FILL";

/// What the user sends.
#[derive(Clone, Copy, Debug)]
struct Request {
    uri: &'static str,
    body: BodyOf,
}

#[derive(Clone, Copy, Debug)]
enum BodyOf {
    Streams,
    Known,
    Hashed,
    None,
}

impl Request {
    fn target(&self) -> Target<'_> {
        let hashed = || HexDigest::from_hex(HashFunction::Sha256, &"5".repeat(64)).expect("a hash");
        let (method, body) = match self.body {
            BodyOf::Streams => ("PUT", EntityBody::Unknown),
            BodyOf::Known => ("PUT", EntityBody::Bytes(b"a=1")),
            BodyOf::Hashed => ("PUT", EntityBody::Hashed(hashed())),
            BodyOf::None => ("GET", EntityBody::Bytes(b"")),
        };
        Target::new(method, self.uri).with_body(body)
    }
}

/// What happens before, to the exchange of this number or to the client.
#[derive(Clone, Debug)]
enum Event {
    /// The exchange sends its request; this one, if it is its first. If one is under way, that was
    /// lost and is sent again.
    Send(usize, Request),
    /// Someone answers with 401 and these challenges. If that makes the client ask for a login, it
    /// is given the right password or a wrong one.
    Challenged(usize, Vec<Text>, bool),
    /// Someone answers with 200 and this `Authentication-Info`.
    Accepted(usize, Option<Text>),
    /// The honest server answers.
    Honest(usize, bool),
    /// The user gives the exchange up.
    Dropped(usize),
    Login(bool),
    Logout,
    Wait(u64),
}

/// A header value, in which [`LAST_NONCE`] and [`FILL`] are yet to be put.
#[derive(Clone)]
struct Text {
    text: Bytes,
    /// What a value with a [`FILL`] comes near to.
    limit: usize,
    /// How far from the limit it stays.
    short_by: usize,
}

impl Text {
    fn bytes(&self, last_nonce: &str) -> Bytes {
        let Ok(text) = str::from_utf8(&self.text) else {
            return self.text.clone();
        };
        let text = text.replace(LAST_NONCE, last_nonce);
        let length = self.limit.saturating_sub(text.len() + self.short_by);
        text.replace(FILL, &"f".repeat(length)).into_bytes()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.text);
        write!(f, "{text:?} (short of {} by {})", self.limit, self.short_by)
    }
}

fn text(value: impl Strategy<Value = Bytes>) -> impl Strategy<Value = Text> {
    // What an answer has and a challenge has not is up to about 500 bytes.
    let limits = vec![MAX_VALUE_BYTES, SERVER_LIMIT, 4500];
    (value, select(limits), 0..600_usize).prop_map(|(text, limit, short_by)| Text {
        text,
        limit,
        short_by,
    })
}

fn digest_challenge() -> impl Strategy<Value = Bytes> {
    let nonces = vec!["0", "0", "1", "2", r"\3", LAST_NONCE];
    let opaques = vec!["", "", "", r#", opaque="o""#];
    (
        select([&[REALM; 12][..], &["r", "", "FILE"]].concat()),
        prop_oneof![20 => select(nonces), 1 => Just(FILL)],
        select(vec![
            r#", qop="auth""#,
            r#", qop="auth""#,
            r#", qop="auth-int""#,
            r#", qop="auth-int""#,
            r#", qop="auth,auth-int""#,
            r#", qop="crazy""#,
            "",
        ]),
        select(vec![
            ", algorithm=SHA-256",
            ", algorithm=SHA-256",
            ", algorithm=SHA-256",
            r#", algorithm="sha-256""#,
            ", algorithm=SHA-256-sess",
            ", algorithm=SHA-256-sess",
            ", algorithm=SHA-512-256",
            ", algorithm=MD5",
            ", algorithm=SHA-3",
            "",
        ]),
        select(vec!["", ", stale=true"]),
        prop_oneof![20 => select(opaques), 1 => Just(r#", opaque="FILL""#)],
        select(vec![
            "",
            "",
            ", userhash=true",
            ", userhash=false",
            ", charset=UTF-8",
            ", nonce=again",
        ]),
        select(vec![
            "",
            "",
            "",
            r#", domain="/in""#,
            r#", domain="foo :: //""#,
            r#", domain="https://evil.example/""#,
        ]),
    )
        .prop_map(
            |(realm, nonce, qop, algorithm, stale, opaque, more, domain)| {
                let start = format!(r#"Digest realm="{realm}", nonce="{nonce}""#);
                [&start, qop, algorithm, stale, opaque, more, domain]
                    .concat()
                    .into()
            },
        )
}

fn hostile_challenge() -> impl Strategy<Value = Text> {
    let others = [
        r#"Basic realm="files""#,
        r#"Basic realm="r", charset=UTF-8"#,
        r#"Digest realm="files, nonce="n""#,
        "Digest",
        "Newauth",
        "",
    ];
    text(prop_oneof![
        10 => digest_challenge(),
        2 => select(others.map(|value| value.as_bytes().to_vec()).to_vec()),
        1 => generate::digest_challenge(),
        1 => generate::any_challenges(),
    ])
}

fn hostile_info() -> impl Strategy<Value = Option<Text>> {
    let infos = [
        r#"nextnonce="0""#,
        r#"nextnonce="1""#,
        r#"nextnonce="1""#,
        r#"nextnonce="LAST""#,
        r#"nextnonce="""#,
        r#"nextnonce="FILL""#,
        r#"rspauth="00000000000000000000000000000000""#,
        "rspauth",
        "nextnonce=a, nextnonce=b",
    ];
    prop_oneof![
        3 => Just(None),
        6 => text(select(infos.map(|value| value.as_bytes().to_vec()).to_vec())).prop_map(Some),
        1 => text(generate::any_info()).prop_map(Some),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let uris = vec!["/in/a", "/in/b", "/out", "/", "/in/../out"];
    let bodies = vec![
        BodyOf::Streams,
        BodyOf::Streams,
        BodyOf::Known,
        BodyOf::Hashed,
        BodyOf::None,
    ];
    (select(uris), select(bodies)).prop_map(|(uri, body)| Request { uri, body })
}

const EXCHANGES: usize = 3;

fn event() -> impl Strategy<Value = Event> {
    let right = || prop::bool::weighted(0.7);
    prop_oneof![
        12 => (0..EXCHANGES, request()).prop_map(|(at, request)| Event::Send(at, request)),
        7 => (0..EXCHANGES, vec(hostile_challenge(), 0..3), right())
            .prop_map(|(at, values, right)| Event::Challenged(at, values, right)),
        3 => (0..EXCHANGES, hostile_info()).prop_map(|(at, info)| Event::Accepted(at, info)),
        5 => (0..EXCHANGES, right()).prop_map(|(at, right)| Event::Honest(at, right)),
        1 => (0..EXCHANGES).prop_map(Event::Dropped),
        1 => right().prop_map(Event::Login),
        1 => Just(Event::Logout),
        1 => (0..200_u64).prop_map(Event::Wait),
    ]
}

fn policy() -> impl Strategy<Value = Policy> {
    let settings: Vec<fn(Policy) -> Policy> = vec![
        |policy| policy,
        Policy::prefer_auth_int,
        Policy::with_rfc2069,
        Policy::with_cleartext_basic,
        Policy::without_basic,
        Policy::without_userhash,
        Policy::without_sess_algorithms,
        Policy::with_latin1,
        Policy::with_plain_usernames,
        Policy::with_extended_usernames,
        Policy::require_server_proof,
        Policy::ignore_wrong_server_proof,
        |policy| policy.with_max_answers(5),
    ];
    vec(select(settings), 0..4).prop_map(|settings| {
        settings
            .iter()
            .fold(Policy::new(), |policy, set| set(policy))
    })
}

/// A client, its user, and the honest server.
struct World {
    client: Client,
    user: (&'static str, &'static str),
    /// The login that was asked for last.
    ask: Option<Ask>,
    /// The client holds the right password for the server's realm, if any.
    is_right: bool,
    lines: [Line; EXCHANGES],
    pair: Pair,
    last_nonce: String,
    /// It reads no field that is longer than [`SERVER_LIMIT`].
    is_limited: bool,
}

/// One request of the user.
#[derive(Default)]
struct Line {
    exchange: Exchange,
    request: Option<Request>,
    waits: bool,
    /// A challenge has come since the last answer.
    challenged: bool,
}

impl World {
    /// The server offers SHA-256, so no pin that anybody raises is above it. Over a cleartext
    /// channel somebody in the server's place can raise the pin above a server that offers less;
    /// see the documentation of `Strength`.
    fn new(policy: Policy, channel: Channel, user: usize, qop: QopSet, bits: u8) -> Self {
        let mut realm = Realm::new(REALM)
            .expect("a realm")
            .with_algorithms(&[Algorithm::SHA_256])
            .with_qop(qop)
            .with_userhash(bits & 1 != 0)
            .with_one_time_nonces(bits & 4 != 0);
        if bits & 2 != 0 {
            realm = realm.with_domain("/in").expect("a domain");
        }
        Self {
            client: client_on(channel, policy),
            user: USERS[user],
            ask: None,
            is_right: true,
            lines: Default::default(),
            pair: Pair::with_capacity(realm, 4),
            last_nonce: "none yet".to_owned(),
            is_limited: bits & 8 != 0,
        }
    }

    /// Logs in to what was asked for last.
    fn login(&mut self, right: bool) -> Result<(), LoginError> {
        let Some(ask) = &self.ask else { return Ok(()) };
        let (name, password) = self.user;
        let password = if right { password } else { "Hakuna matata" };
        self.client.login(ask, name, password)?;
        if ask.realm() == REALM.as_bytes() {
            self.is_right = right;
        }
        Ok(())
    }

    /// What the honest server says.
    fn serve(&mut self, target: &Target<'_>, value: Option<&[u8]>) -> Option<Reply> {
        if self.is_limited && value.is_some_and(|value| value.len() > SERVER_LIMIT) {
            // 400 or 431, without a challenge.
            return None;
        }
        let reply = self.pair.serve(target, value);
        if let Some(challenge) = reply.challenges.first() {
            let challenge = challenge.to_str().expect("text");
            let (_, rest) = challenge.split_once("nonce=\"").expect("a nonce");
            let (nonce, _) = rest.split_once('"').expect("its end");
            nonce.clone_into(&mut self.last_nonce);
        }
        Some(reply)
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Send(at, request) => self.send(at, request),
            Event::Challenged(at, values, right) if self.lines[at].waits => {
                let values: Vec<_> = values.iter().map(|v| v.bytes(&self.last_nonce)).collect();
                self.challenged(at, &values, right);
            }
            Event::Accepted(at, info) if self.lines[at].waits => {
                let info = info.map(|info| info.bytes(&self.last_nonce));
                self.accepted(at, info.as_ref());
            }
            Event::Honest(at, right) if self.lines[at].waits => {
                let line = &self.lines[at];
                let request = line.request.expect("one is under way");
                let value = line
                    .exchange
                    .answer()
                    .map(|answer| answer.as_bytes().to_vec());
                let reply = self.serve(&request.target(), value.as_deref());
                match reply {
                    None => self.accepted(at, None::<&Vec<u8>>),
                    Some(Reply {
                        rejection: None,
                        info,
                        ..
                    }) => self.accepted(at, info.as_ref()),
                    Some(reply) => self.challenged(at, &reply.challenges, right),
                }
            }
            Event::Dropped(at) => self.lines[at] = Line::default(),
            Event::Login(right) => _ = self.login(right),
            Event::Logout => self.client.logout(),
            Event::Wait(secs) => self.pair.wait(secs),
            Event::Challenged(..) | Event::Accepted(..) | Event::Honest(..) => {}
        }
    }

    fn send(&mut self, at: usize, request: Request) {
        let line = &mut self.lines[at];
        let request = *line.request.get_or_insert(request);
        let target = request.target();
        match self.client.authorize(&mut line.exchange, &target) {
            Ok(Some(_)) => line.challenged = false,
            Ok(None) => {}
            Err(AuthorizeError::BodyNeeded(_) | AuthorizeError::TooLong) => {
                assert!(line.challenged, "an error that no challenge led to");
            }
            Err(other) => panic!("{other}"),
        }
        line.waits = true;
    }

    fn challenged<V: AsRef<[u8]>>(&mut self, at: usize, values: &[V], right: bool) {
        let line = &mut self.lines[at];
        line.waits = false;
        let next = self.client.challenged(&mut line.exchange, values);
        self.ask = ask_of(&next).cloned().or_else(|| self.ask.take());
        match next {
            Next::Login(_) => {
                line.challenged = true;
                let _ = self.login(right);
            }
            Next::Retry => line.challenged = true,
            _ => *line = Line::default(),
        }
    }

    fn accepted<V: AsRef<[u8]>>(&mut self, at: usize, info: Option<&V>) {
        let line = &mut self.lines[at];
        let _ = self
            .client
            .accepted(&mut line.exchange, info, EntityBody::Bytes(PAGE));
        *line = Line::default();
    }

    /// One request of the user, with the honest server alone. Two requests must do, once the
    /// password is right.
    fn gets_in(&mut self, request: Request) {
        if !self.is_right {
            match self.drive(request, usize::MAX) {
                Ok(()) => return,
                // The user mistyped it before; now they know.
                Err(End::Refused(why)) => assert_eq!(why, Said::WrongCredentials),
                Err(End::Login(why)) => self.insist(why),
            }
            if let Err(why) = self.login(true) {
                self.insist(why);
            }
        }
        match self.drive(request, 2) {
            Ok(()) => {}
            // Someone in the server's place had refused the right password.
            Err(End::Login(why)) => {
                self.insist(why);
                assert_eq!(self.drive(request, 2), Ok(()));
            }
            Err(End::Refused(why)) => panic!("{why:?}"),
        }
    }

    /// The user is sure of the password.
    fn insist(&mut self, why: LoginError) {
        assert_eq!(why, LoginError::AlreadyRefused);
        self.client.logout();
        self.ask = None;
        self.is_right = true;
    }

    fn drive(&mut self, request: Request, requests: usize) -> Result<(), End> {
        let target = request.target();
        let mut exchange = Exchange::new();
        for _ in 0..requests {
            let answer = self
                .client
                .authorize(&mut exchange, &target)
                .expect("an honest server can be answered");
            let value = answer.map(|answer| answer.as_bytes().to_vec());
            let reply = self
                .serve(&target, value.as_deref())
                .expect("an answer that can be read");
            if reply.rejection.is_none() {
                let body = EntityBody::Bytes(PAGE);
                let proof = self.client.accepted(&mut exchange, &reply.info, body);
                assert!(proof.is_ok(), "{proof:?}");
                return Ok(());
            }
            let next = self.client.challenged(&mut exchange, &reply.challenges);
            self.ask = ask_of(&next).cloned().or_else(|| self.ask.take());
            match next {
                Next::Login(_) => self.login(true).map_err(End::Login)?,
                Next::Retry => {}
                _ => return Err(End::Refused(Said::from(&next))),
            }
        }
        panic!("{requests} requests did not do");
    }
}

/// Why a request was not granted.
#[derive(Debug, PartialEq)]
enum End {
    Refused(Said),
    Login(LoginError),
}

fn channel() -> impl Strategy<Value = Channel> {
    select(vec![Channel::Encrypted, Channel::Cleartext])
}

/// ASCII, and not.
fn user() -> impl Strategy<Value = usize> {
    select(vec![0, 2])
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn an_honest_server_lets_the_client_in(
        (policy, channel, user) in (policy(), channel(), user()),
        (both, bits) in (prop::bool::weighted(0.2), 0..16_u8),
        events in vec(event(), 0..40),
        last in request(),
    ) {
        let qop = if both { QopSet::BOTH } else { QopSet::AUTH };
        let mut world = World::new(policy, channel, user, qop, bits);
        for event in events {
            world.happen(event);
        }
        world.gets_in(last);
        // And from then on.
        world.gets_in(last);
    }

    /// The user's request has a body that is known, which is what such a server needs.
    #[test]
    fn an_honest_server_that_wants_the_body_covered_lets_the_client_in(
        (policy, channel, user) in (policy(), channel(), user()),
        require in any::<bool>(),
        bits in 0..16_u8,
        events in vec(event(), 0..40),
        last in request(),
    ) {
        let body = match last.body {
            BodyOf::Streams => BodyOf::Known,
            known => known,
        };
        let policy = if require { policy.require_auth_int() } else { policy };
        let qop = QopSet::AUTH_INT;
        let mut world = World::new(policy, channel, user, qop, bits);
        for event in events {
            world.happen(event);
        }
        world.gets_in(Request { body, ..last });
    }
}

/// A body that streams, so that no answer can cover it.
fn upload() -> Target<'static> {
    Target::new("PUT", "/upload")
}

/// Whether the next request of an exchange carries an answer.
fn sends(client: &mut Client, exchange: &mut Exchange) -> Result<bool, AuthorizeError> {
    let answer = client.authorize_with_cnonce(exchange, &upload(), &cnonce("c"))?;
    Ok(answer.is_some())
}

fn logged_in(challenge: &str) -> Dialog {
    let mut dialog = Dialog::on(Channel::Cleartext, Policy::new());
    assert_eq!(dialog.challenged([challenge]), Said::Login);
    dialog.login();
    dialog
}

/// From then on: an answer unasked, or one to a challenge that follows a request without.
fn goes_on_well(Dialog { client, .. }: &mut Dialog) {
    for n in 0..3 {
        let mut exchange = Exchange::new();
        if sends(client, &mut exchange) == Ok(false) {
            let good = challenge(&format!("good {n}"), "");
            assert_eq!(client.challenged(&mut exchange, [&good]), Next::Retry);
            assert_eq!(sends(client, &mut exchange), Ok(true));
        }
        let answer = exchange.answer().expect("it was sent");
        let value = str::from_utf8(answer.as_bytes()).expect("a text");
        assert!(
            value.contains(r#"nonce="good "#) && value.contains("qop=auth,"),
            "{value}"
        );
    }
}

/// One response, forged on a cleartext channel, once kept a client out until its user logged in
/// anew.
#[test]
fn one_forged_401_is_forgotten_with_the_next_honest_one() {
    let mut dialog = logged_in(CHALLENGE);
    assert_eq!(sends(&mut dialog.client, &mut dialog.exchange), Ok(true));
    dialog.accepted("").expect("no proof is no error");

    dialog.next_exchange();
    assert_eq!(sends(&mut dialog.client, &mut dialog.exchange), Ok(true));
    let forged = r#"Digest realm="r", nonce="x", qop="auth-int", algorithm=SHA-256, stale=true"#;
    assert_eq!(dialog.challenged([forged]), Said::Retry);
    // The exchange that was asked for it is told.
    assert_eq!(
        sends(&mut dialog.client, &mut dialog.exchange),
        Err(AuthorizeError::BodyNeeded(HashFunction::Sha256))
    );
    goes_on_well(&mut dialog);
}

/// So did a device with a habit, at the first challenge.
#[test]
fn one_challenge_for_auth_int_alone_is_forgotten_with_the_next_honest_one() {
    let mut dialog = logged_in(&CHALLENGE.replace("auth", "auth-int"));
    assert_eq!(
        sends(&mut dialog.client, &mut dialog.exchange),
        Err(AuthorizeError::BodyNeeded(HashFunction::Sha256))
    );
    goes_on_well(&mut dialog);
}

/// An answer to it would be longer than any server reads.
#[test]
fn one_challenge_just_within_the_limit_is_skipped() {
    for length in [MAX_VALUE_BYTES - 100, 4200] {
        let mut dialog = logged_in(CHALLENGE);
        let opaque = "o".repeat(length);
        dialog.next_exchange();
        let long = challenge("n2", &format!(r#", opaque="{opaque}""#));
        let skipped = [SkipReason::TooLong].into();
        assert_eq!(dialog.challenged([&long]), Said::NoUsableChallenge(skipped));
        let answer = dialog.would_send_unasked("/").expect("an answer");
        assert_eq!(answer.get("nonce"), "n1");
    }
    // One that is half as long is answered.
    let mut dialog = Dialog::new(Policy::new());
    let quotes = r#"\""#.repeat(2000);
    let long = challenge("n2", &format!(r#", opaque="{quotes}""#));
    assert_eq!(dialog.challenged([&long]), Said::Login);
}

#[test]
fn one_next_nonce_just_within_the_limit_is_forgotten_with_the_next_honest_one() {
    let mut dialog = logged_in(CHALLENGE);
    assert_eq!(sends(&mut dialog.client, &mut dialog.exchange), Ok(true));
    let nonce = "n".repeat(MAX_VALUE_BYTES - 100);
    let taken = dialog.accepted(&format!(r#"nextnonce="{nonce}""#));
    taken.expect("no proof is no error");
    // It was not taken.
    let answer = dialog.would_send_unasked("/").expect("an answer");
    assert_eq!(answer.get("nonce"), "n1");
}

/// Each exchange answers the challenge that it was sent, whatever another was sent meanwhile.
#[test]
fn what_one_exchange_is_sent_does_not_keep_another_out() {
    let forged = r#"Digest realm="r", nonce="x", qop="auth-int", algorithm=SHA-256, stale=true"#;
    for answered in [true, false] {
        let mut dialog = logged_in(CHALLENGE);
        if !answered {
            dialog.login_as("Scar", "Be prepared").expect("a login");
        }
        let Dialog { mut client, .. } = dialog;
        let mut exchanges = [Exchange::new(), Exchange::new()];
        for exchange in &mut exchanges {
            assert_eq!(sends(&mut client, exchange), Ok(answered));
        }
        let [first, second] = &mut exchanges;
        assert_eq!(client.challenged(first, [forged]), Next::Retry);
        let good = challenge("good", ", stale=true");
        assert_eq!(client.challenged(second, [&good]), Next::Retry);
        assert_eq!(sends(&mut client, second), Ok(true));
    }
}
