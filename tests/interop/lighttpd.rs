//! `fetch` against lighttpd, which knows every algorithm but the `-sess` ones.

use std::net::SocketAddr;

use countersign::digest::{Algorithm, userhash};

use crate::process::{Running, TempDir, is_runnable, say, start_with_file};
use crate::programs::fetch;
use crate::{LOGIN, PASSWORD, REALM, USER, UTF8_LOGIN, htdigest};

/// The name of the directory that asks for this algorithm.
fn directory_of(algorithm: Algorithm) -> String {
    algorithm.as_str().to_lowercase()
}

fn algorithms() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.iter().copied().filter(|a| !a.is_sess())
}

/// Starts it, with all it needs in a directory of its own, if it is there.
pub(crate) fn start() -> (Option<(Running, SocketAddr)>, TempDir) {
    let program = "/usr/sbin/lighttpd";
    let directory = TempDir::new();
    for algorithm in algorithms() {
        let path = directory_of(algorithm);
        let hash = algorithm.hash_function();
        let (line, name) = (
            htdigest(hash, (USER, REALM, PASSWORD)),
            userhash(hash, USER, REALM),
        );
        directory.write(&format!("{path}.users"), &format!("{line}\n"));
        directory.write(&format!("{path}.hashed"), &format!("{line}:{name}\n"));
        directory.write(&format!("www/{path}/index.html"), "ok\n");
        directory.write(&format!("www/{path}-hashed/index.html"), "ok\n");
    }
    directory.write("plain", &format!("{LOGIN}\n{UTF8_LOGIN}\n"));
    for path in ["all", "quoted", "basic"] {
        directory.write(&format!("www/{path}/index.html"), "ok\n");
    }
    let conf = [program, "-D -f", include_str!("../peers/lighttpd.conf")];
    (
        start_with_file(is_runnable(program, &["-v"]), conf, &directory),
        directory,
    )
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
