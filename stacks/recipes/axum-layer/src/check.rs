//! What the three realms must do.
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::available_parallelism;

use countersign::Challenger;
use countersign::client::ServerProof;
use countersign::wire::basic_credentials;
use loopback::{Curl, Error, USER, Visitor, check as check_digest, check_channel, send};

use crate::users::{Database, HASHES};

/// Right passwords and wrong ones, for Digest, for Basic, and where nobody asks.
pub async fn check(address: SocketAddr, users: &Database) -> Result<(), Error> {
    let open = send(address, "GET", "/open", None, "").await?;
    println!("/open: {}", open.status());
    assert_eq!(open.status(), 200);
    for path in ["/files/x", "/admin/x"] {
        check_digest(Challenger::Origin, address, path, USER).await?;
    }
    let user = |user| Visitor::new(Challenger::Origin, address, user);
    let (proven, unproven) = (Some(ServerProof::Valid), Some(ServerProof::Absent));
    // Its name goes hashed.
    let mut jason = user(("Jäsøn", "Doe, π"))?;
    let visit = jason.send("POST", "/files/echo", "Hakuna Matata").await?;
    visit.expect("a hashed name", &[401, 200], proven);
    let visit = jason.get("/slow/x").await?;
    visit.expect("/slow/x, right password", &[401, 200], unproven);
    for name in [USER.0, "Nobody"] {
        let visit = user((name, "Circle of Lies"))?.get("/slow/x").await?;
        visit.expect("/slow/x, wrong password", &[401, 401], None);
    }
    equal_work(address).await?;
    busy(address).await?;
    changes(address, users).await?;
    check_channel(&["127.0.0.1:0"], "/files/x", USER).await?;
    curl(address, users)
}

/// Whether a user exists must not be told by how long a refusal takes. The medians of a machine that
/// does other things, too, are compared only so far that a missing Argon2 hash would show: without
/// it a refusal takes a hundredth.
async fn equal_work(address: SocketAddr) -> Result<(), Error> {
    let [known, unknown] = loopback::refusal_times(address, "/slow/x", USER.0).await?;
    println!("/slow/x, refused in {known:?}; for nobody in {unknown:?}");
    assert!(unknown * 5 > known, "an unknown user is told by the time");
    Ok(())
}

/// Anyone can cause Argon2 hashes, so only as many run at once as there are cores. While all
/// permits are taken, a password is not hashed, and other realms work as ever.
async fn busy(address: SocketAddr) -> Result<(), Error> {
    let (proven, unproven) = (Some(ServerProof::Valid), Some(ServerProof::Absent));
    let visitor = || Visitor::new(Challenger::Origin, address, USER);
    let mut others = Vec::new();
    for _ in 0..available_parallelism()?.get() {
        let (end, ended) = mpsc::channel::<()>();
        let hash = tokio::spawn(HASHES.run(move || Ok(ended.recv()?)));
        others.push((end, hash));
    }
    let field = basic_credentials(USER.0, USER.1)?;
    let field = Some(("authorization", &field));
    let response = send(address, "GET", "/slow/x", field, "").await?;
    println!(
        "/slow/x, {} hashes run: {}",
        others.len(),
        response.status()
    );
    assert_eq!(response.status(), 503);
    let visit = visitor()?.get("/files/x").await?;
    visit.expect("/files/x meanwhile", &[401, 200], proven);
    for (end, hash) in others {
        end.send(())?;
        hash.await??;
    }
    let visit = visitor()?.get("/slow/x").await?;
    visit.expect("/slow/x afterwards", &[401, 200], unproven);
    Ok(())
}

/// Passwords that change and users who go while their nonces are good.
async fn changes(address: SocketAddr, users: &Database) -> Result<(), Error> {
    let (proven, unproven) = (Some(ServerProof::Valid), Some(ServerProof::Absent));
    for (path, realm, proof) in [("/files/x", "files", proven), ("/slow/x", "slow", unproven)] {
        users.set_password(realm, "Rafiki", "It is time")?;
        let user = |password| Visitor::new(Challenger::Origin, address, ("Rafiki", password));
        let (mut old, mut new) = (user("It is time")?, user("Look harder")?);
        let first = old.get(path).await?;
        first.expect("a new user", &[401, 200], proof);
        old.get(path).await?.expect("next request", &[200], proof);

        users.set_password(realm, "Rafiki", "Look harder")?;
        let visit = old.get(path).await?;
        println!("the old password: {:?}", visit.statuses);
        assert_eq!(
            visit.statuses.last(),
            Some(&401),
            "let in by an old password"
        );
        let visit = new.get(path).await?;
        visit.expect("the new password", &[401, 200], proof);

        users.delete(realm, "Rafiki")?;
        let visit = new.get(path).await?;
        println!("deleted: {:?}", visit.statuses);
        assert_eq!(visit.statuses.last(), Some(&401), "let in although deleted");
    }
    Ok(())
}

fn curl(address: SocketAddr, users: &Database) -> Result<(), Error> {
    let (right, wrong) = ("Mufasa:Circle of Life", "Mufasa:Circle of Lies");
    let jason = "Jäsøn:Doe, π";
    for (how, user, path, statuses) in [
        ("--digest", right, "/files/x", &[401, 200][..]),
        ("--digest", jason, "/files/x", &[401, 200]),
        ("--digest", wrong, "/files/x", &[401, 401]),
        ("--basic", right, "/files/x", &[200]),
        ("--basic", right, "/slow/x", &[200]),
        ("--basic", jason, "/slow/x", &[200]),
        ("--basic", wrong, "/slow/x", &[401]),
        ("--basic", "Nobody:Circle of Life", "/slow/x", &[401]),
        ("--digest", right, "/admin/x", &[401, 200]),
        ("--basic", right, "/admin/x", &[401]),
    ] {
        let url = format!("http://{address}{path}");
        Curl::expect(&format!("{path} {how}"), &[how, "-u", user, &url], statuses)?;
    }
    let url = format!("http://{address}/admin/x");
    users.delete("admin", USER.0)?;
    let args = ["--digest", "-u", right, &url];
    Curl::expect("/admin/x, deleted", &args, &[401, 401])?;
    Ok(())
}

/// Channel and address are what the proxy says last.
pub fn proxy(address: SocketAddr) -> Result<(), Error> {
    let url = format!("http://{address}/files/x");
    let by = |name: &str, scheme, client: &str, user: &str, status| {
        let scheme = format!("X-Forwarded-Proto: {scheme}");
        let client = format!("X-Forwarded-For: {client}");
        let args = ["--basic", "-u", user, "-H", &scheme, "-H", &client, &url];
        Curl::expect(name, &args, &[status])
    };
    let (right, wrong) = ("Mufasa:Circle of Life", "Mufasa:Circle of Lies");
    by("TLS by a proxy", "https", "192.0.2.1", right, 200)?;
    by("in clear by a proxy", "http", "192.0.2.1", right, 401)?;
    for guess in 0..22 {
        // Whatever the client says before it.
        let client = format!("198.51.100.{guess}, 192.0.2.1");
        by(
            "a guess",
            "https",
            &client,
            wrong,
            if guess < 20 { 401 } else { 429 },
        )?;
    }
    by("another address", "https", "192.0.2.2", right, 200)?;
    Ok(())
}
