//! The server's side of `tests/vectors/flows.json`: whole exchanges, step by step.
//!
//! Each is run with a replay table, and with a shared store in its place. Both must come to the same.

use std::collections::{HashMap, HashSet};

use countersign::digest::{Algorithm, Ha1, HexDigest, QopSet, User, userhash};
use countersign::server::{
    Arrival, Attempt, Authenticator, Quirk, Realm, Reason, Refusal, SharedStore, Verified,
};
use countersign::wire::{QopParams, ha2, response};
use countersign::{Channel, EntityBody, Target, Timestamp};
use serde_json::Value;

use crate::support::digest::{algorithm, body_hash, key, qop_set};
use crate::support::server::{
    Params, START, authenticator, digest_challenge, no_field, quoted, reply, shared, texts,
};
use crate::support::tally::{self, Outcome, Table};
use crate::support::vectors::{bytes, id, list};

/// What we decide where the vectors leave it open.
const OURS: Table = &[
    // Its uses are remembered, whatever the clock says.
    ("s-nonce-from-future", "accept"),
    // Nothing counts its uses, so it is good for one.
    ("s-rfc2069-replay", "reject"),
    // It is the same number.
    ("s-response-case", "accept"),
    // The client weakens nothing but its own protection.
    ("s-cnonce-empty", "accept"),
];

/// Flows in which we take another of the readings than the one that is expected.
const OTHER_READING: Table = &[
    (
        "s-opaque-mismatch",
        "an opaque is not checked: lighttpd and libmicrohttpd ignore it, too",
    ),
    (
        "s-nc-zero",
        "zero is a count like any other: Ruby's net-http-digest_auth starts from it",
    ),
];

#[test]
fn server_flows() {
    tally::every_flow("server", [48, 0], &[OURS, OTHER_READING], |row| {
        if cfg!(not(feature = "md5")) && needs_md5(row) {
            return Outcome::NeedsMd5;
        }
        for is_shared in [false, true] {
            let mut flow = Flow::new(row, is_shared);
            list(&row["steps"]).iter().for_each(|step| flow.step(step));
        }
        match tally::has(OTHER_READING, row) {
            true => Outcome::Leniency,
            false => Outcome::Strict,
        }
    });
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

/// Whether the client of a flow makes a response with MD5.
fn needs_md5(row: &Value) -> bool {
    list(&row["steps"]).iter().any(|step| {
        let inputs = &step["response_inputs"];
        inputs.is_object() && algorithm(&inputs["algorithm"]).is_none()
    })
}

/// The opaque that `$O` stands for.
const OPAQUE: &str = "opaque-O";

fn realm(setup: &Value) -> Realm {
    for name in setup.as_object().expect("a setup").keys() {
        match name.as_str() {
            "realm" | "algorithms" | "qop" | "opaque" | "users" | "ha1_store" => {}
            "nonce_lifetime_s" | "allow_rfc2069" | "userhash" | "scheme" => {}
            // Ours is always 64 wide. The flows that want 4 hold for that, too.
            "nc_window" => assert!(setup["nc_window"] == 4 || setup["nc_window"] == 64),
            _ => panic!("what is {name}?"),
        }
    }
    let algorithms: Vec<Algorithm> = list(&setup["algorithms"])
        .iter()
        .filter_map(algorithm)
        .collect();
    let offers = |qop: &str| list(&setup["qop"]).contains(&qop.into());
    let qop = qop_set(offers("auth"), offers("auth-int"));
    let lifetime = setup["nonce_lifetime_s"].as_u64().expect("a lifetime");
    let mut server = Realm::new(text(&setup["realm"]))
        .expect("a realm")
        .with_algorithms(&algorithms)
        .with_qop(qop)
        .with_userhash(setup["userhash"] == true)
        .with_nonce_lifetime(lifetime.try_into().expect("a short one"));
    if setup["opaque"] == "$O" {
        server = server.with_opaque(OPAQUE).expect("an opaque");
    }
    if setup["allow_rfc2069"] == true {
        server = server.with_quirks(&[Quirk::Rfc2069]);
    }
    if setup["scheme"] == "Basic" {
        server = server.with_algorithms(&[]).with_basic();
    }
    server
}

/// One flow under way.
struct Flow<'a> {
    row: &'a Value,
    /// Whether a shared store takes the place of the table.
    is_shared: bool,
    state: Authenticator,
    store: Authenticator<SharedStore>,
    claimed: HashSet<String>,
    /// The nonces by the names that the flow has for them.
    nonces: HashMap<&'a str, String>,
}

