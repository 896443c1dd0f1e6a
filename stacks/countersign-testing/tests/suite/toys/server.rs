//! A server that has nothing of countersign but its hash functions.

use std::collections::{HashMap, HashSet};

use countersign::Timestamp;
use countersign::digest::{Algorithm, userhash};
use countersign_testing::Clock;
use http::{Request, Response};

use super::answer::{Answer, Checked, Refused, params, proof, wrong};
use super::basic::knows_pair;
use super::doors::is_open;
use super::{USER, password};

const REALM: &str = "toys";
pub(crate) const LIFETIME_SECS: u64 = 60;

/// A server that keeps all nonces and counts for ever. It does everything right but its fault.
#[derive(Default)]
pub(crate) struct Server {
    /// In a few words; an unknown one is none.
    fault: &'static str,
    clock: Clock,
    nonces: HashMap<String, Timestamp>,
    used: HashSet<String>,
    last: HashMap<String, u32>,
    /// The nonces that somebody has logged in with.
    logins: HashSet<String>,
    remembers_login: bool,
    challenges: usize,
    answers: u32,
}

impl Server {
    pub(crate) fn new(fault: &'static str, clock: &Clock) -> Self {
        Self {
            fault,
            clock: clock.clone(),
            ..Self::default()
        }
    }

    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }

    /// Whether Basic is offered, and therefore the channel must be encrypted.
    pub(crate) fn offers_basic(&self) -> bool {
        self.fault.starts_with("Basic: ")
    }

    /// Whether it offers one thing of each kind, for faults that would not show otherwise.
    fn is_plain(&self) -> bool {
        let plain = "plain, no algorithm is MD5, length is the algorithm, takes auth-int unoffered";
        plain.contains(self.fault) && !self.fault.is_empty()
    }

    fn algorithms(&self) -> &'static [Algorithm] {
        #[cfg(feature = "md5")]
        return match self.fault {
            "offers MD5 first" => &[Algorithm::MD5, Algorithm::SHA_256],
            _ if self.is_plain() => &[Algorithm::SHA_256],
            _ => &[Algorithm::SHA_256, Algorithm::MD5],
        };
        #[cfg(not(feature = "md5"))]
        &[Algorithm::SHA_256]
    }

    fn qops(&self) -> &'static str {
        match self.is_plain() {
            true => "auth",
            false => "auth,auth-int",
        }
    }

    pub(crate) fn serve(&mut self, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
        let mut response = Response::new(b"hello".to_vec());
        if is_open(self.fault, request) || self.remembers_login {
            return response;
        }
        match self.admit(request) {
            Ok(info) => {
                self.remembers_login = self.is("remembers a login");
                if let Some(info) = info {
                    let value = info.try_into().unwrap();
                    response.headers_mut().insert("authentication-info", value);
                }
                response
            }
            Err(refused) => {
                let has_credentials = request.headers().contains_key("authorization");
                self.refuse(&refused, has_credentials)
            }
        }
    }

    fn refuse(&mut self, why: &Refused, has_credentials: bool) -> Response<Vec<u8>> {
        let (fault, count) = (self.fault, self.challenges);
        self.challenges += 1;
        let tells = |how| matches!(why, Refused::Unknown) && fault == how;
        if tells("takes its time for unknown users") {
            self.clock.advance(1);
        }
        let mut response = Response::builder().status(match why {
            Refused::Malformed => 400,
            Refused::OwnFault => 500,
            _ if tells("tells unknown users by status") => 403,
            Refused::Plain if has_credentials && fault == "says 403 for a wrong password" => 403,
            Refused::Unknown if fault == "says 403 for a wrong password" => 403,
            _ if has_credentials && fault == "says 200 for a wrong password" => 200,
            _ => 401,
        });
        if tells("tells unknown users by a field") {
            response = response.header("x-reason", "1");
        }
        if self.is("proves itself in refusals") {
            response = response.header("authentication-info", "rspauth=\"0123\"");
        }
        let nonce = match fault {
            "one nonce for all" => "n".to_owned(),
            "gives each nonce to two and forgets counts" => {
                format!("{:x} {:06}", self.clock.now().as_unix_millis(), count / 2)
            }
            "stale brings the last nonce again" if matches!(why, Refused::Stale) => {
                format!("n{:06}", count - 1)
            }
            _ => format!("n{count:06}"),
        };
        if fault == "a challenge voids all nonces" {
            self.nonces.clear();
        }
        self.nonces
            .entry(nonce.clone())
            .or_insert_with(|| self.clock.now());
        let realm = match tells("tells unknown users by realm") {
            true => "elsewhere",
            false => REALM,
        };
        let is_stale = match why {
            Refused::Stale => fault != "never says stale",
            Refused::Plain if !has_credentials => fault == "says stale at first",
            Refused::Plain | Refused::Unknown => fault == "always says stale",
            _ => false,
        };
        let stale = ["", ", stale=true"][usize::from(is_stale)];
        let hashes = [", userhash=true", ""][usize::from(self.is_plain())];
        let quote = ["", "\""][usize::from(self.is("quotes the algorithm"))];
        let qops = self.qops();
        let digests = self.algorithms().iter().map(|it| {
            format!(
                "Digest realm=\"{realm}\", nonce=\"{nonce}\", qop=\"{qops}\", \
                 algorithm={quote}{}{quote}{stale}{hashes}",
                it.as_str()
            )
        });
        let offers_basic = self.offers_basic() || self.is("offers Basic in the clear");
        let says_utf8 = ["Basic: in UTF-8", "Basic: says UTF-8 and reads ISO-8859-1"];
        let charset = ["", ", charset=\"UTF-8\""][usize::from(says_utf8.contains(&fault))];
        let basic = offers_basic.then(|| format!("Basic realm=\"{REALM}\"{charset}"));
        let digests = digests.filter(|_| fault != "Basic: alone");
        for challenge in digests.chain(basic) {
            let says_none = has_credentials && self.is("challenges once");
            if !self.is("challenges without a challenge") && !says_none {
                response = response.header("www-authenticate", challenge);
            }
        }
        let body = match tells("tells unknown users in text") {
            true => "unknown user",
            false => "bad password",
        };
        let body = format!("{body}\nat {count}");
        response.body(body.into_bytes()).unwrap()
    }

    /// Returns what goes into `Authentication-Info`.
    fn admit(&mut self, request: &Request<Vec<u8>>) -> Checked<Option<String>> {
        let headers = request.headers();
        let other = headers.get("proxy-authorization");
        let other = other.filter(|_| self.is("reads the field for proxies"));
        let mut values = headers.get_all("authorization").iter().chain(other);
        let value = values.next().ok_or(Refused::Plain)?;
        if values.next().is_some() && !self.is("reads the first field") {
            return Err(Refused::Malformed);
        }
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let (scheme, rest) = value.split_once(' ').ok_or(Refused::Malformed)?;
        let is_basic = match self.fault {
            "Basic: wants the scheme as written" => scheme == "Basic",
            "Basic: takes schemes that begin so" => scheme.starts_with("Basic"),
            _ => scheme.eq_ignore_ascii_case("Basic"),
        };
        if is_basic && !self.is("ignores the scheme") {
            let right = self.knows_pair(rest);
            return right.then_some(None).ok_or(Refused::Plain);
        }
        match self.fault {
            "ignores the scheme" => {}
            "wants the scheme as written" if scheme != "Digest" => return Err(Refused::Plain),
            _ if scheme.eq_ignore_ascii_case("Digest") => {}
            _ => return Err(Refused::Plain),
        }
        let strict = [
            ("wants qop without quotes", "qop=\""),
            ("wants nc without quotes", "nc=\""),
            ("wants the algorithm without quotes", "algorithm=\""),
        ];
        let refuses = |(fault, quoted): &(&str, &str)| self.is(fault) && rest.contains(quoted);
        if self.is("Basic: alone") || strict.iter().any(refuses) {
            return Err(Refused::Plain);
        }
        let answer = self.read(rest)?;
        if self.is("counts before it compares") {
            self.check_count(&answer)?;
        }
        if self.is("says stale before it compares") {
            self.check_nonce(&answer)?;
        }
        let known = self.knows_user(&answer)?;
        self.check_offered(&answer, known)?;
        let is_proven =
            self.is("compares once per nonce") && self.logins.contains(answer.get("nonce")?);
        if !is_proven {
            self.check_response(&answer, request, known)?;
        }
        if !known && !self.fault.starts_with("unknown users have") {
            return Err(Refused::Unknown);
        }
        self.check_nonce(&answer)?;
        if !self.is("counts before it compares") {
            self.check_count(&answer)?;
        }
        self.logins.insert(answer.get("nonce")?.to_owned());
        self.answers += 1;
        if self.is("a login voids all other nonces") {
            let own = answer.get("nonce")?;
            self.nonces.retain(|nonce, _| nonce == own);
        }
        match self.is("no info") {
            true => Ok(None),
            false => proof(
                self.fault,
                &answer,
                request.body(),
                &self.next_nonce(&answer)?,
            )
            .map(Some),
        }
    }

    fn knows_pair(&self, token: &str) -> bool {
        let offered = self.offers_basic() || self.is("takes Basic unoffered");
        offered && knows_pair(self.fault, token, password(self.fault))
    }

    fn read(&self, text: &str) -> Checked<Answer> {
        let text = match self.fault {
            "reads the first credentials" => text.split(", Digest ").next().unwrap_or_default(),
            _ => text,
        };
        let Some(mut params) = params(text) else {
            return Err(match self.fault {
                "fails on noise" => Refused::OwnFault,
                "panics on noise" => panic!("noise"),
                _ => Refused::Malformed,
            });
        };
        if self.is("takes the last of two") {
            params.reverse();
        }
        let mut names = HashSet::new();
        let once = params.iter().all(|(name, _)| names.insert(name.clone()));
        let lenient = ["takes the last of two", "takes the first of two"].contains(&self.fault);
        if (!once || names.contains("username*")) && !lenient {
            return Err(Refused::Malformed);
        }
        if self.is("needs no realm") && !names.contains("realm") {
            params.push(("realm".to_owned(), REALM.to_owned()));
        }
        if self.is("needs no name") && !names.contains("username") {
            params.push(("username".to_owned(), USER.to_owned()));
        }
        if self.is("needs no cnonce") && !names.contains("cnonce") {
            params.push(("cnonce".to_owned(), String::new()));
        }
        let algorithm = Algorithm::SHA_256;
        let mut answer = Answer { algorithm, params };
        let is_short = answer.optional("response").is_some_and(|it| it.len() == 32);
        let named = match answer.optional("algorithm") {
            Some(named) if !(is_short && self.is("length is the algorithm")) => named,
            _ => "MD5",
        };
        let is_it = |it: &&Algorithm| it.as_str().eq_ignore_ascii_case(named);
        answer.algorithm = *Algorithm::ALL.iter().find(is_it).ok_or(Refused::Plain)?;
        Ok(answer)
    }

    fn knows_user(&self, answer: &Answer) -> Checked<bool> {
        let name = answer.get("username")?;
        if self.is("panics on odd names") && name.contains('"') {
            panic!("odd name");
        }
        Ok(match self.fault {
            "ignores the name" => true,
            _ if answer.optional("userhash") == Some("true") => {
                let hashed = userhash(answer.algorithm.hash_function(), USER, REALM);
                name == hashed.as_str() && !self.is_plain() && !self.is("knows no hashed names")
            }
            "remembers counts by name" => name.trim().eq_ignore_ascii_case(USER),
            _ => name == USER,
        })
    }

    fn check_offered(&self, answer: &Answer, known: bool) -> Checked {
        let realm = answer.get("realm")?;
        let realm = match self.fault {
            "ignores the realm" => true,
            "compares the realm without case" => realm.eq_ignore_ascii_case(REALM),
            "compares the start of realms" => realm.starts_with(REALM),
            "takes an empty realm" => realm == REALM || realm.is_empty(),
            _ => realm == REALM,
        };
        let offered = match self.fault {
            "takes every algorithm" => true,
            "no algorithm is MD5" if answer.optional("algorithm").is_none() => true,
            "length is the algorithm" => true,
            _ => self.algorithms().contains(&answer.algorithm),
        };
        let qop = match answer.optional("qop") {
            None => self.is("needs no qop") || self.is("takes no qop once"),
            Some(list) if self.is("takes a list of qop") && list.contains(',') => true,
            Some("auth-int") if self.is("takes auth-int unoffered") => true,
            Some(_) if self.is("takes every qop") => true,
            Some(qop) => self.qops().split(',').any(|it| it == qop),
        };
        (realm && offered && qop)
            .then_some(())
            .ok_or_else(|| wrong(known))
    }

    fn check_response(&self, answer: &Answer, request: &Request<Vec<u8>>, known: bool) -> Checked {
        let (target, uri) = (request.uri().to_string(), answer.get("uri")?);
        let path = |uri: &str| uri.split('?').next().unwrap_or_default().to_owned();
        let same = match self.fault {
            "ignores uri" => true,
            "compares the path" => path(&target) == path(uri),
            "compares uri without case" => target.eq_ignore_ascii_case(uri),
            "takes a longer uri" => uri.starts_with(&target),
            "takes a shorter uri" => target.starts_with(uri),
            _ => target == uri,
        };
        if !same {
            return Err(Refused::Malformed);
        }
        let method = match (self.fault, request.method().as_str()) {
            ("ignores the method", _) | ("takes HEAD for GET", "HEAD") => "GET",
            ("takes POST for GET", "POST") | ("compares methods without case", "get") => "GET",
            ("takes DELETE for GET", "DELETE") | ("takes all for GET", _) => "GET",
            (_, method) => method,
        };
        let body = match answer.optional("qop") {
            Some("auth-int") if self.is_plain() => None,
            Some("auth-int") if self.is("ignores the body") => Some(&b"amount=10"[..]),
            Some("auth-int") if request.body().is_empty() && self.hashes_nothing(method) => None,
            Some("auth-int") => Some(&request.body()[..]),
            _ => None,
        };
        let password = if known {
            password(self.fault)
        } else {
            "no password"
        };
        let ha1 = match self.fault {
            "unknown users have an empty password" if !known => {
                answer.hash(&[answer.get("username")?, answer.get("realm")?, ""])
            }
            "unknown users have the password None" if !known => {
                answer.hash(&[answer.get("username")?, answer.get("realm")?, "None"])
            }
            "unknown users have an empty hash" if !known => String::new(),
            "hashes MD5 with another password" if answer.algorithm != Algorithm::SHA_256 => {
                String::new()
            }
            "knows auth-int by name alone" if answer.optional("qop") == Some("auth-int") => {
                String::new()
            }
            _ => answer.hash(&[USER, answer.get("realm")?, password]),
        };
        let (expected, came) = (
            answer.response(&ha1, method, body)?,
            answer.get("response")?,
        );
        let right = match self.fault {
            "compares the digits that came" => expected.starts_with(came),
            "compares eight digits" => came.len() == expected.len() && came[..8] == expected[..8],
            "takes more digits" => came.starts_with(&expected),
            "remembers the digits as they came" => came.eq_ignore_ascii_case(&expected),
            _ => came == expected,
        };
        right.then_some(()).ok_or_else(|| wrong(known))
    }

    fn check_nonce(&self, answer: &Answer) -> Checked {
        let nonce = answer.get("nonce")?;
        let issued = match self.fault {
            "takes longer nonces" => {
                let mut all = self.nonces.iter();
                all.find_map(|(known, at)| nonce.starts_with(&**known).then_some(at))
            }
            "compares nonces without case" => self.nonces.get(&nonce.to_ascii_lowercase()),
            _ => self.nonces.get(nonce),
        };
        let Some(issued) = issued else {
            return match self.fault {
                "takes the empty nonce" if nonce.is_empty() => Ok(()),
                "takes every nonce" => Ok(()),
                "says stale before it compares" => Err(Refused::Stale),
                _ => Err(Refused::Plain),
            };
        };
        let fresh = self.clock.now() <= issued.plus_millis(1000 * LIFETIME_SECS);
        match fresh || self.is("never expires") {
            true => Ok(()),
            false => Err(Refused::Stale),
        }
    }

    fn check_count(&mut self, answer: &Answer) -> Checked {
        let nonce = answer.get("nonce")?.to_owned();
        let (digits, radix) = match (answer.optional("qop"), self.fault) {
            (None, _) => ("1", 16),
            (_, "reads counts as decimal") => (answer.get("nc")?, 10),
            _ => (answer.get("nc")?, 16),
        };
        let nc = u32::from_str_radix(digits, radix).map_err(|_| Refused::Malformed)?;
        match self.fault {
            "counts in 31 bits" if i32::try_from(nc).is_err() => return Err(Refused::Malformed),
            "counts in sixteen bits" if nc > 0xffff => return Err(Refused::Plain),
            "counts in eight bits" if nc > 0xff => return Err(Refused::Plain),
            "wants a new nonce for each answer" if nc > 1 => return Err(Refused::Plain),
            _ => {}
        }
        let before = self.last.get(&nonce).copied().unwrap_or_default();
        if self.is("forgets counts at a jump") && nc > before.saturating_add(64) {
            self.used.clear();
        }
        let is_new = self.used.insert(match self.fault {
            "remembers responses" | "remembers the digits as they came" => {
                answer.get("response")?.to_owned()
            }
            "remembers counts by cnonce" => format!("{nonce} {nc} {}", answer.get("cnonce")?),
            "remembers counts by name" => format!("{nonce} {nc} {}", answer.get("username")?),
            _ => format!("{nonce} {nc}"),
        });
        let granted = match self.fault {
            "remembers nothing" | "gives each nonce to two and forgets counts" => true,
            "forgets count 0" => is_new || nc == 0,
            "forgets the highest count" => is_new || nc == u32::MAX,
            "remembers the last count" => nc != before,
            "remembers the last two" => nc != before && nc.wrapping_add(1) != before,
            "takes counts below the highest" => is_new || nc < before,
            "remembers thirty-two" => is_new || nc.saturating_add(32) < before,
            "in order" => Some(nc) == before.checked_add(1),
            "wants counts in order" if Some(nc) != before.checked_add(1) => {
                return Err(Refused::Plain);
            }
            _ => is_new,
        };
        if granted {
            let keeps_last = self.is("remembers the last count");
            let last = if keeps_last { nc } else { nc.max(before) };
            self.last.insert(nonce, last);
        }
        granted.then_some(()).ok_or(Refused::Stale)
    }

    /// Whether this fault leaves out the hash of a body that is empty.
    fn hashes_nothing(&self, method: &str) -> bool {
        match self.fault {
            "hashes no body as nothing" => method == "GET",
            "hashes an empty body as nothing" => true,
            _ => false,
        }
    }

    /// The parameter `nextnonce`, or nothing.
    fn next_nonce(&self, answer: &Answer) -> Checked<String> {
        Ok(match self.fault {
            "makes up nextnonce" => ", nextnonce=\"next\"".to_owned(),
            "nextnonce is in use from the fifth on" if self.answers % 8 > 4 => {
                let used = self.logins.iter().min();
                format!(", nextnonce=\"{}\"", used.map_or("", |it| it))
            }
            "nextnonce is the same" => format!(", nextnonce=\"{}\"", answer.get("nonce")?),
            _ => String::new(),
        })
    }
}
