//! What the server must do with its files, and which files it must refuse.
use std::fs::write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use countersign::client::ServerProof;
use countersign::digest::{Ha1, HashFunction};
use countersign::wire::basic_credentials;
use countersign::{Challenger, Channel};
use hyper::header::RETRY_AFTER;
use loopback::{Error, USER, Visitor, send};

use crate::accounts::Accounts;
use crate::{REALM, Server, made};

const COST_5: &str = "$2y$05$QX9JpZifUSuaoOtvO0bFl.WZkE8sNQtnVgl/Nrvq63exRThELjo4m";

pub async fn check_all() -> Result<(), Error> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [htdigest, htpasswd] = paths(own);
    let args = ["127.0.0.1:0", &htdigest, &htpasswd];
    loopback::check_channel(&args, "/x", ("Zazu", "Morning report")).await?;
    let server = read(own)?;
    let address = loopback::start(Arc::clone(&server)).await?;
    check(address).await?;
    busy(&server, address).await?;
    other_hashes();
    two_passwords();
    let folder = tempfile::tempdir()?;
    changed_files(folder.path()).await?;
    equal_work(folder.path()).await?;

    if !made::make(folder.path(), REALM)? {
        println!("skipped: no htdigest and htpasswd");
        return Ok(());
    }
    println!("-- files made by the tools");
    check(loopback::start(read(folder.path())?).await?).await
}

fn read(folder: &Path) -> Result<Arc<Server>, Error> {
    let [htdigest, htpasswd] = paths(folder);
    // Its own requests do not leave the machine.
    Server::new(&htdigest, &htpasswd, Channel::Encrypted)
}

fn paths(folder: &Path) -> [String; 2] {
    ["htdigest", "htpasswd"].map(|name| folder.join(name).display().to_string())
}

/// A user of each file.
async fn check(address: SocketAddr) -> Result<(), Error> {
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    let basic = |user| Visitor::new(Challenger::Origin, address, user)?.with_basic();
    let proof = Some(ServerProof::Absent);
    let visit = basic(("Zazu", "Morning report"))?.get("/x").await?;
    visit.expect("Basic", &[200], proof);
    // Then they are asked for Digest, and send the same password by that.
    for user in [("Zazu", "Hakuna Matata"), ("Nobody", "Hakuna Matata")] {
        let visit = basic(user)?.get("/x").await?;
        visit.expect("Basic, wrong", &[401, 401], None);
    }
    Ok(())
}

/// While as many hashes run as may, a password is not hashed, and Digest works as ever.
async fn busy(server: &Server, address: SocketAddr) -> Result<(), Error> {
    let permits = u32::try_from(server.hashes.available_permits())?;
    let others = server.hashes.acquire_many(permits).await?;
    let field = basic_credentials("Zazu", "Morning report")?;
    let field = Some(("authorization", &field));
    let response = send(address, "GET", "/x", field, "").await?;
    println!("Basic, {permits} hashes run: {}", response.status());
    assert_eq!(response.status(), 503);
    assert!(response.headers().contains_key(RETRY_AFTER));
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    drop(others);
    let response = send(address, "GET", "/x", field, "").await?;
    println!("Basic, afterwards: {}", response.status());
    assert_eq!(response.status(), 200);
    Ok(())
}

/// What a change of the files does to a login that goes on: the client has a nonce, and sends it.
async fn changed_files(folder: &Path) -> Result<(), Error> {
    let line = |password| {
        let ha1 = Ha1::new(HashFunction::Md5, "Mufasa", REALM, password);
        format!("Mufasa:{REALM}:{}\n", ha1.as_hex())
    };
    let right = line(USER.1);
    let write_htdigest = |text: &str| write(folder.join("htdigest"), text);
    write_htdigest(&right)?;
    write(folder.join("htpasswd"), "")?;
    let address = loopback::start(read(folder)?).await?;
    let mut visitor = Visitor::new(Challenger::Origin, address, USER)?;
    for (what, htdigest, status) in [
        ("as it was", right.clone(), 200),
        (
            "another user",
            format!("{right}Scar:{REALM}:{:032}\n", 7),
            200,
        ),
        ("a line that is not right", format!("{right}Scar\n"), 200),
        ("a new password", line("changed"), 401),
        ("the old password", format!("# of today\n{right}"), 200),
        ("deleted", "\n".to_owned(), 401),
        ("there again", right, 200),
    ] {
        write_htdigest(&htdigest)?;
        let visit = visitor.get("/x").await?;
        println!("htdigest, {what}: {:?}", visit.statuses);
        assert_eq!(visit.statuses.last(), Some(&status), "{what}");
    }
    Ok(())
}

/// A change of one of them would leave the other as it was.
fn two_passwords() {
    let htdigest = format!("Zazu:{REALM}:05de478d7b7e1bea4b6e17897bf3e2ed\n");
    let error = Accounts::read(&htdigest, &format!("Zazu:{COST_5}\n"), REALM).err();
    let error = error.map(|error| error.to_string());
    println!("a name in both files: {error:?}");
    assert!(error.is_some_and(|error| error.contains("htdigest")));
    // Clients would take Digest, which a user of htpasswd cannot do.
    let of_htpasswd = Accounts::read("", &format!("Zazu:{COST_5}\n"), REALM);
    assert!(of_htpasswd.is_ok_and(|accounts| accounts.algorithms().is_empty()));
}

/// Files whose hashes take different times to compare.
fn other_hashes() {
    let cost_6 = COST_5.replacen("$05$", "$06$", 1);
    for (hash, expected) in [
        (COST_5, None),
        (&cost_6, Some("another cost")),
        ("$apr1$Gf5rQ0uO$yMmkRLcD0jVYCaRjCJuOW/", Some("not bcrypt")),
        ("{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", Some("not bcrypt")),
        ("plain", Some("not bcrypt")),
    ] {
        let file = format!("# users\nZazu:{COST_5}\n\nPumbaa:{hash}\n");
        let error = Accounts::read("", &file, REALM).err();
        let error = error.map(|error| error.to_string());
        println!("a line with {hash}: {error:?}");
        assert_eq!(error.is_some(), expected.is_some());
        assert!(error.is_none_or(|error| error.contains(expected.unwrap_or_default())));
    }
}

/// Whether a user exists must not be told by how long a refusal takes. The file has a higher cost
/// than `htpasswd -B` takes by default: with that default for nobody, a refusal would take an eighth.
async fn equal_work(folder: &Path) -> Result<(), Error> {
    let hash = bcrypt::hash("Morning report", 8)?;
    write(folder.join("htdigest"), "")?;
    write(folder.join("htpasswd"), format!("Zazu:{hash}\n"))?;
    let address = loopback::start(read(folder)?).await?;
    let [known, unknown] = loopback::refusal_times(address, "/x", "Zazu").await?;
    println!("cost 8, refused in {known:?}; for nobody in {unknown:?}");
    assert!(unknown * 3 > known, "an unknown user is told by the time");
    assert!(known * 3 > unknown, "a user is told by the time");
    Ok(())
}
