//! What to do after a response.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use crate::client::ask::Ask;
use crate::client::proof::ServerProof;
use crate::client::skip_reason::SkipReason;

/// What to do after a response.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub enum Next {
    /// The response is the one to hand on, and this is what the server proved of itself. Never
    /// after [`Client::challenged`](super::Client::challenged).
    Done(ServerProof),
    /// Send the request again.
    Retry,
    /// Get a name and a password, call [`Client::login`](super::Client::login), then send the
    /// request again.
    Login(Ask),
    /// The exchange is over. Hand the response on to whoever asked for it.
    GiveUp(GiveUp),
}

/// Why a client does not try again.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum GiveUp {
    /// The server did not take the name and password that this exchange had sent. Ask the user for
    /// others, [log in](super::Client::login) with them and go on with a new
    /// [`Exchange`](super::Exchange); or hand the response on.
    WrongCredentials(Ask),
    /// The server called a nonce stale that it had only just issued.
    StaleAgain,
    /// The server has refused as many answers of the exchange as the policy allows.
    TooManyAnswers,
    /// The server has asked eight times, and each time the request went without an answer: nobody
    /// has logged in, or the client was forgotten by its [`AuthCache`](super::AuthCache).
    NeverAnswered,
    /// No challenge is of a kind that can be used and the policy allows; why each was skipped, in
    /// order. None at all if there was none.
    ///
    /// This changes nothing: if you know of other challenges, such as in a field of another name,
    /// the exchange may go on with them.
    NoUsableChallenge(Box<[SkipReason]>),
}

impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongCredentials(_) => f.write_str("wrong user name or password"),
            Self::StaleAgain => f.write_str("the server calls its own fresh nonce stale"),
            Self::TooManyAnswers => f.write_str("refused too often"),
            Self::NeverAnswered => f.write_str("asked too often without a login"),
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

impl Error for GiveUp {}
