//! SIP: a user agent registers, past two proxies that ask for credentials, too.
//!
//! ```text
//! sip-agent [EXAMPLES]
//! ```
//!
//! The registrar is the example `sip_registrar`, from the folder EXAMPLES. The proxies are built in,
//! with a registrar behind them. Each line shows how many credentials a request carried and the status
//! that came back.
mod agent;
mod message;
mod proxies;

use countersign::client::Policy;
use loopback::{Error, Example};

use agent::Agent;

const PASSWORD: &str = "Circle of Life";

/// Registers twice: the second time nobody need ask any more. What is shown must begin as expected.
fn check(what: &str, agent: &mut Agent, expected: &str) -> Result<(), Error> {
    let outcome =
        (0..2).try_for_each(|_| agent.call("REGISTER", "sip:example.org", "Hakuna Matata"));
    let outcome = outcome.map_or_else(|error| error.to_string(), |()| "registered".into());
    let seen = agent.seen.iter();
    let seen: Vec<_> = seen
        .map(|(answers, status)| format!("{answers} -> {status}"))
        .collect();
    let shown = format!("{}; prompts: {}; {outcome}", seen.join(", "), agent.prompts);
    println!("{what}: {shown}");
    match shown.starts_with(expected) {
        true => Ok(()),
        false => Err(format!("expected {expected}").into()),
    }
}

fn main() -> Result<(), Error> {
    let user = format!("Mufasa:{PASSWORD}");
    let registrar = |options: &[&str]| {
        let options = [&["--user", &user], options].concat();
        Example::start("sip_registrar", &options)
    };
    let policy = Policy::new();
    let registered = "0 -> 401, 1 -> 200, 1 -> 200; prompts: 1; registered";
    let refused = "0 -> 401, 1 -> 401; prompts: 1; wrong user name or password";
    let md5 = registrar(&["--algorithm", "MD5"])?;
    let mut agent = Agent::connect(&md5.address, policy, PASSWORD)?;
    check("MD5", &mut agent, registered)?;
    let mut agent = Agent::connect(&md5.address, policy, "Morning report")?;
    check("wrong password", &mut agent, refused)?;
    let covered = registrar(&["--algorithm", "SHA-256", "--qop", "auth-int"])?;
    let mut agent = Agent::connect(&covered.address, policy, PASSWORD)?;
    check("SHA-256, auth-int", &mut agent, registered)?;

    // One of the proxies offers no qop.
    let policy = policy.with_rfc2069().prefer_auth_int();
    let registered = "0 -> 407, 2 -> 401, 3 -> 200, 3 -> 200; prompts: 3; registered";
    let proxies = proxies::start(PASSWORD)?;
    let mut agent = Agent::connect(&proxies, policy, PASSWORD)?;
    check("two proxies", &mut agent, registered)?;
    let mut agent = Agent::connect(&proxies, Policy::new(), PASSWORD)?;
    let refused = "0 -> 407; prompts: 1; no usable challenge: ";
    check("two proxies, strict policy", &mut agent, refused)
}
