//! The body of a response.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use countersign::Challenger;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::server::hop;

pin_project! {
    /// The body of a response that passes an [`AuthLayer`](super::AuthLayer): that of the wrapped
    /// service, or an empty one.
    ///
    /// If the layer is one of a [proxy or gateway](super#proxies-and-gateways), the fields of other
    /// challengers are removed from its trailers. Everything else is passed on as it is.
    #[derive(Clone, Debug, Default)]
    pub struct ResponseBody<C> {
        #[pin]
        inner: C,
        forwarder: Option<Challenger>,
    }
}

impl<C> ResponseBody<C> {
    /// `forwarder` is this server if it is a proxy or gateway, and none if it is the origin.
    pub(super) const fn new(inner: C, forwarder: Option<Challenger>) -> Self {
        Self { inner, forwarder }
    }
}

impl<C: Body> Body for ResponseBody<C> {
    type Data = C::Data;
    type Error = C::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<C::Data>, C::Error>>> {
        let this = self.project();
        let mut frame = ready!(this.inner.poll_frame(cx));
        if let Some(forwarder) = *this.forwarder
            && let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
        {
            hop::remove_from_trailers(forwarder, trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
