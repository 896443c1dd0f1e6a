//! Apache httpd: mod_auth_digest and mod_auth_basic.

use std::net::SocketAddr;

use countersign::digest::HashFunction;

use crate::process::{Running, TempDir, is_runnable, start_with_file};
use crate::{PASSWORD, PASSWORD_SHA, QUOTED_REALM, REALM, USER, UTF8_PASSWORD, UTF8_USER};

/// Starts it, with all it needs in a directory of its own, if it is there.
pub(crate) fn start() -> (Option<(Running, SocketAddr)>, TempDir) {
    let program = "/usr/sbin/apache2";
    let directory = TempDir::new();
    for path in ["digest", "short", "quoted", "basic"] {
        directory.write(&format!("www/{path}/index.html"), "ok\n");
    }
    let users = [
        (USER, REALM, PASSWORD),
        (USER, QUOTED_REALM, PASSWORD),
        (UTF8_USER, REALM, UTF8_PASSWORD),
    ];
    let users = users.map(|user| crate::htdigest(HashFunction::Md5, user) + "\n");
    directory.write("htdigest", &users.concat());
    directory.write("htpasswd", &format!("{USER}:{{SHA}}{PASSWORD_SHA}\n"));
    let conf = [program, "-X -f", include_str!("../peers/httpd.conf")];
    (
        start_with_file(is_runnable(program, &["-v"]), conf, &directory),
        directory,
    )
}
