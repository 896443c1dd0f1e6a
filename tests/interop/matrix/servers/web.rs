//! Servers that are programs.

use super::Place::{At, NotOffered};
use super::{Expiry, MD5_ONLY, NO_AUTH_INT, NO_DIGEST, NO_ESCAPES, NO_SHA512};
use super::{Server, quiet};
use crate::apache::Apache;
use crate::lighttpd::Lighttpd;
use crate::matrix::version::version;
use crate::matrix::{Case, script};
use crate::process::{TempDir, command, run, start_server};
use crate::{PASSWORD_SHA, QUOTED_REALM, REALM, USER, UTF8_PASSWORD_SHA, UTF8_USER};

pub(super) fn apache() -> Server {
    let apache = Apache::start();
    Server {
        version: apache
            .as_ref()
            .and_then(|_| version("/usr/sbin/apache2", &["-v"])),
        address: apache
            .as_ref()
            .map_or_else(String::new, |apache| apache.address.clone()),
        place: |case| match case {
            Case::Stale | Case::NextNonce => At("/short/"),
            Case::Quoted => At("/quoted/"),
            Case::Sha256 | Case::Sha512 => NotOffered("/digest/", MD5_ONLY),
            Case::AuthInt => NotOffered("/digest/", NO_AUTH_INT),
            Case::Basic => At("/basic/"),
            _ => At("/digest/"),
        },
        expiry: Expiry::Wait(2500),
        limit: |case| match case {
            Case::Quoted => {
                Some("drops a backslash of its realm, and compares it with its escapes")
            }
            _ => None,
        },
        ..Server::of(apache)
    }
}

pub(super) fn lighttpd() -> Server {
    let lighttpd = Lighttpd::start();
    Server {
        version: lighttpd
            .as_ref()
            .and_then(|_| version("/usr/sbin/lighttpd", &["-v"])),
        address: lighttpd
            .as_ref()
            .map_or_else(String::new, |server| server.address.clone()),
        place: |case| match case {
            Case::Quoted => At("/quoted/"),
            Case::Sha256 => At("/sha-256/"),
            Case::Sha512 => At("/sha-512-256/"),
            Case::AuthInt => NotOffered("/all/", NO_AUTH_INT),
            Case::Basic => At("/basic/"),
            _ => At("/all/"),
        },
        expiry: Expiry::Forge,
        limit: |case| (case == Case::Quoted).then_some(NO_ESCAPES),
        ..Server::of(lighttpd)
    }
}

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
    let running = version.is_some().then(|| {
        start_server(|port| {
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
            quiet(nginx.arg(format!("{root}/nginx.conf")))
        })
    });
    Server {
        version,
        place: |case| match case {
            Case::Quoted => At("/quoted/"),
            Case::First | Case::Ten | Case::Wrong | Case::Utf8 | Case::Query | Case::Post => {
                At("/basic/")
            }
            Case::Basic => At("/basic/"),
            _ => NotOffered("/basic/", NO_DIGEST),
        },
        options: vec!["--allow-cleartext-basic".to_owned()],
        limit: |case| (case == Case::Quoted).then_some(NO_ESCAPES),
        ..Server::running(running, directory)
    }
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
    let running = version.is_some().then(|| {
        start_server(|port| {
            let mut server = command(&program);
            quiet(server.arg(port.to_string()))
        })
    });
    Server {
        version,
        place: |case| match case {
            Case::Stale => At("/short"),
            Case::Quoted => At("/quoted"),
            Case::Sha256 => At("/sha256"),
            Case::Sha512 => NotOffered("/sha256", NO_SHA512),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Wait(2500),
        limit: |case| match case {
            Case::Quoted => Some(NO_ESCAPES),
            _ => None,
        },
        ..Server::running(running, directory)
    }
}
