//! What real clients sent, from `tests/captures/`, through a server of ours from `begin` to the
//! replay table.
//!
//! A server knows only its own nonces. So each recorded header is given as it is, which must be
//! refused for its nonce alone, and then with one of the server's nonces in the place of its own and
//! the response that is right for that. Every other byte stays as the client wrote it.

mod support;

use std::cell::RefCell;

use countersign::digest::{Algorithm, Credentials, Ha1, QopSet, User, userhash};
use countersign::server::{
    Arrival, Attempt, BasicOffer, Nonces, Realm, Rejection, UriCheck, Verified,
};
use countersign::{Authorization, Channel, EntityBody, RawChallenge, Target, challenges};
use serde_json::Value;
use support::captures::{Exchange, load};
use support::digest::{lacks_md5, named_algorithm};
use support::server::{START, Why, nonce_of, nonces, texts};
use support::tally;

/// What a server must be told, beside what was offered in the recording, to grant a request.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Setting {
    Default,
    /// A store that also finds users by a name in ISO-8859-1.
    Latin1Names,
    Rfc2069,
    HashLikeCnonces,
    PathAndQuery,
    Path,
}

const SETTINGS: [Setting; 6] = [
    Setting::Default,
    Setting::Latin1Names,
    Setting::Rfc2069,
    Setting::HashLikeCnonces,
    Setting::PathAndQuery,
    Setting::Path,
];

