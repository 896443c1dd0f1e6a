//! nginx.

use super::Server;
use crate::matrix::version::version;
use crate::process::{TempDir, start_with_file};
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
