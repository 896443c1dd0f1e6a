//! Servers that are programs.

use super::Server;
use crate::matrix::script;
use crate::matrix::version::version;
use crate::process::{TempDir, command, run, start_server};
use crate::{PASSWORD_SHA, QUOTED_REALM, REALM, USER, UTF8_PASSWORD_SHA, UTF8_USER};

pub(super) fn nginx() -> Server {
    let version = version("/usr/sbin/nginx", &["-v"]);
    let directory = TempDir::new();
    let root = directory.path().display();
    let sha = [(USER, PASSWORD_SHA), (UTF8_USER, UTF8_PASSWORD_SHA)];
    let users = sha.map(|(user, sha)| format!("{user}:{{SHA}}{sha}\n"));
    directory.write("htpasswd", &users.concat());
    directory.write("www/basic/index.html", "ok\n");
    directory.write("www/quoted/index.html", "ok\n");
    let quoted = QUOTED_REALM.replace('\\', r"\\").replace('"', r#"\""#);
    let places: String = [("basic", REALM), ("quoted", &quoted)]
        .map(|(path, realm)| {
            format!(
                "location /{path}/ {{ auth_basic \"{realm}\"; \
                 auth_basic_user_file {root}/htpasswd; }}\n"
            )
        })
        .concat();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {root}/{name};\n"))
        .concat();
    let running = start_server(version.is_some(), |port| {
        directory.write(
            "nginx.conf",
            &format!(
                "daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;\n\
                 events {{ worker_connections 64; }}\nhttp {{ access_log off;\n{temporary}\
                 server {{ listen 127.0.0.1:{port}; root {root}/www;\n{places}}} }}\n"
            ),
        );
        let mut nginx = command("/usr/sbin/nginx");
        nginx.args(["-e", &format!("{root}/error.log"), "-c"]);
        nginx.arg(format!("{root}/nginx.conf"));
        nginx
    });
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
