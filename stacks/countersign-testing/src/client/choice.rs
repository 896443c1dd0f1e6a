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

fn must_take_sha256(client: &mut Trial<'_>, alter: Alter, last: bool) -> Outcome {
    if client.check.algorithm != Algorithm::SHA_256 {
        return skip("another algorithm than SHA-256 is asked for");
    }
    let core = client.serve_altered(offers(client)?, alter, |_| {});
    let _ = client.get()?;
    let algorithm = client.last_digest(|it| it.algorithm())?;
    match algorithm.hash_function() {
        HashFunction::Sha256 if core.granted() > 0 => Ok(()),
        HashFunction::Sha256 => fail("the answer was refused"),
        other if last && core.granted() > 0 => {
            client.note(format!(
                "the challenge of {other} was answered: who changes messages on their way can put a \
                 weaker challenge first"
            ));
            Ok(())
        }
        other => fail(format!("an answer to the challenge of {other}")),
    }
}

pub(super) fn strongest_first(client: &mut Trial<'_>) -> Outcome {
    must_take_sha256(client, |_| {}, false)
}

pub(super) fn strongest_last(client: &mut Trial<'_>) -> Outcome {
    must_take_sha256(client, |challenges| challenges.reverse(), true)
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
            return fail(format!("credentials for an unknown {what}"));
        }
    }
    // What is unknown is no reason to give up.
    let first: Alter = |challenges| {
        let unknown = r#"Digest realm="new", nonce="n", qop="auth", algorithm=SHA-1024"#;
        challenges.insert(0, unknown.to_owned());
    };
    let core = client.serve_altered(client.realm()?, first, |_| {});
    client.renew();
    let known = client.must_get(&core);
    known.map_err(|stop| stop.about("a known algorithm after an unknown one"))
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
    if must_send_no_password(client).is_err() {
        client.note("the password was sent, and everybody on the way can read it");
    }
    Ok(())
}

/// A challenge that no client takes to be better, before and after one that is.
pub(super) fn mixed(client: &mut Trial<'_>) -> Outcome {
    const OTHER: &str = r#"Digest realm="other", nonce="o", opaque="o", qop="auth", algorithm=MD5"#;
    let first: Alter = |challenges| challenges.insert(0, OTHER.to_owned());
    let last: Alter = |challenges| challenges.push(OTHER.to_owned());
    for alter in [first, last] {
        client.serve_altered(client.realm()?, alter, |_| {});
        client.renew();
        let _ = client.get()?;
        for value in client.credentials() {
            let Ok(Authorization::Digest(answer)) = Authorization::parse(&value) else {
                continue;
            };
            let of_other = [
                answer.realm == "other",
                answer.nonce == "o",
                answer.opaque.is_some_and(|it| it == "o"),
                client.check.algorithm != answer.algorithm(),
            ];
            // With MD5 asked for, the algorithm is that of both.
            let known = if client.check.algorithm == Algorithm::SHA_256 {
                4
            } else {
                3
            };
            if of_other[..known].iter().any(|&it| it != of_other[0]) {
                return fail("realm, nonce, opaque and algorithm are not of one challenge");
            }
        }
    }
    Ok(())
}

pub(super) fn repeated(client: &mut Trial<'_>) -> Outcome {
    let twice: Alter = |challenges| respell(challenges, "nonce=", "nonce=\"other\", nonce=");
    client.serve_altered(client.realm()?, twice, |_| {});
    let _ = client.get()?;
    if !client.credentials().is_empty() {
        client.note("a challenge with two nonces was answered: programs differ in which they read");
    }
    Ok(())
}

pub(super) fn flags(client: &mut Trial<'_>) -> Outcome {
    let hashed: &[Alter] = &[
        |it| append(it, ", userhash=false"),
        |it| append(it, ", userhash=FALSE"),
        |it| append(it, ", userhash=\"false\""),
    ];
    for alter in hashed {
        let core = client.serve_altered(client.realm()?, *alter, |_| {});
        client.renew();
        client
            .must_get(&core)
            .map_err(|stop| stop.about("userhash=false"))?;
    }
    let stale: &[Alter] = &[
        |it| append(it, ", stale=false"),
        |it| append(it, ", stale=FALSE"),
        |it| append(it, ", stale=\"false\""),
    ];
    for alter in stale {
        client.serve_nobody(client.realm()?, *alter);
        client.renew();
        let _ = client.get()?;
        match client.credentials().len() {
            // One more for a nonce that may be new to the client.
            0..=2 => {}
            answers if client.check.requests > 1 && answers <= 2 * client.check.requests => {}
            answers => return fail(format!("{answers} answers, and stale=false after each")),
        }
    }
    Ok(())
}

fn append(challenges: &mut [String], text: &str) {
    challenges.iter_mut().for_each(|it| it.push_str(text));
}

pub(super) fn downgrade(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    client.must_get(&core)?;
    client.serve(offers(client)?.with_algorithms(&[]));
    let _ = client.get()?;
    if must_send_no_password(client).is_err() {
        client.note("the password was sent by Basic to a server that had proved itself by Digest");
    }
    if client.check.channel == Channel::Encrypted {
        return Ok(());
    }
    client.renew();
    client.serve_nobody(offers(client)?, |_| {});
    let _ = client.get()?;
    if must_send_no_password(client).is_err() {
        client.note("the password was sent by Basic after Digest was refused");
    }
    Ok(())
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
