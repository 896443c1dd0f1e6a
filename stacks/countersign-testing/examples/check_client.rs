//! Checks a client that is a program, in whatever language.
//!
//! ```sh
//! cargo run --example check_client curl -s --digest -u Mufasa:"Circle of Life"
//! ```
//!
//! The program is called with the arguments and a URL after them, once for each request. It must
//! log in as `Mufasa` with the password `Circle of Life`. If it fails, the client has given up.
//! Prints the report, and ends with status 1 if a scenario failed. `--without SCENARIO` before the
//! program leaves out a scenario; it may stand several times.

#[path = "common/listener.rs"]
mod listener;

use std::error::Error;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};

use countersign_testing::client::{ClientCheck, Network, Scenario};
use http::Response;

/// The network of the present scenario, and the last response from it.
#[derive(Default)]
struct Present {
    network: Option<Network>,
    last: Response<Vec<u8>>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    // The program makes one request by GET and nothing else.
    let mut without = vec![
        Scenario::OtherMethod,
        Scenario::AuthInt,
        Scenario::AuthOrAuthInt,
    ];
    while arguments.len() > 1 && arguments[0] == "--without" {
        let name = arguments.drain(..2).next_back().unwrap_or_default();
        let named = Scenario::ALL.iter().find(|it| it.to_string() == name);
        without.push(*named.ok_or_else(|| format!("no scenario is called {name}"))?);
    }
    let Some((program, arguments)) = arguments.split_first() else {
        return Err("arguments: [--without SCENARIO] PROGRAM [ARGUMENTS]".into());
    };
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
    let url = format!("http://{address}/dir/index.html?a=b");
    let check = ClientCheck::new("Mufasa", "Circle of Life")
        .with_uri(&url)
        .without(&without);
    let report = check.run(|network| {
        let present = Arc::clone(&present);
        move |request| -> Result<Response<Vec<u8>>, Box<dyn Error>> {
            let lost = "the listener is lost";
            present.lock().map_err(|_| lost)?.network = Some(network.clone());
            let mut command = Command::new(program);
            let output = command
                .args(arguments)
                .arg(request.uri().to_string())
                .stdout(Stdio::null())
                .status()?;
            match output.success() {
                true => Ok(present.lock().map_err(|_| lost)?.last.clone()),
                false => Err(output.to_string().into()),
            }
        }
    });
    println!("{report}");
    Ok(ExitCode::from(u8::from(!report.is_clean())))
}
