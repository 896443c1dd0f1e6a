//! What the gate says to a proxy.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use countersign::server::Refusal;
use http::header::{CACHE_CONTROL, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Empty;

use crate::convention::{Convention, IDENTITY};

pub type Body = Empty<Bytes>;

/// The answer to a question. Clones share their content.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The request may pass: the user, and the `Authentication-Info` for the response.
    Granted(Arc<HeaderValue>, Option<Arc<[u8]>>),
    /// The status for the client, and the challenges.
    Refused(StatusCode, Arc<[HeaderValue]>),
    /// The user has to wait.
    Limited(Duration),
}

impl Answer {
    /// A refusal without challenges.
    pub fn of_status(status: StatusCode) -> Self {
        Self::Refused(status, Arc::default())
    }

    pub fn refused(refusal: &Refusal) -> Self {
        let status = StatusCode::from_u16(refusal.status);
        Self::Refused(
            status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            refusal.challenges.iter().map(HeaderValue::from).collect(),
        )
    }

    /// The user who was granted the request.
    pub fn user(&self) -> Option<&HeaderValue> {
        match self {
            Self::Granted(user, _) => Some(user),
            Self::Refused(..) | Self::Limited(_) => None,
        }
    }

    /// The response to the proxy.
    pub fn into_response(self, convention: Convention) -> Response<Body> {
        let mut response = Response::new(Body::new());
        let fields = response.headers_mut();
        // A proxy that caches answers would grant a captured header again.
        fields.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let status = match self {
            Self::Granted(user, info) => {
                fields.insert(IDENTITY, HeaderValue::clone(&user));
                let info = info.and_then(|info| HeaderValue::from_bytes(&info).ok());
                if let Some(info) = info {
                    fields.insert(HeaderName::from_static("authentication-info"), info);
                }
                StatusCode::OK
            }
            Self::Refused(status, challenges) => {
                for challenge in challenges.iter() {
                    fields.append(WWW_AUTHENTICATE, challenge.clone());
                }
                status
            }
            Self::Limited(wait) => {
                fields.insert(RETRY_AFTER, wait.as_secs().max(1).into());
                StatusCode::TOO_MANY_REQUESTS
            }
        };
        let (status, real) = convention.status(status);
        if let Some(real) = real {
            response
                .headers_mut()
                .insert("x-status", real.as_u16().into());
        }
        *response.status_mut() = status;
        response
    }
}
