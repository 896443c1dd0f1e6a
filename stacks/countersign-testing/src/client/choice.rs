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
    let algorithm: Alter = |challenges| {
        challenges
            .iter_mut()
            .for_each(|it| *it = it.replace("algorithm=", "algorithm=SHA-1024-"));
    };
    let qop: Alter = |challenges| {
        challenges
            .iter_mut()
            .for_each(|it| *it = it.replace("\"auth\"", "\"auth-new\""));
    };
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

fn must_send_no_password(client: &Trial<'_>) -> Outcome {
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
    must_send_no_password(client)
}

/// Another user of the origin may ask in a realm of their own.
pub(super) fn other_realm(client: &mut Trial<'_>) -> Outcome {
    let Some(own) = &client.check.realm else {
        return skip("the account is for any realm: see ClientCheck::with_realm");
    };
    let name = format!("{own} of another user");
    let digest = client.realm_called(&name)?;
    let basic = digest.clone().with_algorithms(&[]);
    let basic = basic.with_cleartext_basic();
    // Once before the client has logged in to its own realm, and once after that.
    for is_known in [false, true] {
        for realm in [&digest, &basic] {
            client.renew();
            if is_known {
                let core = client.serve(client.realm()?);
                client.must_get(&core)?;
            }
            client.serve(realm.clone());
            let _ = client.get()?;
            must_send_no_password(client)?;
            let is_answer = |value: &Vec<u8>| {
                matches!(
                    Authorization::parse(value),
                    Ok(Authorization::Digest(digest)) if digest.realm == name.as_str()
                )
            };
            if client.credentials().iter().any(is_answer) {
                return fail("a Digest answer for the other realm");
            }
        }
    }
    Ok(())
}
