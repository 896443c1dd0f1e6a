//! Headers and Digest values by hand: for programs that are neither [`Client`](crate::client::Client)
//! nor [`Authenticator`](crate::server::Authenticator), such as tests, other protocols, and devices
//! that deviate from the RFCs.
//!
//! Basic, on both sides:
//!
//! ```
//! use countersign::Authorization;
//! use countersign::wire::{basic_challenge, basic_credentials};
//!
//! assert_eq!(basic_challenge("WallyWorld", true)?, r#"Basic realm="WallyWorld", charset="UTF-8""#);
//! let value = basic_credentials("Aladdin", "open sesame")?;
//! assert_eq!(value, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
//! let Ok(Authorization::Basic(pair)) = Authorization::parse(&value) else { unreachable!() };
//! assert!(pair.matches("Aladdin", "open sesame"));
//! # Ok::<(), countersign::InvalidText>(())
//! ```
//!
//! The formulas of Digest:
//!
//! ```
//! # #[cfg(feature = "md5")] {
//! use countersign::digest::{Ha1, HashFunction};
//! use countersign::wire::{QopParams, ha2, response};
//!
//! // RFC 7616, section 3.9.1
//! let ha1 = Ha1::new(HashFunction::Md5, "Mufasa", "http-auth@example.org", "Circle of Life");
//! let ha2 = ha2(HashFunction::Md5, "GET", "/dir/index.html", None);
//! let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
//! let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
//! let qop_params = QopParams::new("auth", "00000001", cnonce)?;
//! let response = response(&ha1, nonce, Some(&qop_params), &ha2);
//! assert_eq!(response.as_str(), "8ca523f5e9506fed4657c9700eebdbec");
//!
//! // For MD5-sess, the key takes the place of HA1.
//! let key = ha1.session_key(nonce, cnonce);
//! # let _ = key;
//! # }
//! # Ok::<(), countersign::HeaderError>(())
//! ```

pub use crate::basic::{BasicCredentials, basic_challenge, basic_credentials};
pub use crate::digest::challenge::DigestChallenge;
pub use crate::digest::compute::{ha2, response};
pub use crate::digest::credentials::DigestCredentials;
pub use crate::digest::qop::QopParams;
pub use crate::header::AuthenticationInfo;
