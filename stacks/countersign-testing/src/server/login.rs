//! Right and wrong passwords.

use countersign::client::ServerProof;
use countersign::wire;

use super::subject::{Subject, Visit};
use crate::message::Reply;
use crate::outcome::{Outcome, fail, skip};

fn granted(visit: &Visit, most: usize) -> Outcome {
    let status = visit.reply.status;
    match visit.requests {
        _ if !visit.reply.is_granted() => fail(format!("status {status}")),
        requests if requests > most => fail(format!("it took {requests} requests")),
        _ => Ok(()),
    }
}

pub(super) fn login(server: &mut Subject<'_>) -> Outcome {
    let mut client = server.client()?;
    granted(&server.visit(&mut client)?, 2)
}

pub(super) fn second_request(server: &mut Subject<'_>) -> Outcome {
    let mut client = server.client()?;
    server.visit(&mut client)?;
    granted(&server.visit(&mut client)?, 2)
}

pub(super) fn server_proof(server: &mut Subject<'_>) -> Outcome {
    let mut client = server.client()?;
    match server.visit(&mut client)?.proof {
        ServerProof::Valid => Ok(()),
        ServerProof::Absent => skip("there is no proof"),
        other => fail(format!("the proof is {other:?}")),
    }
}

pub(super) fn wrong_password(server: &mut Subject<'_>) -> Outcome {
    let reply = refused(server, |_, password| password.push('x'))?;
    match reply.is_stale() {
        false => Ok(()),
        true => fail("stale=true"),
    }
}

pub(super) fn unknown_user(server: &mut Subject<'_>) -> Outcome {
    let wrong = refused(server, |_, password| password.push('x'))?;
    let unknown = refused(server, |user, _| user.push('x'))?;
    if wrong.status != unknown.status {
        return fail(format!("status {} for {}", unknown.status, wrong.status));
    }
    match shape(&wrong) == shape(&unknown) {
        true => Ok(()),
        false => fail("another response than for a wrong password"),
    }
}

/// A response to what `spoil` makes of the right name and password.
fn refused(server: &mut Subject<'_>, spoil: fn(&mut String, &mut String)) -> Outcome<Reply> {
    let reply = server.challenged()?;
    let reply = if reply.digest_challenges().is_empty() {
        let (mut user, mut password) = (server.check.user.clone(), server.check.password.clone());
        spoil(&mut user, &mut password);
        server.get(&[basic_credentials(&user, &password)?])?
    } else {
        let mut answer = server.fresh_answer()?;
        spoil(&mut answer.user, &mut answer.password);
        server.answer(&answer)?
    };
    server.must_refuse("it", &reply)?;
    Ok(reply)
}

/// The parts of a response that do not change from one to the next: no nonces, and no numbers or
/// times in a page.
fn shape(reply: &Reply) -> (Vec<String>, bool, usize) {
    let challenges = countersign::raw_challenges(reply.challenge_values()).flatten();
    let params = challenges.flat_map(|challenge| challenge.params());
    let names = params.map(|(name, _)| name.to_owned()).collect();
    (names, reply.is_stale(), reply.body.len())
}

pub(super) fn basic_credentials(user: &str, password: &str) -> Outcome<Vec<u8>> {
    match wire::basic_credentials(user, password) {
        Ok(value) => Ok(value.into()),
        Err(_) => skip("Basic can not carry this name or password"),
    }
}

pub(super) fn basic(server: &mut Subject<'_>) -> Outcome {
    if !server.challenged()?.offers_basic() {
        return skip("Basic is not offered");
    }
    let (user, password) = (server.check.user.clone(), server.check.password.clone());
    let right = server.get(&[basic_credentials(&user, &password)?])?;
    server.must_grant("the right password", &right)?;
    let start: String = password
        .chars()
        .take(password.chars().count() / 2)
        .collect();
    for wrong in [&*format!("{password}x"), "", &*start] {
        let reply = server.get(&[basic_credentials(&user, wrong)?])?;
        server.must_refuse("a wrong password", &reply)?;
    }
    Ok(())
}
