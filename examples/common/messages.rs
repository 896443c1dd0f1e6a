//! Requests in the HTTP-like syntax of RTSP and SIP, and their authentication.

use std::error::Error;
use std::time::Duration;

use countersign::digest::{Algorithm, QopSet};
use countersign::server::{Arrival, Authenticator, Grant, Realm, Rejected};
use countersign::{Authorization, Channel, EntityBody, FieldValue, Target};
use lexopt::prelude::*;

/// A parsed request.
pub(crate) struct Message<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    head: &'a str,
    body: &'a str,
}

impl<'a> Message<'a> {
    /// Returns `None` if the text is not a request.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let (line, head) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let is_request = words.next()?.contains('/')
            && words.next().is_none()
            // It is written to the log: no request must look like two, move the cursor or reverse
            // the text after it.
            && line.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        is_request.then_some(Self {
            method,
            target,
            head,
            body,
        })
    }

    /// The values of a field. Folded lines are not supported, because they are obsolete.
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

/// Whether credentials are for another realm: a SIP request may carry some for each server on its
/// way (RFC 3261, section 22.3), and `begin` takes one value. What cannot be read stays, for `begin`
/// to refuse it.
fn is_for_other_realm(credentials: &str, realm: &str) -> bool {
    matches!(
        Authorization::parse(credentials),
        Ok(Authorization::Digest(digest)) if digest.realm() != realm
    )
}

/// The users, and the server that authenticates them.
pub(crate) struct Gate {
    auth: Authenticator,
    users: Vec<User>,
    /// Whether every user may do everything: for peers whose requests name no user.
    all_may: bool,
}

/// A user with a plain password.
struct User {
    name: String,
    password: String,
}

/// What a server of connections allows its clients: the time for each request, and how many
/// connections are served at once.
pub(crate) type Limits = (Duration, usize);

impl Gate {
    /// Parses the command line; also returns the address to listen on, and the limits. `rfc2069` is
    /// the default for accepting clients that leave out the qop.
    pub(crate) fn from_args(rfc2069: bool) -> Result<(Self, String, Limits), Box<dyn Error>> {
        let mut listen = "127.0.0.1:0".to_owned();
        let mut realm = Realm::new("example")?.with_rfc2069(rfc2069);
        let (mut users, mut all_may) = (Vec::new(), false);
        let (mut request_time, mut connections) = (Duration::from_secs(30), 100);
        let mut parser = lexopt::Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Long("listen") => listen = parser.value()?.string()?,
                Long("realm") => realm = realm.with_name(&parser.value()?.string()?)?,
                Long("user") => {
                    let user = parser.value()?.string()?;
                    let (name, password) = user.split_once(':').ok_or("--user NAME:PASSWORD")?;
                    users.push(User {
                        name: name.to_owned(),
                        password: password.to_owned(),
                    });
                }
                Long("algorithm") => {
                    let list = parser.value()?.string()?;
                    let algorithms: Result<Vec<Algorithm>, _> =
                        list.split(',').map(str::parse).collect();
                    realm = realm.with_algorithms(&algorithms?);
                }
                Long("qop") => {
                    realm = realm.with_qop(match parser.value()?.string()?.as_str() {
                        "auth" => QopSet::AUTH,
                        "auth-int" => QopSet::AUTH_INT,
                        _ => return Err("--qop auth or auth-int".into()),
                    });
                }
                Long("nonce-lifetime") => {
                    realm = realm.with_nonce_lifetime(parser.value()?.parse()?);
                }
                Long("no-rfc2069") => realm = realm.with_rfc2069(false),
                Long("any-address") => all_may = true,
                Long("request-time") => {
                    request_time = Duration::from_secs(parser.value()?.parse()?);
                }
                Long("connections") => connections = parser.value()?.parse()?,
                Long("reusable-nonces") => realm = realm.with_reusable_nonces(true),
                _ => return Err(arg.unexpected().into()),
            }
        }
        let auth = Authenticator::new(realm, 1_000, &mut getrandom::SysRng)?;
        let gate = Self {
            auth,
            users,
            all_may,
        };
        Ok((gate, listen, (request_time, connections)))
    }

    /// Authenticates a request, asks `may` whether the user of this name may send it, and prints a
    /// line about it. Returns the status and the fields of the response.
    pub(crate) fn admit(
        &self,
        request: &Message<'_>,
        may: impl Fn(&str) -> bool,
    ) -> (u16, Vec<String>) {
        let field = |name: &str, value: &FieldValue| {
            let value = String::from_utf8_lossy(value.as_ref());
            format!("{name}: {value}")
        };
        let line = format!("{} {}", request.method, request.target);
        match self.judge(request) {
            Ok(grant) => {
                let name = &grant.account().name;
                let (status, outcome) = match self.all_may || may(name) {
                    true => (200, "granted"),
                    // Not 401, because other credentials are not asked for.
                    false => (403, "forbidden"),
                };
                println!("{line} {status} {outcome} {name}");
                // The body of the response is not known here, and `auth` does not cover it.
                let info = grant.authentication_info(EntityBody::Unknown);
                let fields = info.map(|value| field(grant.info_field(), &value));
                (status, fields.into_iter().collect())
            }
            Err(rejected) => {
                let refusal = self.auth.refuse(&rejected);
                println!("{line} {} {}", refusal.status, rejected.rejection().name());
                let challenges = refusal.challenges.iter();
                let fields = challenges.map(|value| field(refusal.field, value));
                (refusal.status, fields.collect())
            }
        }
    }

    fn judge<'a>(&'a self, request: &Message<'a>) -> Result<Grant<'a, &'a User>, Rejected<'a>> {
        let body = EntityBody::Bytes(request.body.as_bytes());
        let target = Target::new(request.method, request.target).with_body(body);
        let arrival = Arrival::now(Channel::Cleartext);
        let realm = self.auth.realm().name();
        let credentials = request.fields("authorization");
        let credentials = credentials.filter(|value| !is_for_other_realm(value, realm));
        let attempt = self.auth.begin(credentials, &target, &arrival)?;
        let claimed = attempt.claimed_user();
        let user = self
            .users
            .iter()
            .find(|user| claimed.name() == Some(&user.name));
        drop(claimed);
        let verified = attempt.verify_password(user, |user| (&user.name, &user.password))?;
        self.auth.admit(verified)
    }
}