/// What is not granted by a server that offers what was offered in the recording.
struct Listed {
    refusal: &'static str,
    granted_by: Option<Setting>,
    /// How often, in all files of the test.
    count: usize,
    /// A field of the recordings, and the values it has in them.
    of: (&'static str, &'static [&'static str]),
    why: &'static str,
}

/// Of the right answers.
const REFUSED: &[Listed] = &[
    Listed {
        refusal: "quality of protection not offered",
        granted_by: Some(Setting::Rfc2069),
        count: 13,
        of: (
            "scenario",
            &[
                "authboth",
                "authboth2",
                "authint",
                "authint256",
                "multi7616",
            ],
        ),
        why: "where `auth-int` is offered they answer without a qop: a downgrade",
    },
    Listed {
        refusal: "quality of protection not offered",
        granted_by: Some(Setting::Rfc2069),
        count: 10,
        of: ("scenario", &["badqop"]),
        why: "where they know none of the qop values they answer without one: a downgrade",
    },
    Listed {
        refusal: "quality of protection not offered",
        granted_by: Some(Setting::Rfc2069),
        count: 1,
        of: ("scenario", &["extparam"]),
        why: "Java loses the qop after a parameter it cannot read: a downgrade",
    },
    Listed {
        refusal: "quality of protection not offered",
        granted_by: Some(Setting::Rfc2069),
        count: 12,
        of: ("shape", &["qop omitted (2069)"]),
        why: "the probe leaves out the qop that was offered: a downgrade",
    },
    Listed {
        refusal: "quality of protection not offered",
        granted_by: None,
        count: 2,
        of: ("scenario", &["authint"]),
        why: "axios-digest-auth and sipsak answer `auth` where only `auth-int` is offered",
    },
    Listed {
        refusal: "quality of protection not offered",
        granted_by: None,
        count: 1,
        of: ("scenario", &["md5-noqop"]),
        why: "axios-digest-auth answers `auth` where no qop is offered",
    },
    Listed {
        refusal: "quality of protection not offered",
        granted_by: None,
        count: 1,
        of: ("scenario", &["badqop"]),
        why: "npm urllib takes any qop that is offered",
    },
    Listed {
        refusal: "credentials for another realm",
        granted_by: None,
        count: 4,
        of: ("scenario", &["realmutf8"]),
        why: "Java and pycurl send the realm back in another encoding",
    },
    Listed {
        refusal: "credentials for another request-target",
        granted_by: Some(Setting::PathAndQuery),
        count: 7,
        of: ("scenario", &["multi", "proxy", "proxy256"]),
        why: "curl sends a proxy the path where the request line has the absolute form",
    },
    Listed {
        refusal: "credentials for another request-target",
        granted_by: Some(Setting::PathAndQuery),
        count: 3,
        of: ("shape", &["uri absolute"]),
        why: "the probe sends the absolute form where the request line has the path",
    },
    Listed {
        refusal: "credentials for another request-target",
        granted_by: Some(Setting::Path),
        count: 1,
        of: ("peer", &["npm @mhoc/axios-digest-auth"]),
        why: "axios-digest-auth leaves out the query",
    },
    Listed {
        refusal: "credentials for another request-target",
        granted_by: None,
        count: 2,
        of: ("peer", &["squid"]),
        why: "the probe names another host than the request line",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: Some(Setting::Latin1Names),
        count: 11,
        of: ("scenario", &["utf8", "nocharset", "utf8-256-uh"]),
        why: "the name is sent in ISO-8859-1, and hashed in UTF-8",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 2,
        of: ("peer", &["pycurl (libcurl)"]),
        why: "pycurl percent-encodes the name, and hashes it as it was",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 1,
        of: ("peer", &["java HttpURLConnection"]),
        why: "Java sends the name in UTF-8, and hashes it in ISO-8859-1",
    },
    Listed {
        refusal: "cnonce not allowed with a -sess algorithm",
        granted_by: Some(Setting::HashLikeCnonces),
        count: 1,
        of: ("scenario", &["md5-sess"]),
        why: "npm request has a cnonce in the form of a hash, which might be a captured response",
    },
    Listed {
        refusal: "parameter `qop` missing",
        granted_by: None,
        count: 1,
        of: ("scenario", &["md5-sess-noqop"]),
        why: "Java sends a -sess algorithm without qop, and the server must guess what it hashed",
    },
    Listed {
        refusal: "algorithm not offered",
        granted_by: None,
        count: 9,
        of: ("scenario", &["sha1", "sha512"]),
        why: "SHA and SHA-512 are not registered",
    },
    Listed {
        refusal: "algorithm not offered",
        granted_by: None,
        count: 23,
        of: ("peer", &["twisted"]),
        why: "Twisted offers SHA, which is not registered",
    },
    Listed {
        refusal: "scheme not offered",
        granted_by: None,
        count: 1,
        of: ("scenario", &["negotiate"]),
        why: "digest-fetch writes `Negotiate,` for the scheme",
    },
    Listed {
        refusal: "expected a parameter value",
        granted_by: None,
        count: 20,
        of: ("shape", &["unquoted uri"]),
        why: "the probe leaves out the quotes, and `/` is not of a token",
    },
    Listed {
        refusal: "parameter `nc` given more than once",
        granted_by: None,
        count: 21,
        of: ("shape", &["dup nc param"]),
        why: "readers differ on which one counts",
    },
    Listed {
        refusal: "parameter `username` given more than once",
        granted_by: None,
        count: 2,
        of: ("shape", &["dup username param"]),
        why: "readers differ on which one counts",
    },
    Listed {
        refusal: "parameter `nc` malformed",
        granted_by: None,
        count: 18,
        of: ("shape", &["nc 9 digits"]),
        why: "a count has no ninth digit",
    },
    Listed {
        refusal: "parameter `realm` missing",
        granted_by: None,
        count: 3,
        of: ("shape", &["no realm"]),
        why: "RFC 7616, section 3.4, requires it",
    },
];

/// Of the answers that are not right for their challenge. Those which are granted all the same are
/// right for something else that a server may have offered: another challenge of the same response,
/// or one that was not recorded.
const NONCONFORMING: &[Listed] = &[
    Listed {
        refusal: "algorithm not offered",
        granted_by: None,
        count: 109,
        of: (
            "peer",
            &[
                "lighttpd",
                "npm @mhoc/axios-digest-auth",
                "npm digest-fetch",
                "npm request",
                "npm urllib",
                "npm-http-auth",
                "sipsak",
                "squid",
                "twisted",
                "wget",
            ],
        ),
        why: "they answer with another algorithm than was offered: most know MD5 only, and name no other",
    },
    Listed {
        refusal: "scheme not offered",
        granted_by: None,
        count: 1,
        of: ("scenario", &["newauth"]),
        why: "digest-fetch answers in the name of a scheme that it does not know",
    },
    Listed {
        refusal: "credentials for another realm",
        granted_by: None,
        count: 1,
        of: ("scenario", &["newauth"]),
        why: "axios-digest-auth takes the nonce of one challenge and the realm of another",
    },
    Listed {
        refusal: "credentials for another realm",
        granted_by: None,
        count: 1,
        of: ("scenario", &["realmquote"]),
        why: "axios-digest-auth cuts the realm off at a comma",
    },
    Listed {
        refusal: "credentials for another request-target",
        granted_by: None,
        count: 2,
        of: ("peer", &["curl"]),
        why: "curl sends a proxy the path, and hashes with SHA-256 where it names SHA-512-256",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 6,
        of: ("notes", &["auth-int over an empty body"]),
        why: "curl and pycurl take the body for empty",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 11,
        of: ("peer", &["curl"]),
        why: "curl before 8.14 hashes with SHA-256 where it names SHA-512-256",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 3,
        of: ("scenario", &["authint", "authboth2"]),
        why: "digest-fetch and urllib name auth-int, and hash no body",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 2,
        of: ("peer", &["sipp"]),
        why: "SIPp names a -sess algorithm, and hashes without a session key",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 6,
        of: ("peer", &["java HttpURLConnection"]),
        why: "Java hashes in ISO-8859-1 a name that this cannot encode",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 5,
        of: ("scenario", &["realmutf8"]),
        why: "they hash a realm whose UTF-8 was encoded once more",
    },
    Listed {
        refusal: "no such user or wrong password",
        granted_by: None,
        count: 1,
        of: ("scenario", &["noncequote"]),
        why: "axios-digest-auth returns `\\` and a quote as the one without the other",
    },
    Listed {
        refusal: "expected `,` or the end",
        granted_by: None,
        count: 38,
        of: ("scenario", &["noncequote", "realmquote", "userquote"]),
        why: "they write a quote into a quoted string without escaping it",
    },
    Listed {
        refusal: "parameter `qop` missing",
        granted_by: None,
        count: 9,
        of: ("scenario", &["md5-sess-noqop"]),
        why: "without qop there is no cnonce to make a session key of",
    },
    Listed {
        refusal: "parameter `realm` missing",
        granted_by: None,
        count: 3,
        of: ("scenario", &["bws", "emptyrealm", "lowercase"]),
        why: "npm request loses an empty realm, or one it cannot read",
    },
    Listed {
        refusal: "parameter `response` malformed",
        granted_by: None,
        count: 11,
        of: ("peer", &["libmicrohttpd", "npm request", "wget"]),
        why: "they name SHA-256 or SHA-512-256, and send 32 digits of MD5",
    },
    Listed {
        refusal: "parameter `token68` malformed",
        granted_by: None,
        count: 4,
        of: ("peer", &["npm digest-fetch"]),
        why: "digest-fetch sends the parameters of Digest to a server that asks for Basic",
    },
    Listed {
        refusal: "quality of protection not offered",
        granted_by: Some(Setting::Rfc2069),
        count: 3,
        of: ("scenario", &["bws", "lowercase"]),
        why: "they lose the whole challenge, and answer an empty realm and nonce without qop",
    },
];

#[test]
fn right_answers_are_granted_once() {
    let files = [
        ("clients", 706),
        ("proxy_clients", 26),
        ("rtsp_clients", 29),
        ("sip_clients", 14),
        ("real_pairs", 350),
        ("servers_probed", 629),
    ];
    drive(&files, 1584, REFUSED);
}

#[test]
fn wrong_answers_are_refused() {
    drive(&[("nonconforming", 235)], 19, NONCONFORMING);
}

/// Drives every request of these files, each of which has so many. `granted` of them must be granted
/// with the defaults; each of the others must be in the table.
fn drive(files: &[(&str, usize)], granted: usize, table: &'static [Listed]) {
    let mut outcomes = Vec::new();
    for (file, count) in files {
        let rows = load(file);
        assert_eq!(rows.len(), *count, "exchanges in {file}.json");
        let of_file = tally::each(file, &rows, |row| {
            let outcome = outcome(row);
            let listed = match &outcome {
                Outcome::Refused(refusal, setting) => Some(entry(table, row, refusal, *setting)),
                _ => None,
            };
            (outcome, listed)
        });
        let words = of_file.iter().map(|(outcome, _)| match outcome {
            Outcome::NeedsMd5 => "skipped for want of MD5",
            Outcome::Granted => "granted once",
            Outcome::Refused(_, Some(_)) => "refused, and granted by a setting, as listed",
            Outcome::Refused(_, None) => "refused as listed",
        });
        println!("{file}.json: {}", tally::count(words));
        outcomes.extend(of_file);
    }
    if !cfg!(feature = "md5") {
        return;
    }
    let is_granted = |(outcome, _): &&(Outcome, _)| *outcome == Outcome::Granted;
    assert_eq!(
        outcomes.iter().filter(is_granted).count(),
        granted,
        "granted with the defaults"
    );
    for (number, listed) in table.iter().enumerate() {
        let count = outcomes
            .iter()
            .filter(|(_, entry)| *entry == Some(number))
            .count();
        assert_eq!(count, listed.count, "{}: {}", listed.refusal, listed.why);
    }
}

/// The number of the entry for a row that was not granted with the defaults.
fn entry(table: &[Listed], row: &Value, refusal: &str, setting: Option<Setting>) -> usize {
    let found = table.iter().position(|listed| {
        let (field, values) = listed.of;
        listed.refusal == refusal
            && listed.granted_by == setting
            && values.iter().any(|value| row[field] == *value)
    });
    found.unwrap_or_else(|| panic!("not listed: {refusal}, {setting:?}"))
}

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    NeedsMd5,
    Granted,
    /// Not with the defaults, and by which setting, if by any.
    Refused(String, Option<Setting>),
}

fn outcome(row: &Value) -> Outcome {
    let exchange = Exchange::of(row);
    let sent = Authorization::parse(&exchange.authorization);
    if let Err(error) = &sent
        && lacks_md5(error, &exchange.authorization)
    {
        return Outcome::NeedsMd5;
    }
    let mut first = None;
    for setting in SETTINGS {
        let site = Site::new(&exchange, setting);
        match site.refusal() {
            None => {
                site.grants_once();
                return match first {
                    None => Outcome::Granted,
                    Some(refusal) => Outcome::Refused(refusal, Some(setting)),
                };
            }
            Some(rejection) => {
                first.get_or_insert_with(|| words(rejection));
            }
        }
    }
    Outcome::Refused(first.unwrap(), None)
}

/// Without the place of the fault, which differs from recording to recording.
fn words(rejection: Rejection) -> String {
    let text = rejection.to_string();
    text.split(" at byte ").next().unwrap().to_owned()
}

/// A recorded request, and a server that offers what was offered in the recording, with one user.
struct Site<'a> {
    exchange: &'a Exchange,
    realm: Realm,
    nonces: RefCell<Nonces>,
    latin1_names: bool,
}

