//! A client and a server in one process, over loopback: every scheme and algorithm, and requests
//! that must be refused.
//!
//! ```text
//! cargo run --example exchange
//! ```
//!
//! It prints the messages, `>` from the client and `<` from the server, shows how each response was
//! computed (`*`), and ends with a table. It fails if any result is not the expected one.

#[path = "common/requester.rs"]
mod requester;
#[path = "common/service.rs"]
mod service;

use std::error::Error;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use countersign::Channel;
use countersign::client::{Client, Endpoint, Exchange, Policy, ServerProof};
use countersign::digest::{Algorithm, QopSet};
use countersign::server::{Authenticator, Realm};
use http::header::HeaderValue;
use hyper::body::Bytes;
use tokio::net::TcpListener;

use requester::{Connection, fetch, request};
use service::{Service, Users, serve};

const REALM: &str = "example";
const USER: &str = "Mufasa";
const PASSWORD: &str = "Circle of Life";

/// A client, a server, and the expected outcome of a request.
struct Case {
    name: String,
    realm: Realm,
    policy: Policy,
    password: &'static str,
    /// Whether the granted request is sent again, byte for byte.
    replays: bool,
    /// The expected outcome of the last request at the server.
    outcome: &'static str,
    /// The expected proof of the server for the client's own request; `None` if it is refused.
    proof: Option<ServerProof>,
}

impl Case {
    /// A request that must be granted, by a server that proves that it knows the secret.
    fn new(name: impl Into<String>, realm: Realm) -> Self {
        Self {
            name: name.into(),
            realm,
            policy: Policy::new(),
            password: PASSWORD,
            replays: false,
            outcome: "granted Mufasa",
            proof: Some(ServerProof::Valid),
        }
    }
}

fn cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let realm = Realm::new(REALM)?;
    let mut cases = vec![Case {
        proof: Some(ServerProof::Absent),
        ..Case::new(
            "Basic, as over TLS",
            realm.clone().with_algorithms(&[]).with_basic(),
        )
    }];
    for &algorithm in Algorithm::ALL {
        let realm = realm.clone().with_algorithms(&[algorithm]);
        cases.push(Case::new(format!("Digest, {algorithm}"), realm));
    }
    cases.extend([
        Case::new("auth-int", realm.clone().with_qop(QopSet::AUTH_INT)),
        Case {
            policy: Policy::new().with_quirk(countersign::client::Quirk::Rfc2069),
            proof: Some(ServerProof::Absent),
            ..Case::new("RFC 2069", realm.clone().with_qop(QopSet::NONE))
        },
        Case::new("hashed user name", realm.clone().with_userhash(true)),
        Case {
            password: "Circle of Lies",
            outcome: "wrong-credentials",
            proof: None,
            ..Case::new("wrong password", realm.clone())
        },
        Case {
            replays: true,
            outcome: "replayed",
            ..Case::new("replay", realm)
        },
    ]);
    Ok(cases)
}

/// Runs a case. Returns the outcome of the last request, and whether everything was as expected.
async fn play(case: &Case) -> Result<(String, bool), Box<dyn Error>> {
    let service = Service {
        auth: Authenticator::new(case.realm.clone(), 100, &mut getrandom::SysRng)?,
        users: Users::new(REALM, [(USER, PASSWORD)]),
        // True here, because nothing leaves the machine. So Basic is offered.
        channel: Channel::Encrypted,
    };
    let outcome = Arc::new(Mutex::new(String::new()));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let server = tokio::spawn({
        let outcome = Arc::clone(&outcome);
        async move {
            while let Ok((stream, _)) = listener.accept().await {
                let keep = |_: &_, _, of: &_| *outcome.lock().unwrap() = format!("{of}");
                serve(&service, stream, keep).await;
            }
        }
    });

    let mut connection = Connection::new(address.clone(), |text| print!("{text}"));
    let (host, port) = address.split_once(':').ok_or("an address has a port")?;
    let endpoint = Endpoint::origin("http", host, Some(port.parse()?))?;
    let endpoint = endpoint.with_channel(Channel::Encrypted);
    let mut client = Client::new(endpoint, case.policy, &mut getrandom::SysRng)?;
    let mut exchange = Exchange::new();
    let uri = format!("http://{address}/pride/rock?view=top").parse()?;
    let request = request("POST", &uri, &Bytes::from_static(b"long live the king"))?;
    let login = Some((USER, case.password));
    let fetched = fetch(&mut connection, &mut client, &mut exchange, login, &request).await?;
    let mut status = fetched.response.status();
    if case.replays {
        let answer = exchange.answer().ok_or("nothing to replay")?;
        let value = HeaderValue::from_bytes(answer.as_bytes())?;
        let mut replay = request.clone();
        replay.headers_mut().insert("authorization", value);
        status = connection.send(replay).await?.status();
    }
    server.abort();

    let outcome = outcome.lock().unwrap().clone();
    let is_right = outcome == case.outcome
        && status.is_success() == outcome.starts_with("granted")
        && fetched.challenged.len() == 1
        && fetched.result.ok() == case.proof;
    Ok((format!("{} {outcome}", status.as_u16()), is_right))
}

async fn run() -> Result<bool, Box<dyn Error>> {
    let mut table = Vec::new();
    for case in cases()? {
        println!("==== {}\n", case.name);
        let (outcome, is_right) = play(&case).await?;
        println!();
        table.push((case, outcome, is_right));
    }
    println!("{:24} {:22} server's proof", "exchange", "outcome");
    for (case, outcome, is_right) in &table {
        let proof = match case.proof {
            Some(proof) => format!("{proof:?}"),
            None => "-".to_owned(),
        };
        let verdict = if *is_right { "" } else { "  NOT AS EXPECTED" };
        println!("{:24} {outcome:22} {proof}{verdict}", case.name);
    }
    Ok(table.iter().all(|(.., is_right)| *is_right))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("exchange: {error}");
            ExitCode::FAILURE
        }
    }
}
