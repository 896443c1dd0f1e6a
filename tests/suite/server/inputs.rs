//! What somebody without the secret can change in a captured request that has not arrived yet: every
//! input of `begin` and `verify`, each with what then may differ. Either it is refused and the
//! server remembers nothing, so that the user's own request is granted afterwards; or it is granted
//! to the same account as the same use, so that the user's own is a replay.
//!
//! The inputs are read from the source: the parameters of credentials, and the fields of `Target`
//! and of the content of `Arrival`. One that is new fails until it has a row.

use std::collections::BTreeSet;
use std::fs;

use countersign::digest::{Ha1, HashFunction, QopSet, userhash};
use countersign::server::{Arrival, Reason};
use countersign::{Channel, EntityBody, Target, Timestamp};

use crate::support::server::{
    Answer, PASSWORD, Params, REALM, START, Service, USER, Why, look_up, quoted, realm,
};

/// A request as the attacker delivers it.
struct Request {
    header: String,
    params: Params,
    method: String,
    uri: String,
    body: Vec<u8>,
    channel: Channel,
    time: Timestamp,
    binding: &'static [u8],
    /// How often the field is there.
    times: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    /// Nothing has changed: the user's own request is granted.
    Refused,
    /// The same use for the same account: the user's own request is a replay.
    Same,
}

use Then::{Refused, Same};

