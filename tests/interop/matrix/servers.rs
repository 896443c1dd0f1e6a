//! `fetch` against real servers.

use std::any::Any;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use countersign::digest::{Ha1, Hash};

use super::clients::node_package;
use super::pair;
use super::{Case, Peer, Remedy, Row, Verdict, script, version};
use crate::apache::Apache;
use crate::lighttpd::Lighttpd;
use crate::process::{Running, TempDir, command, is_runnable, run, start_server};
use crate::programs::{Fetched, fetch_as};
use crate::wire::{self, Canned};
use crate::{LOGIN, PASSWORD, PASSWORD_SHA, QUOTED_REALM, REALM, USER};
use crate::{UTF8_PASSWORD, UTF8_PASSWORD_SHA, UTF8_USER};

/// Where a case is tried.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    At(&'static str),
    /// It is not offered, and the challenge at this place shows that.
    NotOffered(&'static str, &'static str),
    /// It does not come into question: the peer has no such thing, or another row has it.
    Nowhere,
}

use Place::{At, NotOffered, Nowhere};

/// How a nonce expires in the middle of a session.
#[derive(Clone, Copy)]
enum Expiry {
    /// The second answer is held back for as long as nonces live.
    Wait(u64),
    /// The client was given a nonce that the server does not know, and calls stale.
    Forge,
}

/// A server that runs.
struct Server {
    version: Option<String>,
    address: String,
    place: fn(Case) -> Place,
    expiry: Expiry,
    options: Vec<String>,
    limit: fn(Case) -> Option<&'static str>,
    remedy: fn(Case) -> Option<Remedy>,
    /// What must stay as long as it runs.
    _parts: Vec<Box<dyn Any>>,
}

const NO_AUTH_INT: &str = "offers no auth-int";
const MD5_ONLY: &str = "knows MD5 only";
const NO_DIGEST: &str = "knows no Digest";
const NO_SHA512: &str = "does not know SHA-512-256";
/// RFC 7616, section 3.4, wants a name beyond ASCII in `username*`.
const NO_EXT_NAME: &str = "does not know `username*`";
const NO_ESCAPES: &str = "writes the realm without escapes";

/// What makes up for that.
const PLAIN: Remedy = ("--plain-usernames", "`Policy::with_plain_usernames`");
const OF_NAMES: fn(Case) -> Option<Remedy> = |case| (case == Case::Utf8).then_some(PLAIN);

pub(super) fn peers() -> Vec<Peer> {
    vec![
        Peer::light("Apache httpd", |name| apache().row(name)),
        Peer::light("lighttpd", |name| lighttpd().row(name)),
        Peer::light("nginx", |name| nginx().row(name)),
        Peer::light("libmicrohttpd", |name| microhttpd().row(name)),
        Peer::heavy("Twisted", |name| twisted().row(name)),
        Peer::heavy("CherryPy", |name| cherrypy().row(name)),
        Peer::heavy("Werkzeug", |name| werkzeug().row(name)),
        Peer::heavy("http-auth", |name| http_auth().row(name)),
        Peer::heavy("Squid, Digest", |name| squid("digest").row(name)),
        Peer::heavy("Squid, Basic", |name| squid("basic").row(name)),
        Peer::light("this crate's `serve`", pair::row),
    ]
}

fn apache() -> Server {
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
        remedy: OF_NAMES,
        limit: |case| match case {
            Case::Utf8 => Some(NO_EXT_NAME),
            Case::Quoted => {
                Some("drops a backslash of its realm, and compares it with its escapes")
            }
            _ => None,
        },
        ..Server::of(apache)
    }
}

