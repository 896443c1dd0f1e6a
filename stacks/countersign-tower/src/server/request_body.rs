//! The body of a request.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

pin_project! {
    /// The body of a request that passes an [`AuthLayer`](super::AuthLayer): that of the client as it
    /// comes, or whole if [the response covers it](super::AuthLayerBuilder::with_body_buffer).
    #[derive(Debug)]
    pub struct RequestBody<B> {
        #[pin]
        unread: Option<B>,
        whole: Bytes,
    }
}

impl<B> RequestBody<B> {
    pub(super) const fn unread(body: B) -> Self {
        Self {
            unread: Some(body),
            whole: Bytes::new(),
        }
    }

    /// The body of the client as it comes, or the bytes of the body that has been read.
    ///
    /// # Errors
    ///
    /// Returns the bytes as an `Err`.
    pub fn into_inner(self) -> Result<B, Bytes> {
        self.unread.ok_or(self.whole)
    }

    pub(super) const fn whole(whole: Bytes) -> Self {
        Self {
            unread: None,
            whole,
        }
    }
}

impl<B: Body<Data = Bytes>> Body for RequestBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.project();
        if let Some(body) = this.unread.as_pin_mut() {
            return body.poll_frame(cx);
        }
        let is_left = !this.whole.is_empty();
        Poll::Ready(is_left.then(|| Ok(Frame::data(std::mem::take(this.whole)))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.unread {
            Some(body) => body.is_end_stream(),
            None => self.whole.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.unread {
            Some(body) => body.size_hint(),
            None => SizeHint::with_exact(self.whole.len() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::server::buffer::Buffer;

    /// No response covers its trailers, which anybody on the way can add.
    #[tokio::test]
    async fn a_body_that_is_read_goes_on_whole_and_without_trailers() {
        let mut sent = HeaderMap::new();
        sent.insert("x", "y".parse().unwrap());
        for (text, trailers) in [("", None), ("ab", None), ("ab", Some(sent))] {
            let body = Full::new(Bytes::from(text)).with_trailers(async { trailers.map(Ok) });
            let buffer = Buffer::new(2, 2);
            let (bytes, _share) = buffer.read(body, None).await.map_err(drop).unwrap();
            let body = RequestBody::<Full<Bytes>>::whole(bytes);
            assert_eq!(body.size_hint().exact(), Some(text.len() as u64));
            assert_eq!(body.is_end_stream(), text.is_empty());
            let collected = body.collect().await.unwrap();
            assert_eq!(collected.trailers(), None);
            assert_eq!(collected.to_bytes(), text);
        }
    }
}
