//! Nonces that are not valid.

use super::subject::Subject;
use crate::outcome::{Outcome, fail, skip};

pub(super) fn foreign(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.fresh_answer()?;
    let genuine = std::mem::replace(&mut answer.nonce, "bWFkZSB1cA".to_owned());
    let reply = server.answer(&answer)?;
    server.must_refuse("a made-up nonce", &reply)?;
    // The last letter may hold bits that base64 does not count.
    let last = genuine.char_indices().rev().nth(1);
    let Some((at, letter)) = last.or_else(|| genuine.char_indices().next_back()) else {
        return fail("the nonce is empty");
    };
    let other = if letter == 'A' { "B" } else { "A" };
    answer.nonce = genuine;
    answer
        .nonce
        .replace_range(at..at + letter.len_utf8(), other);
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
