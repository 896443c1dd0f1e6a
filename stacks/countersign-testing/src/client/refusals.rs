//! Servers that refuse, lie, or make no sense.

use countersign::Authorization;
use http::{Response, StatusCode};

use super::trial::{Alter, Trial};
use crate::outcome::{Outcome, fail};
use crate::values::{AuthenticationInfo, Quality, Value, WwwAuthenticate};

pub(super) fn wrong_proof(client: &mut Trial<'_>) -> Outcome {
    let start: Alter = |infos| infos.iter_mut().for_each(|info| zero(info, 0));
    let end: Alter = |infos| infos.iter_mut().for_each(|info| zero(info, 28));
    for alter in [start, end] {
        client.serve_altered(client.realm()?, |_| {}, alter);
        if let Ok(status) = client.get()? {
            believed(client, status);
        }
        client.renew();
    }
    // A proof that was right for an earlier response.
    let (core, field) = (
        client.serve(client.realm()?),
        client.check.challenger.info_field(),
    );
    let (server, mut first) = (core.clone(), None);
    client.network.play(Box::new(move |request| {
        let mut response = server.serve(request);
        if let Some(info) = response.headers_mut().get_mut(field) {
            *info = first.get_or_insert_with(|| info.clone()).clone();
        }
        response
    }));
    // A call may have several requests.
    for _ in 0..2 {
        match client.get()? {
            Err(error) if core.granted() < 2 => {
                return fail(format!(
                    "the client gave up, and the proof was right: {error}"
                ));
            }
            Err(_) => return Ok(()),
            Ok(_) => {}
        }
    }
    believed(client, 200);
    Ok(())
}

fn believed(client: &mut Trial<'_>, status: u16) {
    let text = "was returned: RFC 7616 leaves it to clients to compare proofs, and a server that does \
                not know the password is believed";
    client.notes.truncate(0);
    client.note(format!("{status} {text}"));
}

/// Puts four zeros into a proof.
fn zero(info: &mut String, from: usize) {
    if let Some(at) = info
        .find("rspauth=\"")
        .map(|at| at + "rspauth=\"".len() + from)
    {
        info.replace_range(at..at + 4, "0000");
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

/// Challenges in responses that ask for nothing.
pub(super) fn unasked(client: &mut Trial<'_>) -> Outcome {
    for status in [StatusCode::OK, StatusCode::FORBIDDEN, StatusCode::NOT_FOUND] {
        let core = client.serve(client.realm()?);
        client.renew();
        client.network.play(Box::new(move |request| {
            let mut response = core.serve(request);
            *response.status_mut() = status;
            response
        }));
        let _ = client.get()?;
        if !client.credentials().is_empty() {
            client.note(format!(
                "credentials for a challenge with {status}, which asks for none"
            ));
        }
    }
    Ok(())
}

/// A server that forgets a nonce and says so in no way that a client could read.
pub(super) fn dead_nonce(client: &mut Trial<'_>) -> Outcome {
    let challenger = client.check.challenger;
    for status in [challenger.status(), 429, 403] {
        let core = client.serve(client.realm()?);
        client.renew();
        client.must_get(&core)?;
        let dead = client.last_digest(|it| it.nonce.to_bytes().into_owned())?;
        let server = core.clone();
        client.network.play(Box::new(move |request| {
            let values = request.headers().get_all(challenger.credentials_field());
            let is_dead = |value: &http::HeaderValue| {
                matches!(
                    Authorization::parse(value),
                    Ok(Authorization::Digest(answer)) if *answer.nonce.to_bytes() == *dead
                )
            };
            if !values.iter().any(is_dead) {
                return server.serve(request);
            }
            let mut response = Response::new(Vec::new());
            *response.status_mut() = status.try_into().unwrap_or_default();
            response
        }));
        let granted = core.granted();
        for _ in 0..3 {
            let _ = client.get()?;
        }
        if core.granted() == granted {
            client.note(format!(
                "the client goes on with a nonce that was refused three times, by {status} without a \
                 challenge"
            ));
        }
    }
    Ok(())
}

/// How many values of each quality are sent.
const VALUES: usize = 20;

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
