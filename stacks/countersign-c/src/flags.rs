//! The settings that C passes as bits, and hash functions as numbers.
#![forbid(unsafe_code)]

use countersign::digest::HashFunction;

/// The request came over TLS: for `cs_server_check` and `cs_server_begin`.
pub const CS_ENCRYPTED: u32 = 1;
/// Basic, too: offered by a server on encrypted channels, allowed for an account of a client.
pub const CS_BASIC: u32 = 2;
/// Basic also over cleartext, where anybody on the way reads the password.
pub const CS_CLEARTEXT_BASIC: u32 = 4;
/// The form of RFC 2069, without `qop`: a client accepts a server that offers nothing else.
pub const CS_RFC2069: u32 = 8;
/// The role of a proxy: status 407, and the fields `Proxy-Authenticate` and so on.
pub const CS_PROXY: u32 = 16;
/// `auth-int`, which covers the body: offered by a server beside `auth`, preferred by a client.
pub const CS_AUTH_INT: u32 = 32;
/// For a server whose HTTP library has decoded the request-target, and does not show it as it came.
pub const CS_DECODED: u32 = 64;

/// The hash function MD5.
pub const CS_MD5: i32 = 0;
/// The hash function SHA-256.
pub const CS_SHA_256: i32 = 1;
/// The hash function SHA-512/256.
pub const CS_SHA_512_256: i32 = 2;

/// The settings of one call.
#[derive(Clone, Copy)]
pub(crate) struct Flags(u32);

impl Flags {
    /// Refuses bits that the call does not know, so that a setting is never lost in silence.
    pub(crate) fn new(bits: u32, known: u32) -> Result<Self, String> {
        match bits & !known {
            0 => Ok(Self(bits)),
            unknown => Err(format!(
                "flags have {unknown:#x}, which this call does not take"
            )),
        }
    }

    pub(crate) const fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

pub(crate) fn hash(number: i32) -> Result<HashFunction, String> {
    let mut all = HashFunction::ALL.iter().copied();
    all.find(|&hash| self::number(hash) == number)
        .ok_or_else(|| {
            format!("hash is {number}, and not one of CS_MD5, CS_SHA_256, CS_SHA_512_256")
        })
}

pub(crate) const fn number(hash: HashFunction) -> i32 {
    match hash {
        HashFunction::Md5 => CS_MD5,
        HashFunction::Sha256 => CS_SHA_256,
        _ => CS_SHA_512_256,
    }
}
