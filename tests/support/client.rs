//! A client in dialogue with a server that the test plays, and what its header values say.

use std::collections::BTreeSet;
use std::rc::Rc;

use countersign::client::{
    Account, Ask, Client, Endpoint, Error, Exchange, GiveUp, LoginError, Next, Policy, ServerProof,
    SkipReason,
};
use countersign::digest::Ha1;
use countersign::{Authorization, Channel, EntityBody, FieldValue, Target, challenges};

use super::digest::proof_for;
use super::naive;

pub const USER: &str = "Mufasa";
pub const PASSWORD: &str = "Circle of Life";

/// A challenge that every client of the tests can answer, whatever the features.
pub const CHALLENGE: &str = r#"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#;

/// The same with another nonce, and perhaps more parameters.
pub fn challenge(nonce: &str, more: &str) -> String {
    format!(r#"Digest realm="r", nonce="{nonce}", qop="auth", algorithm=SHA-256{more}"#)
}

/// All orders of some things.
pub fn orders<T: Clone>(of: &[T]) -> Vec<Vec<T>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for at in 0..of.len() {
        let mut rest = of.to_vec();
        let first = rest.remove(at);
        for mut order in self::orders(&rest) {
            order.insert(0, first.clone());
            orders.push(order);
        }
    }
    orders
}

/// For programs that make each request anew.
pub trait Sends {
    /// What the next request of an exchange carries.
    fn sends<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
    ) -> Option<&'e FieldValue>;
}

impl Sends for Client {
    fn sends<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
    ) -> Option<&'e FieldValue> {
        let field = self.authorize(exchange, target).expect("a fine target");
        field.for_new_request()
    }
}

/// What a client gives for the first request of an exchange.
pub fn sent_unasked(client: &mut Client, uri: &str) -> Option<Sent> {
    let target = Target::new("GET", uri).with_body(EntityBody::Bytes(b""));
    let mut exchange = Exchange::new();
    let answer = client.sends(&mut exchange, &target);
    answer.map(|answer| Sent::read(answer.as_bytes()))
}

/// Has a client answer a challenge, with a login if it asks for one, and be accepted.
pub fn accept(client: &mut Client, value: &str, with_proof: bool) -> Said {
    let mut exchange = Exchange::new();
    let next = client.challenged(&mut exchange, challenges([value]));
    if let Some(ask) = ask_of(&next) {
        let account = Account::new(USER, PASSWORD);
        client.login(ask, &account).expect("a login");
    }
    assert!(
        client
            .sends(&mut exchange, &Target::new("GET", "/"))
            .is_some()
    );
    let info = with_proof.then(|| proof(&exchange));
    let found = client.completed(&mut exchange, 200, info.iter(), EntityBody::Unknown);
    assert_eq!(found == Ok(ServerProof::Valid), with_proof);
    Said::from(&next)
}

/// The field by which a server proves that it knows [`PASSWORD`], to the last answer.
fn proof(exchange: &Exchange) -> String {
    let value = exchange.answer().expect("an answer");
    let Ok(Authorization::Digest(answer)) = Authorization::parse(value) else {
        panic!("not a Digest answer");
    };
    let hash = answer.algorithm().hash_function();
    let ha1 = Ha1::new(hash, USER, answer.realm.to_bytes(), PASSWORD);
    format!("rspauth={}", proof_for(&answer, &ha1, b""))
}

/// `https://example.com`.
pub fn home() -> Endpoint {
    Endpoint::origin("https", "example.com", None).expect("a scheme whose port is known")
}

/// An origin of `https`.
pub fn origin(host: &str, port: u16) -> Endpoint {
    Endpoint::origin("https", host, Some(port)).expect("a host")
}

/// A client of [`home`].
pub fn client(policy: Policy) -> Client {
    client_on(Channel::Encrypted, policy)
}

/// A client of [`home`] over another channel.
pub fn client_on(channel: Channel, policy: Policy) -> Client {
    Client::from_seed(home().with_channel(channel), policy, [7; 32])
}

/// What a client says, without the ask, so that it can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Done(ServerProof),
    Login,
    Retry,
    WrongCredentials,
    TooManyAnswers,
    NeverAnswered,
    ForeignTarget,
    NoUsableChallenge(Box<[SkipReason]>),
}

impl From<&Next> for Said {
    fn from(next: &Next) -> Self {
        match next {
            Next::Done(proof) => Self::Done(*proof),
            Next::Retry => Self::Retry,
            Next::Login(_) => Self::Login,
            Next::GiveUp(GiveUp::WrongCredentials(_)) => Self::WrongCredentials,
            Next::GiveUp(GiveUp::TooManyAnswers) => Self::TooManyAnswers,
            Next::GiveUp(GiveUp::NeverAnswered) => Self::NeverAnswered,
            Next::GiveUp(GiveUp::ForeignTarget) => Self::ForeignTarget,
            Next::GiveUp(GiveUp::NoUsableChallenge(skipped)) => {
                Self::NoUsableChallenge(skipped.clone())
            }
            Next::GiveUp(other) => panic!("{other}"),
        }
    }
}

