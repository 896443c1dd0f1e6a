//! What `fetch` saw of a server, with `--trace`.

use crate::matrix::{Case, Verdict};
use crate::programs::Fetched;

/// What came of a case.
pub(super) fn judge(case: Case, fetched: &Fetched) -> Verdict {
    let statuses = fetched.statuses();
    let refused = |status: &&u16| [401, 407].contains(*status);
    let refusals = statuses.iter().filter(refused).count();
    let granted = statuses.len() - refusals;
    let failed = || {
        let last = fetched.0.stdout.lines().last().unwrap_or_default();
        let says = if fetched.0.success {
            last
        } else {
            &fetched.0.stderr
        };
        let says = says.lines().last().unwrap_or_default();
        Verdict::Failed(format!("{statuses:?} {last} {says}"))
    };
    let ok = |is_ok: bool| if is_ok { Verdict::Ok } else { failed() };
    let limit = |reason: &str| Verdict::Limit(reason.to_owned());
    // Some servers have no other answer to a POST than 405, and have no such page.
    let other = match case {
        "POST" => 405,
        "odd target" => 404,
        _ => 200,
    };
    let is_in = fetched.0.success || statuses.last() == Some(&other);
    match case {
        "wrong" if !fetched.0.success && (granted, refusals) == (0, 2) => Verdict::Refused,
        "wrong" => failed(),
        _ if !is_in => failed(),
        "ten" => ok((granted, refusals) == (10, 1)),
        // Not every server calls it stale: a nonce that was good before is taken for old.
        "stale" => ok(granted == 10 && refusals > 1),
        "nextnonce" => match fetched.0.stderr.contains("nextnonce=") {
            true => ok((granted, refusals) == (10, 1) && nonces(&fetched.0.stderr) > 1),
            false => limit("sends none"),
        },
        "rspauth" => match fetched.proofs() {
            0 if !fetched.0.stderr.contains("rspauth=") => limit("sends none"),
            proofs => ok(proofs == 10),
        },
        _ => ok((granted, refusals) == (1, 1)),
    }
}

/// The challenges in a trace, in lower case.
pub(super) fn challenges(trace: &str) -> impl Iterator<Item = String> {
    let lines = trace.lines().map(str::to_lowercase);
    lines.filter(|line| line.starts_with("< ") && line.contains("-authenticate: "))
}

/// How many nonces were used.
fn nonces(trace: &str) -> usize {
    let sent = trace.lines().filter_map(|line| {
        let (_, rest) = line
            .split_once("authorization: ")
            .filter(|_| line.starts_with('>'))?;
        rest.split_once(" nonce=\"")?.1.split('"').next()
    });
    sent.collect::<std::collections::BTreeSet<_>>().len()
}
