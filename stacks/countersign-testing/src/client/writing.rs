//! How a client writes its answers.

use countersign::server::UriCheck;
use countersign::{Authorization, RawChallenge};

use super::trial::Trial;
use crate::message::parts;
use crate::outcome::{Outcome, fail, skip};

/// An `opaque` and a realm that have to be escaped.
const ODD: &str = r#"a "b", c=d \ e"#;

pub(super) fn form(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    client.must_get(&core)?;
    let all = client.credentials();
    let raw = all.last().and_then(|last| raw_credentials(last));
    let Some(raw) = raw else {
        return fail("the client sent no Digest credentials");
    };
    for (name, value) in raw.params() {
        let name = name.to_ascii_lowercase();
        let is_token = matches!(
            &*name,
            "qop" | "nc" | "algorithm" | "userhash" | "username*"
        );
        if is_token != value.is_unquoted_token() {
            let how = if is_token { "in" } else { "without" };
            return fail(format!("{name} {how} quotes"));
        }
        if name == "response" && value.to_bytes().iter().any(u8::is_ascii_uppercase) {
            return fail("response in capitals");
        }
        if name == "nc" && value.to_bytes().len() != 8 {
            return fail("nc with another number of digits than 8");
        }
    }
    Ok(())
}

/// Credentials have the same grammar as a challenge.
fn raw_credentials(value: &[u8]) -> Option<RawChallenge<'_>> {
    let is_digest = matches!(Authorization::parse(value), Ok(Authorization::Digest(_)));
    let raw = countersign::raw_challenges([value]).next();
    raw.and_then(Result::ok).filter(|_| is_digest)
}

/// What a client may escape, resolve, or leave out.
const PATH: &str = "/dir/a%20b;x=1//./index.html?q=%2f&e=?";

pub(super) fn uri(client: &mut Trial<'_>) -> Outcome {
    let uri = &client.check.uri;
    let Some([origin, ..]) = parts(uri) else {
        return skip("the URI has no path");
    };
    for uri in [uri.clone(), format!("{origin}{PATH}")] {
        let core = client.serve(client.realm()?.with_uri_check(UriCheck::Exact));
        let _ = client.request("GET", &uri, b"")?;
        client.no_wrong_answer(&core)?;
        if core.granted() == 0 {
            return fail(format!("the client was not let in at {uri}"));
        }
    }
    Ok(())
}

pub(super) fn quoted_realm(client: &mut Trial<'_>) -> Outcome {
    if client.check.realm.is_some() {
        return skip("the account is for another realm");
    }
    let core = client.serve(client.realm_called(ODD)?);
    client.must_get(&core)
}

pub(super) fn opaque(client: &mut Trial<'_>) -> Outcome {
    let came = echoed(client, Some(ODD))?;
    match came.as_deref() == Some(ODD.as_bytes()) {
        true => Ok(()),
        false => fail(shown(came)),
    }
}

pub(super) fn no_opaque(client: &mut Trial<'_>) -> Outcome {
    for opaque in [None, Some("")] {
        let came = echoed(client, opaque)?;
        if came.is_none() && opaque.is_some() {
            client.note("an empty opaque did not come back, and some servers want it");
        } else if came.as_deref() != opaque.map(str::as_bytes) {
            return fail(format!("{} for {opaque:?}", shown(came)));
        }
        client.renew();
    }
    Ok(())
}

/// What a client makes of an `opaque`.
fn echoed(client: &mut Trial<'_>, opaque: Option<&str>) -> Outcome<Option<Vec<u8>>> {
    let realm = client.realm()?;
    let realm = match opaque {
        Some(opaque) => realm.with_opaque(opaque),
        None => Ok(realm),
    };
    let Ok(realm) = realm else {
        return skip("no such opaque");
    };
    let core = client.serve(realm);
    client.must_get(&core)?;
    client.last_digest(|it| it.opaque.map(|opaque| opaque.to_bytes().into_owned()))
}

fn shown(opaque: Option<Vec<u8>>) -> String {
    match opaque {
        Some(opaque) => format!("opaque was {:?}", String::from_utf8_lossy(&opaque)),
        None => "there was no opaque".to_owned(),
    }
}
