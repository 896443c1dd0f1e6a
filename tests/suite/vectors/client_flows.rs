//! The client's side of `tests/vectors/flows.json`: whole exchanges, step by step.

use std::collections::BTreeMap;

use countersign::client::{Endpoint, Error, Policy, Quirk, ServerProof, Strength};
use countersign::digest::Ha1;
use countersign::wire::{DigestCredentials, QopParams, ha2, response};
use countersign::{Authorization, Challenger, EntityBody, Target};
use serde_json::Value;

use crate::support::client::{Dialog, Said, Sent};
use crate::support::digest::{body_hash, key, proof_for};
use crate::support::tally::{self, Outcome, Table};
use crate::support::vectors::{bytes, id, list, octets};

/// Flows with steps that the public API cannot reach.
const OUT_OF_REACH: Table = &[(
    "c-nc-overflow",
    "a nonce cannot be used 2^32 - 1 times here: the response for that count is a row of digest.json, \
     and what comes after it is a unit test of the client's",
)];

#[test]
fn client_flows() {
    tally::every_flow("client", [51, 0], &[OUT_OF_REACH], |row| {
        if cfg!(not(feature = "md5")) && needs_md5(row) {
            return Outcome::NeedsMd5;
        }
        let mut flow = Flow::new(row);
        for step in list(&row["steps"]) {
            flow.step(step);
        }
        Outcome::Strict
    });
}

/// Whether the outcome of a flow depends on MD5.
fn needs_md5(row: &Value) -> bool {
    list(&row["steps"]).iter().any(|step| {
        let expected = &step["expect"]["authorization"];
        let sha = |text: &Value| text.as_str().is_some_and(|text| text.contains("SHA-"));
        let answer = expected["scheme"] == "Digest" && !sha(&expected["params"]["algorithm"]);
        let refused_login = step["expect"]["action"] == "error"
            && fields(step, "www-authenticate")
                .iter()
                .any(|value| value.starts_with("Digest") && !value.contains("SHA-"));
        answer || refused_login
    })
}

/// One flow under way.
struct Flow<'a> {
    row: &'a Value,
    dialog: Dialog,
    challenger: Challenger,
    /// The last send step.
    request: &'a Value,
}

impl<'a> Flow<'a> {
    fn new(row: &'a Value) -> Self {
        let challenger = match row["steps"].to_string().contains("Proxy-Authenticate") {
            true => Challenger::Proxy,
            false => Challenger::Origin,
        };
        let policy = policy(&row["setup"]);
        let policy = match id(row) {
            // Of the readings that the row lists, it has the one of this setting.
            "c-nonascii-no-charset" => policy.with_quirk(Quirk::ExtendedUsernames),
            _ => policy,
        };
        let proxy = Endpoint::proxy("https", "proxy.example", 3128);
        // Its requests name whatever origin.
        let origin = Endpoint::origin("sips", "example.com", None).unwrap();
        Self {
            row,
            dialog: match challenger {
                Challenger::Origin => Dialog::at(&origin, policy),
                Challenger::Proxy => Dialog::at(&proxy, policy),
            },
            challenger,
            request: &row["steps"][0],
        }
    }

    fn step(&mut self, step: &'a Value) {
        match step["do"].as_str() {
            Some("send") => self.send(step),
            Some("receive") => self.receive(step),
            _ => panic!("what is {}?", step["do"]),
        }
    }