impl<'a> Site<'a> {
    fn new(exchange: &'a Exchange, setting: Setting) -> Self {
        let offered = exchange.challenges();
        let (realm, algorithms, qop) = if offered.is_empty() {
            // The challenge was not recorded.
            let realm = match Authorization::parse(&exchange.authorization) {
                Ok(Authorization::Digest(sent)) => sent.realm().to_str().unwrap().into_owned(),
                _ => "test realm".to_owned(),
            };
            (realm, Algorithm::ALL.to_vec(), QopSet::BOTH)
        } else {
            let mut algorithms: Vec<_> = offered.iter().filter_map(named_algorithm).collect();
            if algorithms.is_empty() {
                // Only such as we do not speak.
                algorithms.push(Algorithm::SHA_256);
            }
            (
                answered_realm(exchange, &offered),
                algorithms,
                offered_qop(&offered),
            )
        };
        let server = Realm::new(&realm).expect("a realm");
        let server = server
            .with_algorithms(&algorithms)
            .with_qop(qop)
            .with_userhash(true)
            .with_basic(BasicOffer::Encrypted);
        let server = match setting {
            Setting::Default | Setting::Latin1Names => server,
            Setting::Rfc2069 => server.with_rfc2069(true),
            Setting::HashLikeCnonces => server.with_hash_like_cnonces(true),
            Setting::PathAndQuery => server.with_uri_check(UriCheck::PathAndQuery),
            Setting::Path => server.with_uri_check(UriCheck::Path),
        };
        Self {
            exchange,
            nonces: RefCell::new(nonces(&server, 4)),
            realm: server,
            latin1_names: setting == Setting::Latin1Names,
        }
    }

