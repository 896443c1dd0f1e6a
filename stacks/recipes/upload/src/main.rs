//! A large body is sent once: the server refuses the first request before the body (`Expect:
//! 100-continue`), and later ones carry an answer from the start. Where the answer covers the body,
//! that is hashed first.
//!
//! ```text
//! upload [REALM URL [MIB [auth-int]]]
//! ```
//!
//! Without arguments it runs against servers of its own. Otherwise `Mufasa` with the password
//! `Circle of Life` must be let in at the URL, in this realm.
mod source;
mod uploader;

use std::error::Error;

use countersign::client::{Policy, ServerProof};
use countersign::digest::QopSet;
use countersign::server::Realm;
use loopback::{Area, Server, USER};
use ureq::http::Uri;

use uploader::Uploader;

/// Uploads twice; returns what the server proved the second time.
fn upload(
    realm: &str,
    url: &str,
    size: u64,
    policy: Policy,
    hashed: u32,
) -> Result<ServerProof, Box<dyn Error>> {
    let mut proof = ServerProof::Absent;
    let uri: Uri = url.parse()?;
    let mut uploader = Uploader::new(&uri, realm, policy, USER)?;
    for requests in [2, 1] {
        let upload = uploader.put(&uri, size)?;
        println!("{url}: {size} bytes, {upload:?}");
        // A server that takes no uploads says so, and need not read one to its end.
        assert_ne!(upload.status, 401);
        assert_eq!((upload.requests, upload.hashed), (requests, hashed));
        let is_whole = upload.bytes_sent == size;
        assert!(is_whole || upload.bytes_sent < size && upload.status >= 400);
        proof = upload.proof;
    }
    Ok(proof)
}

fn own_servers() -> Result<(), Box<dyn Error>> {
    const SIZE: u64 = 16 << 20;
    let policy = Policy::new().without_basic();
    for (qop, hashed) in [(QopSet::AUTH, 0), (QopSet::AUTH_INT, 1)] {
        let realm = Realm::new("files")?.with_qop(qop);
        let server = Server::start(vec![Area::new("/", realm)], "");
        let proof = upload("files", &server.url("/x"), SIZE, policy, hashed)?;
        assert_eq!(proof, ServerProof::Valid);
        let read: Vec<u64> = server
            .take_log()
            .iter()
            .map(|entry| entry.body_bytes)
            .collect();
        println!("  body bytes read, by request: {read:?}");
        assert_eq!(read, [0, SIZE, SIZE]);
    }
    // Nobody else gets the credentials.
    let other = Server::start(vec![Area::new("/", Realm::new("files")?)], "");
    let mut uploader = Uploader::new(&other.url("/x").parse()?, "files", policy, USER)?;
    let stranger = Server::start(vec![Area::new("/", Realm::new("files")?)], "");
    assert_eq!(uploader.put(&other.url("/x").parse()?, 1)?.status, 200);
    assert!(uploader.put(&stranger.url("/x").parse()?, 1).is_err());
    assert_eq!(stranger.take_log().len(), 0);
    // Not even another user of the same server, before or after a proof.
    let shared = Server::shared();
    let url = shared.url("/d/x").parse()?;
    for (is_cold, path, expected) in [
        (true, "/~mallory/x", "another realm"),
        (true, "/~mallory/same/x", "refused by Policy::without_basic"),
        (false, "/~mallory/x", "another realm"),
        (false, "/~mallory/same/x", "weaker than this realm accepted"),
    ] {
        let mut uploader = Uploader::new(&url, "files", policy, USER)?;
        if !is_cold {
            assert_eq!(uploader.put(&url, 1)?.status, 200);
        }
        shared.take_log();
        let other = shared.url(path);
        let error = uploader.put(&other.parse()?, 1).unwrap_err().to_string();
        let log = shared.take_log();
        println!("{other}: {error}, {log:?}");
        assert!(error.contains(expected));
        assert!(log.len() == 1 && !log[0].has_credentials);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let Some(realm) = args.next() else {
        return own_servers();
    };
    let url = args.next().ok_or("which URL?")?;
    let mib = args.next().map_or(Ok(16), |mib| mib.parse::<u64>())?;
    let covers = args.next().is_some_and(|arg| arg == "auth-int");
    // The account is for Digest: any user of the server can ask by Basic, in this realm, too.
    let mut policy = Policy::new().without_basic();
    if covers {
        policy = policy.require_auth_int();
    }
    upload(&realm, &url, mib << 20, policy, covers.into())?;
    Ok(())
}