    fn send(&mut self, step: &'a Value) {
        self.request = step;
        if let Some(field) = step["header"].as_str() {
            assert!(field.eq_ignore_ascii_case(self.challenger.credentials_field()));
        }
        let body = bytes(step, "body").unwrap_or_default();
        let target = self.target(&body);
        let expected = &step["expect"]["authorization"];

        if let Some(count) = step["nc_override"].as_u64() {
            if count > 1000 {
                return assert!(tally::has(OUT_OF_REACH, self.row));
            }
            for _ in 1..count {
                let at = self.dialog.keep();
                let answer = self.dialog.try_send(&target);
                assert!(answer.expect("an answer").is_some());
                self.dialog.resume(at);
            }
        } else if expected == "error" {
            return assert!(tally::has(OUT_OF_REACH, self.row));
        }

        let answer = self.dialog.try_send(&target).unwrap();
        match (answer, expected) {
            (None, Value::Null) => {}
            (Some(sent), Value::Object(_)) => {
                assert_eq!(sent.scheme, expected["scheme"]);
                assert_eq!(sent.token68.as_deref(), expected["token68"].as_str());
                let cnonce = step["cnonce"].as_str().unwrap_or("unused");
                let params = self.params_with(cnonce, &sent, &target, &body);
                assert_eq!(params, params_expected(expected));
                for name in list(&step["expect"]["absent"]) {
                    assert_eq!(sent.param(name.as_str().unwrap()), None, "{name}");
                }
            }
            (answer, _) => panic!("{answer:?} instead of {expected}"),
        }
    }

    fn ha1(&self, own: &DigestCredentials<'_>) -> Ha1 {
        let setup = |name: &str| self.row["setup"][name].as_str().unwrap();
        let hash = own.algorithm().hash_function();
        Ha1::new(hash, setup("username"), own.realm, setup("password"))
    }

    /// The parameters of an answer, which must be right, and would be these with this cnonce.
    fn params_with(&self, cnonce: &str, sent: &Sent, target: &Target<'_>, body: &[u8]) -> Params {
        let mut params: Params = sent.params.iter().cloned().collect();
        let Ok(Authorization::Digest(own)) = Authorization::parse(&sent.value) else {
            return params;
        };
        let (algorithm, hash) = (own.algorithm(), own.algorithm().hash_function());
        let ha1 = self.ha1(&own);
        assert_eq!(own.expected_response(&ha1, target), Some(own.response));
        if own.qop_params.is_some() {
            let with = QopParams::new(sent.get("qop"), sent.get("nc"), cnonce).unwrap();
            let covered = body_hash(algorithm, Some(&with), body);
            let ha2 = ha2(hash, target.method, target.uri, covered.as_ref());
            let key = key(algorithm, &ha1, &own.nonce.to_bytes(), cnonce.as_bytes());
            let digits = response(&key, own.nonce, Some(&with), &ha2);
            params.insert("cnonce".into(), cnonce.into());
            params.insert("response".into(), digits.as_str().into());
        }
        params
    }