type Row = (&'static str, Then, fn(&mut Request));

const BINDING: &[u8] = b"192.0.2.7";

fn set(request: &mut Request, name: &str, raw: impl Into<String>) {
    request.params = request.params.clone().with(name, raw);
}

fn rename(request: &mut Request, name: &str, to: &str) {
    request.params = request.params.clone().renamed(name, to);
}

/// Changes the digits of the response, which are last.
fn respond(request: &mut Request, change: impl Fn(&str) -> String) {
    let header = request.params.to_string();
    let (_, digits) = header.rsplit_once("response=").expect("it is last");
    set(
        request,
        "response",
        format!("\"{}\"", change(digits.trim_matches('"'))),
    );
}

const EXTENDED: &str = "UTF-8''Mufasa";
const FOREIGN: &str = "\"AYvP5WgAAAAAAAAAAAFbjVVg6XdhpJ3iyJp_6f3_\"";
const OTHER_HASH: &str = "SHA-512-256";
const SESSION: &str = "SHA-256-sess";

/// The input, what then may differ, and the change.
const ROWS: &[Row] = &[
    ("Username", Refused, |it| set(it, "username", "\"Scar\"")),
    ("Username", Same, |it| set(it, "username", "\"M\\ufasa\"")),
    ("UsernameExt", Same, |it| {
        rename(it, "username", "username*");
        set(it, "username*", "UTF-8''M%75fasa");
    }),
    ("UsernameExt", Refused, |it| set(it, "username*", EXTENDED)),
    ("Userhash", Same, |it| {
        let hash = userhash(HashFunction::Sha256, USER, REALM);
        set(it, "username", quoted(hash.as_str()));
        set(it, "userhash", "true");
    }),
    ("Userhash", Refused, |it| set(it, "userhash", "true")),
    ("Userhash", Refused, |it| {
        rename(it, "username", "username*");
        set(it, "username*", EXTENDED);
        set(it, "userhash", "true");
    }),
    ("Realm", Refused, |it| set(it, "realm", "\"other\"")),
    ("Realm", Same, |it| set(it, "realm", r#""\files""#)),
    ("Nonce", Refused, |it| set(it, "nonce", FOREIGN)),
    ("Uri", Refused, |it| set(it, "uri", "\"/other\"")),
    ("Uri", Refused, |it| {
        set(it, "uri", "\"/other\"");
        "/other".clone_into(&mut it.uri);
    }),
    ("Response", Refused, |it| respond(it, |_| "0".repeat(64))),
    ("Response", Same, |it| respond(it, str::to_uppercase)),
    // Also where a backslash keeps its length from being seen.
    ("Response", Same, |it| respond(it, |it| format!("\\{it}"))),
    ("Response", Refused, |it| {
        respond(it, |it| format!("\\{it}0"))
    }),
    ("Response", Refused, |it| {
        respond(it, |it| format!("\\{}", &it[1..]))
    }),
    ("Algorithm", Refused, |it| set(it, "algorithm", OTHER_HASH)),
    ("Algorithm", Refused, |it| set(it, "algorithm", SESSION)),
    ("Algorithm", Same, |it| set(it, "algorithm", "\"sha-256\"")),
    ("Cnonce", Refused, |it| set(it, "cnonce", "\"another\"")),
    ("Opaque", Same, |it| set(it, "opaque", "\"anything\"")),
    ("Qop", Refused, |it| set(it, "qop", "auth-int")),
    ("Qop", Refused, |it| {
        let params = it.params.clone().without("qop");
        it.params = params.without("nc").without("cnonce");
    }),
    ("Nc", Refused, |it| set(it, "nc", "00000002")),
    ("Nc", Refused, |it| set(it, "nc", "1")),
    ("unknown", Same, |it| set(it, "unknown", "\"a, b=c\"")),
    ("order", Same, |it| it.params.0.reverse()),
    ("scheme", Same, |it| it.header = "dIGEST ".to_owned()),
    ("scheme", Refused, |it| it.header = "Basic ".to_owned()),
    ("values", Refused, |it| it.times = 2),
    ("values", Refused, |it| it.times = 0),
    ("method", Refused, |it| "POST".clone_into(&mut it.method)),
    ("method", Refused, |it| "get".clone_into(&mut it.method)),
    ("uri", Refused, |it| "/other".clone_into(&mut it.uri)),
    ("uri", Refused, |it| it.uri.push('#')),
    // With `auth` nothing covers the body, and with `auth-int` the response does: see below.
    ("body", Same, |it| it.body = b"other".to_vec()),
    ("channel", Same, |it| it.channel = Channel::Cleartext),
    ("now", Same, |it| it.time = START.plus_millis(1000 * 299)),
    ("now", Refused, |it| it.time = START.plus_millis(1000 * 301)),
    ("now", Same, |it| it.time = Timestamp::from_unix_millis(0)),
    ("binding", Refused, |it| it.binding = b"192.0.2.8"),
    ("binding", Refused, |it| it.binding = b""),
];

#[test]
fn every_input_has_a_row() {
    let read = |file: &str| fs::read_to_string(file).expect("a source file");
    let between = |text: &str, start: &str, end: &str| -> String {
        let (_, rest) = text
            .split_once(start)
            .unwrap_or_else(|| panic!("no {start}"));
        rest.split_once(end).expect("its end").0.to_owned()
    };
    let mut inputs = BTreeSet::new();
    for file in ["src/digest/credentials.rs", "src/digest/user.rs"] {
        for name in read(file).split("ParamName::").skip(1) {
            let name = name.split(|c: char| !c.is_alphanumeric()).next();
            inputs.insert(name.expect("a name").to_owned());
        }
    }
    assert!(inputs.len() >= 12, "{inputs:?}");
    for (file, start) in [
        ("src/target.rs", "pub struct Target<'a> {"),
        ("src/server/arrival.rs", "pub(super) struct When<'a> {"),
    ] {
        for line in between(&read(file), start, "\n}").lines() {
            let line = line.trim_start_matches(' ');
            if let Some((name, _)) = line.split_once(": ").filter(|_| line.starts_with("pub")) {
                inputs.insert(name.rsplit(' ').next().expect("a name").to_owned());
            }
        }
    }
    // What belongs to no field.
    inputs.extend(["unknown", "order", "scheme", "values"].map(str::to_owned));
    let listed: BTreeSet<_> = ROWS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(listed, inputs);
}

fn deliver(service: &Service, request: &Request) -> Result<(), Reason> {
    let params = request.params.to_string();
    let params = params.strip_prefix("Digest ").expect("the scheme");
    let header = format!("{}{params}", request.header);
    let target = Target::new(&request.method, &request.uri);
    let target = target.with_body(EntityBody::Bytes(&request.body));
    let values = vec![&header; request.times];
    let arrival = Arrival::new(request.channel, request.time).bound_to(request.binding);
    let (auth, values) = (&service.auth, values.into_iter());
    let attempt = auth
        .begin_as(&service.realm, values, &target, arrival)
        .why()?;
    let ha1 = look_up(&attempt);
    let grant = auth.admit(attempt.verify(ha1).why()?).why()?;
    let account = Ha1::new(HashFunction::Sha256, USER, REALM, PASSWORD);
    assert!(*grant.account() == account, "of another account");
    assert!(grant.qop().is_some());
    Ok(())
}

fn captured(service: &Service, qop: &'static str) -> Request {
    let arrival = Arrival::new(Channel::Encrypted, START).bound_to(BINDING);
    let nonce = crate::support::server::nonce_of(&service.challenges_at(arrival));
    let answer = Answer {
        qop: Some(qop),
        ..Answer::to(&nonce)
    };
    Request {
        header: "Digest ".to_owned(),
        params: answer.params(),
        method: answer.method,
        uri: answer.uri,
        body: Vec::new(),
        channel: Channel::Encrypted,
        time: START,
        binding: BINDING,
        times: 1,
    }
}

#[test]
fn a_changed_request_is_refused_without_a_trace_or_is_the_same_use() {
    for qop in ["auth", "auth-int"] {
        for (number, (input, then, change)) in ROWS.iter().enumerate() {
            let service = Service::new(realm().with_userhash(true).with_qop(QopSet::BOTH));
            let honest = captured(&service, qop);
            let mut changed = captured(&service, qop);
            changed.params = honest.params.clone();
            change(&mut changed);
            // Only `auth-int` covers the body; a row changes `auth` to it.
            let then = match (*input, qop) {
                ("body", "auth-int") => Refused,
                ("Qop", "auth-int") if changed.params.to_string().contains("qop=auth-int") => {
                    continue;
                }
                _ => *then,
            };
            let shown = format!("row {number}, {input}, {qop}");
            let outcome = deliver(&service, &changed);
            assert_eq!(outcome.is_ok(), then == Same, "{shown}: {outcome:?}");
            assert_eq!(service.len(), usize::from(then == Same), "{shown}");
            let own = deliver(&service, &honest);
            match then {
                Refused => assert!(own.is_ok(), "{shown}: {own:?}"),
                Same => assert_eq!(own, Err(Reason::Replayed), "{shown}"),
            }
        }
    }
}
