//! A body that comes in.
use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::Incoming;

const LIMIT: usize = 1 << 30;

/// A body that came in whole.
pub struct Upload {
    pub size: usize,
    pub pieces: usize,
    pub digest: Option<HexDigest>,
}

impl Upload {
    /// Reads a body, to a temporary file if this were a program of use, and hashes it if asked to.
    pub async fn receive(
        mut body: Incoming,
        hash: Option<HashFunction>,
    ) -> Result<Self, StatusCode> {
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
