//! A `redis-server` on a free port, in a folder of its own.

use std::io::ErrorKind;
use std::iter;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use countersign_redis::redis::{Client, Cmd, FromRedisValue};
use tokio::time::sleep;

pub(crate) struct Server {
    process: Option<Child>,
    pub(crate) address: SocketAddr,
    folder: PathBuf,
    is_node: bool,
}

impl Server {
    /// Starts one that saves nothing by itself; `None` if it is not installed, which it says.
    pub(crate) async fn start() -> Option<Self> {
        Self::start_as(false).await
    }

    /// Starts a node of a Redis Cluster, which has no slots.
    pub(crate) async fn start_node() -> Option<Self> {
        Self::start_as(true).await
    }

    async fn start_as(is_node: bool) -> Option<Self> {
        // A node also listens at the port 10,000 above.
        let address = iter::repeat_with(free_address).find(|it| !is_node || it.port() < 55_536)?;
        let folder = std::env::temp_dir().join(format!("countersign-redis-{}", address.port()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut server = Self {
            process: None,
            address,
            folder,
            is_node,
        };
        if server.run().await {
            return Some(server);
        }
        println!("skipped: no redis-server");
        None
    }

    /// Starts it again after [`kill`](Self::kill), with what it has saved.
    pub(crate) async fn run(&mut self) -> bool {
        let started = Command::new("redis-server")
            .args(["--port", &self.address.port().to_string()])
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--repl-diskless-sync-delay", "0"])
            .args(["--cluster-enabled", if self.is_node { "yes" } else { "no" }])
            .arg("--dir")
            .arg(&self.folder)
            .stdout(Stdio::null())
            .spawn();
        self.process = match started {
            Err(error) if error.kind() == ErrorKind::NotFound => return false,
            started => Some(started.unwrap()),
        };
        for _ in 0..400 {
            let client = Client::open(self.url()).unwrap();
            if let Ok(mut to) = client.get_multiplexed_async_connection().await
                && Cmd::ping().exec_async(&mut to).await.is_ok()
            {
                return true;
            }
            sleep(Duration::from_millis(25)).await;
        }
        panic!("redis-server does not answer");
    }

    pub(crate) fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    pub(crate) async fn ask<T: FromRedisValue>(&self, words: &str) -> T {
        let mut words = words.split(' ');
        let mut command = Cmd::new();
        command.arg(words.next().unwrap());
        words.for_each(|word| {
            command.arg(word);
        });
        let client = Client::open(self.url()).unwrap();
        let mut to = client.get_multiplexed_async_connection().await.unwrap();
        command.query_async(&mut to).await.unwrap()
    }

    /// Has the last loss be an hour ago, as on an ordinary day.
    pub(crate) async fn age(&self) {
        let lost: String = self.ask("GET {countersign}:lost").await;
        let (id, until) = lost.split_once(' ').unwrap();
        let until = until.parse::<u64>().unwrap() - 3_600_000;
        // A space would end the word.
        let client = Client::open(self.url()).unwrap();
        let mut to = client.get_multiplexed_async_connection().await.unwrap();
        let set = Cmd::set("{countersign}:lost", format!("{id} {until}"));
        set.exec_async(&mut to).await.unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// An address that nobody listens at just now.
pub(crate) fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}
