//! What a status says about credentials.

/// What the status of a response says about the credentials of the request.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// They were read and accepted.
    Accepted,
    /// They were probably not looked at, whatever they were.
    Unread,
    /// The server or an intermediary may have failed to read them, because of the nonce.
    Doubtful,
}

impl Meaning {
    pub(super) const fn of(status: u16) -> Self {
        match status {
            // From limits of time and of requests, from servers that want another connection, and
            // from captive portals (511).
            408 | 421 | 425 | 426 | 429 | 511 => Self::Unread,
            // The header could not be parsed (400), a filter refused its contents (403, 406) or a
            // limit its size (413, 414, 431), reading it failed, or the server behind could not be
            // reached. The last two are not registered, so RFC 9110, section 15, has them read as
            // 500. CDNs use some of them in place of 502.
            400 | 403 | 406 | 413 | 414 | 431 | 500 | 502..=504 | 509 | 512..=599 => Self::Doubtful,
            // Including the statuses of 4xx that are not registered for HTTP, which RFC 9110 has
            // read as 400: SIP and RTSP use them for what happens after the check of the
            // credentials, such as 486 (Busy Here).
            _ => Self::Accepted,
        }
    }
}