    fn target(&self) -> Target<'a> {
        let Exchange {
            method, uri, body, ..
        } = self.exchange;
        Target::new(method, uri).with_body(EntityBody::Bytes(body.as_bytes()))
    }

    /// Looks the user up, with this password.
    fn look_up(&self, attempt: &Attempt<'_>, password: &[u8]) -> Option<Ha1> {
        let name = self.exchange.username.as_slice();
        let (hash, realm) = (attempt.hash_function(), self.realm.name());
        let known = match attempt.claimed_user() {
            User::Name(claimed) => claimed.as_bytes() == name,
            User::Octets(octets) => {
                let decoded: String = octets.iter().copied().map(char::from).collect();
                *octets == *name || self.latin1_names && decoded.as_bytes() == name
            }
            User::Hash(hashed) => hashed == userhash(hash, name, realm),
            _ => false,
        };
        known.then(|| Ha1::new(hash, name, realm, password))
    }

    /// Takes the first two steps.
    fn verify<'s>(
        &'s self,
        header: &'s [u8],
        target: &Target<'s>,
        arrival: &Arrival<'s>,
        password: Option<&[u8]>,
    ) -> Result<Verified<'s, Ha1>, Rejection> {
        let mut nonces = self.nonces.borrow_mut();
        let attempt = nonces.begin(&self.realm, [header], target, arrival).why()?;
        let ha1 = password.and_then(|password| self.look_up(&attempt, password));
        attempt.verify(ha1).why()
    }

    /// Forgets all that it let in, and has room for so many nonces.
    fn with_capacity(&self, capacity: usize) {
        self.nonces.replace(nonces(&self.realm, capacity));
    }

    /// What is wrong with the recorded header, beside its nonce.
    fn refusal(&self) -> Option<Rejection> {
        let header = &self.exchange.authorization;
        let password = Some(self.exchange.password.as_slice());
        let is_basic = matches!(Authorization::parse(header), Ok(Authorization::Basic(_)));
        match self.verify(header, &self.target(), &now(), password) {
            Err(Rejection::NonceForeign) => None,
            Ok(_) => {
                assert!(is_basic, "a nonce that is not ours was accepted");
                None
            }
            Err(rejection) => Some(rejection),
        }
    }

    fn grants_once(&self) {
        match Authorization::parse(&self.exchange.authorization) {
            Ok(Authorization::Basic(_)) => self.grants_basic(),
            Ok(Authorization::Digest(sent)) => self.grants_digest_once(&sent),
            other => panic!("{other:?}"),
        }
    }

    /// Basic covers no request and no count, so there is less to refuse.
    fn grants_basic(&self) {
        let header = &self.exchange.authorization;
        let target = self.target();
        let password = Some(self.exchange.password.as_slice());
        let wrong = self.verify(header, &target, &now(), Some(b"not the password"));
        assert_eq!(wrong.unwrap_err(), Rejection::WrongCredentials);
        let unknown = self.verify(header, &target, &now(), None);
        assert_eq!(unknown.unwrap_err(), Rejection::WrongCredentials);
        let cleartext = Arrival::new(Channel::Cleartext, START);
        let seen = self.verify(header, &target, &cleartext, password);
        assert_eq!(seen.unwrap_err(), Rejection::CleartextBasic);

        self.with_capacity(0);
        for _ in 0..2 {
            let verified = self.verify(header, &target, &now(), password).unwrap();
            let grant = self.nonces.borrow_mut().admit(verified).unwrap();
            assert_eq!(grant.algorithm(), None);
            assert!(!grant.is_counted());
        }
    }

    fn grants_digest_once(&self, sent: &Credentials<'_>) {
        let header = self.with_nonce_of_ours(sent);
        let target = self.target();
        let password = Some(self.exchange.password.as_slice());
        self.with_capacity(4);

        // What uses up nothing, since it is refused before the table is asked.
        let other_uri = other_resource(&self.exchange.uri);
        let elsewhere = Target::new(target.method, &other_uri).with_body(target.body);
        let refused = self.verify(&header, &elsewhere, &now(), password);
        assert_eq!(refused.unwrap_err(), Rejection::UriMismatch);
        let otherwise = Target::new("OTHER", target.uri).with_body(target.body);
        let later = Arrival::new(Channel::Encrypted, START.plus_secs(301));
        for (target, arrival, password, rejection) in [
            (&otherwise, now(), password, Rejection::WrongCredentials),
            (
                &target,
                now(),
                Some(b"not the password".as_slice()),
                Rejection::WrongCredentials,
            ),
            (&target, now(), None, Rejection::WrongCredentials),
            (&target, later, password, Rejection::NonceExpired),
        ] {
            let refused = self.verify(&header, target, &arrival, password);
            assert_eq!(refused.unwrap_err(), rejection);
        }

        assert_eq!(self.nonces.borrow().len(), 0);
        let verified = self.verify(&header, &target, &now(), password).unwrap();
        let grant = self.nonces.borrow_mut().admit(verified).unwrap();
        assert_eq!(grant.algorithm(), Some(sent.algorithm()));
        assert_eq!(grant.qop(), sent.qop());
        assert_eq!(grant.is_counted(), sent.qop().is_some());
        assert!(grant.claimed_user() == sent.user());

        for _ in 0..2 {
            let verified = self.verify(&header, &target, &now(), password).unwrap();
            let again = self.nonces.borrow_mut().admit(verified).why();
            assert_eq!(again.unwrap_err(), Rejection::Replayed);
        }
        assert_eq!(self.nonces.borrow().len(), 1);
    }

    /// The recorded header, byte for byte but for nonce and response.
    fn with_nonce_of_ours(&self, sent: &Credentials<'_>) -> Vec<u8> {
        let mut nonces = self.nonces.borrow_mut();
        let refused = nonces.begin(&self.realm, None::<&str>, &self.target(), &now());
        let nonce = nonce_of(&texts(&nonces.refuse(&refused.unwrap_err())));
        let recorded = &self.exchange.authorization;
        let draft = replace(recorded, sent.nonce().raw(), &nonce);

        let Ok(Authorization::Digest(read)) = Authorization::parse(&draft) else {
            panic!("the nonce is no longer readable");
        };
        let (name, password) = (&self.exchange.username, &self.exchange.password);
        let hash = read.algorithm().hash_function();
        let ha1 = Ha1::new(hash, name, self.realm.name(), password);
        let right = read.expected_response(&ha1, &self.target());
        let mut right = right.expect("a known body").as_str().to_owned();

        let params = challenges([&draft]).raw().next().unwrap().unwrap();
        let response = params.param("response").expect("a response").raw();
        if response.iter().any(u8::is_ascii_uppercase) {
            right.make_ascii_uppercase();
        }
        assert_eq!(right.len(), response.len());
        replace(&draft, response, &right)
    }
}

