//! wget and the HTTP libraries of Python against `serve`.

use std::collections::BTreeMap;
use std::process::Command;

use crate::process::{command, is_installed, run};
use crate::programs::{Line, Serve};
use crate::{LOGIN, PASSWORD, USER, is_known, known};

/// Sends requests with one session, first one by one and then as many at once; prints the status
/// of each.
///
/// Arguments: the library, the scheme, the URL but for its end, user, password, method, body, and
/// how many.
const CLIENT: &str = r#"
import asyncio, sys
from concurrent.futures import ThreadPoolExecutor
library, scheme, url, user, password, method, body, count = sys.argv[1:]
count = int(count)
one_by_one = [url + "one" + str(n) for n in range(count)]
at_once = [url + "all" + str(n) for n in range(count)]
body = body.encode() or None

def in_threads(send):
    for url in one_by_one: print(send(url))
    with ThreadPoolExecutor(count) as pool:
        for status in pool.map(send, at_once): print(status)

async def in_tasks(send):
    for url in one_by_one: print(await send(url))
    for status in await asyncio.gather(*map(send, at_once)): print(status)

if library == "requests":
    import requests, requests.auth
    session = requests.Session()
    session.trust_env = False
    kind = requests.auth.HTTPBasicAuth if scheme == "basic" else requests.auth.HTTPDigestAuth
    session.auth = kind(user.encode(), password.encode()) if scheme == "basic" else kind(user, password)
    in_threads(lambda url: session.request(method, url, data=body, timeout=10).status_code)

elif library == "httpx":
    import httpx
    kind = httpx.BasicAuth if scheme == "basic" else httpx.DigestAuth
    async def main():
        async with httpx.AsyncClient(auth=kind(user, password), timeout=10, trust_env=False) as client:
            async def send(url):
                return (await client.request(method, url, content=body)).status_code
            await in_tasks(send)
    asyncio.run(main())

elif library == "aiohttp":
    import aiohttp
    if scheme == "basic":
        options = dict(auth=aiohttp.BasicAuth(user, password, encoding="utf-8"))
    else:
        options = dict(middlewares=(aiohttp.DigestAuthMiddleware(user, password),))
    async def main():
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(10), **options) as client:
            async def send(url):
                async with client.request(method, url, data=body) as response:
                    await response.read()
                    return response.status
            await in_tasks(send)
    asyncio.run(main())
"#;

/// The algorithms a library knows, beside MD5 and SHA-256. None knows SHA-512-256.
const LIBRARIES: [(&str, &[&str]); 3] = [
    ("requests", &["SHA-256,MD5", "SHA-256", "MD5", "MD5-sess"]),
    (
        "httpx",
        &["SHA-256,MD5", "SHA-256", "SHA-256-sess", "MD5", "MD5-sess"],
    ),
    (
        "aiohttp",
        &["SHA-256,MD5", "SHA-256", "SHA-256-sess", "MD5", "MD5-sess"],
    ),
];

#[derive(Clone, Copy)]
struct Session<'a> {
    scheme: &'a str,
    method: &'a str,
    body: &'a str,
    count: usize,
}

const DIGEST: Session<'_> = Session {
    scheme: "digest",
    method: "GET",
    body: "",
    count: 20,
};

fn has_library(library: &str) -> bool {
    let import = format!("import {library}");
    is_installed(library, "python3", &["-c", &import])
}

/// Has a library send requests to a new server; says what became of them.
#[track_caller]
fn python(library: &str, session: Session<'_>, serve: &[&str]) -> Vec<Line> {
    let serve = Serve::start(serve);
    let mut python = command("python3");
    python.args(["-c", CLIENT, library, session.scheme]);
    python.args([&serve.url("/a%20b/?n="), USER, PASSWORD]);
    python.args([session.method, session.body]);
    let output = run(python.arg(session.count.to_string()));
    let log = serve.stop();
    let statuses = output.stdout.lines().collect::<Vec<_>>();
    assert_eq!(
        statuses,
        vec!["200"; 2 * session.count],
        "{library} {output:?} {log:?}"
    );
    log
}

