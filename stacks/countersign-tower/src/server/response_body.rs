//! The body of a response.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::server::hop;

pin_project! {
    /// The body of a response that passes an [`AuthLayer`](super::AuthLayer): that of the wrapped
    /// service, or an empty one.
    ///
    /// If the realm is one of a [proxy](super#proxies), the fields of other proxies are removed from
    /// its trailers. Everything else is passed on as it is.
    #[derive(Clone, Debug, Default)]
    pub struct ResponseBody<C> {
        #[pin]
        inner: C,
        is_forwarded: bool,
    }
}

impl<C> ResponseBody<C> {
    /// The body of a part of this server.
    pub(super) const fn own(inner: C) -> Self {
        Self {
            inner,
            is_forwarded: false,
        }
    }

    /// One that comes from a server behind a proxy.
    pub(super) const fn forwarded(inner: C) -> Self {
        Self {
            inner,
            is_forwarded: true,
        }
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
        if *this.is_forwarded
            && let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
        {
            hop::remove_from_trailers(trailers);
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
