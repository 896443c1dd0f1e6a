//! Child processes that end when they should, and what they say.

use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A command that goes straight to loopback, whatever proxy the environment names.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    command.env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    command
}

/// Prints a line that is to be seen although the test passes, so past what captures the output.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Whether a program can be run; says so if not.
pub(crate) fn is_installed(name: &str, program: impl AsRef<OsStr>, probe: &[&str]) -> bool {
    let is_installed = is_runnable(program, probe);
    if !is_installed {
        say(format_args!("skipped: {name} is not installed"));
    }
    is_installed
}

/// Whether a program can be run.
pub(crate) fn is_runnable(program: impl AsRef<OsStr>, probe: &[&str]) -> bool {
    let mut command = command(program);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.args(probe).status().is_ok_and(|s| s.success())
}

/// A process that is killed when it is dropped.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        match command.spawn() {
            Ok(child) => Self(child),
            Err(error) => panic!("{command:?}: {error}"),
        }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// The lines of its standard output, as they come.
    pub(crate) fn lines(&mut self) -> Receiver<String> {
        let stdout = BufReader::new(self.0.stdout.take().unwrap());
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        receiver
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a process left behind.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a process to its end; kills it if that does not come.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Output {
    let mut process = Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let stdout = read_all(process.0.stdout.take().unwrap());
    let stderr = read_all(process.0.stderr.take().unwrap());
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = process.0.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "does not end: {command:?}");
        thread::sleep(Duration::from_millis(5));
    };
    Output {
        success: status.success(),
        stdout: stdout.recv_timeout(PATIENCE).unwrap(),
        stderr: stderr.recv_timeout(PATIENCE).unwrap(),
    }
}

fn read_all(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Starts a server, if it is there, on a port that was free a moment ago; `command` is given the
/// port. Tries again if somebody else was faster.
pub(crate) fn start_server(
    is_there: bool,
    command: impl Fn(u16) -> Command,
) -> Option<(Running, SocketAddr)> {
    for _ in 0..5 * usize::from(is_there) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let mut command = command(address.port());
        let mut process = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline && !process.has_ended() {
            if TcpStream::connect(address).is_ok() && !process.has_ended() {
                return Some((process, address));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
    assert!(!is_there, "server does not start");
    None
}

/// The same for one that takes a file of `tests/peers`, in which `@ROOT@` stands for a directory and
/// `@PORT@` for the port, behind these arguments.
pub(crate) fn start_with_file(
    is_there: bool,
    [program, arguments, text]: [&str; 3],
    directory: &TempDir,
) -> Option<(Running, SocketAddr)> {
    let text = text.replace("@ROOT@", &directory.path().display().to_string());
    start_server(is_there, |port| {
        directory.write("conf", &text.replace("@PORT@", &port.to_string()));
        let mut server = command(program);
        server.args(arguments.split(' '));
        server.arg(directory.path().join("conf"));
        server
    })
}

/// A directory that goes away.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("countersign-{}-{n}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and the directories above it.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
