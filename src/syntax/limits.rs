//! Limits on the size of headers.
//!
//! All limits on input, including those of the client and the server, are listed in
//! [`manual::security`](crate::manual::security#limits).

/// The maximum length of one header value: 128 KiB.
///
/// Most HTTP libraries limit a whole header section to between 8 and 64 KiB. The largest values in
/// practice are Kerberos tokens of up to 64 KiB, which take 86 KiB in base64.
pub const MAX_VALUE_BYTES: usize = 128 * 1024;

/// The maximum number of parameters in one challenge, one `Authorization` value or one
/// `Authentication-Info` value: 4,096.
///
/// A Digest header usually has at most a dozen. The limit protects callers that collect parameters.
pub const MAX_PARAMS: usize = 4096;

/// The maximum number of challenges in all values of one field, unreadable ones included: 256.
/// Values over [`MAX_VALUE_BYTES`] are not counted.
///
/// A server that offers Basic and each Digest algorithm once sends seven. The limit bounds the work
/// that one response can cause.
pub const MAX_CHALLENGES: usize = 256;
