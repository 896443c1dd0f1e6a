//! Counts, and answers sent again.

use super::subject::Subject;
use crate::outcome::{Outcome, skip};

pub(super) fn replay(server: &mut Subject<'_>) -> Outcome {
    let answer = server.captured()?;
    let again = server.answer(&answer)?;
    server.must_refuse("the same header", &again)
}

pub(super) fn repeated(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.captured()?;
    if answer.qop.is_none() {
        return skip("no qop is offered, so there is no count");
    }
    answer.cnonce = "another".to_owned();
    let again = server.answer(&answer)?;
    server.must_refuse("the same count", &again)
}

pub(super) fn jumped(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.captured()?;
    if answer.qop.is_none() {
        return skip("no qop is offered, so there is no count");
    }
    answer.nc = 5;
    let reply = server.answer(&answer)?;
    server.must_grant_or_renew("count 5 after 1", &reply)?;
    answer.nc = 3;
    let reply = server.answer(&answer)?;
    server.must_grant_or_renew("count 3, which was not used, after 5", &reply)
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

pub(super) fn replay_under_other_name(server: &mut Subject<'_>) -> Outcome {
    let name = &server.check.user;
    let names = [
        name.to_uppercase(),
        name.to_lowercase(),
        format!("{name} "),
        format!(" {name}"),
    ];
    for other in names.into_iter().filter(|other| other != name) {
        let answer = server.captured()?;
        let header = answer.params().with("username", &other).write("Digest");
        let reply = server.get(&[header])?;
        server.must_refuse(&format!("the same header for {other:?}"), &reply)?;
    }
    // The same name, in another form.
    let answer = server.captured()?;
    let mut params = answer.params();
    params.0.remove(0);
    let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let params = params.token("username*", format!("UTF-8''{encoded}"));
    let reply = server.get(&[params.write("Digest")])?;
    server.must_refuse("the same header with username*", &reply)
}
