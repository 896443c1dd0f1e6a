//! The parameters that this crate interprets. A new one also needs a field in `digest/challenge.rs`,
//! `digest/credentials.rs` or `header/info.rs`; tests then name the rest.

use crate::error::{HeaderError, Thin};
use crate::syntax::chars::is_word;
use crate::syntax::scheme::as_str;

/// Each row is a parameter: the length of its name, its name in lower case, its variant.
macro_rules! params {
    ($($length:literal $word:literal $name:ident)*) => {
        /// A parameter that this crate interprets.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub(crate) enum ParamName {
            $($name,)*
        }

        impl ParamName {
            pub(super) const COUNT: usize = [$($length),*].len();

            /// The name as written in a header, in lower case.
            pub(crate) const fn as_str(self) -> Thin {
                match self {
                    $(Self::$name => const { &as_str($word) },)*
                }
            }

            /// Finds a parameter by its name, ignoring ASCII case.
            pub(super) fn find(name: &[u8]) -> Option<Self> {
                match name.len() {
                    $($length if is_word(name, $word) => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

params! {
    2 b"nc" Nc
    3 b"uri" Uri
    3 b"qop" Qop
    5 b"realm" Realm
    5 b"nonce" Nonce
    5 b"stale" Stale
    6 b"cnonce" Cnonce
    6 b"opaque" Opaque
    6 b"domain" Domain
    7 b"rspauth" RspAuth
    7 b"charset" Charset
    8 b"username" Username
    8 b"response" Response
    8 b"userhash" Userhash
    9 b"algorithm" Algorithm
    9 b"nextnonce" NextNonce
    9 b"username*" UsernameExt
}

/// What is wrong with a parameter.
impl ParamName {
    pub(crate) const fn missing(self) -> HeaderError {
        HeaderError::param(self.as_str(), &"missing")
    }

    pub(crate) const fn repeated(self) -> HeaderError {
        HeaderError::param(self.as_str(), &"given more than once")
    }

    pub(crate) const fn malformed(self) -> HeaderError {
        HeaderError::param(self.as_str(), &"malformed")
    }

    /// It contradicts another parameter, or must not occur together with it.
    pub(crate) const fn inconsistent(self) -> HeaderError {
        HeaderError::param(self.as_str(), &"in conflict with another parameter")
    }

    /// Its value, or the default if it is absent, is not one that this crate supports.
    pub(crate) const fn unsupported(self) -> HeaderError {
        HeaderError::param(self.as_str(), &"not supported")
    }
}
