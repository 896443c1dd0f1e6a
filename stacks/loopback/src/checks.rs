//! What every server of Digest must do.
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use countersign::Challenger;
use countersign::client::ServerProof;
use countersign::wire::basic_credentials;

use crate::Error;
use crate::visitor::{Visitor, send};

/// Sends what every server of Digest must refuse, and what it must let in. Panics if it does not.
pub async fn check(
    challenger: Challenger,
    address: SocketAddr,
    uri: &str,
    user: (&str, &str),
) -> Result<(), Error> {
    let asked = challenger.status();
    let (challenges, credentials) = (challenger.challenge_field(), challenger.credentials_field());
    let bare = send(address, "GET", uri, None, "").await?;
    let count = bare.headers().get_all(challenges).iter().count();
    println!(
        "{uri}, no credentials: {}, {count} challenges",
        bare.status()
    );
    assert_eq!(bare.status(), asked);
    assert!(count > 0);

    let mut visitor = Visitor::new(challenger, address, user)?;
    let proven = Some(ServerProof::Valid);
    let first = visitor.get(uri).await?;
    first.expect("right password", &[asked, 200], proven);
    let second = visitor.get(uri).await?;
    second.expect("next request", &[200], proven);

    let field = second.answer.as_ref().map(|answer| (credentials, answer));
    let replayed = send(address, "GET", uri, field, "").await?;
    println!("replayed: {}", replayed.status());
    assert_eq!(replayed.status(), asked);
    // The credentials are those of another request.
    let next = visitor.get(uri).await?;
    let field = next.answer.as_ref().map(|answer| (credentials, answer));
    let moved = send(address, "DELETE", uri, field, "").await?;
    println!("of another request: {}", moved.status());
    assert!(matches!(moved.status().as_u16(), 400 | 401 | 407));

    let mut wrong = Visitor::new(challenger, address, (user.0, "Circle of Lies"))?;
    let refused = wrong.get(uri).await?;
    refused.expect("wrong password", &[asked, asked], None);
    Ok(())
}

/// The median time of five refusals of a wrong password by Basic: of a user who exists, and of one
/// who does not.
pub async fn refusal_times(
    address: SocketAddr,
    uri: &str,
    user: &str,
) -> Result<[Duration; 2], Error> {
    let mut medians = [Duration::ZERO; 2];
    for (median, name) in medians.iter_mut().zip([user, "Nobody"]) {
        let field = basic_credentials(name, "Circle of Lies")?;
        let mut times = Vec::new();
        for _ in 0..5 {
            let start = Instant::now();
            let field = Some(("authorization", &field));
            let response = send(address, "GET", uri, field, "").await?;
            assert_eq!(response.status(), 401);
            times.push(start.elapsed());
        }
        times.sort();
        *median = times[2];
    }
    Ok(medians)
}
