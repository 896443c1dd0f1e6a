//! Servers that are programs.

use super::Server;
use crate::matrix::script;
use crate::matrix::version::version;
use crate::process::{TempDir, command, run, start_server, start_with_file};
use crate::{PASSWORD_SHA, USER, UTF8_PASSWORD_SHA, UTF8_USER};

pub(super) fn nginx() -> Server {
    let program = "/usr/sbin/nginx";
    let version = version(program, &["-v"]);
    let directory = TempDir::new();
    let sha = [(USER, PASSWORD_SHA), (UTF8_USER, UTF8_PASSWORD_SHA)];
    let users = sha.map(|(user, sha)| format!("{user}:{{SHA}}{sha}\n"));
    directory.write("htpasswd", &users.concat());
    directory.write("www/basic/index.html", "ok\n");
    directory.write("www/quoted/index.html", "ok\n");
    let conf = [
        program,
        "-e stderr -c",
        include_str!("../../../peers/nginx.conf"),
    ];
    let running = start_with_file(version.is_some(), conf, &directory);
    let mut server = Server::of(version, (running, directory));
    server.options = vec!["--allow-cleartext-basic".to_owned()];
    server
}

pub(super) fn microhttpd() -> Server {
    let directory = TempDir::new();
    let program = directory.path().join("microhttpd");
    let mut compiler = command("sh");
    compiler.args([
        "-c",
        "exec cc \"$0\" -o \"$1\" -lmicrohttpd",
        &script("microhttpd.c"),
    ]);
    let is_built = run(compiler.arg(&program)).success;
    let program = program.display().to_string();
    let version = is_built.then(|| version(&program, &[])).flatten();
    let running = start_server(version.is_some(), |port| {
        let mut server = command(&program);
        server.arg(port.to_string());
        server
    });
    Server::of(version, (running, directory))
}
