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

pub use crate::basic::{BasicCredentials, basic_challenge, basic_credentials};
pub use crate::digest::challenge::DigestChallenge;
pub use crate::digest::compute::{ha2, response};
pub use crate::digest::credentials::DigestCredentials;
pub use crate::digest::qop::QopParams;
pub use crate::header::AuthenticationInfo;