/// Whether a good client would have had to ask its user: a request that carried an answer was
/// refused, and not for its nonce.
#[track_caller]
fn assert_nobody_is_asked_twice(log: &[Line]) {
    let mut requests: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in log {
        requests.entry(&line.target).or_default().push(line);
    }
    for lines in requests.values() {
        for pair in lines.windows(2) {
            let fine = pair.iter().any(|line| line.is_granted() || line.is_stale());
            assert!(fine, "{pair:?}");
        }
        assert!(lines.last().unwrap().is_granted(), "{lines:?}");
    }
}

#[test]
fn python_uses_one_nonce_for_many_requests() {
    for (library, algorithms) in LIBRARIES.into_iter().filter(|(l, _)| has_library(l)) {
        for algorithm in known(algorithms) {
            let log = python(library, DIGEST, &["--algorithm", algorithm]);
            let (one_by_one, at_once) = log.split_at(1 + DIGEST.count);
            assert_eq!(one_by_one[0].outcome, "no-credentials");
            let granted = one_by_one[1..].iter().all(Line::is_granted);
            assert!(granted, "{library} {algorithm} {one_by_one:?}");
            assert_nobody_is_asked_twice(at_once);
        }
    }
}

#[test]
fn python_posts_bodies() {
    let post = Session {
        method: "POST",
        body: "a=1&b=2",
        count: 3,
        ..DIGEST
    };
    for (library, _) in LIBRARIES.into_iter().filter(|(l, _)| has_library(l)) {
        assert_nobody_is_asked_twice(&python(library, post, &[]));
    }
    // The only one of them that computes it right.
    if has_library("aiohttp") {
        let log = python("aiohttp", post, &["--qop", "auth-int"]);
        assert_nobody_is_asked_twice(&log);
    }
}

#[test]
fn python_speaks_basic() {
    let basic = Session {
        scheme: "basic",
        count: 3,
        ..DIGEST
    };
    for (library, _) in LIBRARIES.into_iter().filter(|(l, _)| has_library(l)) {
        let log = python(library, basic, &["--basic", "--allow-cleartext-basic"]);
        assert!(log.iter().all(Line::is_granted), "{library} {log:?}");
    }
}

/// wget, without a configuration file; `None` if there is none.
fn wget(login: &str) -> Option<Command> {
    is_installed("wget", "wget", &["--version"]).then(|| {
        let (user, password) = login.split_once(':').unwrap();
        let mut wget = command("wget");
        wget.args(["--no-config", "-nv", "-O", "-", "--tries=1", "--timeout=10"]);
        wget.args(["--user", user, "--password", password]);
        wget
    })
}

#[test]
fn wget_logs_in() {
    let serves: [&[&str]; 4] = [
        // It knows MD5 only, and finds it among others.
        &["--algorithm", "MD5"],
        &["--algorithm", "SHA-256,MD5"],
        &["--algorithm", "MD5-sess"],
        &[
            "--basic",
            "--allow-cleartext-basic",
            "--algorithm",
            "SHA-256",
            "--qop",
            "none",
        ],
    ];
    for serve in serves {
        let algorithms = serve.iter().find(|option| option.contains("MD5"));
        if algorithms.is_some_and(|algorithms| !is_known(algorithms)) {
            continue;
        }
        let Some(mut wget) = wget(LOGIN) else { return };
        let serve = Serve::start(serve);
        let urls: Vec<_> = (0..20).map(|n| serve.url(&format!("/?n={n}"))).collect();
        let output = run(wget.args(urls)).expect();
        assert_eq!(output, "Hello, Mufasa.\n".repeat(20));
        assert_nobody_is_asked_twice(&serve.stop());
    }
}

#[test]
fn wget_may_run_many_times_at_once() {
    if !is_known("MD5") || wget(LOGIN).is_none() {
        return;
    }
    let serve = Serve::start(&[]);
    std::thread::scope(|scope| {
        for n in 0..20 {
            let url = serve.url(&format!("/?n={n}"));
            scope.spawn(|| wget(LOGIN).map(|mut wget| run(wget.arg(url)).expect()));
        }
    });
    assert_nobody_is_asked_twice(&serve.stop());
}

#[test]
fn wget_is_refused_once() {
    let Some(mut wget) = wget("Mufasa:wrong") else {
        return;
    };
    let serve = Serve::start(&[]);
    let output = run(wget.arg(serve.url("/")));
    assert!(!output.success);
    let log = serve.outcomes();
    assert_eq!(log[0], "no-credentials");
    if is_known("MD5") {
        assert_eq!(log[1..], ["wrong-credentials"]);
    }
}