    /// The last request.
    fn target<'t>(&self, body: &'t [u8]) -> Target<'t>
    where
        'a: 't,
    {
        let text = |name: &str| self.request[name].as_str().unwrap();
        let target = Target::new(text("method"), text("uri"));
        match id(self.row) {
            // The title: "body not available as bytes".
            "c-auth-both-body-unknown" => target,
            _ => target.with_body(EntityBody::Bytes(body)),
        }
    }

    fn receive(&mut self, step: &Value) {
        let expect = &step["expect"];
        let action = if step["status"] == self.challenger.status() {
            let values = fields(step, self.challenger.challenge_field());
            let said = self.dialog.challenged(&values);
            self.follow(&said)
        } else {
            let mut info = fields(step, self.challenger.info_field());
            // A proof is for the cnonce that was sent.
            for value in info.iter_mut().filter(|it| it.contains("rspauth")) {
                let sent = Sent::read(self.dialog.exchange.answer().unwrap().as_bytes());
                let Ok(Authorization::Digest(own)) = Authorization::parse(&sent.value) else {
                    panic!("a proof for {}", sent.text());
                };
                let proof = proof_for(&own, &self.ha1(&own), b"");
                let given = value.split('"').nth(1).unwrap().to_owned();
                *value = value.replace(&given, proof.as_str());
                *value = value.replace("\"c1\"", &format!("{:?}", sent.get("cnonce")));
            }
            let proof = self.dialog.accepted_with(&info);
            let mutual_auth = match proof {
                Ok(ServerProof::Valid) => "ok",
                Ok(ServerProof::Absent) | Err(Error::MissingProof) => "absent",
                other => panic!("{other:?}"),
            };
            let expected = expect["mutual_auth"].as_str();
            assert_eq!(mutual_auth, expected.unwrap_or("absent"));
            self.dialog.next_exchange();
            match proof {
                Ok(_) => "done",
                Err(_) => "error",
            }
        };
        assert_eq!(action, expect["action"], "{step}");

        if let Some(chosen) = expect["chosen"].as_str() {
            let value = self.try_out();
            match Authorization::parse(&value).unwrap() {
                Authorization::Basic(_) => assert_eq!(chosen, "Basic"),
                Authorization::Digest(digest) => {
                    assert_eq!(chosen, digest.algorithm().as_str());
                }
                other => panic!("{other:?}"),
            }
        }
        if let Some(nonce) = expect["next_nonce"].as_str() {
            assert_eq!(Sent::read(&self.try_out()).get("nonce"), nonce);
        }
        for (uri, inside) in expect["protection_space"].as_object().into_iter().flatten() {
            // Null: the rules differ on it.
            if let Some(inside) = inside.as_bool() {
                let sent = self.dialog.would_send_unasked(uri);
                assert_eq!(sent.is_some(), inside, "{uri}");
            }
        }
    }

    /// Does what the client says, and gives it the name that the vectors have for that.
    fn follow(&mut self, said: &Said) -> &'static str {
        let setup = |name: &str| self.row["setup"][name].as_str().unwrap();
        match said {
            Said::Login => match self.dialog.login_as(setup("username"), setup("password")) {
                Ok(()) => "retry",
                Err(_) => "error",
            },
            Said::Retry => "retry",
            Said::NoUsableChallenge(_) => "no-usable-challenge",
            _ => "give-up",
        }
    }

    /// What the client would send now.
    fn try_out(&self) -> Vec<u8> {
        let body = bytes(self.request, "body").unwrap_or_default();
        let answer = self.dialog.clone().try_send(&self.target(&body));
        answer.unwrap().expect("an answer").value
    }
}

fn policy(setup: &Value) -> Policy {
    let mut policy = Policy::new();
    for (name, value) in setup.as_object().unwrap() {
        policy = match (name.as_str(), value) {
            ("allow_rfc2069", Value::Bool(true)) => policy.with_quirk(Quirk::Rfc2069),
            // The default, or not the policy's to say; Basic is looked at below.
            ("allow_rfc2069", Value::Bool(false)) => policy,
            ("username" | "password" | "allow_basic", _) => policy,
            ("require_mutual_auth", Value::Bool(true)) => policy.require_server_proof(),
            ("algorithms", Value::Array(names)) => match names.last().and_then(Value::as_str) {
                Some("MD5") => policy,
                Some("SHA-256") => policy.require_strength(Strength::DigestSha2),
                other => panic!("what floor is {other:?}?"),
            },
            other => panic!("what is {other:?}?"),
        };
    }
    match setup["allow_basic"] {
        Value::Bool(true) => policy,
        _ => policy.require_strength(Strength::DigestRfc2069),
    }
}

type Params = BTreeMap<String, Vec<u8>>;

fn params_expected(expected: &Value) -> Params {
    let params = expected["params"].as_object().into_iter().flatten();
    let octets = params.map(|(name, value)| (name.clone(), octets(value)));
    octets.collect()
}

/// The values of a header field.
fn fields(step: &Value, name: &str) -> Vec<String> {
    let headers = list(&step["headers"]).iter();
    headers
        .filter(|header| header[0].as_str().unwrap().eq_ignore_ascii_case(name))
        .map(|header| header[1].as_str().unwrap().to_owned())
        .collect()
}
