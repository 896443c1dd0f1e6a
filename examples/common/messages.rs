//! Requests in the HTTP-like syntax of RTSP and SIP, and their authentication.

use std::borrow::Cow;
use std::error::Error;
use std::thread;
use std::time::Duration;

use countersign::digest::{Algorithm, QopSet};
use countersign::server::{Arrival, Attempt, Authenticator, Grant, Quirk, Realm, Refusal};
use countersign::{Authorization, Channel, EntityBody, FieldValue, Target, raw_challenges};
use lexopt::prelude::*;

/// A parsed request.
pub(crate) struct Message<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    head: &'a str,
    body: &'a str,
    is_sip: bool,
}

/// The compact forms of field names in SIP (RFC 3261, section 7.3.3), of those used here.
const COMPACT: [(&str, &str); 6] = [
    ("v", "via"),
    ("f", "from"),
    ("t", "to"),
    ("i", "call-id"),
    ("m", "contact"),
    ("l", "content-length"),
];

impl<'a> Message<'a> {
    /// Returns `None` if the text is not a request.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let (line, head) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let version = words.next()?;
        let is_request = version.contains('/')
            && words.next().is_none()
            // It is written to the log: no request must look like two, move the cursor or reverse
            // the text after it.
            && line.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        is_request.then_some(Self {
            method,
            target,
            head,
            body,
            is_sip: version.starts_with("SIP/"),
        })
    }

    /// The values of a field, which SIP has in the long or the compact form. Folded lines are not
    /// supported, because they are obsolete.
    pub(crate) fn fields(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.head.lines().filter_map(move |line| {
            let (found, value) = line.split_once(':')?;
            let mut compact = COMPACT.iter().filter(|_| self.is_sip);
            let long = compact.find(|(form, _)| form.eq_ignore_ascii_case(found.trim()));
            let found = long.map_or_else(|| found.trim(), |(_, long)| *long);
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Whether credentials are for this realm: a SIP request may carry some for each server on its way
/// (RFC 3261, section 22.3), and of other schemes. Credentials with an empty response, with which
/// handsets for IMS begin, count as absent. What cannot be read stays, for `begin` to refuse it.
fn is_own(credentials: &str, realm: &str) -> bool {
    match Authorization::parse(credentials) {
        Ok(Authorization::Digest(digest)) => digest.realm == realm,
        Ok(_) => false,
        // Credentials have the form of a challenge (RFC 9110, section 11.4).
        Err(_) => match raw_challenges([credentials]).next() {
            Some(Ok(raw)) => {
                let is = |name: &str, text: &str| {
                    let mut params = raw.params();
                    let param = params.find(|(other, _)| other.eq_ignore_ascii_case(name));
                    param.is_none_or(|(_, value)| value == text)
                };
                is("realm", realm) && !is("response", "")
            }
            _ => true,
        },
    }
}

/// Whether the `uri` of credentials (the first) is good for a request with this URI on its line.
pub(crate) type Agrees = fn(&str, &str) -> bool;

/// The users, and the server that authenticates them.
pub(crate) struct Gate {
    auth: Authenticator,
    users: Vec<User>,
    /// Whether every user may do everything: for peers whose requests name no user.
    all_may: bool,
    agrees: Agrees,
    /// How long it takes to look up a user.
    lookup_time: Duration,
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
    pub(crate) fn from_args(
        mut rfc2069: bool,
        agrees: Agrees,
    ) -> Result<(Self, String, Limits), Box<dyn Error>> {
        let mut listen = "127.0.0.1:0".to_owned();
        let mut realm = Realm::new("example")?;
        let (mut users, mut all_may) = (Vec::new(), false);
        let (mut request_time, mut connections) = (Duration::from_secs(30), 100);
        let mut lookup_time = Duration::ZERO;
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
                        "none" => QopSet::NONE,
                        _ => return Err("--qop auth, auth-int or none".into()),
                    });
                }
                Long("nonce-lifetime") => {
                    realm = realm.with_nonce_lifetime(parser.value()?.parse()?);
                }
                Long("no-rfc2069") => rfc2069 = false,
                Long("any-address") => all_may = true,
                Long("request-time") => {
                    request_time = Duration::from_secs(parser.value()?.parse()?);
                }
                Long("lookup-time") => {
                    lookup_time = Duration::from_millis(parser.value()?.parse()?);
                }
                Long("connections") => connections = parser.value()?.parse()?,
                Long("replayable-nonces") => realm = realm.with_quirks(&[Quirk::ReplayableNonces]),
                _ => return Err(arg.unexpected().into()),
            }
        }
        if rfc2069 {
            realm = realm.with_quirks(&[Quirk::Rfc2069]);
        }
        let auth = Authenticator::new(realm, 1_000, &mut getrandom::SysRng)?;
        let gate = Self {
            auth,
            users,
            all_may,
            agrees,
            lookup_time,
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
                // SIP has the field in a 2xx only (RFC 3261, section 20.6).
                let info = info.filter(|_| status == 200);
                let fields = info.map(|value| field(grant.info_field(), &value));
                (status, fields.into_iter().collect())
            }
            Err(refusal) => {
                println!("{line} {} {}", refusal.status, refusal.reason.name());
                let challenges = refusal.challenges.iter();
                let fields = challenges.map(|value| field(refusal.field, value));
                (refusal.status, fields.collect())
            }
        }
    }

    fn judge<'a>(&'a self, request: &Message<'a>) -> Result<Grant<'a, &'a User>, Refusal> {
        let attempt = self.attempt(request)?;
        thread::sleep(self.lookup_time);
        let claimed = attempt.claimed_user();
        let user = self
            .users
            .iter()
            .find(|user| claimed.name() == Some(&user.name));
        drop(claimed);
        let verified = attempt.verify_password(user, |user| (&user.name, &user.password))?;
        self.auth.admit(verified)
    }

    /// Of several values for the realm, such as one for each challenge and old ones, the first
    /// whose nonce is valid counts; if there is none, one that `begin` accepts.
    fn attempt<'a>(&'a self, request: &Message<'a>) -> Result<Attempt<'a>, Refusal> {
        let body = EntityBody::Bytes(request.body.as_bytes());
        let begin = |value: Option<&'a str>| {
            let uri = value.map_or(request.target, |value| self.uri_of(value, request.target));
            let target = Target::new(request.method, uri).with_body(body);
            let arrival = Arrival::now(Channel::Cleartext);
            self.auth.begin(value.into_iter(), &target, arrival)
        };
        let realm = self.auth.realm().name();
        let mut fallback = None;
        for value in request.fields("authorization") {
            if !is_own(value, realm) {
                continue;
            }
            let begun = begin(Some(value));
            if matches!(&begun, Ok(attempt) if attempt.nonce_is_fresh()) {
                return begun;
            }
            // One that `begin` accepts can be told that its nonce is stale.
            if begun.is_ok() || fallback.is_none() {
                fallback = Some(begun);
            }
        }
        fallback.unwrap_or_else(|| begin(None))
    }

    /// The URI to make the target from: the `uri` of the credentials, if it agrees with that of the
    /// request.
    fn uri_of<'a>(&self, credentials: &'a str, target: &'a str) -> &'a str {
        let Ok(Authorization::Digest(digest)) = Authorization::parse(credentials) else {
            return target;
        };
        match digest.uri.to_bytes() {
            Cow::Borrowed(uri) => match str::from_utf8(uri) {
                Ok(uri) if (self.agrees)(uri, target) => uri,
                _ => target,
            },
            // No URI needs the escapes of a quoted string.
            Cow::Owned(_) => target,
        }
    }
}
