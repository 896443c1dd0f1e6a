//! Which challenge a client answers.

use countersign::digest::{Algorithm, HashFunction};
use countersign::{Authorization, Channel};

use super::trial::{Alter, Trial};
use crate::outcome::{Outcome, fail, skip};

fn offers(client: &Trial<'_>) -> Outcome<countersign::server::Realm> {
    let algorithms = [
        Algorithm::SHA_256,
        #[cfg(feature = "md5")]
        Algorithm::MD5,
    ];
    let realm = client.realm()?.with_algorithms(&algorithms);
    Ok(realm.with_cleartext_basic())
}

fn must_take_sha256(client: &mut Trial<'_>, alter: Alter) -> Outcome {
    if client.check.algorithm != Algorithm::SHA_256 {
        return skip("another algorithm than SHA-256 is asked for");
    }
    let core = client.serve_altered(offers(client)?, alter, |_| {});
    let _ = client.get()?;
    let algorithm = client.last_digest(|it| it.algorithm())?;
    match algorithm.hash_function() {
        HashFunction::Sha256 if core.granted() > 0 => Ok(()),
        HashFunction::Sha256 => fail("the answer was refused"),
        other => fail(format!("an answer to the challenge of {other}")),
    }
}

pub(super) fn strongest_first(client: &mut Trial<'_>) -> Outcome {
    must_take_sha256(client, |_| {})
}

pub(super) fn strongest_last(client: &mut Trial<'_>) -> Outcome {
    must_take_sha256(client, |challenges| challenges.reverse())
}

pub(super) fn one_field(client: &mut Trial<'_>) -> Outcome {
    let in_one = |challenges: &mut Vec<String>| {
        if let [digest] = &mut challenges[..] {
            let bait = r#"Newauth realm="x, Digest realm=\"y\", nonce=\"z\"", type=1"#;
            *digest = format!("{bait}, {digest}, Negotiate, Bearer YTpi");
        }
    };
    let core = client.serve_altered(client.realm()?, in_one, |_| {});
    client.must_get(&core)
}

pub(super) fn unknown_algorithm(client: &mut Trial<'_>) -> Outcome {
    let algorithm: Alter = |it| respell(it, "algorithm=", "algorithm=SHA-1024-");
    let qop: Alter = |it| respell(it, "\"auth\"", "\"auth-new\"");
    for (what, alter) in [("algorithm", algorithm), ("qop", qop)] {
        client.serve_altered(client.realm()?, alter, |_| {});
        client.renew();
        let _ = client.get()?;
        if !client.credentials().is_empty() {
            return fail(format!("an answer for an unknown {what}"));
        }
    }
    Ok(())
}

pub(super) fn must_send_no_password(client: &Trial<'_>) -> Outcome {
    let is_basic =
        |value: &Vec<u8>| matches!(Authorization::parse(value), Ok(Authorization::Basic(_)));
    match client.credentials().iter().any(is_basic) {
        true => fail("the password was sent by Basic"),
        false => Ok(()),
    }
}

pub(super) fn cleartext_basic(client: &mut Trial<'_>) -> Outcome {
    if client.check.channel == Channel::Encrypted {
        return skip("the channel is encrypted: see ClientCheck::with_uri");
    }
    client.serve(offers(client)?.with_algorithms(&[]));
    let _ = client.get()?;
    must_send_no_password(client)
}

pub(super) fn downgrade(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    client.must_get(&core)?;
    client.serve(offers(client)?.with_algorithms(&[]));
    let _ = client.get()?;
    must_send_no_password(client)?;
    if client.check.channel == Channel::Encrypted {
        return Ok(());
    }
    client.renew();
    client.serve_nobody(offers(client)?, |_| {});
    let _ = client.get()?;
    must_send_no_password(client)
}

/// Other spellings, and a name for each.
const SPELLINGS: &[(&str, Alter)] = &[
    ("names in another case", |challenges| {
        for (name, other) in [
            ("Digest ", "dIGEST "),
            ("realm=", "Realm="),
            ("nonce=", "NONCE="),
            ("qop=", "Qop="),
            ("algorithm=", "ALGORITHM="),
        ] {
            respell(challenges, name, other);
        }
    }),
    ("commas without spaces", |challenges| {
        respell(challenges, ", ", ",")
    }),
    ("empty list elements", |challenges| {
        respell(challenges, ", ", " , ,, ")
    }),
    ("whitespace around =", |challenges| {
        respell(challenges, "=\"", "\t= \"")
    }),
    ("qop without quotes", |challenges| {
        respell(challenges, "\"auth\"", "auth")
    }),
    ("algorithm in quotes", |challenges| {
        for challenge in challenges {
            let Some(at) = challenge
                .find("algorithm=")
                .map(|at| at + "algorithm=".len())
            else {
                continue;
            };
            let end = challenge[at..]
                .find(',')
                .map_or(challenge.len(), |end| at + end);
            challenge.insert(end, '"');
            challenge.insert(at, '"');
        }
    }),
    ("a parameter that nobody knows", |challenges| {
        respell(challenges, "Digest ", "Digest new=\"a, nonce=\\\"b\\\"\", ");
    }),
];

fn respell(challenges: &mut [String], from: &str, to: &str) {
    for challenge in challenges {
        *challenge = challenge.replace(from, to);
    }
}

pub(super) fn other_spelling(client: &mut Trial<'_>) -> Outcome {
    for (what, alter) in SPELLINGS {
        let core = client.serve_altered(client.realm()?, *alter, |_| {});
        client.renew();
        client.must_get(&core).map_err(|stop| stop.about(what))?;
    }
    Ok(())
}
