//! Requests without credentials.

use super::subject::Subject;
use crate::message::{Reply, in_other_case, parts};
use crate::outcome::{Outcome, fail, skip};

/// Other methods than GET. DELETE comes last, because it may succeed.
pub(super) fn methods(server: &Subject<'_>) -> &'static [&'static str] {
    match server.check.uri.split_once(':').map(|(scheme, _)| scheme) {
        Some("rtsp" | "rtsps") => &["DESCRIBE", "SETUP", "PLAY"],
        Some("sip" | "sips") => &["REGISTER", "INVITE", "SUBSCRIBE"],
        _ => &[
            "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "PROPFIND", "get", "UNKNOWN", "DELETE",
        ],
    }
}

/// Whether the request was let in. Statuses such as 404 and 405 say nothing about credentials.
fn is_open(reply: &Reply) -> bool {
    matches!(reply.status, 200..=299 | 304)
}

fn all_closed(open: &[String]) -> Outcome {
    match open.is_empty() {
        true => Ok(()),
        false => fail(format!("without credentials: {}", open.join(", "))),
    }
}

pub(super) fn method(server: &mut Subject<'_>) -> Outcome {
    let check = server.check;
    let mut open = Vec::new();
    for &method in methods(server) {
        if check.open.iter().any(|it| it == method) {
            continue;
        }
        let uri = check.uri_for(method);
        let reply = server.send([method, uri], &[], b"")?;
        if is_open(&reply) {
            open.push(format!("{method} {uri} ({})", reply.status));
        }
    }
    all_closed(&open)
}

/// Other spellings of a URI, and other queries, that a server may take for the same resource.
fn spellings(uri: &str) -> Vec<String> {
    let Some([origin, path, query]) = parts(uri) else {
        return Vec::new();
    };
    let with_path = |path: &str| format!("{origin}{path}{query}");
    let slash = match path.strip_suffix('/') {
        Some("") | None => format!("{path}/"),
        Some(shorter) => shorter.to_owned(),
    };
    let mut all = vec![
        format!("{origin}{path}?x"),
        format!("{origin}{path}"),
        with_path(&format!("{path};x")),
        with_path(&slash),
        with_path(&format!("/{path}")),
        with_path(&format!("/.{path}")),
        with_path(&format!("/x/..{path}")),
    ];
    let letter = path.rfind(|it: char| it.is_ascii_alphabetic());
    if let Some(at) = letter {
        let (before, after) = (&path[..at], &path[at + 1..]);
        let escaped = format!("{before}%{:02X}{after}", path.as_bytes()[at]);
        all.push(with_path(&escaped));
    }
    all.extend(with_other_case(uri));
    all.retain(|it| it != uri);
    all
}

/// The URI with its path in another case, unless that is the same.
pub(super) fn with_other_case(uri: &str) -> Option<String> {
    let [origin, path, query] = parts(uri)?;
    let other = String::from_utf8(in_other_case(path.as_bytes())).ok()?;
    (other != path && !path.contains('%')).then(|| format!("{origin}{other}{query}"))
}

pub(super) fn path(server: &mut Subject<'_>) -> Outcome {
    let check = server.check;
    let spellings = spellings(&check.uri);
    let Some([origin, _, query]) = parts(&check.uri) else {
        return skip("the URI has no path");
    };
    // What is answered to any path is no door.
    let nowhere = server.send(["GET", &format!("{origin}/nowhere-0f7a{query}")], &[], b"")?;
    let is_known = |reply: &Reply| is_open(&nowhere) && reply.body == nowhere.body;
    let mut open = Vec::new();
    for uri in spellings.iter().filter(|it| !check.open.contains(it)) {
        let reply = server.send(["GET", uri], &[], b"")?;
        if is_open(&reply) && !is_known(&reply) {
            open.push(format!("GET {uri} ({})", reply.status));
        }
    }
    all_closed(&open)
}