/// The login that is asked for.
pub fn ask_of(next: &Next) -> Option<&Ask> {
    match next {
        Next::Login(ask) | Next::GiveUp(GiveUp::WrongCredentials(ask)) => Some(ask),
        _ => None,
    }
}

type Step = Rc<dyn Fn(&mut Dialog)>;

/// A client and the exchange it is in.
///
/// A client cannot be cloned, so a clone is made by doing all that was done once more.
pub struct Dialog {
    pub client: Client,
    pub exchange: Exchange,
    /// The login that was asked for last.
    ask: Option<Ask>,
    /// Exchanges that were [kept](Self::keep).
    kept: Vec<Exchange>,
    make: Rc<dyn Fn() -> Client>,
    /// All that was done, to be done again by a clone.
    done: Vec<Step>,
}

impl Clone for Dialog {
    fn clone(&self) -> Self {
        let mut dialog = Self::of_rc(Rc::clone(&self.make));
        self.done.iter().for_each(|step| step(&mut dialog));
        dialog
    }
}

impl Dialog {
    pub fn of(make: impl Fn() -> Client + 'static) -> Self {
        Self::of_rc(Rc::new(make))
    }

    fn of_rc(make: Rc<dyn Fn() -> Client>) -> Self {
        Self {
            client: make(),
            exchange: Exchange::new(),
            ask: None,
            kept: Vec::new(),
            make,
            done: Vec::new(),
        }
    }

    /// A new client on an encrypted channel.
    pub fn new(policy: Policy) -> Self {
        Self::of(move || client(policy))
    }

    /// A new client on this channel.
    pub fn on(channel: Channel, policy: Policy) -> Self {
        Self::of(move || client_on(channel, policy))
    }

    /// A new client of this endpoint.
    pub fn at(endpoint: &Endpoint, policy: Policy) -> Self {
        let endpoint = endpoint.clone();
        Self::of(move || Client::from_seed(endpoint.clone(), policy, [7; 32]))
    }

    /// One that has been challenged once and has logged in, but has not answered yet.
    pub fn logged_in(policy: Policy, challenge: &str) -> Self {
        Self::logged_in_at(&home(), policy, challenge)
    }

    /// The same at this endpoint.
    pub fn logged_in_at(endpoint: &Endpoint, policy: Policy, challenge: &str) -> Self {
        let mut dialog = Self::at(endpoint, policy);
        assert_eq!(dialog.challenged([challenge]), Said::Login, "{challenge}");
        dialog.login();
        dialog
    }

    fn done(&mut self, step: impl Fn(&mut Self) + 'static) {
        self.done.push(Rc::new(step));
    }

    /// The next request of the user.
    pub fn next_exchange(&mut self) {
        self.done(Self::next_exchange);
        self.exchange = Exchange::new();
    }

    /// Keeps the exchange as it is now, for what comes late.
    pub fn keep(&mut self) -> usize {
        self.done(|it| _ = it.keep());
        self.kept.push(self.exchange.clone());
        self.kept.len() - 1
    }

    /// Goes on with an exchange as it was.
    pub fn resume(&mut self, kept: usize) {
        self.done(move |it| it.resume(kept));
        self.exchange = self.kept[kept].clone();
    }

