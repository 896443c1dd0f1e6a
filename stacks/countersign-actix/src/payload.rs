//! The payload of a request as a body.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::HttpMessage;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_LENGTH;
use bytes::Bytes;
use countersign_tower::server::RequestBody;
use futures_core::Stream;
use http_body::{Body, Frame, SizeHint};

/// What the client sends.
pub(crate) struct PayloadBody {
    payload: Payload,
    length: Option<u64>,
}

impl PayloadBody {
    /// Takes the payload of a request.
    pub(crate) fn take(request: &mut ServiceRequest) -> Self {
        let length = request.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        let payload = request.take_payload();
        Self { payload, length }
    }
}

/// Gives a request what a login has left of its payload, or has read of it.
pub(crate) fn give_back(request: &mut ServiceRequest, body: RequestBody<PayloadBody>) {
    let payload = match body.into_inner() {
        Ok(unread) => unread.payload,
        Err(read) => {
            let once = Once((!read.is_empty()).then_some(read));
            Payload::Stream {
                payload: Box::pin(once) as Pin<Box<dyn Stream<Item = _>>>,
            }
        }
    };
    request.set_payload(payload);
}

impl Body for PayloadBody {
    type Data = Bytes;
    type Error = PayloadError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, PayloadError>>> {
        let piece = Pin::new(&mut self.payload).poll_next(cx);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        self.length
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

/// A payload of one piece.
struct Once(Option<Bytes>);

impl Stream for Once {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.take().map(Ok))
    }
}
