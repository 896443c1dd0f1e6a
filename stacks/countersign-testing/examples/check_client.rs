//! Checks a client that is a program, in whatever language.
//!
//! ```sh
//! cargo run --example check_client curl -s --digest -u Mufasa:"Circle of Life"
//! ```
//!
//! The program is called with the arguments and a URL after them, once for each request. It must
//! log in as `Mufasa` with the password `Circle of Life`. If it fails, the client has given up.
//!
//! Where its arguments have `{url}`, `{method}` or `{file}`, the URL, the method and a file with the
//! body stand there; with `{method}` and `{file}` the scenarios about methods and bodies are run,
//! too:
//!
//! ```sh
//! cargo run --example check_client curl -s --digest -u Mufasa:"Circle of Life" \
//!     -X {method} --data-binary @{file} {url}
//! ```
//!
//! Prints the report. The status is 0 if all scenarios passed, 1 if one failed, 3 if none failed and
//! one passed with a note, and 2 if it could not run. Before the program may stand:
//!
//! - `--without SCENARIO`, several times: leaves out a scenario.
//! - `--algorithm NAME`: offers this one in place of SHA-256.
//! - `--realm NAME`: the realm that the program's account is for.
//! - `--requests COUNT`: how many requests the program makes when it is called.
//! - `--json FILE` and `--junit FILE`: also write the report there.

#[path = "common/listener.rs"]
mod listener;
#[path = "common/output.rs"]
mod output;

use std::error::Error;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use countersign_testing::client::{ClientCheck, Network, Scenario};
use countersign_testing::countersign::digest::Algorithm;
use http::{Request, Response};

use output::{Files, NOT_RUN, finish};

const USAGE: &str = "arguments: [--without SCENARIO] [--algorithm NAME] [--realm NAME] \
    [--requests COUNT] [--json FILE] [--junit FILE] PROGRAM [ARGUMENTS]";

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The network of the present scenario, and the last response from it.
#[derive(Default)]
struct Present {
    network: Option<Network>,
    last: Response<Vec<u8>>,
}

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(NOT_RUN)
    })
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let mut check = ClientCheck::new("Mufasa", "Circle of Life");
    let mut files = Files::default();
    let mut arguments = std::env::args().skip(1).peekable();
    while let Some(option) = arguments.next_if(|it| it.starts_with("--")) {
        let value = arguments.next().ok_or(USAGE)?;
        match &*option {
            "--without" => {
                let named = Scenario::ALL.iter().find(|it| it.to_string() == value);
                let named = named.ok_or_else(|| format!("no scenario is called {value}"))?;
                check = check.without(&[*named]);
            }
            "--algorithm" => {
                let named = Algorithm::ALL.iter().find(|it| it.as_str() == value);
                let named = named.ok_or_else(|| format!("no algorithm is called {value}"))?;
                check = check.with_algorithm(*named);
            }
            "--realm" => check = check.with_realm(&value),
            "--requests" => check = check.with_requests(value.parse()?),
            "--json" => files.json = Some(value),
            "--junit" => files.junit = Some(value),
            _ => return Err(USAGE.into()),
        }
    }
    let program = arguments.next().ok_or(USAGE)?;
    let mut arguments: Vec<String> = arguments.collect();
    let has = |what: &str| arguments.iter().any(|it| it.contains(what));
    // Otherwise the program makes requests by GET and nothing else.
    if !has("{method}") {
        check = check.without(&[Scenario::OtherMethod]);
    }
    if !has("{method}") || !has("{file}") {
        let of_bodies = [
            Scenario::Body,
            Scenario::BodyLength,
            Scenario::AuthInt,
            Scenario::AuthOrAuthInt,
        ];
        check = check.without(&of_bodies);
    }
    if !has("{url}") {
        arguments.push("{url}".to_owned());
    }
    let present = Arc::new(Mutex::new(Present::default()));
    let served = Arc::clone(&present);
    let address = listener::listen(move |request| {
        let Ok(mut present) = served.lock() else {
            return Response::default();
        };
        if let Some(network) = &present.network {
            present.last = network.send(request);
        }
        present.last.clone()
    })?;
    let check = check.with_uri(&format!("http://{address}/dir/index.html?a=b"));
    let file = std::env::temp_dir().join(format!("check_client-{}", std::process::id()));
    let report = check.run(|network| {
        let (present, file) = (Arc::clone(&present), &file);
        let (program, arguments) = (&program, &arguments);
        move |request: Request<Vec<u8>>| -> Result<Response<Vec<u8>>, Box<dyn Error>> {
            let lost = "the listener is lost";
            present.lock().map_err(|_| lost)?.network = Some(network.clone());
            std::fs::write(file, request.body())?;
            let url = request.uri().to_string();
            let filled = arguments.iter().map(|argument| {
                argument
                    .replace("{url}", &url)
                    .replace("{method}", request.method().as_str())
                    .replace("{file}", &file.to_string_lossy())
            });
            let mut command = Command::new(program);
            let child = command.args(filled).stdout(Stdio::null()).spawn()?;
            let status = waited(child)?;
            match status.success() {
                true => Ok(present.lock().map_err(|_| lost)?.last.clone()),
                false => Err(status.to_string().into()),
            }
        }
    });
    let _ = std::fs::remove_file(&file);
    finish(&report, &files)
}

/// The status of a program, which is ended if it takes too long.
fn waited(mut child: Child) -> std::io::Result<ExitStatus> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begun.elapsed() > PATIENCE {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
