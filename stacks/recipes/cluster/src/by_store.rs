//! What three machines with a store must do.
use std::net::SocketAddr;

use countersign::client::ServerProof;
use countersign::{Challenger, FieldValue};
use loopback::{USER, Visit, Visitor, send};

use crate::machines::{Machine, three};
use crate::store::Store;
use crate::{Error, KEYS, STORE};

const PROVEN: Option<ServerProof> = Some(ServerProof::Valid);

/// A user who goes from machine to machine.
struct Walker(Visitor);

impl Walker {
    fn new(machine: &Machine) -> Result<Self, Error> {
        let visitor = Visitor::new(Challenger::Origin, machine.address, USER)?;
        Ok(Self(visitor))
    }

    /// Asks a machine, with these statuses until it is let in. Nobody may be asked for a password,
    /// but for the first time.
    async fn get(
        &mut self,
        what: &str,
        machine: &Machine,
        statuses: &[u16],
        logins: usize,
    ) -> Result<FieldValue, Error> {
        let visit = self.visit(machine).await?;
        visit.expect(what, statuses, PROVEN);
        assert_eq!(visit.logins, logins, "prompts: {what}");
        Ok(visit.answer.ok_or("it was let in without an answer")?)
    }

    async fn visit(&mut self, machine: &Machine) -> Result<Visit, Error> {
        self.0.address = machine.address;
        self.0.get("/x").await
    }
}

/// What an attacker captured, sent again to all machines, which refuse it.
async fn replay(what: &str, machines: &[Machine], captured: &[FieldValue]) -> Result<(), Error> {
    let mut statuses = Vec::new();
    for field in captured {
        for machine in machines {
            statuses.push(status(machine.address, field).await?);
        }
    }
    let granted = statuses.iter().filter(|it| **it != 401).count();
    println!("{what}: {granted} of {} let in", statuses.len());
    assert_eq!(granted, 0, "{what}");
    Ok(())
}

async fn status(address: SocketAddr, field: &FieldValue) -> Result<u16, Error> {
    let field = Some(("authorization", field));
    let response = send(address, "GET", "/x", field, "").await?;
    Ok(response.status().as_u16())
}

fn key() -> Result<String, Error> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)?;
    Ok(key.map(|byte| format!("{byte:02x}")).concat())
}

pub async fn check() -> Result<(), Error> {
    println!("-- by a store");
    let Some(mut store) = Store::start()? else {
        println!("skipped: no redis-server");
        return Ok(());
    };
    let (url, keys) = (store.url(), key()?);
    let common = [(STORE, &*url), (KEYS, &*keys)];
    let mut machines = three(&common)?;
    if let Some(arguments) = machines[0].arguments() {
        println!("all users of the machine see: {arguments}");
        for (_, secret) in common {
            assert!(!arguments.contains(secret), "a secret among the arguments");
        }
    }
    // A store that is new has lost something, perhaps: who logs in first is refused once more.
    Walker::new(&machines[0])?.visit(&machines[0]).await?;
    loopback::check(Challenger::Origin, machines[0].address, "/x", USER).await?;

    let mut walker = Walker::new(&machines[0])?;
    let mut captured = vec![
        walker
            .get("one machine", &machines[0], &[401, 200], 1)
            .await?,
    ];
    for at in 1..30 {
        let visit = walker.visit(&machines[at % 3]).await?;
        assert_eq!((&*visit.statuses, visit.logins), (&[200][..], 0));
        captured.extend(visit.answer);
    }
    assert_eq!(captured.len(), 30);
    replay("replayed", &machines, &captured).await?;

    let killed = machines.pop().ok_or("no machine")?;
    machines.push(killed.restart(&common)?);
    let what = "a machine killed and back";
    walker.get(what, &machines[2], &[200], 0).await?;
    replay(what, &machines, &captured).await?;

    store = store.restart()?;
    replay("replayed, store empty", &machines, &captured).await?;
    // Refused once, by the machine that tells of the loss; the others go by what it issued then.
    walker
        .get("store empty", &machines[0], &[401, 200], 0)
        .await?;
    for machine in &machines[1..] {
        walker.get("the next", machine, &[200], 0).await?;
    }
    replay("replayed, the second time", &machines, &captured).await?;

    drop(store);
    let visit = walker.visit(&machines[1]).await?;
    visit.expect("without the store", &[503], Some(ServerProof::Absent));
    assert!(visit.response.headers().contains_key("retry-after"));
    // A machine starts without it, too.
    let started = Machine::start("127.0.0.1:0", &common)?;
    let visit = walker.visit(&started).await?;
    visit.expect("started without it", &[503], Some(ServerProof::Absent));
    Ok(())
}
