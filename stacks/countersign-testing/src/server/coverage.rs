//! What a response covers, and what it is checked against.

use countersign::Challenger;
use countersign::digest::{Algorithm, Qop};
use countersign::wire::AuthenticationInfo;

use super::basic::credentials;
use super::doors::{methods, with_other_case};
use super::subject::Subject;
use crate::answer::Answer;
use crate::message::in_other_case;
use crate::outcome::{Outcome, fail, skip};

/// Whether a request needs credentials. If not, another scenario says so.
fn is_protected(server: &mut Subject<'_>, to: [&str; 2]) -> Outcome<bool> {
    Ok(server.send(to, &[], b"")?.is_challenge())
}

/// Sends a header that was captured on its way, so that the server has not seen it, with another
/// request.
fn sent_with(server: &mut Subject<'_>, answer: &Answer, [method, uri]: [&str; 2]) -> Outcome {
    let reply = server.send([method, uri], &[answer.write()], b"")?;
    server.must_refuse(
        &format!("the header for {} with {method} {uri}", answer.uri),
        &reply,
    )
}

pub(super) fn other_uri(server: &mut Subject<'_>) -> Outcome {
    let check = server.check;
    if is_protected(server, ["GET", &check.other_uri])? {
        let answer = server.fresh_answer()?;
        sent_with(server, &answer, ["GET", &check.other_uri])?;
    }
    let uri = &check.uri;
    let shorter = uri
        .rfind(['?', '/', '@', ':'])
        .map(|end| uri[..end].to_owned());
    for other in [Some(check.other_uri.clone()), shorter, with_other_case(uri)]
        .into_iter()
        .flatten()
    {
        let mut answer = server.fresh_answer()?;
        answer.uri = other;
        sent_with(server, &answer, ["GET", uri])?;
    }
    Ok(())
}

pub(super) fn other_method(server: &mut Subject<'_>) -> Outcome {
    let check = server.check;
    let mut tried = false;
    for method in methods(server) {
        let uri = check.uri_for(method);
        if is_protected(server, [method, uri])? {
            tried = true;
            let mut answer = server.fresh_answer()?;
            uri.clone_into(&mut answer.uri);
            sent_with(server, &answer, [method, uri])?;
        }
    }
    match tried {
        true => Ok(()),
        false => skip("no other method asks for credentials"),
    }
}

pub(super) fn other_realm(server: &mut Subject<'_>) -> Outcome {
    let own = server.fresh_answer()?;
    let longer = [&*own.realm, b"x"].concat();
    for realm in [longer, in_other_case(&own.realm), Vec::new()] {
        if realm != own.realm {
            let what = format!("realm {:?}", String::from_utf8_lossy(&realm));
            let reply = server.answer(&Answer {
                realm,
                ..own.clone()
            })?;
            server.must_refuse(&what, &reply)?;
        }
    }
    Ok(())
}

pub(super) fn other_algorithm(server: &mut Subject<'_>) -> Outcome {
    let reply = server.challenged()?;
    let challenges = reply.digest_challenges();
    let offered = |it: &&Algorithm| challenges.iter().any(|one| one.algorithm() == **it);
    let own = server.fresh_answer()?;
    for &algorithm in Algorithm::ALL.iter().filter(|it| !offered(it)) {
        let named = Answer {
            algorithm,
            algorithm_given: true,
            ..own.clone()
        };
        let unnamed = Answer {
            algorithm_given: false,
            ..named.clone()
        };
        let misnamed = named.params().with("algorithm", own.algorithm.to_string());
        for (what, params) in [
            ("", named.params()),
            (" without the parameter", unnamed.params()),
            (" under another name", misnamed),
        ] {
            let reply = server.get(&[params.write("Digest")])?;
            server.must_refuse(&format!("{algorithm}{what}"), &reply)?;
        }
    }
    Ok(())
}

