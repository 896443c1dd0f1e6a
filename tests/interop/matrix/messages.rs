//! RTSP and SIP, which have the same header fields.

use super::Row;

pub(super) fn rows() -> Vec<Row> {
    Vec::new()
}
