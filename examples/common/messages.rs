//! Requests in the form that RTSP and SIP have from HTTP, and who may make them.

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use countersign::digest::{Algorithm, BodyHasher, Ha1, QopSet};
use countersign::rand_core::UnwrapErr;
use countersign::server::{Arrival, NonceKey, Rejection, ReplayTable, Server};
use countersign::{Channel, Issuer, Target, Timestamp};
use lexopt::prelude::*;

/// A request, as it stands in the text.
pub(crate) struct Message<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    head: &'a str,
    body: &'a str,
}

impl<'a> Message<'a> {
    /// `None` if it is no request.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let (line, head) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let is_request = words.next()?.contains('/') && words.next().is_none();
        is_request.then_some(Self {
            method,
            target,
            head,
            body,
        })
    }

    /// The values of a field. Folded lines are not looked for: nobody sends them any more.
    pub(crate) fn fields(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.head.lines().filter_map(move |line| {
            let (found, value) = line.split_once(':')?;
            found
                .trim()
                .eq_ignore_ascii_case(name)
                .then(|| value.trim())
        })
    }
}

/// Who is let in.
pub(crate) struct Gate {
    server: Server,
    realm: String,
    users: Vec<(String, String)>,
    replays: ReplayTable,
}

impl Gate {
    /// From the command line, with the address to listen on. `rfc2069` says whether clients may
    /// leave out the qop unless an option says otherwise.
    pub(crate) fn from_args(mut rfc2069: bool) -> Result<(Self, String), Box<dyn Error>> {
        let (mut listen, mut realm) = ("127.0.0.1:0".to_owned(), "example".to_owned());
        let (mut users, mut qop) = (Vec::new(), QopSet::AUTH);
        let mut algorithms: Option<Vec<Algorithm>> = None;
        let mut lifetime = None;
        let mut reusable_nonces = false;
        let mut parser = lexopt::Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Long("listen") => listen = parser.value()?.string()?,
                Long("realm") => realm = parser.value()?.string()?,
                Long("user") => {
                    let user = parser.value()?.string()?;
                    let (name, password) = user.split_once(':').ok_or("--user NAME:PASSWORD")?;
                    users.push((name.to_owned(), password.to_owned()));
                }
                Long("algorithm") => {
                    let list = parser.value()?.string()?;
                    algorithms = Some(list.split(',').map(str::parse).collect::<Result<_, _>>()?);
                }
                Long("qop") => match parser.value()?.string()?.as_str() {
                    "auth" => qop = QopSet::AUTH,
                    "auth-int" => qop = QopSet::AUTH_INT,
                    _ => return Err("--qop auth or auth-int".into()),
                },
                Long("nonce-lifetime") => lifetime = Some(parser.value()?.parse()?),
                Long("no-rfc2069") => rfc2069 = false,
                Long("reusable-nonces") => reusable_nonces = true,
                _ => return Err(arg.unexpected().into()),
            }
        }
        let key = NonceKey::generate(&mut UnwrapErr(getrandom::SysRng));
        let mut server = Server::new(&realm, key)?.with_qop(qop);
        if let Some(algorithms) = algorithms {
            server = server.with_algorithms(&algorithms);
        }
        if let Some(seconds) = lifetime {
            server = server.with_nonce_lifetime(seconds);
        }
        if rfc2069 {
            server = server.with_rfc2069();
        }
        if reusable_nonces {
            server = server.with_reusable_nonces();
        }
        let replays = ReplayTable::with_capacity(1_000);
        let gate = Self {
            server,
            realm,
            users,
            replays,
        };
        Ok((gate, listen))
    }

    /// Judges a request, and prints a line about it: the status, and the fields that go with it.
    pub(crate) fn admit(&mut self, request: &Message<'_>) -> (u16, Vec<String>) {
        let arrival = Arrival::new(Channel::Cleartext, now()).not_before(self.replays.horizon());
        let line = format!("{} {}", request.method, request.target);
        match self.judge(request, &arrival) {
            Ok((user, info)) => {
                println!("{line} 200 granted {user}");
                let name = Issuer::Origin.info_field();
                let fields = info.map(|value| format!("{name}: {value}"));
                (200, fields.into_iter().collect())
            }
            Err(rejection) => {
                let status = rejection.status(Issuer::Origin);
                println!("{line} {status} {rejection:?}");
                let rng = &mut UnwrapErr(getrandom::SysRng);
                let challenges = self.server.challenges(&rejection, &arrival, rng);
                let name = Issuer::Origin.challenge_field();
                let fields = challenges.map(|value| format!("{name}: {value}"));
                (status, fields.filter(|_| status == 401).collect())
            }
        }
    }

    fn judge(
        &mut self,
        request: &Message<'_>,
        arrival: &Arrival<'_>,
    ) -> Result<(String, Option<String>), Rejection> {
        let target = Target::new(request.method, request.target);
        let mut attempt = self
            .server
            .begin(request.fields("authorization"), &target, arrival)?;
        if let Some(hash) = attempt.wants_body() {
            let mut hasher = BodyHasher::new(hash);
            hasher.update(request.body.as_bytes());
            attempt = attempt.with_body(hasher.finish());
        }
        let user = attempt.claimed_user().name().map(str::to_owned);
        let account = self
            .users
            .iter()
            .find(|(name, _)| Some(name) == user.as_ref());
        let ha1 =
            account.map(|(name, password)| Ha1::new(attempt.hash(), name, &self.realm, password));
        let grant = self.replays.admit(attempt.verify(ha1.as_ref())?)?;
        // What the response's body will be is not known here, and `auth` does not cover it.
        let info = grant.info(None, countersign::Body::Unknown);
        Ok((user.unwrap_or_default(), info))
    }
}

/// The time. With the crate's feature `std` it is just `SystemTime::now().into()`.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default();
    Timestamp::from_unix_secs(since.as_secs()).plus_millis(since.subsec_millis().into())
}
