//! Nonces that are not valid.

use countersign::wire::AuthenticationInfo;

use super::subject::Subject;
use crate::answer::Answer;
use crate::message::in_other_case;
use crate::outcome::{Outcome, fail, skip};

pub(super) fn repeated(server: &mut Subject<'_>) -> Outcome {
    let answers = server.fresh_answers()?;
    if answers.windows(2).any(|it| it[0].nonce == it[1].nonce) {
        server.note("the same nonce in two challenges, whose counts two clients share");
    }
    Ok(())
}

pub(super) fn next(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.captured()?;
    answer.nc += 1;
    let (field, mut announced) = (server.check.challenger.info_field(), 0);
    for _ in 0..8 {
        let reply = server.answer(&answer)?;
        match announced {
            0 => server.must_grant_or_renew("the next count", &reply)?,
            _ => server.must_grant("the first answer with nextnonce", &reply)?,
        }
        let infos = reply.headers.get_all(field);
        let next = AuthenticationInfo::parse(infos.iter());
        let next = next.ok().and_then(|it| it.nextnonce);
        match next.map(|it| it.to_bytes().into_owned()) {
            Some(next) if next == answer.nonce => return fail("nextnonce is the nonce in use"),
            Some(next) => (answer.nonce, answer.nc, announced) = (next, 1, announced + 1),
            None if reply.is_stale() => break,
            None => (answer.nc, announced) = (answer.nc + 1, 0),
        }
    }
    Ok(())
}

pub(super) fn foreign(server: &mut Subject<'_>) -> Outcome {
    let genuine = server.fresh_answer()?;
    if genuine.nonce.is_empty() {
        return fail("the nonce is empty");
    }
    let changed = |at: usize| {
        let mut nonce = genuine.nonce.clone();
        nonce[at] = if nonce[at] == b'A' { b'B' } else { b'A' };
        nonce
    };
    let length = genuine.nonce.len();
    for (what, nonce) in [
        ("a made-up nonce", b"bWFkZSB1cA".to_vec()),
        ("an empty nonce", Vec::new()),
        ("a nonce whose first letter is changed", changed(0)),
        ("a nonce with a letter changed", changed(length / 2)),
        // Not the last letter, which may hold bits that base64 ignores.
        (
            "a nonce with one letter changed",
            changed(length.saturating_sub(2)),
        ),
        (
            "a nonce with digits after it",
            [&*genuine.nonce, b"00"].concat(),
        ),
        ("a nonce in another case", in_other_case(&genuine.nonce)),
    ] {
        if nonce == genuine.nonce {
            continue;
        }
        let answer = Answer {
            nonce,
            ..genuine.clone()
        };
        let reply = server.answer(&answer)?;
        server.must_refuse(what, &reply)?;
    }
    Ok(())
}

pub(super) fn stale(server: &mut Subject<'_>) -> Outcome {
    let Some((clock, lifetime)) = &server.check.clock else {
        return skip("there is no clock: see ServerCheck::with_clock");
    };
    let answer = server.fresh_answer()?;
    clock.advance(lifetime + 1);
    let reply = server.answer(&answer)?;
    server.must_refuse("an old nonce", &reply)?;
    if !reply.is_stale() {
        return fail("a refusal without stale=true");
    }
    let mut client = server.client()?;
    server.visit(&mut client)?;
    clock.advance(lifetime + 1);
    let visit = server.visit(&mut client)?;
    match visit.requests {
        2 => Ok(()),
        requests => fail(format!("a client got in after {requests} requests, not 2")),
    }
}

pub(super) fn stale_for_wrong_password(server: &mut Subject<'_>) -> Outcome {
    let mut answers = vec![
        ("a made-up nonce", server.fresh_answer()?),
        ("a used nonce", server.captured()?),
    ];
    answers[0].1.nonce = b"bWFkZSB1cA".to_vec();
    if let Some((clock, lifetime)) = &server.check.clock {
        answers.push(("an old nonce", server.fresh_answer()?));
        clock.advance(lifetime + 1);
    }
    for (what, mut answer) in answers {
        answer.password.push('x');
        let reply = server.answer(&answer)?;
        if reply.is_stale() {
            server.note(format!("stale=true for a wrong password with {what}"));
        }
        server.must_refuse(&format!("a wrong password with {what}"), &reply)?;
    }
    Ok(())
}