pub(super) fn other_qop(server: &mut Subject<'_>) -> Outcome {
    let reply = server.challenged()?;
    let challenges = reply.digest_challenges();
    let is_offered = |qop| challenges.iter().any(|it| it.qop.contains(qop));
    for (qop, offered, covers_body) in [
        ("auth-int", is_offered(Qop::AuthInt), true),
        ("auth-int", is_offered(Qop::AuthInt), false),
        ("auth", is_offered(Qop::Auth), false),
        ("auth-x", false, false),
        ("auth,auth-int", false, false),
    ] {
        let answer = server.fresh_answer()?;
        let header = answer.made_with(answer.secret().as_hex(), Some(qop), covers_body);
        let Some(header) = header else {
            return skip("no qop is offered");
        };
        if !offered {
            let reply = server.get(&[header])?;
            server.must_refuse(&format!("qop={qop}"), &reply)?;
        }
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
    if !reply.is_granted() {
        return server.must_refuse("it", &reply);
    }
    let again = server.answer(&answer)?;
    if again.is_granted() {
        return fail("a grant, and one more for the same header");
    }
    server.note("a grant, once for a nonce: an attacker can have a client leave qop out");
    Ok(())
}

/// A POST under `auth-int`, if that is offered.
fn covered_body(server: &mut Subject<'_>) -> Outcome<Answer> {
    let mut answer = server.fresh_answer()?;
    let reply = server.challenged()?;
    let challenges = reply.digest_challenges();
    if !challenges.iter().any(|it| it.qop.contains(Qop::AuthInt)) {
        return skip("auth-int is not offered");
    }
    let uri = server.check.uri_for("POST");
    if !is_protected(server, ["POST", uri])? {
        return skip("a POST is answered without credentials");
    }
    answer.uri = uri.to_owned();
    answer.qop = Some(Qop::AuthInt);
    answer.method = "POST".to_owned();
    answer.body = b"amount=10".to_vec();
    Ok(answer)
}

pub(super) fn auth_int(server: &mut Subject<'_>) -> Outcome {
    for (method, body) in [("POST", &b"amount=10"[..]), ("POST", b""), ("GET", b"")] {
        let mut answer = covered_body(server)?;
        answer.uri = server.check.uri_for(method).to_owned();
        (answer.method, answer.body) = (method.to_owned(), body.to_owned());
        let reply = server.answer(&answer)?;
        server.must_grant(&format!("a {method} with {} octets", body.len()), &reply)?;
        let infos = reply.headers.get_all(server.check.challenger.info_field());
        if let Ok(info) = AuthenticationInfo::parse(infos.iter())
            && info.rspauth.is_some()
            && (!info.has_proof(&answer.rspauth(&reply.body)) || info.qop != Some(Qop::AuthInt))
        {
            return fail(format!(
                "the proof for a {method} is not auth-int over the response's body"
            ));
        }
    }
    Ok(())
}

pub(super) fn tampered_body(server: &mut Subject<'_>) -> Outcome {
    let answer = covered_body(server)?;
    for body in [&b"amount=9999"[..], b""] {
        let reply = server.send(["POST", &answer.uri], &[answer.write()], body)?;
        server.must_refuse("another body", &reply)?;
    }
    Ok(())
}

/// Right credentials in the field for the other role.
pub(super) fn other_role(server: &mut Subject<'_>) -> Outcome {
    let check = server.check;
    let field = match check.challenger {
        Challenger::Origin => Challenger::Proxy.credentials_field(),
        Challenger::Proxy => Challenger::Origin.credentials_field(),
    };
    let reply = server.challenged()?;
    let mut values = Vec::new();
    if reply.offers_basic() {
        values.push(credentials(
            check.user.as_bytes(),
            check.password.as_bytes(),
        ));
    }
    if let Some(challenge) = reply.digest_challenges().first() {
        values.push(Answer::to(challenge, &check.user, &check.password, &check.uri).write());
    }
    for value in values {
        let reply = server.send_in(field, ["GET", &check.uri], &[value], b"")?;
        server.must_refuse(&format!("the field {field}"), &reply)?;
    }
    Ok(())
}

pub(super) fn altered_response(server: &mut Subject<'_>) -> Outcome {
    let answer = server.fresh_answer()?;
    let response = answer.response();
    let (response, length) = (response.as_str(), response.as_str().len());
    let zeros = |count| "0".repeat(count);
    let start = |count: usize| response[..count].to_owned();
    let last = if response.ends_with('0') { "1" } else { "0" };
    for spoilt in [
        String::new(),
        start(8),
        start(length - 1),
        start(8) + &zeros(length - 8),
        zeros(length / 2) + &response[length / 2..],
        start(length - 1) + last,
        zeros(length),
        start(length) + "0",
        start(length) + response,
    ] {
        let header = answer.params().with("response", &spoilt).write("Digest");
        let reply = server.get(&[header])?;
        server.must_refuse(&format!("the response {spoilt} for {response}"), &reply)?;
    }
    Ok(())
}
