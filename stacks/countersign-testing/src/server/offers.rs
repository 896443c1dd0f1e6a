//! What a server offers.

use countersign::{Challenge, Channel, Text};

use super::subject::Subject;
use crate::answer::is_md5;
use crate::outcome::{Outcome, Stop, fail, skip};

pub(super) fn challenge(server: &mut Subject<'_>) -> Outcome {
    let reply = server.get(&[])?;
    if !reply.is_challenge() {
        return fail(format!("status {}", reply.status));
    }
    let values = reply.challenge_values();
    if let Some(Err(error)) = countersign::raw_challenges(values).find(Result::is_err) {
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
        Challenge::Basic { .. } => Some(0),
        Challenge::Digest(it) if is_md5(it.algorithm()) => Some(1),
        Challenge::Digest(_) => Some(2),
        _ => None,
    };
    let strengths: Vec<_> = reply.challenges().iter().filter_map(strength).collect();
    if strengths.len() < 2 {
        return skip("there is one challenge");
    }
    if !strengths.is_sorted_by(|one, next| one >= next) {
        server.note(
            "a weaker challenge stands before a stronger one, and most clients take the first",
        );
    }
    Ok(())
}

pub(super) fn cleartext_basic(server: &mut Subject<'_>) -> Outcome {
    if server.check.channel == Channel::Encrypted {
        return skip("the channel is encrypted");
    }
    if server.challenged()?.offers_basic() {
        server.note("Basic is offered, which is fine behind a proxy that ends TLS, or on loopback");
    }
    Ok(())
}

pub(super) fn stale_at_first(server: &mut Subject<'_>) -> Outcome {
    match server.challenged()?.is_stale() {
        true => fail("stale=true, and nothing was sent that could be"),
        false => Ok(()),
    }
}

/// Many clients read only one of the two ways to write a parameter.
pub(super) fn form(server: &mut Subject<'_>) -> Outcome {
    let reply = server.challenged()?;
    let raw = countersign::raw_challenges(reply.challenge_values());
    let digest = raw
        .flatten()
        .filter(|it| it.scheme_name().eq_ignore_ascii_case("digest"));
    let params: Vec<_> = digest.flat_map(|it| it.params()).collect();
    if params.is_empty() {
        return Err(Stop::NotOffered("Digest"));
    }
    let quoted = ["realm", "domain", "nonce", "opaque", "qop"];
    must_quote(params, &quoted, &["stale", "algorithm"])?;
    let answer = server.fresh_answer()?;
    let granted = server.answer(&answer)?;
    // The field is a list of parameters, as those of a challenge are.
    let infos = granted
        .headers
        .get_all(server.check.challenger.info_field());
    let infos = infos
        .iter()
        .map(|info| [b"Digest ", info.as_bytes()].concat());
    let infos: Vec<_> = infos.collect();
    let info = countersign::raw_challenges(&infos).flatten();
    let params = info.flat_map(|info| info.params());
    must_quote(params, &["nextnonce", "rspauth", "cnonce"], &["qop", "nc"])
}

fn must_quote<'a>(
    params: impl IntoIterator<Item = (&'a str, Text<'a>)>,
    quoted: &[&str],
    bare: &[&str],
) -> Outcome {
    for (name, value) in params {
        let name = name.to_ascii_lowercase();
        match value.is_unquoted_token() {
            true if quoted.contains(&&*name) => return fail(format!("{name} without quotes")),
            false if bare.contains(&&*name) => return fail(format!("{name} in quotes")),
            _ => {}
        }
    }
    Ok(())
}