fn lighttpd() -> Server {
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

fn nginx() -> Server {
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

fn microhttpd() -> Server {
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
        remedy: OF_NAMES,
        limit: |case| match case {
            Case::Utf8 => Some(NO_EXT_NAME),
            Case::Quoted => Some(NO_ESCAPES),
            _ => None,
        },
        ..Server::running(running, directory)
    }
}

/// A Python library that is a server.
fn python(library: &'static str) -> Server {
    let find = format!("import importlib.metadata as m, {library}; print(m.version('{library}'))");
    let is_there = is_runnable("python3", &["-c", &find]);
    let running = is_there.then(|| {
        start_server(|port| {
            let mut server = command("python3");
            quiet(server.args([&script("server.py"), library, &port.to_string()]))
        })
    });
    Server {
        version: is_there
            .then(|| version("python3", &["-c", &find]))
            .flatten(),
        ..Server::running(running, TempDir::new())
    }
}

fn twisted() -> Server {
    Server {
        place: |case| match case {
            Case::Stale => At("/short"),
            Case::Quoted => At("/quoted"),
            Case::Sha256 | Case::Sha512 => NotOffered("/md5", MD5_ONLY),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Wait(2500),
        remedy: OF_NAMES,
        limit: |case| (case == Case::Utf8).then_some(NO_EXT_NAME),
        ..python("twisted")
    }
}

fn cherrypy() -> Server {
    Server {
        place: |case| match case {
            Case::Stale => At("/short"),
            Case::Quoted => At("/quoted"),
            Case::Sha256 | Case::Sha512 => NotOffered("/md5", MD5_ONLY),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Wait(2500),
        remedy: OF_NAMES,
        limit: |case| match case {
            Case::Utf8 => Some(NO_EXT_NAME),
            Case::Quoted => Some(NO_ESCAPES),
            _ => None,
        },
        ..python("cherrypy")
    }
}

/// It reads and writes the fields only, and the rest is in our script.
fn werkzeug() -> Server {
    Server {
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
        limit: |case| (case == Case::Utf8).then_some(NO_EXT_NAME),
        ..python("werkzeug")
    }
}

fn http_auth() -> Server {
    let version = node_package("http-auth");
    let running = version.is_some().then(|| {
        start_server(|port| {
            let mut server = command("node");
            quiet(server.args([&script("server.js"), &port.to_string()]))
        })
    });
    Server {
        version,
        place: |case| match case {
            Case::Quoted => At("/quoted"),
            Case::Sha256 | Case::Sha512 => NotOffered("/md5", MD5_ONLY),
            Case::AuthInt => NotOffered("/md5", NO_AUTH_INT),
            Case::Basic => At("/basic"),
            _ => At("/md5"),
        },
        expiry: Expiry::Forge,
        limit: |case| match case {
            Case::Utf8 => Some("reads the name in ISO-8859-1, and hashes it in UTF-8"),
            Case::Quoted => Some(NO_ESCAPES),
            _ => None,
        },
        ..Server::running(running, TempDir::new())
    }
}

/// The passwords in the form of Apache's MD5.
const PASSWORD_APR1: &str = "$apr1$loopback$u0p5ILGdss0vwOj0yacM81";
const UTF8_PASSWORD_APR1: &str = "$apr1$loopback$Wqiq1DGv3YN1w7dgr8m4R0";

/// A proxy in front of a server that lets everybody in.
fn squid(scheme: &str) -> Server {
    let version = version("/usr/sbin/squid", &["-v"]);
    let directory = TempDir::new();
    let root = directory.path().display();
    let line = |user, password| {
        let ha1 = Ha1::new(Hash::Md5, user, REALM, password);
        format!("{user}:{REALM}:{}\n", ha1.as_hex())
    };
    let digests = line(USER, PASSWORD) + &line(UTF8_USER, UTF8_PASSWORD);
    directory.write("digests", &digests);
    // Its helper knows no SHA-1.
    let md5 = [(USER, PASSWORD_APR1), (UTF8_USER, UTF8_PASSWORD_APR1)];
    let passwords = md5.map(|(user, md5)| format!("{user}:{md5}\n"));
    directory.write("passwords", &passwords.concat());
    let helper = match scheme {
        "digest" => format!(
            "/usr/lib/squid/digest_file_auth -c {root}/digests\n\
             auth_param digest nonce_max_count 5"
        ),
        _ => format!(
            "/usr/lib/squid/basic_ncsa_auth {root}/passwords\n\
             auth_param basic casesensitive on\nauth_param basic utf8 on"
        ),
    };
    let running = version.is_some().then(|| {
        start_server(|port| {
            directory.write(
                "squid.conf",
                &format!(
                    "http_port 127.0.0.1:{port}\nauth_param {scheme} program {helper}\n\
                     auth_param {scheme} children 1\nauth_param {scheme} realm {REALM}\n\
                     acl known proxy_auth REQUIRED\nhttp_access allow known\n\
                     http_access deny all\ncache deny all\ncache_mem 8 MB\naccess_log none\n\
                     cache_log /dev/null\ncache_store_log none\npid_filename none\n\
                     coredump_dir {root}\nshutdown_lifetime 0 seconds\npinger_enable off\n\
                     netdb_filename none\nvisible_hostname test\n"
                ),
            );
            let mut squid = command("/usr/sbin/squid");
            quiet(squid.args(["-N", "-f", &format!("{root}/squid.conf")]))
        })
    });
    let origin = Canned::start(|_| wire::response("200 OK", "x: y"));
    let mut server = Server::running(running, directory);
    let proxy = std::mem::replace(&mut server.address, origin.address);
    server.options = vec!["--proxy".to_owned(), proxy];
    server.version = version;
    server.limit = |case| (case == Case::Utf8).then_some(NO_EXT_NAME);
    server.remedy = OF_NAMES;
    server.place = match scheme {
        "digest" => |case| match case {
            // It takes its realm for words.
            Case::Quoted => Nowhere,
            Case::Sha256 | Case::Sha512 => NotOffered("/", MD5_ONLY),
            Case::AuthInt => NotOffered("/", NO_AUTH_INT),
            Case::Basic => Nowhere,
            _ => At("/"),
        },
        _ => {
            server.options.push("--allow-cleartext-basic".to_owned());
            |case| match case {
                Case::First | Case::Ten | Case::Wrong | Case::Utf8 => At("/"),
                Case::Query | Case::Post | Case::Basic => At("/"),
                _ => Nowhere,
            }
        }
    };
    server
}

fn quiet(command: &mut Command) -> Command {
    let mut quiet = Command::new("");
    std::mem::swap(command, &mut quiet);
    quiet.stdout(Stdio::null()).stderr(Stdio::null());
    quiet
}

impl Server {
    /// One that was started elsewhere, or was not.
    fn of(part: impl Any) -> Self {
        Self {
            version: None,
            address: String::new(),
            place: |_| At("/"),
            expiry: Expiry::Forge,
            options: Vec::new(),
            limit: |_| None,
            remedy: |_| None,
            _parts: vec![Box::new(part)],
        }
    }

    /// One that was started with what is in a directory, or was not.
    fn running(running: Option<(Running, SocketAddr)>, directory: TempDir) -> Self {
        let address = running.as_ref().map(|(_, address)| address.to_string());
        Self {
            address: address.unwrap_or_default(),
            ..Self::of((running, directory))
        }
    }

    fn row(self, name: &'static str) -> Row {
        let is_tried = |case: &Case| (self.place)(*case) != Nowhere;
        let cases: Vec<_> = Case::ALL.into_iter().filter(is_tried).collect();
        Row::new(name, self.version.clone(), &cases, |case| {
            let verdict = self.attempt(case, &[]).or_limit((self.limit)(case));
            verdict.or_with((self.remedy)(case), |option| self.attempt(case, &[option]))
        })
    }

    /// Tries a case, where `fetch` is given these options beside those of the case.
    fn attempt(&self, case: Case, remedy: &[&str]) -> Verdict {
        match (self.place)(case) {
            At(path) => self.attempt_at(case, path, remedy),
            NotOffered(path, reason) => self.look_for(case, path, reason),
            Nowhere => Verdict::Failed("tried nowhere".to_owned()),
        }
    }

    /// A challenge that does not offer something. That a server sends no nonces ahead and no proof
    /// is seen in its answers.
    fn look_for(&self, case: Case, path: &str, reason: &str) -> Verdict {
        let fetched = self.fetch(LOGIN, path, &["--trace"]);
        let challenges: Vec<_> = challenges(&fetched.0.stderr).collect();
        let sought = match case {
            Case::Sha256 => "sha-256",
            Case::Sha512 => "sha-512-256",
            Case::AuthInt => "auth-int",
            _ => "digest ",
        };
        match challenges
            .iter()
            .any(|challenge| challenge.contains(sought))
        {
            false if !challenges.is_empty() => Verdict::Limit(reason.to_owned()),
            _ => Verdict::Failed(format!("{challenges:?}")),
        }
    }

    fn fetch(&self, login: &str, path: &str, options: &[&str]) -> Fetched {
        let options = [&self.options(), options].concat();
        fetch_as(login, &options, &format!("http://{}{path}", self.address))
    }

    fn attempt_at(&self, case: Case, path: &str, remedy: &[&str]) -> Verdict {
        let utf8 = format!("{UTF8_USER}:{UTF8_PASSWORD}");
        let (login, path, options): (&str, String, &[&str]) = match case {
            Case::Ten => (LOGIN, path.to_owned(), &["--repeat", "10"]),
            Case::Wrong => ("Mufasa:wrong", path.to_owned(), &[]),
            Case::Utf8 => (&utf8, path.to_owned(), &[]),
            Case::Query => (LOGIN, format!("{path}?x=1&y=%20%2F"), &[]),
            Case::Post | Case::AuthInt => (LOGIN, path.to_owned(), &["--data", "a=1&b=2"]),
            Case::NextNonce | Case::Proof => (LOGIN, path.to_owned(), &["--repeat", "10"]),
            Case::Basic => (LOGIN, path.to_owned(), &["--allow-cleartext-basic"]),
            Case::Stale => return self.expire(path),
            _ => (LOGIN, path.to_owned(), &[]),
        };
        let options = [options, remedy, &["--trace"]].concat();
        judge(case, &self.fetch(login, &path, &options))
    }

    fn options(&self) -> Vec<&str> {
        self.options.iter().map(String::as_str).collect()
    }

    fn expire(&self, path: &str) -> Verdict {
        // The relay stands before what asks for credentials: the server, or the proxy.
        let proxy = self
            .options
            .iter()
            .skip_while(|option| *option != "--proxy")
            .nth(1);
        let address = proxy.unwrap_or(&self.address).clone();
        let expiry = self.expiry;
        let mut answers = 0;
        let relay = Canned::start(move |head| {
            answers += u32::from(wire::credentials(head).is_some());
            if let (Expiry::Wait(millis), 2) = (expiry, answers) {
                thread::sleep(Duration::from_millis(millis));
            }
            let response = wire::forward(&address, head);
            match (expiry, answers) {
                (Expiry::Forge, 0) => forge(&response),
                _ => response,
            }
        });
        let options = ["--repeat", "10", "--trace"];
        let fetched = match proxy {
            Some(_) => {
                let options = [&options[..], &["--proxy", &relay.address]].concat();
                fetch_as(LOGIN, &options, &format!("http://{}{path}", self.address))
            }
            None => {
                let options = [&self.options()[..], &options].concat();
                fetch_as(LOGIN, &options, &format!("http://{}{path}", relay.address))
            }
        };
        judge(Case::Stale, &fetched)
    }
}

/// The challenges in a trace, in lower case.
fn challenges(trace: &str) -> impl Iterator<Item = String> {
    let lines = trace.lines().map(str::to_lowercase);
    lines.filter(|line| line.starts_with("< ") && line.contains("-authenticate: "))
}

/// Puts another nonce into a challenge.
fn forge(response: &str) -> String {
    let mut forged = String::new();
    let mut rest = response;
    while let Some(at) = rest.find("nonce=\"") {
        let (before, after) = rest.split_at(at + "nonce=\"".len());
        forged.push_str(before);
        let end = after.find('"').unwrap_or(0);
        forged.extend(after[..end].chars().rev());
        rest = &after[end..];
    }
    forged + rest
}

/// What `fetch` saw, with `--trace`.
pub(super) fn judge(case: Case, fetched: &Fetched) -> Verdict {
    let statuses = fetched.statuses();
    let refused = |status: &&u16| [401, 407].contains(*status);
    let refusals = statuses.iter().filter(refused).count();
    let granted = statuses.len() - refusals;
    let failed = || {
        let last = fetched.0.stdout.lines().last().unwrap_or_default();
        let says = if fetched.0.success {
            last
        } else {
            &fetched.0.stderr
        };
        let says = says.lines().last().unwrap_or_default();
        Verdict::Failed(format!("{statuses:?} {last} {says}"))
    };
    let ok = |is_ok: bool| if is_ok { Verdict::Ok } else { failed() };
    let limit = |reason: &str| Verdict::Limit(reason.to_owned());
    // Some servers have no other answer to a POST than 405.
    let is_in = fetched.0.success || case == Case::Post && statuses.last() == Some(&405);
    match case {
        Case::Wrong if !fetched.0.success && (granted, refusals) == (0, 2) => Verdict::Refused,
        Case::Wrong => failed(),
        _ if !is_in => failed(),
        Case::Ten => ok((granted, refusals) == (10, 1)),
        // Not every server calls it stale: a nonce that was good before is taken for old.
        Case::Stale => ok(granted == 10 && refusals > 1),
        Case::NextNonce => match fetched.0.stderr.contains("nextnonce=") {
            true => ok((granted, refusals) == (10, 1) && nonces(&fetched.0.stderr) > 1),
            false => limit("sends none"),
        },
        Case::Proof => match fetched.proofs() {
            0 if !fetched.0.stderr.contains("rspauth=") => limit("sends none"),
            proofs => ok(proofs == 10),
        },
        _ => ok((granted, refusals) == (1, 1)),
    }
}

/// How many nonces were used.
fn nonces(trace: &str) -> usize {
    let sent = trace.lines().filter_map(|line| {
        let (_, rest) = line
            .split_once("authorization: ")
            .filter(|_| line.starts_with('>'))?;
        rest.split_once(" nonce=\"")?.1.split('"').next()
    });
    sent.collect::<std::collections::BTreeSet<_>>().len()
}
