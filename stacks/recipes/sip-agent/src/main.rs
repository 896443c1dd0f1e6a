//! SIP: a user agent registers, past two proxies that ask for credentials, too.
//!
//! ```text
//! sip-agent [EXAMPLES]
//! ```
//!
//! The registrar is the example `sip_registrar`, from the folder EXAMPLES. The proxies are built
//! in, with a registrar behind them. Each line shows how many credentials a request carried and the
//! status that came back. At the end come peers that want the agent to answer more than it should,
//! or to believe what is no response to its request.
mod agent;
mod message;
mod proxies;
mod registrar;
mod scripted;

use std::net::UdpSocket;
use std::time::Duration;

use countersign::client::{Policy, Quirk};
use loopback::{Error, Example};

use agent::{Account, Agent};

const ACCOUNT: Account = Account {
    name: "Mufasa",
    address: "Mufasa",
    password: "Circle of Life",
    registrar: "example.org",
    proxies: &["p1", "p2"],
};

/// Credentials of the same request for another realm.
const OTHERS: &str = "Authorization: Digest username=\"x\", realm=\"other\", nonce=\"n\", \
    uri=\"sip:example.org\", response=\"00000000000000000000000000000000\", qop=auth, \
    nc=00000001, cnonce=\"c\"\r\n";

/// Of other schemes and for the same realm: with a nonce that is none of the registrar's.
const OLD: &str = "Authorization: Bearer x\r\n\
    Authorization: Digest username=\"Mufasa\", realm=\"example.org\", nonce=\"n\", \
    uri=\"sip:example.org\", response=\"00000000000000000000000000000000\", qop=auth, \
    nc=00000001, cnonce=\"c\"\r\n";

/// What a registrar cannot parse: the empty response with which handsets for IMS begin, and of an
/// algorithm for another server.
const UNREADABLE: &str = "Authorization: Digest username=\"Mufasa\", realm=\"example.org\", \
    nonce=\"\", uri=\"sip:example.org\", response=\"\"\r\n\
    Authorization: Digest username=\"Mufasa\", realm=\"ims.example\", nonce=\"n\", \
    uri=\"sip:example.org\", response=\"00\", algorithm=AKAv1-MD5\r\n";

/// Registers twice: the second time nobody need ask any more. What is shown must begin as expected.
fn check(what: &str, agent: &mut Agent, expected: &str) -> Result<(), Error> {
    let outcome =
        (0..2).try_for_each(|_| agent.call("REGISTER", "sip:example.org", "Hakuna Matata"));
    let outcome = outcome.map_or_else(|error| error.to_string(), |()| "registered".into());
    let seen = agent.seen.iter();
    let seen: Vec<_> = seen
        .map(|(answers, status)| format!("{answers} -> {status}"))
        .collect();
    let shown = format!("{}; {outcome}", seen.join(", "));
    println!("{what}: {shown}");
    match shown.starts_with(expected) {
        true => Ok(()),
        false => Err(format!("expected {expected}").into()),
    }
}

