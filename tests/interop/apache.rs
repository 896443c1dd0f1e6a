//! Apache httpd: mod_auth_digest and mod_auth_basic.

use std::net::SocketAddr;

use countersign::digest::{Ha1, HashFunction};

use crate::process::{Running, TempDir, command, is_runnable, start_server};
use crate::{PASSWORD, PASSWORD_SHA, QUOTED_REALM, REALM, USER, UTF8_PASSWORD, UTF8_USER};

/// Starts it, with all it needs in a directory of its own, if it is there.
pub(crate) fn start() -> (Option<(Running, SocketAddr)>, TempDir) {
    let modules = "/usr/lib/apache2/modules";
    let program = "/usr/sbin/apache2";
    let directory = TempDir::new();
    let root = directory.path().display();
    for path in ["digest", "short", "quoted", "basic"] {
        directory.write(&format!("www/{path}/index.html"), "ok\n");
    }
    let line = |user, realm, password| {
        let ha1 = Ha1::new(HashFunction::Md5, user, realm, password);
        format!("{user}:{realm}:{}\n", ha1.as_hex())
    };
    let users = [
        line(USER, REALM, PASSWORD),
        line(USER, QUOTED_REALM, PASSWORD),
        line(UTF8_USER, REALM, UTF8_PASSWORD),
    ];
    directory.write("htdigest", &users.concat());
    directory.write("htpasswd", &format!("{USER}:{{SHA}}{PASSWORD_SHA}\n"));

    let load: String = [
        "mpm_event",
        "authn_core",
        "authz_core",
        "authz_user",
        "authn_file",
        "auth_basic",
        "auth_digest",
        "dir",
    ]
    .map(|name| format!("LoadModule {name}_module {modules}/mod_{name}.so\n"))
    .concat();
    let digest = format!("AuthType Digest\nAuthUserFile {root}/htdigest\nAuthDigestProvider file");
    let basic = format!("AuthType Basic\nAuthUserFile {root}/htpasswd\nAuthBasicProvider file");
    let quoted = QUOTED_REALM.replace('\\', r"\\").replace('"', r#"\""#);
    let places: String = [
        (
            "digest",
            REALM,
            format!("{digest}\nAuthDigestDomain /digest/"),
        ),
        (
            "short",
            REALM,
            format!("{digest}\nAuthDigestNonceLifetime 2"),
        ),
        ("quoted", &quoted, digest),
        ("basic", REALM, basic),
    ]
    .map(|(path, realm, lines)| {
        format!(
            "<Directory {root}/www/{path}>\nAuthName \"{realm}\"\n{lines}\n\
             Require valid-user\n</Directory>\n"
        )
    })
    .concat();
    // Started by root, it serves as somebody else, who must be able to read all this.
    let user = match is_root() {
        true => "User www-data\nGroup www-data\n",
        false => "",
    };
    let running = start_server(is_runnable(program, &["-v"]), |port| {
        directory.write(
            "httpd.conf",
            &format!(
                "ServerRoot {root}\nDefaultRuntimeDir {root}\nPidFile {root}/pid\n\
                 Listen 127.0.0.1:{port}\nServerName localhost\nMutex pthread default\n\
                 ErrorLog {root}/error.log\nDocumentRoot {root}/www\n{user}{load}{places}"
            ),
        );
        let mut apache = command(program);
        apache.args(["-X", "-f", &format!("{root}/httpd.conf")]);
        apache
    });
    (running, directory)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
