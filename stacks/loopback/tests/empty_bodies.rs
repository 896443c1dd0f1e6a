//! The proof of `auth-int` covers the body that the client receives: none for HEAD, 204 and 304.
use std::net::SocketAddr;
use std::sync::Arc;

use countersign::client::ServerProof;
use countersign::digest::QopSet;
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Challenger, Channel, EntityBody, InvalidText, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response, StatusCode};
use loopback::{Area, Error, Server, Site, USER, Users, Visitor, granted, refused};

fn realm() -> Result<Realm, InvalidText> {
    Ok(Realm::new("files")?.with_qop(QopSet::AUTH_INT))
}

/// Two methods, on one login.
async fn visit(address: SocketAddr, path: &str, status: u16) -> Result<(), Error> {
    let mut visitor = Visitor::new(Challenger::Origin, address, USER)?;
    for (method, statuses) in [("GET", &[401, status][..]), ("HEAD", &[status])] {
        let visit = visitor.send(method, path, "").await?;
        visit.expect(method, statuses, Some(ServerProof::Valid));
    }
    Ok(())
}

#[tokio::test]
async fn of_the_server_for_clients() -> Result<(), Error> {
    let server = Server::start(vec![Area::new("/", realm()?)], "");
    visit(server.address(), "/x", 200).await?;
    visit(server.address(), "/near", 302).await
}

/// Answers with a text, and with the status that the path says.
struct Statuses(Authenticator, Users);

impl Site for Statuses {
    type Body = String;

    async fn answer(
        &self,
        _: SocketAddr,
        request: Request<Incoming>,
    ) -> Result<Response<String>, Response<String>> {
        let Self(auth, users) = self;
        let (head, _) = request.into_parts();
        let uri = head.uri.to_string();
        // No request of this test has a body.
        let target = Target::new(head.method.as_str(), &uri).with_body(EntityBody::Empty);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = head.headers.get_all(AUTHORIZATION);
        let refuse = |refusal| refused(&refusal);
        let attempt = auth
            .begin(credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let account = users.find(&attempt.claimed_user());
        let verified = attempt.verify_by(account, |account, hash| account.ha1(hash));
        let grant = auth.admit(verified.map_err(refuse)?).map_err(refuse)?;
        let mut response = Response::new("hello\n".to_owned());
        *response.status_mut() = uri[1..].parse::<StatusCode>().unwrap();
        Ok(granted(&grant, &head.method, response))
    }
}

#[tokio::test]
async fn of_a_server_on_hyper() -> Result<(), Error> {
    let auth = Authenticator::new(realm()?, 10, &mut getrandom::SysRng)?;
    let site = Statuses(auth, Users::one("files", USER));
    let address = loopback::start(Arc::new(site)).await?;
    for status in [200, 204, 304, 404] {
        visit(address, &format!("/{status}"), status).await?;
    }
    Ok(())
}
