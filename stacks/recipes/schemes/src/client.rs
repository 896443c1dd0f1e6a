//! A client with its own tokens, which uses Digest where it has none.
use std::net::SocketAddr;

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
use countersign::{
    Challenge, EntityBody, FieldValue, InvalidText, RawChallenge, Target, challenges,
};
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::WWW_AUTHENTICATE;
use loopback::{Error, USER, send};

use crate::other::{FIRST_TOKEN, answer_to};

/// Of the token and of the password.
const REALM: &str = "files";

/// The tokens for one server.
pub struct Tokens {
    pub bearer: Option<String>,
    /// What Negotiate is answered with.
    pub ticket: Option<String>,
}

impl Tokens {
    /// The answer to the first challenge that there is a token for.
    fn answer(&self, response: &Response<Bytes>) -> Result<Option<FieldValue>, InvalidText> {
        for challenge in challenges(response.headers().get_all(WWW_AUTHENTICATE)) {
            if let Ok(Challenge::Other(raw)) = challenge
                && let Some(token) = self.token_for(&raw)
            {
                return FieldValue::with_token68(raw.scheme_name(), &token).map(Some);
            }
        }
        Ok(None)
    }

    fn token_for(&self, challenge: &RawChallenge<'_>) -> Option<String> {
        let is = |scheme| challenge.scheme_name().eq_ignore_ascii_case(scheme);
        if is("Bearer") {
            // Any user of the server can name any realm. Who names this one gets the token: a server
            // of several users needs an origin for each.
            let is_ours = challenge.param("realm").is_some_and(|realm| realm == REALM);
            // What the server calls an error has not become right since.
            let is_error = challenge.param("error").is_some();
            return self.bearer.clone().filter(|_| is_ours && !is_error);
        }
        let ticket = self.ticket.as_ref().filter(|_| is("Negotiate"))?;
        Some(match challenge.token68() {
            Some(token) => answer_to(token, ticket),
            None => FIRST_TOKEN.to_owned(),
        })
    }
}

/// Asks for `/x`, and returns the status of each response.
pub async fn fetch(address: SocketAddr, method: &str, tokens: &Tokens) -> Result<Vec<u16>, Error> {
    let endpoint = Endpoint::origin("http", "127.0.0.1", Some(address.port()))?;
    let account = Account::new(USER.0, USER.1).for_realm(REALM);
    let mut client =
        Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?.with_account(account)?;
    let (mut exchange, mut statuses) = (Exchange::new(), Vec::new());
    let target = Target::new(method, "/x").with_body(EntityBody::Empty);
    let mut own: Option<FieldValue> = None;
    loop {
        let answer = match &own {
            Some(own) => Some(own),
            None => client.authorize(&mut exchange, &target)?.for_new_request(),
        };
        let field = answer.map(|value| ("authorization", value));
        let response = send(address, method, "/x", field, "").await?;
        let status = response.status().as_u16();
        statuses.push(status);
        if status == 401 && statuses.len() < 3 {
            let next = tokens.answer(&response)?;
            if next.is_some() {
                own = next;
                continue;
            }
        }
        if own.is_some() {
            // The answer to a token is not for the client of Digest.
            return Ok(statuses);
        }
        let all = |name| response.headers().get_all(name).iter();
        let body = EntityBody::Bytes(response.body());
        match client.received(&mut exchange, status, all, body)? {
            Next::Done(_) | Next::GiveUp(_) => return Ok(statuses),
            // Send it again.
            _ => {}
        }
    }
}