/// Peers that are not honest.
fn attacks() -> Result<(), Error> {
    const OK: &str = "200 OK\r\n";
    const REFUSED: &str = "407 Refused\r\n";
    const TRYING: &str = "100 Trying\r\n";
    /// From here on an attacker stops.
    const ENOUGH: usize = 100;
    const DIGEST: &str = r#"Digest qop="auth", algorithm=SHA-256, stale=true"#;
    let by_proxy = |realm: &str, n: usize| {
        format!("Proxy-Authenticate: {DIGEST}, realm=\"{realm}\", nonce=\"{n}\"\r\n")
    };
    let by_registrar = |n: usize| {
        let realm = ACCOUNT.registrar;
        format!("401 Refused\r\nWWW-Authenticate: {DIGEST}, realm=\"{realm}\", nonce=\"{n}\"\r\n")
    };
    let agent = |peer: String| Agent::connect(&peer, Policy::new(), ACCOUNT);

    let peer = scripted::start(move |n, copied| {
        let head = match n {
            0..ENOUGH => REFUSED.to_owned() + &by_proxy(&format!("invented {n}"), n),
            _ => OK.into(),
        };
        vec![head + copied]
    })?;
    let expected = "0 -> 407; no challenge of use";
    check("a new realm in each response", &mut agent(peer)?, expected)?;

    let peer = scripted::start(move |n, copied| {
        let invented = (0..20).map(|realm| by_proxy(&format!("invented {realm}"), n));
        let head = match n {
            0 => by_proxy("p1", n),
            2 => invented.chain([by_proxy("p1", n)]).collect(),
            _ => String::new(),
        };
        let status = if head.is_empty() { OK } else { REFUSED };
        vec![status.to_owned() + &head + copied]
    })?;
    let expected = "0 -> 407, 1 -> 200, 1 -> 407, 1 -> 200; registered";
    check("a realm among invented ones", &mut agent(peer)?, expected)?;

    // Where a request gets to the registrar, the proxies have accepted its credentials, and their
    // refusals are counted anew.
    let peer = scripted::start(move |n, copied| {
        let head = match n % 3 {
            _ if n > ENOUGH => OK.into(),
            2 => by_registrar(n),
            _ => REFUSED.to_owned() + &by_proxy(["p1", "p2"][n % 3], n),
        };
        vec![head + copied]
    })?;
    let expected = "0 -> 407, 1 -> 407, 2 -> 401, 3 -> 407, 3 -> 407, 3 -> 401, 3 -> 407; \
        too many challenges";
    check("three realms by turns", &mut agent(peer)?, expected)?;

    let registered = "0 -> 401, 1 -> 200, 1 -> 200; registered";
    let answer = move |n| match n {
        0 => by_registrar(n),
        _ => OK.into(),
    };
    let peer = scripted::start(move |n, copied| {
        [TRYING.into(), answer(n)]
            .map(|head: String| head + copied)
            .into()
    })?;
    check("an interim response", &mut agent(peer)?, registered)?;

    let peer = scripted::start(move |n, copied| {
        vec![
            OK.into(),
            OK.to_owned() + &copied.replace("branch=", "branch=other"),
            OK.to_owned() + &copied.replace("CSeq: ", "CSeq: 1"),
            OK.to_owned() + &copied.replace(" REGISTER", " INVITE"),
            answer(n) + copied,
        ]
    })?;
    check("other requests' responses", &mut agent(peer)?, registered)?;

    // Whoever is called asks in the registrar's realm.
    let peer = scripted::start(move |n, copied| {
        let head = match n {
            1 => OK.into(),
            _ => by_registrar(n),
        };
        vec![head + copied]
    })?;
    let mut agent_of_peer = agent(peer)?;
    agent_of_peer.call("REGISTER", "sip:example.org", "")?;
    let outcome = agent_of_peer.call("INVITE", "sip:Scar@example.org", "");
    println!("a call: {:?}, {:?}", agent_of_peer.seen, outcome);
    assert!(outcome.is_err());
    assert_eq!(agent_of_peer.seen, [(0, 401), (1, 200), (0, 401)]);

    // The response of a proxy is not one of the registrar, which has to prove itself.
    let peer =
        scripted::start(move |_, copied| vec![REFUSED.to_owned() + &by_proxy("p1", 0) + copied])?;
    let policy = Policy::new().require_server_proof();
    let expected = "0 -> 407, 1 -> 407; wrong user name or password";
    check(
        "a proof is required",
        &mut Agent::connect(&peer, policy, ACCOUNT)?,
        expected,
    )?;

    let peer = scripted::start(move |_, copied| {
        let realm = ACCOUNT.registrar;
        vec![format!(
            "401 Refused\r\nWWW-Authenticate: Basic realm=\"{realm}\"\r\n{copied}"
        )]
    })?;
    let expected = "0 -> 401; no challenge of use";
    check("Basic", &mut agent(peer)?, expected)?;

    // A proxy that forks a request collects the challenges of all branches.
    let peer = scripted::start(move |n, copied| {
        let head = match n {
            0 => by_registrar(n) + &by_proxy("p2", n),
            _ => OK.into(),
        };
        vec![head + copied]
    })?;
    let expected = "0 -> 401, 2 -> 200, 2 -> 200; registered";
    check("a fork", &mut agent(peer)?, expected)?;

    // One of two proxies proves itself, to the client of the other, too.
    let peer = scripted::start(move |n, copied| {
        let head = match n {
            0 | 1 => REFUSED.to_owned() + &by_proxy(["p1", "p2"][n], n),
            _ => OK.to_owned() + "Proxy-Authentication-Info: rspauth=\"00\"\r\n",
        };
        vec![head + copied]
    })?;
    let expected = "0 -> 407, 1 -> 407, 2 -> 200, 2 -> 200; registered";
    check("a proof of one of two", &mut agent(peer)?, expected)
}

