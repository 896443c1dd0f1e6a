//! The example programs.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::sync::mpsc::Receiver;

use crate::LOGIN;
use crate::process::{Output, PATIENCE, Running, command, run};

/// Finds a program, next to this test. `cargo test --test interop` builds no examples, so they
/// are built here; where they are up to date that takes no time.
pub(crate) fn program(name: &str) -> PathBuf {
    static EXAMPLES: OnceLock<PathBuf> = OnceLock::new();
    let examples = EXAMPLES.get_or_init(|| {
        // .../debug/deps/interop-0123456789abcdef
        let test = std::env::current_exe().unwrap();
        let directory = test.ancestors().nth(2).unwrap();
        build(directory);
        directory.join("examples")
    });
    let program = examples.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is not built", program.display());
    program
}

fn build(directory: &Path) {
    let profile = match directory.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--quiet", "--examples"])
        .args(["--no-default-features", "--profile", profile])
        .arg("--target-dir")
        .arg(directory.parent().unwrap());
    for (feature, is_on) in [
        ("std", cfg!(feature = "std")),
        ("md5", cfg!(feature = "md5")),
    ] {
        if is_on {
            cargo.args(["--features", feature]);
        }
    }
    // Where there is no cargo, what lies there must do.
    if let Ok(status) = cargo.status() {
        assert!(status.success(), "the examples do not build");
    }
}

/// The program `serve`, running.
pub(crate) struct Serve {
    process: Running,
    /// Address and port.
    pub(crate) address: String,
    lines: Receiver<String>,
}

/// What `serve` logged of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Line {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) status: u16,
    /// `granted` and the user, or why not.
    pub(crate) outcome: String,
}

impl Serve {
    /// Starts it with these options, and the user of all tests.
    pub(crate) fn start(options: &[&str]) -> Self {
        Self::start_program("serve", options)
    }

    /// Starts another program that says the same.
    pub(crate) fn start_program(name: &str, options: &[&str]) -> Self {
        let mut serve = command(program(name));
        serve.args(["--user", LOGIN]).args(options);
        let mut process = Running::start(serve.stdout(Stdio::piped()));
        let lines = process.lines();
        let first = lines.recv_timeout(PATIENCE).expect("serve says nothing");
        let address = first.strip_prefix("listening on ").expect(&first);
        Self {
            process,
            address: address.to_owned(),
            lines,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Ends it, and says what became of the requests, in order.
    pub(crate) fn stop(self) -> Vec<Line> {
        // What was written before stands in the pipe.
        drop(self.process);
        self.lines.iter().map(|line| Line::parse(&line)).collect()
    }

    /// The same, the outcomes only.
    pub(crate) fn outcomes(self) -> Vec<String> {
        let lines = self.stop();
        lines.into_iter().map(|line| line.outcome).collect()
    }
}

impl Line {
    fn parse(line: &str) -> Self {
        let mut words = line.splitn(4, ' ').map(str::to_owned);
        let mut word = || words.next().unwrap_or_else(|| panic!("{line}"));
        Self {
            method: word(),
            target: word(),
            status: word().parse().unwrap(),
            outcome: word(),
        }
    }

    pub(crate) fn is_granted(&self) -> bool {
        self.outcome.starts_with("granted ")
    }
}

/// Runs `fetch` as the user of all tests.
#[track_caller]
pub(crate) fn fetch(options: &[&str], url: &str) -> Fetched {
    fetch_as(LOGIN, options, url)
}

/// Runs `fetch`.
#[track_caller]
pub(crate) fn fetch_as(login: &str, options: &[&str], url: &str) -> Fetched {
    let mut fetch = command(program("fetch"));
    fetch.args(["--user", login]).args(options).arg(url);
    Fetched(run(&mut fetch))
}

/// What `fetch` said.
#[derive(Debug)]
pub(crate) struct Fetched(pub(crate) Output);

impl Fetched {
    /// The status of each response.
    pub(crate) fn statuses(&self) -> Vec<u16> {
        let lines = self.0.stdout.lines().map(|line| line.split(' ').nth(2));
        lines.map_while(|status| status?.parse().ok()).collect()
    }

    /// How many responses came with a good proof that the server knows the secret, too.
    pub(crate) fn proofs(&self) -> usize {
        self.0.stdout.matches("server proof: Valid").count()
    }
}
