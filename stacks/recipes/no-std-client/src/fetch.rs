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

/// Sends a request, again as often as the challenges call for it.
pub fn fetch(
    client: &mut Client,
    wire: &mut impl Wire,
    target: &Target<'_>,
) -> Result<Response, Box<dyn Error>> {
    let mut exchange = Exchange::new();
    loop {
        let answer = client.authorize(&mut exchange, target)?;
        let response = wire.send(target, answer.for_new_request());
        let field = |wanted| {
            let fields = response.fields.iter();
            let found = fields.filter(move |(name, _)| *name == wanted);
            found.map(|(_, value)| value)
        };
        let body = EntityBody::Bytes(response.body);
        match client.received(&mut exchange, response.status, field, body)? {
            Next::Done(_) => return Ok(response),
            Next::GiveUp(why) => return Err(why.into()),
            // Send it again.
            _ => {}
        }
    }
}
