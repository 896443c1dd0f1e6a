//! Right and wrong passwords.

use countersign::client::ServerProof;
use countersign::digest::Qop;

use super::basic::credentials;
use super::subject::{Subject, Visit};
use crate::answer::Answer;
use crate::message::{Reply, in_other_case};
use crate::outcome::{Outcome, Stop, fail, skip};

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
    let first = server.visit(&mut client)?;
    let most = if first.reply.has_info("nextnonce") {
        1
    } else {
        2
    };
    granted(&server.visit(&mut client)?, most)
}

pub(super) fn remembered(server: &mut Subject<'_>) -> Outcome {
    let mut client = server.client()?;
    granted(&server.visit(&mut client)?, 2)?;
    let reply = server.get(&[])?;
    match reply.is_challenge() {
        true => Ok(()),
        false => fail(format!("status {}", reply.status)),
    }
}

pub(super) fn server_proof(server: &mut Subject<'_>) -> Outcome {
    let mut client = server.client()?;
    for _ in 0..2 {
        match server.visit(&mut client)?.proof {
            ServerProof::Valid => {}
            ServerProof::Absent => return skip("there is no proof"),
            other => return fail(format!("the proof is {other:?}")),
        }
    }
    Ok(())
}

pub(super) fn each_challenge(server: &mut Subject<'_>) -> Outcome {
    let reply = server.challenged()?;
    let offered: Vec<_> = reply.digest_challenges().iter().map(|it| it.qop).collect();
    if offered.is_empty() {
        return Err(Stop::NotOffered("Digest"));
    }
    for (index, qops) in offered.into_iter().enumerate() {
        let each = [Qop::Auth, Qop::AuthInt].into_iter();
        let each = each.filter(|&it| qops.contains(it)).map(Some);
        // Without qop, once.
        let each: Vec<_> = each.chain([None]).collect();
        for qop in &each[..each.len().saturating_sub(1).max(1)] {
            let reply = server.challenged()?;
            let challenges = reply.digest_challenges();
            let Some(challenge) = challenges.get(index) else {
                continue;
            };
            let check = server.check;
            let mut answer = Answer::to(challenge, &check.user, &check.password, &check.uri);
            answer.qop = *qop;
            let reply = server.answer(&answer)?;
            let what = format!(
                "{} with {}",
                answer.algorithm,
                answer.qop_text().unwrap_or("no qop")
            );
            server.must_grant(&what, &reply)?;
        }
    }
    Ok(())
}

pub(super) fn two_clients(server: &mut Subject<'_>) -> Outcome {
    let mut answers = server.fresh_answers()?;
    for turn in 1..=2 {
        for answer in &mut answers {
            answer.nc = turn;
            let reply = server.answer(answer)?;
            server.must_grant_or_renew(&format!("a client of four in turn {turn}"), &reply)?;
        }
        if answers[0].qop.is_none() {
            break;
        }
    }
    Ok(())
}

/// What is taken for the password by a server that compares a part of it, or in its own way.
fn wrong_passwords(right: &str) -> Vec<String> {
    let start = |count: usize| right.chars().take(count).collect();
    let swapped = String::from_utf8_lossy(&in_other_case(right.as_bytes())).into_owned();
    let (half, eight) = (start(right.chars().count() / 2), start(8));
    let more = [format!("{right}x"), format!("{right} ")];
    let all = more
        .into_iter()
        .chain([swapped, half, eight, String::new()]);
    all.filter(|wrong| wrong != right).collect()
}

pub(super) fn wrong_password(server: &mut Subject<'_>) -> Outcome {
    let user = server.check.user.clone();
    for wrong in wrong_passwords(&server.check.password) {
        for reply in refused(server, &user, &wrong)? {
            if reply.is_stale() {
                return fail("stale=true");
            }
            if !reply.is_challenge() {
                server.note(format!(
                    "status {} for a wrong password: only a challenge lets a client ask again",
                    reply.status
                ));
            }
            if reply.has_info("rspauth") {
                return fail("a refusal with rspauth, from which passwords can be guessed");
            }
        }
    }
    if let Ok(mut answer) = server.captured() {
        answer.nc += 1;
        answer.password.push('x');
        let reply = server.answer(&answer)?;
        server.must_refuse("a wrong password with the nonce of a login", &reply)?;
    }
    Ok(())
}

pub(super) fn empty_password(server: &mut Subject<'_>) -> Outcome {
    let user = server.check.user.clone();
    if server.check.password.is_empty() {
        return skip("the right password is empty");
    }
    let unknown = format!("{user}x");
    // What a look-up without a result may become.
    for password in ["null", "None", "undefined"] {
        refused(server, &unknown, password)?;
    }
    for name in [&*user, &unknown, ""] {
        refused(server, name, "")?;
        // Where the hash of a password would be, a look-up may give an empty text, too.
        if let Ok(mut answer) = server.fresh_answer() {
            answer.user = name.to_owned();
            if let Some(header) = answer.made_with("", answer.qop_text(), false) {
                let reply = server.get(&[header])?;
                server.must_refuse(&format!("{name:?} with an empty hash"), &reply)?;
            }
        }
    }
    Ok(())
}

/// The responses to a wrong name or password, one for each scheme that is offered.
pub(super) fn refused(server: &mut Subject<'_>, user: &str, password: &str) -> Outcome<Vec<Reply>> {
    let reply = server.challenged()?;
    let mut replies = Vec::new();
    if !reply.digest_challenges().is_empty() {
        let (user, password) = (user.to_owned(), password.to_owned());
        let answer = server.fresh_answer()?;
        replies.push(server.answer(&Answer {
            user,
            password,
            ..answer
        })?);
    }
    if reply.offers_basic() {
        replies.push(server.get(&[credentials(user.as_bytes(), password.as_bytes())])?);
    }
    for reply in &replies {
        server.must_refuse(&format!("{user:?} with the password {password:?}"), reply)?;
    }
    match replies.is_empty() {
        true => skip("neither Digest nor Basic is offered"),
        false => Ok(replies),
    }
}
