//! Takes pictures from a camera.
//!
//! ```text
//! camera [URL NAME PASSWORD]
//! ```
//!
//! Without arguments, from a camera of its own.

#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/suite/support.rs"]
mod support;

use std::time::Duration;

use countersign_blocking::{Account, Auth};
use http::Response;

use crate::support::{Server, USER};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let camera = Server::guarded(|_| Response::new(b"a picture".to_vec()));
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (url, name, password) = match &args[..] {
        [url, name, password] => (url.clone(), name.as_str(), password.as_str()),
        _ => (camera.url("/snapshot.jpg"), USER.0, USER.1),
    };
    let auth = Auth::new(&url, Account::new(name, password))?;
    let agent = auth.agent(|config| config.timeout_global(Some(Duration::from_secs(10))));
    for _ in 0..3 {
        let mut picture = agent.get(&url).call()?;
        let bytes = picture.body_mut().read_to_vec()?;
        println!("{}: {} bytes", picture.status(), bytes.len());
    }
    Ok(())
}