fn now() -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, START)
}

/// The header with `part`, which must be a slice of it, replaced.
fn replace(header: &[u8], part: &[u8], by: &str) -> Vec<u8> {
    let start = part.as_ptr().addr() - header.as_ptr().addr();
    assert_eq!(&header[start..start + part.len()], part);
    [
        &header[..start],
        by.as_bytes(),
        &header[start + part.len()..],
    ]
    .concat()
}

/// The realm of the challenge that the client answered, or else of the first that has one.
fn answered_realm(exchange: &Exchange, offered: &[RawChallenge<'_>]) -> String {
    let has_nonce = |challenge: &&RawChallenge<'_>, nonce| {
        // There may be two, to see which one a client takes.
        let mut nonces = challenge
            .params()
            .filter(|param| param.name.eq_ignore_ascii_case("nonce"));
        nonces.any(|param| param.value == nonce)
    };
    let answered = match Authorization::parse(&exchange.authorization) {
        Ok(Authorization::Digest(sent)) => offered
            .iter()
            .find(|challenge| has_nonce(challenge, sent.nonce())),
        _ => None,
    };
    let realms = answered.into_iter().chain(offered);
    let realm = realms.filter_map(RawChallenge::realm).next();
    realm
        .expect("a realm")
        .to_str()
        .expect("UTF-8")
        .into_owned()
}

/// The qop values that were offered in any challenge. A challenge with unknown ones alone counts as
/// one for `auth`: a server of ours has nothing nearer to it.
fn offered_qop(offered: &[RawChallenge<'_>]) -> QopSet {
    let lists: Vec<String> = offered
        .iter()
        .filter_map(|challenge| challenge.param("qop"))
        .map(|list| list.to_str().unwrap().into_owned())
        .collect();
    let has = |value| {
        lists
            .iter()
            .flat_map(|list| list.split(','))
            .any(|item| item.trim() == value)
    };
    match (has("auth"), has("auth-int")) {
        _ if lists.is_empty() => QopSet::LEGACY,
        (true, true) => QopSet::BOTH,
        (false, true) => QopSet::AUTH_INT,
        (_, false) => QopSet::AUTH,
    }
}

/// Another path, with the same query.
fn other_resource(uri: &str) -> String {
    match uri.split_once('?') {
        Some((path, query)) => format!("{path}/other?{query}"),
        None => format!("{uri}/other"),
    }
}
