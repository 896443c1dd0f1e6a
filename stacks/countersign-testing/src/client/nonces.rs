//! Old nonces and new ones.

use std::collections::HashMap;

use countersign::Authorization;
use countersign::wire::DigestCredentials;

use super::trial::{Alter, Trial};
use crate::outcome::{Outcome, fail, skip};

/// The lifetime of the nonces of a [`Core`](crate::core::Core).
pub(super) const LIFETIME_SECS: u64 = 300;

pub(super) fn stale(client: &mut Trial<'_>) -> Outcome {
    let renew: Alter = |challenges| {
        for it in challenges {
            *it = it.replace("stale=true", "stale=TRUE, opaque=\"renewed\"");
        }
    };
    let core = client.serve_altered(client.realm()?, renew, |_| {});
    client.must_get(&core)?;
    client.clock.advance(LIFETIME_SECS + 1);
    client.must_get(&core)?;
    let is_renewed = |it: &DigestCredentials<'_>| it.opaque.is_some_and(|it| it == "renewed");
    // A program that is started for each request knows no old nonce.
    if core.reasons().is_empty() || client.last_digest(is_renewed)? {
        return Ok(());
    }
    fail("the opaque of the new challenge did not come back")
}

pub(super) fn counts(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    let mut sent = HashMap::new();
    for _ in 0..2 {
        for _ in 0..17 {
            client.must_get(&core)?;
            for value in client.credentials() {
                let Ok(Authorization::Digest(answer)) = Authorization::parse(&value) else {
                    continue;
                };
                let Some(qop) = answer.qop_params else {
                    return fail("an answer without qop");
                };
                let count = sent
                    .entry(answer.nonce.to_bytes().into_owned())
                    .or_insert(0);
                *count += 1;
                let lower = value.to_ascii_lowercase();
                let digits = format!("{:08x}", qop.nc());
                if contains(&lower, &digits) && !contains(&value, &digits) {
                    return fail(format!("nc in capitals for request {count}"));
                }
                if qop.nc() != *count {
                    return fail(format!("nc={:08x} for request {count}", qop.nc()));
                }
            }
        }
        client.clock.advance(LIFETIME_SECS + 1);
    }
    Ok(())
}

fn contains(value: &[u8], text: &str) -> bool {
    value.windows(text.len()).any(|it| it == text.as_bytes())
}

pub(super) fn prompts(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    for _ in 0..3 {
        client.must_get(&core)?;
    }
    client.clock.advance(LIFETIME_SECS + 1);
    client.must_get(&core)?;
    match client.network.prompts() {
        0 => skip("the client asks nobody: see Network::prompt"),
        1 => Ok(()),
        prompts => fail(format!("{prompts} prompts")),
    }
}

pub(super) fn next_nonce(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?.with_one_time_nonces(true));
    let mut counts = Vec::new();
    for _ in 0..3 {
        client.must_get(&core)?;
        counts.extend(client.last_digest(|it| it.qop_params.map(|qop| qop.nc()))?);
    }
    if let Some(nc) = counts.iter().find(|&&nc| nc != counts[0]) {
        return fail(format!("nc={nc:08x} for the first request with nextnonce"));
    }
    match core.reasons().first() {
        None => Ok(()),
        Some(reason) => {
            client.note(format!(
                "nextnonce was not used, so each request is refused first: {reason}"
            ));
            Ok(())
        }
    }
}

pub(super) fn fresh_cnonce(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    let mut seen = Vec::new();
    for _ in 0..3 {
        if client.must_get(&core).is_err() {
            return skip("the client does not get in with several nonces");
        }
        client.clock.advance(LIFETIME_SECS + 1);
        let cnonce = client.last_digest(|it| {
            it.qop_params
                .map(|params| params.cnonce().to_bytes().into_owned())
        })?;
        if seen.contains(&cnonce) {
            client.note("the same cnonce for two nonces: a server may compute answers in advance");
            return Ok(());
        }
        seen.push(cnonce);
    }
    Ok(())
}
