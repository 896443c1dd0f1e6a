//! What to do after a challenge.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use crate::client::skipped::Skipped;

/// What to do after a challenge.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub enum Next {
    /// Get a name and a password, call [`Client::login`](super::Client::login), then send the request again.
    Login,
    /// Send the request again.
    Retry,
    /// The exchange is over. Hand the response on to whoever asked for it.
    Refused(Refusal),
}

/// Why a client does not try again.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The server did not take the name and password. Ask the user for others, and go on with
    /// [`Client::login`](super::Client::login) and a new [`Exchange`](super::Exchange); or hand the
    /// response on. Never try the same again: servers count.
    WrongCredentials,
    /// The server called a nonce stale that it had only just issued.
    StaleAgain,
    /// The exchange has had as many answers as the policy allows.
    TooManyAnswers,
    /// No challenge is of a kind that can be used and the policy allows; why each was skipped, in
    /// order. None at all if there was none.
    ///
    /// This changes nothing: if you know of other challenges, such as in a field of another name,
    /// the exchange may go on with them.
    NoUsableChallenge(Box<[Skipped]>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongCredentials => f.write_str("wrong user name or password"),
            Self::StaleAgain => f.write_str("the server calls its own fresh nonce stale"),
            Self::TooManyAnswers => f.write_str("refused too often"),
            Self::NoUsableChallenge(skipped) => {
                f.write_str("no usable challenge")?;
                for (n, why) in skipped.iter().enumerate() {
                    write!(f, "{} {why}", if n == 0 { ":" } else { "," })?;
                }
                Ok(())
            }
        }
    }
}

impl Error for Refusal {}
