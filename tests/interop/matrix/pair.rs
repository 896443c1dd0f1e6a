//! `fetch` against `serve`: the only peer of either that has all there is.

use std::thread;

use super::servers::judge;
use super::{Case, Row, Verdict, relay};
use crate::programs::{Serve, fetch_as};
use crate::wire::{self, Canned};
use crate::{LOGIN, QUOTED_REALM, UTF8_PASSWORD, UTF8_USER};

pub(super) fn row(name: &'static str) -> Row {
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    Row::new(name, version, &Case::ALL, attempt)
}

fn attempt(case: Case) -> Verdict {
    let utf8 = format!("{UTF8_USER}:{UTF8_PASSWORD}");
    let server: &[&str] = match case {
        Case::Stale => &["--nonce-lifetime", "2"],
        Case::Utf8 => &["--user", &utf8],
        Case::Quoted => &["--realm", QUOTED_REALM],
        Case::Sha256 => &["--algorithm", "SHA-256"],
        Case::Sha512 => &["--algorithm", "SHA-512-256"],
        Case::AuthInt => &["--qop", "auth-int"],
        Case::NextNonce => &["--nextnonce"],
        Case::Basic => &["--basic", "--allow-cleartext-basic"],
        _ => &[],
    };
    let client: &[&str] = match case {
        Case::Ten | Case::Stale | Case::NextNonce | Case::Proof => &["--repeat", "10"],
        Case::Post => &["--data", "a=1&b=2"],
        Case::AuthInt => &["--auth-int", "--data", "a=1&b=2"],
        Case::Basic => &["--allow-cleartext-basic"],
        _ => &[],
    };
    let login = match case {
        Case::Utf8 => &utf8,
        Case::Wrong => "Mufasa:wrong",
        _ => LOGIN,
    };
    let path = match case {
        Case::Query => "/?x=1&y=%20%2F",
        _ => "/",
    };
    let serve = Serve::start(server);
    let relay = (case == Case::Stale).then(|| late(&serve));
    let address = relay
        .as_ref()
        .map_or(&serve.address, |relay| &relay.address);
    let options = [client, &["--trace"]].concat();
    judge(
        case,
        &fetch_as(login, &options, &format!("http://{address}{path}")),
    )
}

/// Holds the second answer back until its nonce is old.
fn late(serve: &Serve) -> Canned {
    let address = serve.address.clone();
    let mut answers = 0;
    Canned::start(move |head| {
        answers += u32::from(wire::credentials(head).is_some());
        if answers == 2 {
            thread::sleep(relay::DELAY);
        }
        wire::forward(&address, head)
    })
}
