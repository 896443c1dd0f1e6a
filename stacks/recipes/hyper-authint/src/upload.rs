//! A body that comes in.
use std::time::Duration;

use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Incoming};
use tokio::time::timeout;

/// The longest body, in bytes.
pub const LIMIT: usize = 1 << 30;

/// How long a body may take: anybody can begin one.
pub const MAX_TIME: Duration = Duration::from_secs(60);

/// A body that came in whole.
pub struct Upload {
    pub size: usize,
    pub pieces: usize,
    pub digest: Option<HexDigest>,
}

impl Upload {
    /// Reads a body, to a temporary file if this were a program of use, and hashes it if asked to.
    pub async fn receive(
        body: Incoming,
        hash: Option<HashFunction>,
        max_time: Duration,
    ) -> Result<Self, StatusCode> {
        // A declared length is refused before the body is sent.
        if body.size_hint().lower() > LIMIT as u64 {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let read = timeout(max_time, Self::read(body, hash)).await;
        read.unwrap_or(Err(StatusCode::REQUEST_TIMEOUT))
    }

    async fn read(mut body: Incoming, hash: Option<HashFunction>) -> Result<Self, StatusCode> {
        let mut hasher = hash.map(BodyHasher::new);
        let (mut size, mut pieces) = (0, 0);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| StatusCode::BAD_REQUEST)?;
            let Some(data) = frame.data_ref() else {
                continue;
            };
            size += data.len();
            pieces += 1;
            if size > LIMIT {
                return Err(StatusCode::PAYLOAD_TOO_LARGE);
            }
            if let Some(hasher) = &mut hasher {
                hasher.update(data);
            }
        }
        let digest = hasher.map(BodyHasher::finish);
        Ok(Self {
            size,
            pieces,
            digest,
        })
    }
}
