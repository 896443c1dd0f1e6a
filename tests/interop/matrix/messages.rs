//! RTSP and SIP, which have the same header fields.

use std::net::UdpSocket;
use std::process::Command;

use super::{Case, Row, Verdict, script, version};
use crate::process::{TempDir, command, run};
use crate::programs::{Serve, program};
use crate::{QUOTED_REALM, UTF8_PASSWORD, UTF8_USER};

/// Some of the peers cannot have blanks in a password.
const USER: &str = "Simba";
const PASSWORD: &str = "Hakuna";

/// A client: how it is called, and what it cannot do.
struct Client {
    name: &'static str,
    version: Option<String>,
    /// What it talks to.
    server: &'static str,
    /// The method that must be let in.
    method: &'static str,
    /// Takes the address, user, password, and a directory to write into.
    command: fn(&str, &str, &str, &TempDir) -> Command,
    /// What that must be told for its sake: some give up at the first challenge that they do not
    /// know.
    serve: &'static [&'static str],
    limit: fn(Case) -> Option<&'static str>,
}

const CASES: [Case; 7] = [
    Case::First,
    Case::Wrong,
    Case::Utf8,
    Case::Quoted,
    Case::Sha256,
    Case::Sha512,
    Case::AuthInt,
];
const MD5_ONLY: &str = "knows MD5 only";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = light();
    rows.extend([ffprobe().row(), sipsak().row(), sipp().row()]);
    rows
}

/// Those of our own programs.
pub(super) fn light() -> Vec<Row> {
    let client = Client {
        name: "RTSP: the example client",
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        server: "rtsp_responder",
        method: "DESCRIBE",
        command: |address, user, password, _| {
            let mut client = command(program("rtsp_client"));
            client.args(["--user", &format!("{user}:{password}")]);
            client.arg(format!("rtsp://{address}/stream?x=1"));
            client
        },
        serve: &[],
        limit: |_| None,
    };
    vec![client.row()]
}

fn ffprobe() -> Client {
    Client {
        name: "RTSP: ffprobe",
        version: version("ffprobe", &["-version"]),
        server: "rtsp_responder",
        method: "DESCRIBE",
        command: |address, user, password, _| {
            let user = user.replace('ä', "%C3%A4").replace('ø', "%C3%B8");
            let password = password.replace('ä', "%C3%A4");
            let url = format!("rtsp://{user}:{password}@{address}/stream?x=1");
            let mut ffprobe = command("ffprobe");
            ffprobe.args([
                "-v",
                "quiet",
                "-timeout",
                "8000000",
                "-rtsp_transport",
                "tcp",
            ]);
            ffprobe.args(["-i", &url]);
            ffprobe
        },
        serve: &[],
        limit: |case| match case {
            Case::Quoted => Some("sends the realm back without escapes"),
            Case::Sha256 | Case::Sha512 => Some(MD5_ONLY),
            Case::AuthInt => Some("knows no auth-int, and leaves out qop"),
            _ => None,
        },
    }
}

fn sipsak() -> Client {
    Client {
        name: "SIP: sipsak",
        version: version("sipsak", &["-V"]),
        server: "sip_registrar",
        method: "REGISTER",
        command: |address, user, password, _| {
            let mut sipsak = command("sipsak");
            sipsak.args(["-U", "-C", "sip:caller@127.0.0.1:9", "-s"]);
            sipsak.arg(format!("sip:caller@{address}"));
            sipsak.args(["-u", user, "-a", password]);
            sipsak
        },
        serve: &["--algorithm", "MD5"],
        limit: |case| match case {
            Case::Quoted => Some("hashes the realm with its escapes"),
            Case::AuthInt => Some("answers with auth whatever is offered"),
            Case::Sha256 | Case::Sha512 => Some(MD5_ONLY),
            _ => None,
        },
    }
}

fn sipp() -> Client {
    Client {
        name: "SIP: SIPp",
        version: version("sipp", &["-v"]),
        server: "sip_registrar",
        method: "REGISTER",
        command: |address, user, password, directory| {
            let scenario = std::fs::read_to_string(script("register.xml")).unwrap();
            let scenario = scenario
                .replace("USERNAME", user)
                .replace("PASSWORD", password);
            directory.write("register.xml", &scenario);
            let port = UdpSocket::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let mut sipp = command("sipp");
            sipp.current_dir(directory.path());
            sipp.args(["-sf", "register.xml", "-m", "1", "-i", "127.0.0.1", "-p"]);
            sipp.args([
                &port.to_string(),
                address,
                "-timeout",
                "5",
                "-timeout_error",
            ]);
            sipp.arg("-nostdin").env("TERM", "dumb");
            sipp
        },
        serve: &["--algorithm", "MD5"],
        limit: |case| match case {
            Case::Utf8 => Some("ends the name at the first letter beyond ASCII"),
            Case::Quoted => Some("sends the realm back without escapes"),
            Case::Sha256 | Case::Sha512 => Some(MD5_ONLY),
            _ => None,
        },
    }
}

impl Client {
    fn row(&self) -> Row {
        Row::new(self.name, self.version.clone(), &CASES, |case| {
            self.attempt(case).or_limit((self.limit)(case))
        })
    }

    fn attempt(&self, case: Case) -> Verdict {
        let known = format!("{USER}:{PASSWORD}");
        let utf8 = format!("{UTF8_USER}:{UTF8_PASSWORD}");
        let options: &[&str] = match case {
            Case::Quoted => &["--realm", QUOTED_REALM],
            Case::Sha256 => &["--algorithm", "SHA-256"],
            Case::Sha512 => &["--algorithm", "SHA-512-256"],
            Case::AuthInt => &["--qop", "auth-int"],
            _ => &[],
        };
        let options = [self.serve, options, &["--user", &known, "--user", &utf8]].concat();
        let server = Serve::start_program(self.server, &options);
        let (user, password) = match case {
            Case::Wrong => (USER, "wrong"),
            Case::Utf8 => (UTF8_USER, UTF8_PASSWORD),
            _ => (USER, PASSWORD),
        };
        let directory = TempDir::new();
        let output = run(&mut (self.command)(
            &server.address,
            user,
            password,
            &directory,
        ));
        let log = server.stop();
        let of_method = || log.iter().filter(|line| line.method == self.method);
        let wrong = log
            .iter()
            .filter(|line| line.outcome == "WrongCredentials")
            .count();
        let is_in = of_method().any(|line| line.is_granted());
        let says = output.stderr.lines().last();
        let failed = || Verdict::Failed(format!("{log:?} {says:?}"));
        match case {
            Case::Wrong if is_in || wrong == 0 => failed(),
            Case::Wrong if wrong == 1 => Verdict::Refused,
            Case::Wrong => Verdict::Limit(format!("tries a wrong password {wrong} times")),
            _ if is_in && wrong == 0 => Verdict::Ok,
            _ => failed(),
        }
    }
}
