//! hyper: tasks that share a login, on nonces that live long, short, or for one request; bodies
//! that are covered; and a wrong password, which tasks at once send a few times each at most, and
//! those after them ever less often.
//!
//! ```text
//! hyper-client [URL [TASKS [ROUNDS]]]
//! ```
//!
//! Without arguments it runs against servers of its own. Otherwise `Mufasa` with the password
//! `Circle of Life` must be let in at the URL, in the realm `files`.
mod auth;
mod endless;

use std::sync::Arc;
use std::time::Duration;

use countersign::client::{Account, ServerProof};
use countersign::digest::QopSet;
use countersign::server::Realm;
use hyper::body::Bytes;
use hyper::{Request, Uri};
use loopback::{Area, Server, USER};
use tokio::task::JoinSet;

use auth::{Auth, Counts, Error};

fn account(password: &str) -> Account {
    Account::new(USER.0, password).for_realm("files")
}

/// Between two rounds: short enough for many on one nonce, and long enough for one of a second to
/// grow old within a few.
const PAUSE: Duration = Duration::from_millis(500);

/// The refused answers at which an exchange ends, by the default of `Policy::with_max_answers`.
const MAX_ANSWERS: usize = 3;

/// What came of a number of tasks.
#[derive(Debug, Default)]
struct Outcome {
    granted: usize,
    proven: usize,
    failed: usize,
    sent: Counts,
}

async fn crowd(auth: &Arc<Auth>, url: &str, tasks: usize) -> Result<Outcome, Error> {
    let mut set = JoinSet::new();
    for n in 0..tasks {
        let request = Request::post(format!("{url}?{n}")).body(Bytes::from(format!("body {n}")))?;
        let auth = Arc::clone(auth);
        set.spawn(async move { auth.send(request).await });
    }
    let mut outcome = Outcome::default();
    for result in set.join_all().await {
        match result {
            Ok((response, proof)) => {
                outcome.granted += usize::from(response.status() == 200);
                outcome.proven += usize::from(proof == ServerProof::Valid);
            }
            Err(_) => outcome.failed += 1,
        }
    }
    outcome.sent = auth.take_counts();
    Ok(outcome)
}

/// Every task comes through in every round; returns what the rounds after the first had sent.
async fn right_password(url: &str, tasks: usize, rounds: usize) -> Result<Vec<usize>, Error> {
    let origin: Uri = url.parse()?;
    let auth = Arc::new(Auth::new(&origin, account(USER.1))?);
    let mut later = Vec::new();
    for round in 0..rounds {
        let outcome = crowd(&auth, url, tasks).await?;
        println!("  round {round}: {outcome:?}");
        assert_eq!((outcome.granted, outcome.failed), (tasks, 0));
        let sent: usize = outcome.sent.values().sum();
        assert!(sent <= 2 * tasks);
        later.extend((round > 0).then_some(sent));
        tokio::time::sleep(PAUSE).await;
    }
    Ok(later)
}

async fn wrong_password(url: &str, tasks: usize) -> Result<(), Error> {
    let origin: Uri = url.parse()?;
    let auth = Arc::new(Auth::new(&origin, account("Circle of Lies"))?);
    let outcome = crowd(&auth, url, tasks).await?;
    println!("  wrong password: {outcome:?}");
    assert_eq!((outcome.granted, outcome.failed), (0, tasks));
    // Most tasks send it once. Who volunteers an answer for a login that another task has found wrong
    // meanwhile sends it again, and how many do depends on who comes first.
    let sent = outcome.sent.get(&("answered", 401));
    assert!(sent.is_some_and(|sent| *sent <= MAX_ANSWERS * tasks));
    // Who does not stop sends it again, because in clear the refusal may have been forged, but ever
    // less often.
    let auth = Auth::new(&origin, account("Circle of Lies"))?;
    let mut answered = Vec::new();
    for request in 0..16 {
        let outcome = auth.send(Request::get(url).body(Bytes::new())?).await;
        assert!(outcome.is_err());
        let sent = auth.take_counts();
        answered.extend(sent.contains_key(&("answered", 401)).then_some(request));
    }
    println!("  wrong password, one after another: sent by {answered:?} of 16");
    assert_eq!(answered, [0, 1, 3, 7, 15]);
    Ok(())
}

async fn own_servers() -> Result<(), Error> {
    let start = |realm| Server::start(vec![Area::new("/", realm)], "");
    let plain = start(Realm::new("files")?);
    let url = plain.url("/x");
    for tasks in [20, 40] {
        println!("{tasks} tasks");
        let later = right_password(&url, tasks, 3).await?;
        assert_eq!(later, [tasks; 2]);
    }
    wrong_password(&url, 40).await?;

    println!("40 tasks, auth-int only");
    let covered = start(Realm::new("files")?.with_qop(QopSet::AUTH_INT));
    let later = right_password(&covered.url("/x"), 40, 3).await?;
    assert_eq!(later, [40; 2]);

    println!("a request to another server");
    let auth = Auth::new(&url.parse()?, account(USER.1))?;
    auth.send(Request::get(&url).body(Bytes::new())?).await?;
    let other = start(Realm::new("files")?);
    let sent = auth.send(Request::get(other.url("/x")).body(Bytes::new())?);
    let error = sent.await.map(|_| ()).unwrap_err();
    println!("  {error}");
    assert_eq!(other.take_log().len(), 0);

    println!("another user of the server, before and after a proof");
    let shared = Server::shared();
    let url = shared.url("/d/x");
    for (is_cold, path, expected) in [
        (true, "/~mallory/x", "another realm"),
        (true, "/~mallory/same/x", "Basic over a cleartext channel"),
        (false, "/~mallory/x", "another realm"),
        (false, "/~mallory/same/x", "weaker than the realm accepted"),
    ] {
        let auth = Auth::new(&url.parse()?, account(USER.1))?;
        if !is_cold {
            auth.send(Request::get(&url).body(Bytes::new())?).await?;
        }
        shared.take_log();
        let sent = auth.send(Request::get(shared.url(path)).body(Bytes::new())?);
        let error = sent.await.map(|_| ()).unwrap_err().to_string();
        let log = shared.take_log();
        println!("  {error}, {log:?}");
        assert!(error.contains(expected));
        assert!(log.len() == 1 && !log[0].has_credentials);
    }

    endless::check().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let Some(url) = args.next() else {
        return own_servers().await;
    };
    let mut number = |otherwise| args.next().map_or(Ok(otherwise), |number| number.parse());
    let (tasks, rounds) = (number(40)?, number(3)?);
    println!("{url}");
    right_password(&url, tasks, rounds).await?;
    wrong_password(&url, tasks).await
}
