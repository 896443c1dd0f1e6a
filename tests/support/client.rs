//! A client in dialogue with a server that the test plays, and what its header values say.

use std::collections::BTreeSet;

use countersign::client::{
    Client, Exchange, Next, Policy, Refusal, ServerProof, ServerProofError, Skipped,
};
use countersign::digest::{Cnonce, Ha1};
use countersign::{Authorization, Body, Channel, Target};

use super::naive;

pub const USER: &str = "Mufasa";
pub const PASSWORD: &str = "Circle of Life";

/// A challenge that every client of the tests can answer, whatever the features.
pub const CHALLENGE: &str = r#"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#;

/// The same with another nonce, and perhaps more parameters.
pub fn challenge(nonce: &str, more: &str) -> String {
    format!(r#"Digest realm="r", nonce="{nonce}", qop="auth", algorithm=SHA-256{more}"#)
}

pub fn cnonce(text: &str) -> Cnonce {
    Cnonce::new(text).expect("a cnonce")
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

/// A client and the exchange it is in. Its cnonces are `c1`, `c2` and so on.
#[derive(Clone, Debug)]
pub struct Dialog {
    pub client: Client,
    pub exchange: Exchange,
    cnonces: u32,
}

impl Dialog {
    pub fn of(client: Client) -> Self {
        Self {
            client,
            exchange: Exchange::new(),
            cnonces: 0,
        }
    }

    /// A new client on an encrypted channel.
    pub fn new(policy: Policy) -> Self {
        Self::of(Client::new(Channel::Encrypted, policy))
    }

    /// One that has been challenged once and has logged in, but has not answered yet.
    pub fn logged_in(policy: Policy, challenge: &str) -> Self {
        let mut dialog = Self::new(policy);
        assert_eq!(dialog.challenged([challenge]), Next::Login, "{challenge}");
        dialog.login();
        dialog
    }

    /// The next request of the user.
    pub fn next_exchange(&mut self) {
        self.exchange = Exchange::new();
    }

    pub fn challenged<'a, I, V>(&mut self, values: I) -> Next
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        self.client.challenged(&mut self.exchange, values)
    }

    pub fn login(&mut self) {
        self.client.login(USER, PASSWORD).expect("a login");
    }

    /// The header value that a GET without a body carries, if any.
    pub fn send(&mut self, uri: &str) -> Option<Sent> {
        self.send_target(&Target::new("GET", uri).with_body(Body::Bytes(b"")))
    }

    pub fn send_target(&mut self, target: &Target<'_>) -> Option<Sent> {
        self.cnonces += 1;
        let cnonce = cnonce(&format!("c{}", self.cnonces));
        self.client
            .authorize(&mut self.exchange, target, &cnonce)
            .expect("a request-target that can be answered for")
            .map(|answer| Sent::read(answer.as_bytes()))
    }

    /// A response that is neither 401 nor 407, with this `Authentication-Info` if not empty.
    pub fn accepted(&mut self, info: &str) -> Result<ServerProof, ServerProofError> {
        let info = Some(info).filter(|info| !info.is_empty());
        self.client
            .accepted(&mut self.exchange, info, Body::Unknown)
    }

    /// What the next request to `uri` would carry, without sending it.
    pub fn would_send(&self, uri: &str) -> Option<Sent> {
        self.clone().send(uri)
    }

    /// [`would_send`](Self::would_send) in an exchange of its own: what is sent unasked.
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
pub fn skipped(next: &Next) -> &[Skipped] {
    match next {
        Next::Refused(Refusal::NoUsableChallenge(skipped)) => skipped,
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
        let hash = digest.algorithm().hash();
        let ha1 = Ha1::new(hash, user, digest.realm(), password);
        digest.expected_response(&ha1, target) == Some(digest.response())
    }
}
