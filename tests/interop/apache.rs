//! `fetch` against Apache httpd: mod_auth_digest and mod_auth_basic.

use std::process::{Command, Stdio};

#[cfg(feature = "md5")]
use countersign::digest::{Ha1, HashFunction};

use crate::process::{Running, TempDir, command, is_installed, start_server};
use crate::programs::{fetch, fetch_as};
#[cfg(feature = "md5")]
use crate::{PASSWORD, UTF8_PASSWORD, UTF8_USER};
use crate::{PASSWORD_SHA, QUOTED_REALM, REALM, USER};

pub(crate) struct Apache {
    _process: Running,
    _directory: TempDir,
    pub(crate) address: String,
}

impl Apache {
    /// Starts it, with all it needs in a directory of its own; `None` if there is none.
    pub(crate) fn start() -> Option<Self> {
        let modules = "/usr/lib/apache2/modules";
        let program = "/usr/sbin/apache2";
        if !is_installed("apache2", program, &["-v"]) {
            return None;
        }
        let directory = TempDir::new();
        let root = directory.path().display();
        for path in ["digest", "counted", "short", "quoted", "basic"] {
            directory.write(&format!("www/{path}/index.html"), "ok\n");
        }
        #[cfg(feature = "md5")]
        {
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
        }
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
        let digest =
            format!("AuthType Digest\nAuthUserFile {root}/htdigest\nAuthDigestProvider file");
        let basic = format!("AuthType Basic\nAuthUserFile {root}/htpasswd\nAuthBasicProvider file");
        let quoted = QUOTED_REALM.replace('\\', r"\\").replace('"', r#"\""#);
        let places: String = [
            (
                "digest",
                REALM,
                format!("{digest}\nAuthDigestDomain /digest/"),
            ),
            ("counted", REALM, format!("{digest}\nAuthDigestNcCheck On")),
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
        let (process, address) = start_server(|port| {
            directory.write(
                "httpd.conf",
                &format!(
                    "ServerRoot {root}\nDefaultRuntimeDir {root}\nPidFile {root}/pid\n\
                     Listen 127.0.0.1:{port}\nServerName localhost\nMutex pthread default\n\
                     ErrorLog {root}/error.log\nDocumentRoot {root}/www\n{user}{load}{places}"
                ),
            );
            let mut apache: Command = command(program);
            apache.args(["-X", "-f", &format!("{root}/httpd.conf")]);
            apache.stdout(Stdio::null()).stderr(Stdio::null());
            apache
        });
        Some(Self {
            _process: process,
            _directory: directory,
            address: address.to_string(),
        })
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(feature = "md5")]
#[test]
fn digest_logs_in_and_the_server_proves_itself() {
    let Some(apache) = Apache::start() else {
        return;
    };
    for path in ["/digest/", "/digest/index.html?x=1", "/counted/"] {
        let fetched = fetch(&["--repeat", "10"], &apache.url(path));
        assert!(fetched.0.success, "{path} {fetched:?}");
        assert_eq!((fetched.count(401), fetched.count(200)), (1, 10), "{path}");
        assert_eq!(fetched.proofs(), 10, "{path}");
        assert!(fetched.0.stdout.ends_with("ok\n"));
    }
    // More than it lets one connection have.
    let fetched = fetch(&["--repeat", "150"], &apache.url("/counted/"));
    assert!(fetched.0.success);
    assert_eq!((fetched.count(401), fetched.count(200)), (1, 150));

    for login in ["Mufasa:wrong", "Scar:Circle Of Life"] {
        let fetched = fetch_as(login, &[], &apache.url("/digest/"));
        assert!(!fetched.0.success);
        assert_eq!(fetched.statuses(), [401, 401]);
    }
    let fetched = fetch(&["--no-md5"], &apache.url("/digest/"));
    assert!(!fetched.0.success);
    assert_eq!(fetched.statuses(), [401]);
}

#[test]
fn basic_logs_in_if_it_may() {
    let Some(apache) = Apache::start() else {
        return;
    };
    let url = apache.url("/basic/");
    let allowed = ["--allow-cleartext-basic", "--repeat", "10"];
    let fetched = fetch(&allowed, &url);
    assert!(fetched.0.success, "{fetched:?}");
    assert_eq!((fetched.count(401), fetched.count(200)), (1, 10));
    let fetched = fetch(&[], &url);
    assert!(!fetched.0.success);
    assert_eq!(fetched.statuses(), [401]);
    let fetched = fetch_as("Mufasa:wrong", &allowed, &url);
    assert!(!fetched.0.success);
    assert_eq!(fetched.statuses(), [401, 401]);
}
