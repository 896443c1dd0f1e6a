//! What one server can do, by a fixed number of requests with right answers.
use std::time::{Duration, Instant};

use hyper::Uri;
use loopback::Error;
use tokio::task::JoinSet;

use crate::honest::{Honest, p99};
use crate::process::{cpu_time, memory};

/// Connections, each with a login and rising counts of its own.
const CONNECTIONS: u32 = 8;
/// Requests, all connections together: enough for a p99, and few seconds for the slowest server.
const REQUESTS: u32 = 20_000;
/// No server may take longer.
const LIMIT: Duration = Duration::from_secs(60);

pub async fn drive(name: &str, pid: u32, url: &str) -> Result<(), Error> {
    let url: Uri = url.parse()?;
    let address = url.authority().ok_or("no address")?.as_str().parse()?;
    let mut ready = Vec::new();
    for number in 0..CONNECTIONS {
        // libmicrohttpd has one nonce for all who ask for a path in the same second, so each has a
        // path of its own.
        let path = format!("{}/{number}", url.path());
        let mut user = Honest::new(address, "Mufasa", &path)?;
        // The login is not measured.
        get(&mut user).await?;
        ready.push(user);
    }
    let (start, used) = (Instant::now(), cpu_time(pid)?);
    let mut running = JoinSet::new();
    for mut user in ready {
        user.latencies.clear();
        running.spawn(async move {
            for _ in 0..REQUESTS / CONNECTIONS {
                get(&mut user).await?;
            }
            Ok::<_, Error>(user)
        });
    }
    let (mut latencies, mut refused) = (Vec::new(), 0);
    let all = async {
        while let Some(user) = running.join_next().await {
            let user = user??;
            latencies.extend(user.latencies);
            refused += user.refused;
        }
        Ok::<_, Error>(())
    };
    tokio::time::timeout(LIMIT, all).await??;
    let took = start.elapsed();
    let used = cpu_time(pid)? - used;
    let requests = f64::from(REQUESTS);
    println!(
        "| {name} | {:.0} | {:.2} | {:.1} | {:.1} | {refused} |",
        requests / took.as_secs_f64(),
        p99(&mut latencies).as_secs_f64() * 1e3,
        used.as_secs_f64() * 1e6 / requests,
        memory(pid)? as f64 / 1024.0,
    );
    Ok(())
}

async fn get(user: &mut Honest) -> Result<(), Error> {
    match user.get().await? {
        true => Ok(()),
        false => Err("the connection was lost".into()),
    }
}
