//! The body of a response.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::server::role::Role;

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
        role: Role,
    }
}

impl<C> ResponseBody<C> {
    pub(super) const fn new(inner: C, role: Role) -> Self {
        Self { inner, role }
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
        if let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
        {
            this.role.remove_from_trailers(trailers);
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
