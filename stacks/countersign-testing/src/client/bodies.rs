//! Bodies of requests.

use http::header::TRANSFER_ENCODING;

use super::nonces::LIFETIME_SECS;
use super::trial::Trial;
use crate::outcome::{Outcome, fail};

/// More than one buffer holds.
const LENGTH: usize = 100_000;

fn body() -> Vec<u8> {
    (0..LENGTH).map(|at| b'a' + (at % 26) as u8).collect()
}

pub(super) fn kept(client: &mut Trial<'_>) -> Outcome {
    let body = body();
    for one_time in [false, true] {
        let core = client.serve(client.realm()?.with_one_time_nonces(one_time));
        client.renew();
        for when in ["at first", "with the nonce of a login", "after stale"] {
            let granted = core.granted();
            let end = client.request("POST", &client.check.uri, &body)?;
            if core.granted() == granted {
                return fail(format!("the client was not let in {when}: {end:?}"));
            }
            // What was sent before a challenge may be shorter.
            let sent = client.network.sent();
            let length = sent.last().map_or(0, |request| request.body().len());
            if sent.last().is_none_or(|request| *request.body() != body) {
                return fail(format!("{length} octets for {LENGTH}, or others, {when}"));
            }
            if when == "with the nonce of a login" {
                client.clock.advance(LIFETIME_SECS + 1);
            }
        }
    }
    Ok(())
}

pub(super) fn length(client: &mut Trial<'_>) -> Outcome {
    client.serve(client.realm()?);
    let _ = client.request("POST", &client.check.uri, &body())?;
    let is_in_chunks = |request: &http::Request<Vec<u8>>| {
        !request.body().is_empty() && request.headers().contains_key(TRANSFER_ENCODING)
    };
    if client.network.sent().iter().any(is_in_chunks) {
        client.note("the body was sent in chunks, although its length was known");
    }
    Ok(())
}
