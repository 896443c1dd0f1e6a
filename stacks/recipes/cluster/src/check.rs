//! What three machines must do.
use std::net::SocketAddr;

use countersign::client::ServerProof;
use countersign::{Challenger, FieldValue};
use loopback::{Error, USER, Visit, Visitor, send};

use crate::nodes::{Machine, three};
use crate::store::Store;
use crate::{KEY, STORE};

const PROVEN: Option<ServerProof> = Some(ServerProof::Valid);

pub async fn check() -> Result<(), Error> {
    one_key_and_a_store().await?;
    a_key_each().await
}

/// A user who goes from machine to machine.
struct Walker(Visitor);

impl Walker {
    fn new(machine: &Machine) -> Result<Self, Error> {
        Ok(Self(Visitor::new(
            Challenger::Origin,
            machine.address,
            USER,
        )?))
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

/// What an attacker captured, sent again.
async fn replay(what: &str, address: SocketAddr, answer: &FieldValue) -> Result<u16, Error> {
    let field = Some(("authorization", answer));
    let response = send(address, "GET", "/x", field, "").await?;
    println!("{what}: {}", response.status());
    Ok(response.status().as_u16())
}

async fn one_key_and_a_store() -> Result<(), Error> {
    println!("-- one key and a store");
    let Some(store) = Store::start()? else {
        println!("skipped: no redis-server");
        return Ok(());
    };
    let key = || -> Result<String, Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(key.map(|byte| format!("{byte:02x}")).concat())
    };
    let first_key = key()?;
    let common = [(STORE, &*store.url), (KEY, &*first_key)];
    let mut machines = three(&common)?;
    if let Some(arguments) = machines[0].arguments() {
        println!("all users of the machine see: {arguments}");
        for (_, secret) in common {
            assert!(!arguments.contains(secret), "a secret among the arguments");
        }
    }
    loopback::check(Challenger::Origin, machines[0].address, "/x", USER).await?;

    let mut walker = Walker::new(&machines[0])?;
    let mut captured = walker
        .get("one machine", &machines[0], &[401, 200], 1)
        .await?;
    for machine in &machines[1..] {
        captured = walker.get("the next", machine, &[200], 0).await?;
    }
    for machine in &machines {
        assert_eq!(replay("replayed", machine.address, &captured).await?, 401);
    }

    let killed = machines.pop().ok_or("no machine")?;
    machines.push(killed.restart(&common)?);
    walker
        .get("killed and restarted", &machines[2], &[200], 0)
        .await?;
    let again = replay("replayed at it", machines[2].address, &captured).await?;
    assert_eq!(again, 401);

    // Whoever flushes the store gives a second life to what was captured in a nonce's lifetime.
    store.flush().await?;
    walker.get("store flushed", &machines[0], &[200], 0).await?;
    for (machine, status) in machines.iter().zip([200, 401, 401]) {
        let status_now = replay("replayed after the flush", machine.address, &captured).await?;
        assert_eq!(status_now, status);
    }
    // So all machines get a new key: what was captured is dead, and nobody has to type anything.
    store.flush().await?;
    let next_key = key()?;
    let common = [(STORE, &*store.url), (KEY, &*next_key)];
    let restarted = machines.into_iter().map(|it| it.restart(&common));
    let machines = restarted.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(
        replay("replayed, new key", machines[1].address, &captured).await?,
        401
    );
    walker.get("new key", &machines[0], &[401, 200], 0).await?;
    walker.get("the next", &machines[1], &[200], 0).await?;

    drop(store);
    let visit = walker.visit(&machines[1]).await?;
    visit.expect("without the store", &[503], Some(ServerProof::Absent));
    Ok(())
}

async fn a_key_each() -> Result<(), Error> {
    println!("-- a key each, and no store");
    let mut machines = three(&[])?;
    loopback::check(Challenger::Origin, machines[0].address, "/x", USER).await?;
    let mut walker = Walker::new(&machines[0])?;
    let captured = walker
        .get("one machine", &machines[0], &[401, 200], 1)
        .await?;
    for machine in &machines {
        assert_eq!(replay("replayed", machine.address, &captured).await?, 401);
    }
    // There and back again: one more request each time.
    for at in [1, 2, 0] {
        walker
            .get("another machine", &machines[at], &[401, 200], 0)
            .await?;
        walker.get("the same", &machines[at], &[200], 0).await?;
    }
    let killed = machines.remove(0);
    let restarted = killed.restart(&[])?;
    walker
        .get("killed and restarted", &restarted, &[401, 200], 0)
        .await?;
    assert_eq!(
        replay("replayed at it", restarted.address, &captured).await?,
        401
    );
    Ok(())
}
