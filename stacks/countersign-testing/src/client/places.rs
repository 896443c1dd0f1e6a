//! Where credentials are sent.

use countersign::{Authorization, Challenger};
use http::header::LOCATION;
use http::{HeaderValue, Response, StatusCode, Uri};

use super::choice::must_send_no_password;
use super::network;
use super::trial::Trial;
use crate::core::Core;
use crate::message::target_of;
use crate::outcome::{Outcome, fail, skip};

/// Another user of the origin may ask in a realm of their own.
pub(super) fn other_realm(client: &mut Trial<'_>) -> Outcome {
    let Some(own) = &client.check.realm else {
        return skip("the account is for any realm: see ClientCheck::with_realm");
    };
    let name = format!("{own} of another user");
    let digest = client.realm_called(&name)?;
    let basic = digest.clone().with_algorithms(&[]);
    let basic = basic.with_cleartext_basic();
    // Once before the client has logged in to its own realm, and once after that.
    for is_known in [false, true] {
        for realm in [&digest, &basic] {
            client.renew();
            if is_known {
                let core = client.serve(client.realm()?);
                client.must_get(&core)?;
            }
            client.serve(realm.clone());
            let _ = client.get()?;
            must_send_no_password(client)?;
            let is_answer = |value: &Vec<u8>| {
                matches!(
                    Authorization::parse(value),
                    Ok(Authorization::Digest(digest)) if digest.realm == name.as_str()
                )
            };
            if client.credentials().iter().any(is_answer) {
                return fail("a Digest answer for the other realm");
            }
        }
    }
    Ok(())
}

/// What the URI of another resource of the server has in its query.
const ELSEWHERE: &str = "elsewhere=1";

/// The URI of another resource of the server.
fn elsewhere(client: &Trial<'_>) -> String {
    let uri = &client.check.uri;
    let separator = if uri.contains('?') { '&' } else { '?' };
    format!("{uri}{separator}{ELSEWHERE}")
}

pub(super) fn two_realms(client: &mut Trial<'_>) -> Outcome {
    if client.check.realm.is_some() {
        return skip("the account is for one realm");
    }
    let here = client.serve(client.realm()?);
    let there = client.serve(client.realm_called("other files")?);
    let cores = (here.clone(), there.clone());
    client.network.play(Box::new(move |request| {
        match target_of(request).contains(ELSEWHERE) {
            true => cores.1.serve(request),
            false => cores.0.serve(request),
        }
    }));
    let places = [(here, client.check.uri.clone()), (there, elsewhere(client))];
    for (core, uri) in places.iter().chain(&places) {
        let granted = core.granted();
        let end = client.request("GET", uri, b"")?;
        // What is sent before the challenge of a realm may be wrong there.
        match client.credentials().len() {
            _ if core.granted() > granted => {}
            0 | 1 => return skip("the client logs in to one realm only"),
            _ => return fail(format!("the client was not let in at {uri}: {end:?}")),
        }
    }
    Ok(())
}

/// Serves a resource that sends whoever is let in to another URI.
fn redirecting(client: &Trial<'_>, location: &str) -> Outcome<Core> {
    let core = client.serve(client.realm()?);
    let (server, own) = (core.clone(), client.check.uri.clone());
    let Ok(location) = HeaderValue::from_str(location) else {
        return skip("no such location");
    };
    client.network.play(Box::new(move |request| {
        // A client that names no host means its own.
        let is_other = ![host_of(&own), String::new()].contains(&network::host_of(request));
        let mut response = match is_other {
            true => Response::default(),
            false => server.serve(request),
        };
        if !is_other && response.status().is_success() && !target_of(request).contains(ELSEWHERE) {
            *response.status_mut() = StatusCode::FOUND;
            response.headers_mut().insert(LOCATION, location.clone());
        }
        response
    }));
    Ok(core)
}

fn follows(end: &super::trial::End) -> Outcome {
    match end {
        Ok(status) if *status == StatusCode::FOUND => skip("the client follows no redirects"),
        _ => Ok(()),
    }
}

pub(super) fn redirect(client: &mut Trial<'_>) -> Outcome {
    let core = redirecting(client, &elsewhere(client))?;
    let end = client.get()?;
    follows(&end)?;
    client.no_wrong_answer(&core)?;
    match core.granted() {
        2.. => Ok(()),
        _ => fail(format!("the client was not let in at the new URI: {end:?}")),
    }
}

fn host_of(uri: &str) -> String {
    let uri = uri.parse::<Uri>().unwrap_or_default();
    uri.authority()
        .map_or_else(String::new, ToString::to_string)
}

/// The URI with another host, which a listener on loopback has, too, and with another port, which it
/// has not.
fn other_origins(client: &Trial<'_>) -> Outcome<Vec<String>> {
    if client.check.challenger == Challenger::Proxy {
        return skip("a proxy is asked for all servers");
    }
    let uri = &client.check.uri;
    let host = host_of(uri);
    Ok(match host.strip_prefix("127.0.0.1") {
        Some(port) => vec![uri.replacen(&host, &format!("localhost{port}"), 1)],
        None => ["other.example".to_owned(), format!("{host}:8080")]
            .map(|other| uri.replacen(&host, &other, 1))
            .to_vec(),
    })
}

fn must_send_nothing_to(client: &Trial<'_>, uri: &str) -> Outcome {
    match client.network.sent_credentials(Some(&host_of(uri))) {
        true => fail(format!("credentials were sent to {uri}")),
        false => Ok(()),
    }
}

pub(super) fn redirect_away(client: &mut Trial<'_>) -> Outcome {
    for other in other_origins(client)? {
        client.renew();
        redirecting(client, &other)?;
        let end = client.get()?;
        follows(&end)?;
        must_send_nothing_to(client, &other)?;
    }
    Ok(())
}

pub(super) fn other_origin(client: &mut Trial<'_>) -> Outcome {
    let others = other_origins(client)?;
    let core = client.serve(client.realm()?);
    client.must_get(&core)?;
    client.network.play(Box::new(|_| Response::default()));
    for other in others {
        let _ = client.request("GET", &other, b"")?;
        must_send_nothing_to(client, &other)?;
    }
    Ok(())
}

pub(super) fn other_status(client: &mut Trial<'_>) -> Outcome {
    let realm = client.realm()?;
    let realm = match client.check.challenger {
        Challenger::Origin => realm.for_proxy(),
        Challenger::Proxy => client.plain_realm("files")?,
    };
    client.serve(realm);
    let _ = client.get()?;
    match client.network.sent_credentials(None) {
        true => fail("the client sent credentials"),
        false => Ok(()),
    }
}