    pub fn challenged<'a, I, V>(&mut self, values: I) -> Said
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let values = values.into_iter().map(|value| value.as_ref().to_vec());
        let values: Vec<_> = values.collect();
        let (client, exchange) = (&mut self.client, &mut self.exchange);
        let next = client.challenged(exchange, challenges(&values));
        self.done(move |it| _ = it.challenged(&values));
        self.ask = ask_of(&next).cloned().or_else(|| self.ask.take());
        Said::from(&next)
    }

    /// The field by which a server proves that it knows [`PASSWORD`], to the last answer.
    pub fn proof(&self) -> String {
        proof(&self.exchange)
    }

    /// What was asked for last.
    pub fn ask(&self) -> &Ask {
        self.ask.as_ref().expect("a login was asked for")
    }

    pub fn login(&mut self) {
        self.login_as(USER, PASSWORD).expect("a login");
    }

    pub fn login_as(&mut self, name: &str, password: &str) -> Result<(), LoginError> {
        let account = Account::new(name, password).with_basic();
        let (name, password) = (name.to_owned(), password.to_owned());
        self.done(move |it| _ = it.login_as(&name, &password));
        let ask = self.ask.as_ref().expect("an ask");
        self.client.login(ask, &account)
    }

    pub fn logout(&mut self) {
        self.done(Self::logout);
        self.client.logout();
    }

    /// The header value that a GET without a body carries, if any.
    pub fn send(&mut self, uri: &str) -> Option<Sent> {
        self.send_target(&Target::new("GET", uri).with_body(EntityBody::Bytes(b"")))
    }

    pub fn send_target(&mut self, target: &Target<'_>) -> Option<Sent> {
        self.try_send(target)
            .expect("a request-target that can be answered for")
    }

    pub fn try_send(&mut self, target: &Target<'_>) -> Result<Option<Sent>, Error> {
        let body = match target.body {
            EntityBody::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        };
        let (method, uri) = (target.method.to_vec(), target.uri.to_vec());
        self.done(move |it| {
            let target = Target::new(&method, &uri);
            let body = body.as_deref();
            let body = body.map_or(EntityBody::Unknown, EntityBody::Bytes);
            let _ = it.try_send(&target.with_body(body));
        });
        let exchange = &mut self.exchange;
        let answer = self.client.authorize(exchange, target)?.for_new_request();
        Ok(answer.map(|answer| Sent::read(answer.as_bytes())))
    }

    /// A response that is neither 401 nor 407, with this `Authentication-Info` if not empty.
    pub fn accepted(&mut self, info: &str) -> Result<ServerProof, Error> {
        self.accepted_with(Some(info).filter(|info| !info.is_empty()).as_slice())
    }

    /// The same with all values of the field.
    pub fn accepted_with<V: AsRef<[u8]>>(&mut self, info: &[V]) -> Result<ServerProof, Error> {
        let kept: Vec<_> = info.iter().map(|value| value.as_ref().to_vec()).collect();
        self.done(move |it| _ = it.accepted_with(&kept));
        self.client
            .completed(&mut self.exchange, 200, info.iter(), EntityBody::Unknown)
    }

    /// A response without a proof, and the next request of the user.
    pub fn goes_on(&mut self) {
        self.accepted("").expect("no proof is no error");
        self.next_exchange();
    }

    /// What the client makes of a response with this status, and of a field if there is one.
    pub fn completed(&mut self, status: u16, info: Option<&str>) -> Result<ServerProof, Error> {
        let (client, exchange) = (&mut self.client, &mut self.exchange);
        client.completed(exchange, status, info.into_iter(), EntityBody::Unknown)
    }

    /// What the next request to `uri` would carry, without sending it.
    pub fn would_send(&self, uri: &str) -> Option<Sent> {
        self.clone().send(uri)
    }

    /// [`would_send`](Self::would_send) in a new exchange: what is sent unasked.
    pub fn would_send_unasked(&self, uri: &str) -> Option<Sent> {
        let mut dialog = self.clone();
        dialog.next_exchange();
        dialog.send(uri)
    }
}

/// Whether a byte must not stand in a field value.
pub fn is_control(byte: &u8) -> bool {
    byte.is_ascii_control() && *byte != b'\t'
}

/// Why the challenges were skipped; panics if one was taken.
pub fn skipped(said: &Said) -> &[SkipReason] {
    match said {
        Said::NoUsableChallenge(skipped) => skipped,
        other => panic!("a challenge was taken: {other:?}"),
    }
}

/// The value of an `Authorization` field, read by the second parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub value: Vec<u8>,
    pub scheme: String,
    /// Names as written and values unescaped, in order.
    pub params: Vec<(String, Vec<u8>)>,
    pub token68: Option<String>,
}

impl Sent {
    /// Reads it, and holds it to what every value must be: well formed, for the library's own
    /// parser too, without control bytes other than HTAB, and no parameter twice.
    pub fn read(value: &[u8]) -> Self {
        let shown = String::from_utf8_lossy(value);
        assert!(!value.iter().any(is_control), "{shown:?}");
        Authorization::parse(value).unwrap_or_else(|error| panic!("{error}: {shown}"));
        let read = naive::credentials(value).unwrap_or_else(|| panic!("malformed: {shown}"));
        let text = |bytes| String::from_utf8(bytes).expect("a token is ASCII");
        let (params, token68) = match read.body {
            naive::Body::Params(params) => (params, None),
            naive::Body::Token68(token68) => (Vec::new(), Some(text(token68))),
        };
        let names: BTreeSet<_> = params.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), params.len(), "{shown}");
        Self {
            value: value.to_vec(),
            scheme: text(read.scheme),
            params: params
                .into_iter()
                .map(|(name, value)| (text(name), value))
                .collect(),
            token68,
        }
    }

    /// The value of a parameter as text.
    pub fn param(&self, name: &str) -> Option<&str> {
        let (_, value) = self.params.iter().find(|(found, _)| found == name)?;
        Some(str::from_utf8(value).expect("a value that is text"))
    }

    /// The same for one that must be there.
    pub fn get(&self, name: &str) -> &str {
        self.param(name)
            .unwrap_or_else(|| panic!("no {name} in {}", self.text()))
    }

    pub fn names(&self) -> Vec<&str> {
        self.params.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The whole value as text.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.value).expect("a value that is text")
    }

    /// Whether the response is right for this user and password, and this request.
    pub fn is_right<U, P>(&self, user: U, password: P, target: &Target<'_>) -> bool
    where
        U: AsRef<[u8]>,
        P: AsRef<[u8]>,
    {
        let Ok(Authorization::Digest(digest)) = Authorization::parse(&self.value) else {
            panic!("not Digest: {}", self.text());
        };
        let hash = digest.algorithm().hash_function();
        let ha1 = Ha1::new(hash, user, digest.realm, password);
        digest.expected_response(&ha1, target) == Some(digest.response)
    }
}
