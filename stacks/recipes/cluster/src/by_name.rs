//! What three machines must do behind a balancer that routes by their names.
use std::process::Command;
use std::time::Duration;

use countersign::Challenger;
use loopback::{Curl, USER, Visitor, send};
use tokio::task::{JoinSet, block_in_place};
use tokio::time::sleep;

use crate::balancer::{Balancer, Kind};
use crate::machines::Machine;
use crate::{Error, MACHINE};

const NAMES: [&str; 3] = ["m1", "m2", "m3"];

/// Thirty requests of one session, as most programs in Python send them.
const SESSION: &str = "
import sys, requests
session = requests.Session()
session.trust_env = False
session.auth = requests.auth.HTTPDigestAuth('Mufasa', 'Circle of Life')
print(*[session.get(sys.argv[1]).status_code for _ in range(30)])
";

pub async fn check() -> Result<(), Error> {
    for kind in [Kind::Nginx, Kind::HaProxy] {
        println!("-- by name, behind {kind:?}");
        let start = |name| Machine::start("127.0.0.1:0", &[(MACHINE, name)]);
        let machines = NAMES.into_iter().map(start);
        let machines = machines.collect::<Result<Vec<_>, _>>()?;
        match Balancer::start(kind, &machines)? {
            Some(balancer) => behind(&balancer, machines).await?,
            None => println!("skipped: it is not installed"),
        }
    }
    Ok(())
}

async fn behind(balancer: &Balancer, mut machines: Vec<Machine>) -> Result<(), Error> {
    let url = format!("http://{}/x", balancer.address);
    loopback::check(Challenger::Origin, balancer.address, "/x", USER).await?;
    // A process each, so each of them is challenged, by one machine after another.
    let login = format!("{}:{}", USER.0, USER.1);
    for _ in 0..12 {
        Curl::expect(
            "a first request",
            &["--digest", "-u", &login, &url],
            &[401, 200],
        )?;
    }
    let mut session = Command::new("python3");
    let session = block_in_place(|| session.args(["-c", SESSION, &url]).output());
    match session {
        Ok(session) if session.status.success() => {
            let statuses = String::from_utf8(session.stdout)?;
            println!("requests: {}", statuses.trim_end());
            assert_eq!(statuses.trim_end(), ["200"; 30].join(" "));
        }
        _ => println!("skipped: no requests for Python"),
    }

    let visitor = || Visitor::new(Challenger::Origin, balancer.address, USER);
    let mut visitors = (0..9).map(|_| visitor()).collect::<Result<Vec<_>, _>>()?;
    visitors = all_visit(visitors, 20).await?;
    // The path names a machine, too, in a quoted string, behind the nonce and in front of it.
    for _ in 0..3 {
        let path = "/x?a=1,nonce=zzzzzzzzm1";
        let visit = visitor()?.get(path).await?;
        assert_eq!(visit.statuses, [401, 200]);
        let answer = visit.answer.ok_or("it was let in without an answer")?;
        let (scheme, params) = answer.to_str()?.split_once(' ').ok_or("no parameters")?;
        let backwards: Vec<_> = params.rsplit(", ").collect();
        let field = format!("authorization: {scheme} {}", backwards.join(", "));
        let url = format!("http://{}{path}", balancer.address);
        Curl::expect("replayed, backwards", &["-H", &field, &url], &[401])?;
    }
    for (machine, name) in machines.iter().zip(NAMES) {
        let (granted, foreign) = (
            machine.count("granted").await?,
            machine.count("nonce-foreign").await?,
        );
        println!("{name}: {granted} granted, {foreign} of another machine");
        assert!(granted > 20, "it had nothing to do");
        assert_eq!(foreign, 0, "routed to the wrong machine");
    }
    let captured = visitors[0].get("/x").await?.answer;
    let captured = captured.ok_or("it was let in without an answer")?;
    for address in machines
        .iter()
        .map(|it| it.address)
        .chain([balancer.address])
    {
        let field = Some(("authorization", &captured));
        let replayed = send(address, "GET", "/x", field, "").await?;
        assert_eq!(replayed.status(), 401, "replayed at {address}");
    }

    let address = machines.remove(1).address;
    println!("(m2 is killed)");
    visitors = all_visit(visitors, 20).await?;
    machines.insert(1, Machine::start(&address.to_string(), &[(MACHINE, "m2")])?);
    println!("(m2 is back)");
    all_visit(visitors, 20).await?;
    // Until the balancer takes it again.
    sleep(Duration::from_secs(3)).await;
    let before = machines[1].count("granted").await?;
    for _ in 0..6 {
        Curl::expect(
            "a first request",
            &["--digest", "-u", &login, &url],
            &[401, 200],
        )?;
    }
    assert!(
        machines[1].count("granted").await? > before,
        "nobody comes to m2"
    );
    Ok(())
}

/// All of them at once; everybody gets in each time, and is asked once at most.
async fn all_visit(visitors: Vec<Visitor>, times: usize) -> Result<Vec<Visitor>, Error> {
    let mut visits = JoinSet::new();
    for mut visitor in visitors {
        visits.spawn(async move {
            let (mut refused, mut logins) = (0, 0);
            for _ in 0..times {
                let visit = visitor.get("/x").await?;
                assert_eq!(visit.response.status(), 200, "{:?}", visit.statuses);
                refused += visit.statuses.len() - 1;
                logins += visit.logins;
            }
            Ok::<_, Error>((visitor, refused, logins))
        });
    }
    let (mut visitors, mut all_refused, mut all_logins) = (Vec::new(), 0, 0);
    while let Some(visited) = visits.join_next().await {
        let (visitor, refused, logins) = visited??;
        visitors.push(visitor);
        all_refused += refused;
        all_logins += logins;
    }
    let count = visitors.len() * times;
    println!("{count} requests: all 200, after {all_refused} refusals, {all_logins} prompts");
    Ok(visitors)
}
