//! A request and all that it takes to be let in.
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::error::Error;

use countersign::client::{Client, Exchange, Next};
use countersign::{EntityBody, FieldValue, Target};

pub struct Response {
    pub status: u16,
    pub fields: Vec<(&'static str, FieldValue)>,
    pub body: &'static [u8],
}

/// How requests get out: the device's network stack.
pub trait Wire {
    fn send(&mut self, target: &Target<'_>, authorization: Option<&FieldValue>) -> Response;
}

/// Sends a request, again as often as the challenges call for it. The password is for the realm
/// `valve`, and goes to no other.
pub fn fetch(
    client: &mut Client,
    wire: &mut impl Wire,
    target: &Target<'_>,
    password: &str,
) -> Result<Response, Box<dyn Error>> {
    let mut exchange = Exchange::new();
    loop {
        let response = wire.send(target, client.authorize(&mut exchange, target)?);
        let field = |wanted| {
            let fields = response.fields.iter();
            let found = fields.filter(move |(name, _)| *name == wanted);
            found.map(|(_, value)| value)
        };
        let body = EntityBody::Bytes(response.body);
        match client.received(&mut exchange, response.status, field, body)? {
            Next::Done(_) => return Ok(response),
            Next::Retry => {}
            Next::Login(ask) if ask.realm() != b"valve" => return Err("another realm".into()),
            Next::Login(ask) => client.login(&ask, "Mufasa", password)?,
            Next::GiveUp(why) => return Err(why.into()),
        }
    }
}
