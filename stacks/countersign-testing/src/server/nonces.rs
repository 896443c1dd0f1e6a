//! Nonces that are not valid.

use super::subject::Subject;
use crate::outcome::{Outcome, fail, skip};

pub(super) fn foreign(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.fresh_answer()?;
    let genuine = std::mem::replace(&mut answer.nonce, b"bWFkZSB1cA".to_vec());
    let reply = server.answer(&answer)?;
    server.must_refuse("a made-up nonce", &reply)?;
    answer.nonce = genuine;
    // Not the last letter, which may hold bits that base64 ignores.
    let at = answer.nonce.len().saturating_sub(2);
    match answer.nonce.get_mut(at) {
        Some(letter) => *letter = if *letter == b'A' { b'B' } else { b'A' },
        None => return fail("the nonce is empty"),
    }
    let reply = server.answer(&answer)?;
    server.must_refuse("a nonce with one letter changed", &reply)
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
