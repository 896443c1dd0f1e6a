//! The loop around a request, for libraries with the types of the crate `http`.

use alloc::string::ToString;
use core::future::{Future, ready};
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Mutex, PoisonError};

use http::{Request, Response};

use crate::client::answer::Field;
use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::error::{Error, GiveUp};
use crate::client::exchange::{Exchange, Next};
use crate::target::{EntityBody, Target};

/// Sends a request to the client's origin until it is answered, and returns the last response: a 401
/// only if the client has no account. `send` sends a request once, and follows no redirect. Tasks
/// share the client, which is not locked while `send` waits. Bodies are not covered: not for
/// `qop=auth-int`; and not for a proxy, whose request-target is the whole URI.
///
/// # Errors
///
/// The error of `send`; those of [`Client::authorize`] and [`Client::received`];
/// [`GiveUp`] as [`Error::GaveUp`], with [`GiveUp::ForeignTarget`] for a URI of another origin.
// No `AsyncFnMut`: tasks whose closure borrows could not be spawned.
pub async fn run<A: Clone, B, E: From<Error>, F: Future<Output = Result<Response<B>, E>>>(
    client: &Mutex<Client>,
    request: Request<A>,
    mut send: impl FnMut(Request<A>) -> F,
) -> Result<Response<B>, E> {
    let client = || client.lock().unwrap_or_else(PoisonError::into_inner);
    let name = client().endpoint().challenger().credentials_field();
    let uri = request.uri();
    if uri.authority().is_some() {
        let named = Endpoint::try_from(uri).map_err(Error::from)?;
        if !client().endpoint().is_at(&named) {
            return Err(Error::from(GiveUp::ForeignTarget).into());
        }
    }
    // `to_string` writes the `/` that `http://host?query` lacks.
    let path = uri.path_and_query().map(ToString::to_string);
    let path = path.as_deref().unwrap_or("/");
    let target = Target::new(request.method().as_str(), path);
    let mut exchange = Exchange::new();
    loop {
        let mut next = request.clone();
        let fields = next.headers_mut();
        match client().authorize(&mut exchange, &target)? {
            Field::Set(value) => fields.insert(name, value.into()),
            Field::Remove => fields.remove(name),
        };
        let response = send(next).await?;
        let (status, fields) = (response.status().as_u16(), response.headers());
        let fields = |name| fields.get_all(name).iter();
        match client().received(&mut exchange, status, fields, EntityBody::Unknown)? {
            Next::Done(_) | Next::Login(_) => return Ok(response),
            Next::GiveUp(why) => return Err(Error::from(why).into()),
            Next::Retry => {}
        }
    }
}

/// [`run`], for a library that blocks.
///
/// # Errors
///
/// Those of [`run`].
pub fn run_blocking<A: Clone, B, E: From<Error>>(
    client: &Mutex<Client>,
    request: Request<A>,
    mut send: impl FnMut(Request<A>) -> Result<Response<B>, E>,
) -> Result<Response<B>, E> {
    let mut future = pin!(run(client, request, |request| ready(send(request))));
    loop {
        // Ready at once, because nothing in it waits.
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return result;
        }
    }
}
