//! Old nonces and new ones.

use super::trial::Trial;
use crate::outcome::{Outcome, fail, skip};

/// The lifetime of the nonces of a [`Core`](super::core::Core).
const LIFETIME_SECS: u64 = 300;

pub(super) fn stale(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    client.must_get(&core)?;
    client.clock.advance(LIFETIME_SECS + 1);
    client.must_get(&core)
}

pub(super) fn next_nonce(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?.with_one_time_nonces(true));
    for _ in 0..3 {
        client.must_get(&core)?;
    }
    match core.rejections().first() {
        None => Ok(()),
        Some(rejection) => fail(format!("nextnonce was not used: {rejection}")),
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
            return fail("the same cnonce for two nonces");
        }
        seen.push(cnonce);
    }
    Ok(())
}
