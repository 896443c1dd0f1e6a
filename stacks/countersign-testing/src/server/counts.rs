//! Counts, and answers sent again.

use super::spelling::SPELLINGS;
use super::subject::Subject;
use crate::answer::Answer;
use crate::message::in_other_case;
use crate::outcome::{Outcome, skip};

pub(super) fn replay(server: &mut Subject<'_>) -> Outcome {
    let answer = server.captured()?;
    let again = server.answer(&answer)?;
    server.must_refuse("the same header", &again)
}

/// A captured answer that has a count.
fn counted(server: &mut Subject<'_>) -> Outcome<Answer> {
    let answer = server.captured()?;
    match answer.qop {
        Some(_) => Ok(answer),
        None => skip("no qop is offered, so there is no count"),
    }
}

pub(super) fn repeated(server: &mut Subject<'_>) -> Outcome {
    let mut answer = counted(server)?;
    answer.cnonce = "another".to_owned();
    let again = server.answer(&answer)?;
    server.must_refuse("the same count", &again)?;
    // Counts start with 1. If a server takes 0 all the same, then once.
    let mut answer = server.fresh_answer()?;
    answer.nc = 0;
    server.answer(&answer)?;
    let again = server.answer(&answer)?;
    server.must_refuse("count 0 for the second time", &again)
}

pub(super) fn old(server: &mut Subject<'_>) -> Outcome {
    let mut answer = counted(server)?;
    let mut used = vec![answer.nc];
    // More than a window of 32 holds, and then more than any.
    for counts in [2..=3, 4..=40, 1000..=1000] {
        for nc in counts {
            answer.nc = nc;
            let reply = server.answer(&answer)?;
            if nc <= 40 {
                server.must_grant_or_renew(&format!("count {nc}"), &reply)?;
            }
            if reply.is_granted() {
                used.push(nc);
            }
        }
        for &nc in &used {
            answer.nc = nc;
            let again = server.answer(&answer)?;
            let last = used.last().copied().unwrap_or_default();
            server.must_refuse(&format!("count {nc}, used again after {last},"), &again)?;
        }
    }
    Ok(())
}

pub(super) fn jumped(server: &mut Subject<'_>) -> Outcome {
    let mut answer = counted(server)?;
    answer.nc = 5;
    let reply = server.answer(&answer)?;
    server.must_grant_or_renew("count 5 after 1", &reply)?;
    answer.nc = 3;
    let reply = server.answer(&answer)?;
    server.must_grant_or_renew("count 3, which was not used, after 5", &reply)
}

pub(super) fn wide(server: &mut Subject<'_>) -> Outcome {
    let mut answer = counted(server)?;
    if server.answer(&answer)?.is_granted() {
        return skip("counts are not remembered: see CountRepeated");
    }
    // What eight, sixteen and thirty-one bits hold, and all.
    for nc in [0x0000_0101, 0x0001_0001, 0x8000_0001, 0xFFFF_FFFF] {
        answer.nc = nc;
        let reply = server.answer(&answer)?;
        if reply.is_granted() {
            let again = server.answer(&answer)?;
            server.must_refuse(&format!("count {nc:08x}, used again,"), &again)?;
        } else if !reply.is_stale() {
            server.note(format!(
                "count {nc:08x} is refused without stale=true, so a client asks for a password"
            ));
        }
    }
    Ok(())
}

pub(super) fn of_wrong_answer(server: &mut Subject<'_>) -> Outcome {
    let answer = server.fresh_answer()?;
    let mut wrong = answer.clone();
    wrong.password.push('x');
    let mut unknown = answer.clone();
    unknown.user.push('x');
    for (what, wrong) in [("a wrong password", wrong), ("an unknown user", unknown)] {
        let reply = server.answer(&wrong)?;
        server.must_refuse(what, &reply)?;
    }
    let reply = server.answer(&answer)?;
    server.must_grant("the right answer after wrong ones", &reply)
}

pub(super) fn replay_respelled(server: &mut Subject<'_>) -> Outcome {
    let name = &server.check.user;
    let swapped = String::from_utf8_lossy(&in_other_case(name.as_bytes())).into_owned();
    let names = [swapped, format!("{name} "), format!(" {name}")];
    for other in names.into_iter().filter(|other| other != name) {
        let answer = server.captured()?;
        let header = answer.params().with("username", &other).write("Digest");
        let reply = server.get(&[header])?;
        server.must_refuse(&format!("the same header for {other:?}"), &reply)?;
    }
    for (what, spell) in SPELLINGS.iter().chain(OF_THE_SAME) {
        let answer = server.captured()?;
        let reply = server.get(&[spell(&answer)])?;
        server.must_refuse(&format!("the same header with {what}"), &reply)?;
    }
    Ok(())
}

/// Spellings that a server need not take, but if so, once. A response is in lower case (RFC 7616,
/// section 3.1.3).
const OF_THE_SAME: super::spelling::Spellings = &[
    ("the name as username*", |it| {
        let mut params = it.params();
        params.0.remove(0);
        let encoded: String = it.user.bytes().map(|it| format!("%{it:02X}")).collect();
        let params = params.token("username*", format!("UTF-8''{encoded}"));
        params.write("Digest")
    }),
    ("a response in upper case", |it| {
        let capitals = it.response().as_str().to_uppercase();
        it.params().with("response", capitals).write("Digest")
    }),
];
