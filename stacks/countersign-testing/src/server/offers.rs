//! What a server offers.

use countersign::{Challenge, Channel};

use super::subject::Subject;
use crate::answer::is_md5;
use crate::outcome::{Outcome, fail, skip};

pub(super) fn challenge(server: &mut Subject<'_>) -> Outcome {
    let reply = server.get(&[])?;
    if !reply.is_challenge() {
        return fail(format!("status {}", reply.status));
    }
    let values = reply.challenge_values();
    if let Some(Err(error)) = countersign::challenges(values).raw().find(Result::is_err) {
        return fail(format!("a challenge that can not be read: {error}"));
    }
    match reply.challenges().is_empty() {
        false => Ok(()),
        true => fail("no challenge of a known scheme and algorithm"),
    }
}

pub(super) fn order(server: &mut Subject<'_>) -> Outcome {
    let reply = server.challenged()?;
    let strength = |challenge: &Challenge<'_>| match challenge {
        Challenge::Basic(_) => Some(0),
        Challenge::Digest(it) if is_md5(it.algorithm()) => Some(1),
        Challenge::Digest(_) => Some(2),
        _ => None,
    };
    let strengths: Vec<_> = reply.challenges().iter().filter_map(strength).collect();
    if strengths.len() < 2 {
        return skip("there is one challenge");
    }
    match strengths.is_sorted_by(|one, next| one >= next) {
        true => Ok(()),
        false => fail("a weaker challenge stands before a stronger one"),
    }
}

pub(super) fn cleartext_basic(server: &mut Subject<'_>) -> Outcome {
    if server.check.channel == Channel::Encrypted {
        return skip("the channel is encrypted");
    }
    match server.challenged()?.offers_basic() {
        false => Ok(()),
        true => fail("Basic is offered"),
    }
}
