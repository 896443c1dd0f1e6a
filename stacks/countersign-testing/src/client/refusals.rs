//! Servers that refuse, lie, or make no sense.

use http::Response;

use super::trial::{Alter, Trial};
use crate::outcome::{Outcome, fail};
use crate::values::{AuthenticationInfo, Quality, Value, WwwAuthenticate};

pub(super) fn wrong_proof(client: &mut Trial<'_>) -> Outcome {
    let start: Alter = |infos| infos.iter_mut().for_each(|info| zero(info, 0));
    let end: Alter = |infos| infos.iter_mut().for_each(|info| zero(info, 28));
    for alter in [start, end] {
        client.serve_altered(client.realm()?, |_| {}, alter);
        must_give_up(client)?;
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
    client.must_get(&core)?;
    must_give_up(client)
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

fn must_give_up(client: &mut Trial<'_>) -> Outcome {
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
