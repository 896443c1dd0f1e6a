//! What sends a request, for the loop of countersign-tower.

use countersign_tower::client::transport::Transport;
use http::{HeaderMap, Request, StatusCode};

use crate::request::Sendable;
use crate::response::{Library, Received};

/// The calls that send a request, and tell of its response.
pub(crate) struct Calls<S, H, R: 'static, E: 'static> {
    send: S,
    head: H,
    library: &'static Library<R, E>,
}

impl<S, H, R, E> Calls<S, H, R, E>
where
    S: FnMut(Request<&[u8]>) -> Result<R, E> + Send,
    H: Fn(&R) -> (StatusCode, &HeaderMap) + Send,
{
    pub(crate) const fn new(send: S, head: H, library: &'static Library<R, E>) -> Self {
        Self {
            send,
            head,
            library,
        }
    }
}

impl<S, H, R, E> Transport for Calls<S, H, R, E>
where
    S: FnMut(Request<&[u8]>) -> Result<R, E> + Send,
    H: Fn(&R) -> (StatusCode, &HeaderMap) + Send,
    R: Send,
    E: Send,
{
    type Request = Sendable;
    type Response = Received<R, E>;
    type Error = E;

    async fn send(&mut self, request: Sendable) -> Result<Self::Response, E> {
        let Sendable { head, body } = request;
        let response = (self.send)(Request::from_parts(head, &*body))?;
        let (status, headers) = (self.head)(&response);
        let head = (status, headers.clone());
        Ok(Received::new(response, head, self.library))
    }

    fn may_send_again(&self, error: &E) -> bool {
        (self.library.is_lost)(error)
    }
}
