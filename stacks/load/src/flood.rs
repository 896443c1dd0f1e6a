//! Honest clients beside attackers, while the key is rotated and the server restarted.
use std::env::temp_dir;
use std::fs::remove_file;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use loopback::Error;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::attacker::{Attack, Got, attack};
use crate::child::Server;
use crate::honest::{Honest, p99};
use crate::log::Read;
use crate::process::memory;

/// Connections of each attack.
const ATTACKERS: usize = 4;
/// Between two requests of an honest client.
const PAUSE: Duration = Duration::from_millis(100);
/// Every tenth honest client rests after this many requests, for longer than its nonce lives.
const BEFORE_REST: u32 = 20;
/// For the server to be back and all clients to have a connection again.
const RESTART: Duration = Duration::from_secs(3);
/// By which a server's memory may grow between the second and the last third of its life, in KiB: a
/// few bytes for each request, even in a run of a minute.
const GROWTH: u64 = 1024;

pub async fn flood(seconds: u32, users: usize) -> Result<(), Error> {
    let lifetime = (seconds / 6).clamp(2, 300);
    let (start, total) = (Instant::now(), Duration::from_secs(seconds.into()));
    let until = start + total;
    let logs = [1, 2].map(|run| {
        let name = format!("countersign-load-{}-{run}", std::process::id());
        temp_dir().join(name)
    });
    let mut server = Server::start("127.0.0.1:0", users, lifetime, &logs[0])?;
    let address = server.address;
    let restarting = Arc::new(AtomicBool::new(false));

    let mut honest = JoinSet::new();
    for number in 0..users {
        let user = Honest::new(address, &format!("user-{number}"), "/")?;
        let rest = (number % 10 == 0).then(|| Duration::from_secs(lifetime.into()) * 3 / 2);
        honest.spawn(visit(user, until, rest, Arc::clone(&restarting)));
    }
    let mut attackers = JoinSet::new();
    for kind in [Attack::Bare, Attack::WrongPassword, Attack::Replay] {
        for _ in 0..ATTACKERS {
            attackers.spawn(attack(kind, address, until));
        }
    }

    let mut memories = [Vec::new(), Vec::new()];
    watch(&server, start + total / 4, &mut memories[0]).await?;
    server.rotate()?;
    watch(&server, start + total / 2, &mut memories[0]).await?;
    restarting.store(true, Ordering::SeqCst);
    server.stop()?;
    server = Server::start(&address.to_string(), users, lifetime, &logs[1])?;
    sleep(RESTART).await;
    restarting.store(false, Ordering::SeqCst);
    watch(&server, until, &mut memories[1]).await?;

    let mut report = Report::default();
    for user in honest.join_all().await {
        report.honest(user, seconds / lifetime);
    }
    for got in attackers.join_all().await {
        report.attacker(got?);
    }
    server.stop()?;
    for memory in &memories {
        report.memory(memory);
    }
    report.log(&logs)?;
    report.print(total)
}

/// Sends requests until the end; returns the user, and what went wrong.
async fn visit(
    mut user: Honest,
    until: Instant,
    rest: Option<Duration>,
    restarting: Arc<AtomicBool>,
) -> (Honest, Vec<String>) {
    let (mut faults, mut requests) = (Vec::new(), 0);
    while Instant::now() < until {
        let before = restarting.load(Ordering::SeqCst);
        match user.get().await {
            Ok(true) => {}
            Ok(false) if before || restarting.load(Ordering::SeqCst) => {}
            Ok(false) => faults.push("a connection was lost".to_owned()),
            Err(error) => faults.push(error.to_string()),
        }
        requests += 1;
        let pause = match rest {
            Some(rest) if requests % BEFORE_REST == 0 => rest,
            _ => PAUSE,
        };
        sleep(pause.min(until.saturating_duration_since(Instant::now()))).await;
    }
    (user, faults)
}

/// Notes the server's memory each second.
async fn watch(server: &Server, until: Instant, memories: &mut Vec<u64>) -> Result<(), Error> {
    while Instant::now() < until {
        memories.push(memory(server.pid())?);
        sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

#[derive(Default)]
struct Report {
    faults: Vec<String>,
    latencies: Vec<Duration>,
    refused: u32,
    attack: Got,
    granted: u64,
}

impl Report {
    /// A nonce of each lifetime may be refused once, and one more at the restart.
    fn honest(&mut self, (user, faults): (Honest, Vec<String>), lifetimes: u32) {
        self.faults.extend(faults);
        if user.refused > lifetimes + 1 {
            let refused = user.refused;
            self.faults
                .push(format!("an honest client was refused {refused} times"));
        }
        if user.prompts != 1 {
            let prompts = user.prompts;
            self.faults
                .push(format!("a user was prompted {prompts} times"));
        }
        self.refused += user.refused;
        self.latencies.extend(user.latencies);
    }

    fn attacker(&mut self, got: Got) {
        self.attack.requests += got.requests;
        self.attack.granted += got.granted;
        self.attack.wrongly += got.wrongly;
    }

    /// The memory of one run of the server: the largest of the last third over that of the second.
    fn memory(&mut self, memories: &[u64]) {
        let largest = |part: &[u64]| part.iter().copied().max().unwrap_or_default();
        let third = memories.len() / 3;
        let (second, last) = (
            largest(&memories[third..2 * third]),
            largest(&memories[2 * third..]),
        );
        println!("memory of the server: {second} KiB in the second third, {last} KiB in the last");
        if last > second + GROWTH {
            self.faults
                .push(format!("memory grew from {second} to {last} KiB"));
        }
    }

    fn log(&mut self, logs: &[PathBuf]) -> Result<(), Error> {
        let mut read = Read::default();
        for (run, path) in logs.iter().enumerate() {
            read.add(run + 1, path)?;
            remove_file(path)?;
        }
        for ((run, why), count) in &read.refused {
            println!("refused by server {run}: {why} {count}");
        }
        // The key before the rotation is still good.
        if let Some(count) = read.refused.get(&(1, "nonce-foreign".into())) {
            self.faults
                .push(format!("the rotation cost {count} requests"));
        }
        if read.twice > 0 {
            let twice = read.twice;
            self.faults
                .push(format!("{twice} requests were granted twice"));
        }
        self.granted = read.granted;
        Ok(())
    }

    fn print(mut self, total: Duration) -> Result<(), Error> {
        let Got {
            requests,
            granted,
            wrongly,
        } = self.attack;
        let honest = self.latencies.len() as u64;
        // More may be in the log: responses that were on their way when the server ended.
        if self.granted < honest + granted || honest == 0 || granted == 0 {
            let logged = self.granted;
            self.faults.push(format!(
                "{honest} and {granted} granted, {logged} in the log"
            ));
        }
        if wrongly > 0 {
            self.faults
                .push(format!("attackers were let in {wrongly} times"));
        }
        println!(
            "{} s: {honest} honest requests granted, {} refused once, p99 {:.1} ms; attackers sent \
             {requests} ({:.0} a second), {wrongly} granted wrongly",
            total.as_secs(),
            self.refused,
            p99(&mut self.latencies).as_secs_f64() * 1e3,
            requests as f64 / total.as_secs_f64(),
        );
        self.faults.truncate(20);
        for fault in &self.faults {
            println!("FAULT: {fault}");
        }
        match self.faults.is_empty() {
            true => Ok(()),
            false => Err("the server does not hold under load".into()),
        }
    }
}
