//! RTSP and SIP, which have the same header fields.

use std::net::UdpSocket;
use std::process::Command;

use super::relay;
use super::version::version;
use super::{Case, Facts, PEERS, Row, Verdict, login, row_of_client, server_options};
use crate::process::{TempDir, command, is_runnable, run};
use crate::programs::{Line, Serve, program};

/// Some of the peers cannot have blanks in a password.
const USER: &str = "Simba";
const PASSWORD: &str = "Hakuna";

/// What a client is to send.
struct Session<'a> {
    address: String,
    user: &'a str,
    password: &'a str,
    count: usize,
    /// Where it may write.
    directory: TempDir,
}

/// A client, and how it is called.
struct Client {
    /// What it talks to.
    server: &'static str,
    /// What a request must be to count.
    method: &'static str,
    command: fn(&Session<'_>) -> Command,
}

pub(super) fn row(facts: Facts) -> Row {
    let (rtsp, sip) = ("rtsp_responder", "sip_registrar");
    let (version, server, method, command): (_, _, _, fn(&Session<'_>) -> Command) =
        match facts.name() {
            "RTSP: the example client" => {
                let version = env!("CARGO_PKG_VERSION").to_owned();
                (Some(version), rtsp, "DESCRIBE", example)
            }
            // Both set up each track.
            "RTSP: ffprobe" => (version("ffprobe", &["-version"]), rtsp, "SETUP", ffprobe),
            "RTSP: GStreamer rtspsrc" => {
                // Its first line has the number that is in the program's name.
                let find = ["-c", "gst-launch-1.0 --version | tail -n +2"];
                let is_there = is_runnable("gst-inspect-1.0", &["rtspsrc"]);
                let version = is_there.then(|| version("sh", &find));
                (version.flatten(), rtsp, "SETUP", rtspsrc)
            }
            "SIP: sipsak" => (version("sipsak", &["-V"]), sip, "REGISTER", sipsak),
            "SIP: SIPp" => (version("sipp", &["-v"]), sip, "REGISTER", sipp),
            name => panic!("{name}"),
        };
    let client = Client {
        server,
        method,
        command,
    };
    row_of_client(facts, version, |case, options| {
        client.attempt(case, options)
    })
}

fn example(session: &Session<'_>) -> Command {
    let mut client = command(program("rtsp_client"));
    client.args(["--user", &format!("{}:{}", session.user, session.password)]);
    client.args(["--repeat", &session.count.to_string()]);
    client.arg(format!("rtsp://{}/stream?x=1", session.address));
    client
}

fn ffprobe(session: &Session<'_>) -> Command {
    let user = session.user.replace('ä', "%C3%A4").replace('ø', "%C3%B8");
    let password = session.password.replace('ä', "%C3%A4");
    let address = &session.address;
    let mut ffprobe = command("ffprobe");
    ffprobe.args(["-v", "quiet", "-timeout", "8000000"]);
    ffprobe.args(["-rtsp_transport", "tcp", "-i"]);
    ffprobe.arg(format!("rtsp://{user}:{password}@{address}/stream?x=1"));
    ffprobe
}

fn rtspsrc(session: &Session<'_>) -> Command {
    let mut gst = command("timeout");
    // It would wait for packets that do not come.
    gst.args(["5", "gst-launch-1.0", "-q", "rtspsrc", "protocols=tcp"]);
    gst.arg(format!("location=rtsp://{}/stream?x=1", session.address));
    gst.arg(format!("user-id={}", session.user));
    gst.arg(format!("user-pw={}", session.password));
    gst.args(["!", "fakesink"]);
    gst
}

fn sipsak(session: &Session<'_>) -> Command {
    let mut sipsak = command("timeout");
    // It would wait for an answer to what it breaks.
    sipsak.args([
        "5",
        "sipsak",
        "-U",
        "-s",
        &format!("sip:caller@{}", session.address),
    ]);
    match session.count {
        1 => sipsak.args(["-C", "sip:caller@127.0.0.1:9"]),
        // One for each of so many names.
        count => sipsak.args(["-b", "1", "-e", &count.to_string()]),
    };
    sipsak.args(["-u", session.user, "-a", session.password]);
    sipsak
}

fn sipp(session: &Session<'_>) -> Command {
    let scenario = std::fs::read_to_string(format!("{PEERS}/register.xml")).unwrap();
    let scenario = scenario
        .replace("USERNAME", session.user)
        .replace("PASSWORD", session.password)
        .replace("COUNT", &session.count.to_string());
    session.directory.write("register.xml", &scenario);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port().to_string();
    let mut sipp = command("sipp");
    sipp.current_dir(session.directory.path());
    sipp.args(["-sf", "register.xml", "-m", "1", "-i", "127.0.0.1"]);
    sipp.args(["-p", &port, &session.address]);
    sipp.args(["-timeout", "8", "-timeout_error", "-nostdin"]);
    sipp.env("TERM", "dumb");
    sipp
}

impl Client {
    /// Tries a case, where the server is given these options before those of the case.
    fn attempt(&self, case: Case, before: &[&str]) -> Verdict {
        // In the place of the user of the other tests.
        let known = format!("{USER}:{PASSWORD}");
        let no_rfc2069: &[&str] = match case {
            "auth-int" => &["--no-rfc2069"],
            _ => &[],
        };
        // The SIP peers register addresses that are not named after their users.
        let address: &[&str] = match self.server {
            "sip_registrar" => &["--any-address"],
            _ => &[],
        };
        let options = [
            before,
            address,
            server_options(case),
            no_rfc2069,
            &["--user", &known],
        ];
        let server = Serve::start_program(self.server, &options.concat());
        let (user, password) = match login(case) {
            (crate::USER, crate::PASSWORD) => (USER, PASSWORD),
            (crate::USER, wrong) => (USER, wrong),
            utf8 => utf8,
        };
        let session = Session {
            address: match case {
                "stale" => relay::of_stream(&server.address),
                _ => server.address.clone(),
            },
            user,
            password,
            count: if case == "ten" { 10 } else { 1 },
            directory: TempDir::new(),
        };
        let output = run(&mut (self.command)(&session));
        let log = server.stop();
        let says = output.stderr.lines().last();
        match self.judge(case, &log) {
            Verdict::Failed(_) => Verdict::Failed(format!("{log:?} {says:?}")),
            verdict => verdict,
        }
    }

    fn judge(&self, case: Case, log: &[Line]) -> Verdict {
        let count = |outcome: &str| log.iter().filter(|line| line.outcome == outcome).count();
        let granted = log.iter().filter(|line| line.is_granted()).count();
        let is_in = log
            .iter()
            .any(|line| line.is_granted() && line.method == self.method);
        let wrong = count("wrong-credentials");
        let is_ok = match case {
            "wrong" => match wrong {
                1 if !is_in => return Verdict::Refused,
                2.. if !is_in => {
                    return Verdict::Limit(format!("tries a wrong password {wrong} times"));
                }
                _ => false,
            },
            "ten" => is_in && granted >= 10 && log.len() == granted + 1 + count("retransmission"),
            "stale" => is_in && count("nonce-expired") == 1,
            _ => is_in && wrong == 0,
        };
        match is_ok {
            true => Verdict::Ok,
            false => Verdict::Failed(String::new()),
        }
    }
}