impl<'a> Flow<'a> {
    fn new(row: &'a Value, is_shared: bool) -> Self {
        Self {
            row,
            state: authenticator(realm(&row["setup"]), 10),
            store: shared(realm(&row["setup"]), 1),
            is_shared,
            claimed: HashSet::new(),
            nonces: HashMap::new(),
        }
    }

    fn step(&mut self, step: &'a Value) {
        match step["do"].as_str() {
            Some("challenge") => self.challenge(step),
            Some("request") => {
                let outcome = self.request(step);
                self.judge(step, outcome);
            }
            _ => panic!("what is {}?", step["do"]),
        }
    }

    fn now(step: &Value) -> Timestamp {
        START.plus_millis(1000 * (step["at"].as_u64().expect("a time")))
    }

    fn arrival(step: &Value) -> Arrival<'static> {
        Arrival::new(Channel::Encrypted, Self::now(step))
    }

    fn challenge(&mut self, step: &'a Value) {
        let target = Target::new("GET", "/");
        let rejected = self.state.begin(no_field(), &target, Self::arrival(step));
        let refusal = rejected.expect_err("a refusal");
        assert_eq!(refusal.status, step["expect"]["status"]);
        let (nonce, stale) = self.read_challenges(&texts(&refusal));
        assert!(!stale);
        self.nonces
            .insert(text(&step["nonce_as"]), nonce.expect("a Digest challenge"));
    }

    /// The nonce of the challenges and whether they say `stale`. They must be as the setup says.
    fn read_challenges(&self, values: &[String]) -> (Option<String>, bool) {
        let setup = &self.row["setup"];
        if setup["scheme"] == "Basic" {
            let realm = text(&setup["realm"]);
            assert_eq!(
                values,
                [format!(r#"Basic realm="{realm}", charset="UTF-8""#)]
            );
            return (None, false);
        }
        let read: Vec<_> = values.iter().map(|value| digest_challenge(value)).collect();
        // MD5 does not protect a body, so it is not offered for `auth-int` alone.
        let for_body = list(&setup["qop"]) == ["auth-int"];
        let is_offered = |it: &Algorithm| !(for_body && it.to_string().starts_with("MD5"));
        let offered = list(&setup["algorithms"]).iter().filter_map(algorithm);
        let algorithms = read.iter().map(|challenge| challenge.algorithm());
        assert!(algorithms.eq(offered.filter(is_offered)));
        for challenge in &read {
            assert_eq!(challenge.realm, text(&setup["realm"]));
            assert_eq!(challenge.nonce, read[0].nonce);
            assert_eq!(challenge.stale, read[0].stale);
            assert_eq!(challenge.opaque.is_some(), setup["opaque"] == "$O");
            assert_eq!(challenge.userhash == Some(true), setup["userhash"] == true);
            assert_eq!(
                challenge.qop == QopSet::NONE,
                list(&setup["qop"]).is_empty()
            );
        }
        let nonce = read[0].nonce.to_str().expect("text");
        (Some(nonce.into_owned()), read[0].stale)
    }

    fn request(&mut self, step: &Value) -> Result<(), Refusal> {
        let header = self.header(step);
        let body = bytes(step, "body").unwrap_or_default();
        let target = Target::new(text(&step["method"]), text(&step["uri"]));
        let target = target.with_body(EntityBody::Bytes(&body));
        let values = header.as_deref().into_iter();
        let arrival = Self::arrival(step);
        let attempt = match self.is_shared {
            false => self.state.begin(values, &target, arrival),
            true => self.store.begin(values, &target, arrival),
        };
        let verified = attempt.and_then(|attempt| self.verify(attempt));
        let granted = verified.and_then(|verified| match self.is_shared {
            false => self.state.admit(verified),
            true => self.store.claim(verified).or_else(|claim| {
                let reply = reply(self.claimed.insert(claim.key()), Self::now(step));
                claim.settle(reply)
            }),
        });
        granted.map(drop)
    }

    fn verify<'s>(&self, attempt: Attempt<'s>) -> Result<Verified<'s, Ha1>, Refusal> {
        let setup = &self.row["setup"];
        let realm = text(&setup["realm"]);
        let user = attempt.claimed_user().into_owned();
        let hash = attempt.hash_function();
        let users = setup["users"].as_object().expect("users");
        let found = users.iter().find(|(name, _)| match &user {
            User::Name(claimed) => claimed == *name,
            User::Hash(claimed) => *claimed == userhash(hash, name, realm),
            _ => false,
        });
        let account = found.map(|(name, password)| {
            match setup["ha1_store"][name][&hash.to_string()].as_str() {
                Some(digits) => Ha1::from_hex(hash, digits).expect("an HA1"),
                None => Ha1::new(hash, name, realm, text(password)),
            }
        });
        attempt.verify(account)
    }

    /// The `Authorization` field; none if the step has none.
    fn header(&self, step: &Value) -> Option<String> {
        if let Some(raw) = step["authorization_raw"].as_str() {
            return Some(raw.to_owned()).filter(|raw| !raw.is_empty());
        }
        assert_eq!(step["authorization"]["scheme"], "Digest");
        let params = step["authorization"]["params"].as_object().expect("params");
        let mut header = Params::default();
        for (name, value) in params {
            let value = match text(value) {
                "$computed" => self.computed(step),
                "$O" => OPAQUE.to_owned(),
                nonce if nonce.starts_with("$N") => self.nonces[nonce].clone(),
                other => other.to_owned(),
            };
            let bare = ["algorithm", "qop", "nc", "username*"].contains(&name.as_str());
            header = header.with(name, if bare { value } else { quoted(&value) });
        }
        Some(header.to_string())
    }

    /// The response of a request with the nonce that was made. That it is made as the vectors
    /// mean it is seen from the one they print, which is for a nonce of theirs.
    fn computed(&self, step: &Value) -> String {
        let inputs = &step["response_inputs"];
        let nonce = text(&inputs["nonce"]);
        let theirs = nonce.replace('$', "test-nonce-");
        let response = respond(inputs, &theirs);
        assert_eq!(step["response_with_test_nonces"], response.as_str());
        let ours = self.nonces.get(nonce).map_or(nonce, String::as_str);
        let response = respond(inputs, ours).as_str().to_owned();
        match step["response_transform"].as_str() {
            None => response,
            Some("uppercase") => response.to_uppercase(),
            Some(other) => panic!("what is {other}?"),
        }
    }

    fn judge(&self, step: &Value, outcome: Result<(), Refusal>) {
        let expect = &step["expect"];
        let ours = || OURS.iter().find(|(flow, _)| *flow == id(self.row));
        let verdict = match text(&expect["verdict"]) {
            _ if tally::has(OTHER_READING, self.row) => "accept",
            "reject-or-accept" => ours().expect("what is ours?").1,
            verdict => verdict,
        };
        match (verdict, outcome) {
            ("accept", Ok(())) => {}
            ("reject", Err(refusal)) => {
                let (status, why) = (refusal.status, refusal.reason);
                match expect["status"].as_u64() {
                    // RFC 7616, section 3.4, wants any 4xx; RFC 9110, section 11.4, a challenge.
                    Some(400) if matches!(why, Reason::Header(_)) => assert_eq!(status, 401),
                    Some(expected) => assert_eq!(u64::from(status), expected),
                    None => assert!([400, 401].contains(&status)),
                }
                assert_eq!(status == 400, refusal.challenges.is_empty());
                let stale = status != 400 && self.read_challenges(&texts(&refusal)).1;
                if let Some(expected) = expect["stale"].as_bool() {
                    assert_eq!(stale, expected, "{why}");
                }
                assert!(expect["reason"] != "replay" || why == Reason::Replayed);
            }
            (_, outcome) => panic!("{verdict} was expected, not {outcome:?}"),
        }
    }
}

