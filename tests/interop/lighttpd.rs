//! `fetch` against lighttpd, which knows every algorithm but the `-sess` ones.

use std::net::SocketAddr;

use countersign::digest::{Algorithm, Ha1, userhash};

use crate::process::{Running, TempDir, command, is_runnable, say, start_server};
use crate::programs::fetch;
use crate::{LOGIN, PASSWORD, QUOTED_REALM, REALM, USER, UTF8_PASSWORD, UTF8_USER};

/// The name of the directory that asks for this algorithm.
fn directory_of(algorithm: Algorithm) -> String {
    algorithm.as_str().to_lowercase()
}

fn algorithms() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.iter().copied().filter(|a| !a.is_sess())
}

/// What guards a directory.
fn guard(path: &str, backend: &str, file: &str, require: &str) -> String {
    let realm = match path {
        "quoted" => &QUOTED_REALM.replace('\\', r"\\").replace('"', r#"\""#),
        _ => REALM,
    };
    format!(
        "$HTTP[\"url\"] =~ \"^/{path}/\" {{\n auth.backend = \"{backend}\"\n \
         auth.backend.{backend}.userfile = \"{file}\"\n \
         auth.require = ( \"/{path}/\" => ( \"realm\" => \"{realm}\", \
         \"require\" => \"valid-user\", {require} ) )\n}}\n"
    )
}

/// Starts it, with all it needs in a directory of its own, if it is there.
pub(crate) fn start() -> (Option<(Running, SocketAddr)>, TempDir) {
    let program = "/usr/sbin/lighttpd";
    let directory = TempDir::new();
    let root = directory.path().display();
    let mut guards = String::new();
    for algorithm in algorithms() {
        let path = directory_of(algorithm);
        let hash = algorithm.hash_function();
        let ha1 = Ha1::new(hash, USER, REALM, PASSWORD);
        let hashed = userhash(hash, USER, REALM);
        let line = format!("{USER}:{REALM}:{}", ha1.as_hex());
        directory.write(&format!("{path}.users"), &format!("{line}\n"));
        directory.write(
            &format!("{path}.hashed"),
            &format!("{line}:{}\n", hashed.as_str()),
        );
        directory.write(&format!("www/{path}/index.html"), "ok\n");
        directory.write(&format!("www/{path}-hashed/index.html"), "ok\n");
        let require = format!("\"method\" => \"digest\", \"algorithm\" => \"{algorithm}\"");
        let file = format!("{root}/{path}.users");
        guards += &guard(&path, "htdigest", &file, &require);
        let file = format!("{root}/{path}.hashed");
        let require = format!("{require}, \"userhash\" => \"enable\"");
        guards += &guard(&format!("{path}-hashed"), "htdigest", &file, &require);
    }
    directory.write("plain", &format!("{LOGIN}\n{UTF8_USER}:{UTF8_PASSWORD}\n"));
    let all: Vec<_> = algorithms().map(Algorithm::as_str).collect();
    let all = format!(
        "\"method\" => \"digest\", \"algorithm\" => \"{}\"",
        all.join("|")
    );
    for (path, require) in [
        ("all", all.as_str()),
        ("quoted", &all),
        ("basic", "\"method\" => \"basic\""),
    ] {
        directory.write(&format!("www/{path}/index.html"), "ok\n");
        guards += &guard(path, "plain", &format!("{root}/plain"), require);
    }
    let running = start_server(is_runnable(program, &["-v"]), |port| {
        directory.write(
            "lighttpd.conf",
            &format!(
                "server.modules = ( \"mod_auth\", \"mod_authn_file\" )\n\
                 server.document-root = \"{root}/www\"\nserver.bind = \"127.0.0.1\"\n\
                 server.port = {port}\nserver.errorlog = \"{root}/error.log\"\n\
                 index-file.names = ( \"index.html\" )\n{guards}"
            ),
        );
        let mut lighttpd = command(program);
        lighttpd.args(["-D", "-f", &format!("{root}/lighttpd.conf")]);
        lighttpd
    });
    (running, directory)
}

#[test]
fn user_names_may_be_hashed() {
    let (Some((_running, address)), _directory) = start() else {
        return say(format_args!("skipped: lighttpd is not installed"));
    };
    for algorithm in algorithms() {
        let path = format!("{}-hashed", directory_of(algorithm));
        let fetched = fetch(&["--trace"], &format!("http://{address}/{path}/"));
        assert!(fetched.0.success, "{path} {fetched:?}");
        assert_eq!(fetched.statuses(), [401, 200], "{path}");
        let sent = fetched.0.stderr.contains("userhash=true, response=");
        assert!(sent, "{path} {fetched:?}");
    }
}