fn main() -> Result<(), Error> {
    let user = format!("{}:{}", ACCOUNT.name, ACCOUNT.password);
    let registrar = |options: &[&str]| {
        let options = [&["--user", &user, "--realm", ACCOUNT.registrar], options].concat();
        Example::start("sip_registrar", &options)
    };
    let policy = Policy::new();
    let registered = "0 -> 401, 1 -> 200, 1 -> 200; registered";
    let refused = "0 -> 401, 1 -> 401; wrong user name or password";
    let md5 = registrar(&["--algorithm", "MD5"])?;
    let mut agent = Agent::connect(&md5.address, policy, ACCOUNT)?;
    check("MD5", &mut agent, registered)?;
    let (again, captured) = (agent.repeat(false)?, agent.repeat(true)?);
    println!("retransmitted: {again}, captured: {captured}");
    if (again, captured) != (200, 401) {
        return Err("expected 200 and 401".into());
    }
    registrar::check(&md5.address, &agent)?;
    // Other servers on the way have realms of their own.
    agent.seen.clear();
    agent.more = OTHERS;
    let registered_again = "1 -> 200, 1 -> 200; registered";
    check("credentials for others", &mut agent, registered_again)?;
    agent.seen.clear();
    agent.more = OLD;
    check("old credentials, too", &mut agent, registered_again)?;
    assert!(agent.last.contains("authentication-info: "));
    agent.more = "";
    let mut unreadable = Agent::connect(&md5.address, policy, ACCOUNT)?;
    unreadable.more = UNREADABLE;
    check("what cannot be read", &mut unreadable, registered)?;
    // What a request is routed by is the same.
    agent.seen.clear();
    agent.suffix = ":5060;transport=udp";
    check("another port, a transport", &mut agent, registered_again)?;
    agent.seen.clear();
    agent.suffix = ";maddr=192.0.2.1";
    let outcome = agent.call("REGISTER", "sip:example.org", "");
    println!("another route: {:?}, {outcome:?}", agent.seen);
    assert_eq!(agent.seen, [(1, 400)]);

    // A copy of a request that is being checked is no replay.
    let slow = registrar(&["--lookup-time", "500"])?;
    let mut agent = Agent::connect(&slow.address, policy, ACCOUNT)?;
    agent.call("REGISTER", "sip:example.org", "")?;
    agent.copies = 3;
    agent.call("REGISTER", "sip:example.org", "")?;
    let leftover = agent.leftover(Duration::from_secs(1))?;
    println!(
        "copies of a pending request: {:?}, {leftover:?}",
        agent.seen
    );
    assert_eq!(agent.seen, [(0, 401), (1, 200), (1, 200)]);
    assert!(leftover.is_empty(), "a copy is answered");
    assert_eq!(agent.repeat(false)?, 200);
    let thief = Account {
        address: "Scar",
        ..ACCOUNT
    };
    let mut thief = Agent::connect(&md5.address, policy, thief)?;
    // One 403 without a proof says nothing of the nonce: the next request is answered at once.
    let forbidden = "0 -> 401, 1 -> 403, 1 -> 403; ";
    check("somebody else's address", &mut thief, forbidden)?;
    // It is for a 2xx only (RFC 3261, section 20.6).
    assert!(!thief.last.contains("authentication-info: "));
    let forgotten = Account {
        password: "Morning report",
        ..ACCOUNT
    };
    let mut agent = Agent::connect(&md5.address, policy, forgotten)?;
    check("wrong password", &mut agent, refused)?;
    let covered = registrar(&["--algorithm", "SHA-256", "--qop", "auth-int"])?;
    let mut agent = Agent::connect(&covered.address, policy, ACCOUNT)?;
    check("SHA-256, auth-int", &mut agent, registered)?;

    // Where the machine has IPv6.
    if UdpSocket::bind("[::1]:0").is_ok() {
        let ipv6 = registrar(&["--listen", "[::1]:0"])?;
        let mut agent = Agent::connect(&ipv6.address, policy, ACCOUNT)?;
        check("IPv6", &mut agent, registered)?;
        assert_eq!(agent.host(), "[::1]");
    }

    let other = registrar(&["--realm", "x"])?;
    let mut agent = Agent::connect(&other.address, policy, ACCOUNT)?;
    let another = "0 -> 401; no challenge of use";
    check("another realm", &mut agent, another)?;

    // One of the proxies offers no qop.
    let policy = policy.with_quirk(Quirk::Rfc2069).prefer_auth_int();
    let registered = "0 -> 407, 2 -> 401, 3 -> 200, 3 -> 200; registered";
    let proxies = proxies::start(ACCOUNT.password)?;
    let mut agent = Agent::connect(&proxies, policy, ACCOUNT)?;
    check("two proxies", &mut agent, registered)?;
    let mut agent = Agent::connect(&proxies, Policy::new(), ACCOUNT)?;
    let refused = "0 -> 407; no usable challenge: ";
    check("two proxies, strict policy", &mut agent, refused)?;
    attacks()
}
