//! What a response covers, and what it is checked against.

use countersign::digest::{Algorithm, Qop};

use super::subject::Subject;
use crate::outcome::{Outcome, skip};

/// A header that was captured on its way, so the server has not seen it, for another request.
fn other_request(server: &mut Subject<'_>, [method, uri]: [&str; 2]) -> Outcome {
    if !server.send([method, uri], &[], b"")?.is_challenge() {
        return skip(format!("{method} {uri} is not protected"));
    }
    let answer = server.fresh_answer()?;
    let reply = server.send([method, uri], &[answer.write()], b"")?;
    server.must_refuse(&format!("the header for {method} {uri}"), &reply)
}

pub(super) fn other_uri(server: &mut Subject<'_>) -> Outcome {
    let check = server.check;
    other_request(server, ["GET", &check.other_uri])
}

pub(super) fn other_method(server: &mut Subject<'_>) -> Outcome {
    let check = server.check;
    other_request(server, ["POST", &check.uri])
}

pub(super) fn other_realm(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.fresh_answer()?;
    answer.realm.push(b'x');
    let reply = server.answer(&answer)?;
    server.must_refuse("it", &reply)
}

pub(super) fn other_algorithm(server: &mut Subject<'_>) -> Outcome {
    let reply = server.challenged()?;
    let challenges = reply.digest_challenges();
    let offered = |it: &&Algorithm| challenges.iter().any(|one| one.algorithm() == **it);
    let mut answer = server.fresh_answer()?;
    answer.algorithm_given = true;
    for algorithm in Algorithm::ALL.iter().filter(|it| !offered(it)) {
        answer.algorithm = *algorithm;
        let reply = server.answer(&answer)?;
        server.must_refuse(&algorithm.to_string(), &reply)?;
    }
    Ok(())
}

pub(super) fn qop_dropped(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.fresh_answer()?;
    if answer.qop.take().is_none() {
        return skip("no qop is offered");
    }
    if answer.algorithm.is_sess() {
        return skip("the algorithm needs a cnonce");
    }
    let reply = server.answer(&answer)?;
    server.must_refuse("it", &reply)
}

/// A POST under `auth-int`, if that is offered.
fn covered_body(server: &mut Subject<'_>) -> Outcome<crate::answer::Answer> {
    let reply = server.challenged()?;
    let challenges = reply.digest_challenges();
    let auth_int = challenges.iter().any(|it| it.qop.contains(Qop::AuthInt));
    if !auth_int {
        return skip("auth-int is not offered");
    }
    let mut answer = server.fresh_answer()?;
    answer.qop = Some(Qop::AuthInt);
    answer.method = "POST".to_owned();
    answer.body = b"amount=10".to_vec();
    Ok(answer)
}

pub(super) fn auth_int(server: &mut Subject<'_>) -> Outcome {
    let answer = covered_body(server)?;
    let reply = server.answer(&answer)?;
    server.must_grant("a POST", &reply)
}

pub(super) fn tampered_body(server: &mut Subject<'_>) -> Outcome {
    let answer = covered_body(server)?;
    let reply = server.send(["POST", &answer.uri], &[answer.write()], b"amount=9999")?;
    server.must_refuse("another body", &reply)
}

pub(super) fn truncated_response(server: &mut Subject<'_>) -> Outcome {
    let answer = server.fresh_answer()?;
    let response = answer.response();
    let response = response.as_str();
    let zeros = "0".repeat(response.len());
    for spoilt in ["", &response[..8], &response[..response.len() - 1], &zeros] {
        let header = answer.params().with("response", spoilt).write("Digest");
        let reply = server.get(&[header])?;
        server.must_refuse(&format!("a response of {} digits", spoilt.len()), &reply)?;
    }
    Ok(())
}
