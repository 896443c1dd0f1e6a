//! nginx and HAProxy, with the configurations that the manual has.
use std::fs;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::Error;
use crate::machines::Machine;

const PAGE: &str = include_str!("../../../../docs/machines.md");

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Nginx,
    HaProxy,
}

/// A balancer, which runs until it is dropped.
pub struct Balancer {
    process: Child,
    pub address: SocketAddr,
    folder: PathBuf,
}

impl Balancer {
    /// Starts it in front of these machines, and waits until it listens; `None` if it is not
    /// installed.
    pub fn start(kind: Kind, machines: &[Machine]) -> Result<Option<Self>, Error> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let folder = std::env::temp_dir().join(format!("cluster-{}", address.port()));
        fs::create_dir_all(&folder)?;
        let text = configuration(kind, machines, address, &folder.to_string_lossy())?;
        let file = folder.join("conf");
        fs::write(&file, text)?;
        let (program, options): (_, &[&str]) = match kind {
            Kind::Nginx => ("nginx", &["-e", "stderr", "-c"]),
            Kind::HaProxy => ("haproxy", &["-db", "-f"]),
        };
        // Where Debian has them, which is not in the path of all users.
        let places = ["", "/usr/sbin/"].iter();
        let process = places.map(|place| {
            Command::new(format!("{place}{program}"))
                .args(options)
                .arg(&file)
                .stdout(Stdio::null())
                .spawn()
        });
        let is_there = |started: &Result<_, std::io::Error>| !matches!(started, Err(error) if error.kind() == ErrorKind::NotFound);
        let Some(process) = process.into_iter().find(is_there) else {
            fs::remove_dir_all(&folder)?;
            return Ok(None);
        };
        let mut balancer = Self {
            process: process?,
            address,
            folder,
        };
        for _ in 0..200 {
            if TcpStream::connect(address).is_ok() {
                return Ok(Some(balancer));
            }
            if let Some(status) = balancer.process.try_wait()? {
                return Err(format!("{program}: {status}").into());
            }
            sleep(Duration::from_millis(25));
        }
        Err(format!("{program} does not listen").into())
    }
}

/// What the page has, with the addresses of these machines.
fn configuration(
    kind: Kind,
    machines: &[Machine],
    address: SocketAddr,
    folder: &str,
) -> Result<String, Error> {
    let (fence, listen) = match kind {
        Kind::Nginx => ("```nginx\n", "listen 80;"),
        Kind::HaProxy => ("```haproxy\n", "bind :80\n"),
    };
    let block = PAGE
        .split_once(fence)
        .and_then(|(_, rest)| rest.split_once("```"));
    let mut text = block.ok_or("the page has no such block")?.0.to_owned();
    let mut replace = |from: &str, to: &str| {
        assert!(text.contains(from), "the page has no {from}");
        text = text.replace(from, to);
    };
    replace(
        listen,
        &listen
            .replace("80", &address.port().to_string())
            .replace(" :", " 127.0.0.1:"),
    );
    for (machine, at) in machines.iter().zip(1..) {
        replace(&format!("10.0.0.{at}:8080"), &machine.address.to_string());
    }
    Ok(match kind {
        Kind::HaProxy => text,
        Kind::Nginx => {
            let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
            let paths = kinds.map(|kind| format!("{kind}_temp_path {folder}/{kind};\n"));
            format!(
                "daemon off; master_process off; pid {folder}/pid; events {{}}\n\
                 http {{ access_log off;\n{}{text}}}\n",
                paths.concat()
            )
        }
    })
}

impl Drop for Balancer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
