//! Servers of libraries, each run by a script of ours.

use super::Server;
use crate::matrix::script;
use crate::matrix::version::{node_package, version};
use crate::process::{TempDir, command, is_runnable, start_server};

/// A Python library that is a server.
pub(super) fn python(library: &'static str) -> Server {
    let find = format!("import importlib.metadata as m, {library}; print(m.version('{library}'))");
    let is_there = is_runnable("python3", &["-c", &find]);
    let running = start_server(is_there, |port| {
        let mut server = command("python3");
        server.args([&script("server.py"), library, &port.to_string()]);
        server
    });
    let version = is_there.then(|| version("python3", &["-c", &find]));
    Server::of(version.flatten(), (running, TempDir::new()))
}

pub(super) fn http_auth() -> Server {
    let version = node_package("http-auth");
    let running = start_server(version.is_some(), |port| {
        let mut server = command("node");
        server.args([&script("server.js"), &port.to_string()]);
        server
    });
    Server::of(version, (running, TempDir::new()))
}