/// The response that these inputs give with a nonce.
fn respond(inputs: &Value, nonce: &str) -> HexDigest {
    let algorithm = algorithm(&inputs["algorithm"]).expect("not for want of MD5");
    let hash = algorithm.hash_function();
    let input = |name: &str| text(&inputs[name]);
    let ha1 = Ha1::new(hash, input("username"), input("realm"), input("password"));
    let cnonce = input("cnonce");
    let key = key(algorithm, &ha1, nonce.as_bytes(), cnonce.as_bytes());
    let method_and_uri = |body| ha2(hash, input("method"), input("uri"), body);
    let Some(qop) = inputs["qop"].as_str() else {
        return response(&key, nonce, None, &method_and_uri(None));
    };
    // An `nc` that cannot be read gives no protection; spell the formula out.
    let Ok(protection) = QopParams::new(qop, input("nc"), cnonce) else {
        let ha2 = method_and_uri(None);
        let middle = format!("{nonce}:{}:{cnonce}:{qop}", input("nc"));
        return response(&key, middle, None, &ha2);
    };
    let body = bytes(inputs, "body").unwrap_or_default();
    let body = body_hash(algorithm, Some(&protection), &body);
    let ha2 = method_and_uri(body.as_ref());
    response(&key, nonce, Some(&protection), &ha2)
}
