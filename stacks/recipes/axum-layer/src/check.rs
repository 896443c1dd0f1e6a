//! What the three realms must do.
use std::net::SocketAddr;

use countersign::Challenger;
use countersign::client::ServerProof;
use loopback::{Error, USER, Visitor, check as check_digest, send};

/// Right passwords and wrong ones, for Digest, for Basic, and where nobody asks.
pub async fn check(address: SocketAddr) -> Result<(), Error> {
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
    Ok(())
}
