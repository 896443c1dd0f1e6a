//! Servers that refuse, lie, or make no sense.

use http::Response;

use super::trial::Trial;
use crate::outcome::{Outcome, fail};
use crate::values::{AuthenticationInfo, Quality, Value, WwwAuthenticate};

pub(super) fn wrong_proof(client: &mut Trial<'_>) -> Outcome {
    client.serve_altered(
        client.realm()?,
        |_| {},
        |info| {
            for value in info {
                *value = value.replace("rspauth=\"", "rspauth=\"0000");
                if let Some(at) = value.find("rspauth=\"").map(|at| at + "rspauth=\"".len()) {
                    value.replace_range(at + 4..at + 8, "");
                }
            }
        },
    );
    match client.get()? {
        Err(_) => Ok(()),
        Ok(status) => fail(format!("the client returned {status}")),
    }
}

/// A server that knows no user.
pub(super) fn refusals(client: &mut Trial<'_>) -> Outcome {
    let realm = client.realm()?;
    let core = client.serve_nobody(realm, |_| {});
    let end = client.get()?;
    ended_refused(client, &end)?;
    // With its second request, too, and not only at first.
    let end = client.get()?;
    ended_refused(client, &end)?;
    match core.granted() {
        0 => Ok(()),
        _ => fail("the password of another user is right"),
    }
}

pub(super) fn stale_forever(client: &mut Trial<'_>) -> Outcome {
    let realm = client.realm()?;
    client.serve_nobody(realm, |challenges| {
        for challenge in challenges {
            challenge.push_str(", stale=true");
        }
    });
    let end = client.get()?;
    ended_refused(client, &end)
}

fn ended_refused(client: &Trial<'_>, end: &Result<u16, String>) -> Outcome {
    let refused = client.check.challenger.status();
    match end {
        Ok(status) if *status != refused => fail(format!("the client returned {status}")),
        _ => Ok(()),
    }
}

pub(super) fn no_challenge(client: &mut Trial<'_>) -> Outcome {
    client.serve_nobody(client.realm()?, Vec::clear);
    let end = client.get()?;
    ended_refused(client, &end)?;
    match client.credentials().is_empty() {
        true => Ok(()),
        false => fail("the client sent credentials"),
    }
}

/// How many values of each quality are sent.
const VALUES: usize = 60;

pub(super) fn malformed(client: &mut Trial<'_>) -> Outcome {
    let challenger = client.check.challenger;
    for quality in Quality::ALL {
        let challenges = Value::<WwwAuthenticate>::seeded(quality, 1);
        let infos = Value::<AuthenticationInfo>::seeded(quality, 1);
        for (challenge, info) in challenges.zip(infos).take(VALUES) {
            client.renew();
            client.network.play(Box::new(move |request| {
                let mut response = Response::new(Vec::new());
                let answered = request
                    .headers()
                    .contains_key(challenger.credentials_field());
                let (field, value) = match answered {
                    true => (challenger.info_field(), info.to_header_value()),
                    false => (challenger.challenge_field(), challenge.to_header_value()),
                };
                if let (false, Ok(status)) = (answered, challenger.status().try_into()) {
                    *response.status_mut() = status;
                }
                if let Some(value) = value {
                    response.headers_mut().insert(field, value);
                }
                response
            }));
            // Whatever the client makes of it.
            let _ = client.get()?;
            client.network.take_messages();
        }
    }
    Ok(())
}
