//! The program, running.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign-gate");

/// A running gate, which is killed when dropped.
pub struct Program {
    child: Child,
    pub address: String,
    pub status: Option<String>,
    log: Arc<Mutex<String>>,
}

impl Program {
    pub fn start(dir: &Path, command: &str) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(dir)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut status = None;
        let address = loop {
            let line = lines.next().expect("it listens").unwrap();
            let after = |text| Some(line.split_once(text)?.1.to_owned());
            status = status.or(after("status on "));
            if let Some(address) = after("listening on ") {
                break address;
            }
        };
        // Read on, so that the log does not stop it.
        let log = Arc::<Mutex<String>>::default();
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                kept.lock().unwrap().push_str(&(line + "\n"));
            }
        });
        Self {
            child,
            address,
            status,
            log,
        }
    }

    /// What it has written since it listens.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub fn end(&mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.child.wait().unwrap().code()
    }

    /// The ticks of processor time so far.
    pub fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<_> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
