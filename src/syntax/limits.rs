//! How much of a header is read.
//!
//! Parsing is linear and allocates nothing, so these bound what a hostile peer can make a caller
//! do *with* what was read, and are checked before any work is done on what lies beyond them.

/// The most bytes of one header value: 128 KiB.
///
/// HTTP libraries stop at 8 to 64 KiB for a whole header section. The largest values known to be
/// sent are Kerberos tokens of up to 64 KiB, which are 86 KiB in base64.
pub const MAX_VALUE_BYTES: usize = 128 * 1024;

/// The most parameters of one challenge, one `Authorization`, or one value of
/// `Authentication-Info`: 4,096.
///
/// A Digest header has a dozen. The bound is generous because a parameter costs the parser no
/// more than its bytes do, and is there for callers that collect.
pub const MAX_PARAMS: usize = 4096;

/// The most challenges in all the values of one field: 256.
///
/// A server that offers every Digest algorithm and Basic sends seven. A client weighs each
/// challenge, so this bounds what one response can make it weigh.
pub const MAX_CHALLENGES: usize = 256;
