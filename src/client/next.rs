//! The next step after a response.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use crate::client::ask::Ask;
use crate::client::proof::ServerProof;
use crate::client::skip_reason::SkipReason;

/// The next step after a response.
///
/// A loop over these steps ends: see [giving up](super::states#giving-up). The [module](super) has
/// an example.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub enum Next {
    /// The response does not ask this client for credentials: use it. The [`ServerProof`] tells
    /// whether the server proved that it knows the secret. Never returned by
    /// [`Client::challenged`](super::Client::challenged).
    Done(ServerProof),
    /// Send the request again, with what [`Client::authorize`](super::Client::authorize) now
    /// returns.
    Retry,
    /// Get a name and a password, call [`Client::login`](super::Client::login), and send the
    /// request again.
    Login(Ask),
    /// The client cannot go on: return the 401 or 407 response to the caller, unless the [`GiveUp`]
    /// names something else to do.
    GiveUp(GiveUp),
}

/// The reason why a client gave up on an exchange.
///
/// ```
/// use countersign::client::{Client, Endpoint, Exchange, GiveUp, Next, Policy, SkipReason};
///
/// let endpoint = Endpoint::origin("http", "example.com", None)?;
/// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
/// let next = client.challenged(&mut Exchange::new(), [r#"Basic realm="files""#]);
/// let Next::GiveUp(why) = next else { unreachable!() };
/// assert_eq!(
///     why.to_string(),
///     "no usable challenge: Basic over a cleartext channel \
///      without Policy::with_cleartext_basic",
/// );
/// assert_eq!(why, GiveUp::NoUsableChallenge([SkipReason::CleartextBasic].into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum GiveUp {
    /// The server refused the name and password that this exchange sent. To try others, [log
    /// in](super::Client::login) with this ask and start a new [`Exchange`](super::Exchange): see
    /// [three attempts](crate::manual::client#a-person-who-types).
    WrongCredentials(Ask),
    /// The server asked for another nonce, although the client had already sent the request again
    /// in this exchange for another nonce or other parameters. The secret may be right. The new
    /// nonce is kept for the next exchange.
    StaleAgain,
    /// The server refused as many answers of the exchange as
    /// [`Policy::with_max_answers`](super::Policy::with_max_answers) allows, or challenged it again
    /// after the client had given up on it. Some refusals for which [other
    /// requests](super::states#giving-up) may be the reason do not count.
    TooManyAnswers,
    /// The server challenged more than eight requests of the exchange that carried no answer, for
    /// example because nobody logged in, or because the [`AuthCache`](super::AuthCache) evicted the
    /// client each time. These requests do not count towards
    /// [`TooManyAnswers`](Self::TooManyAnswers).
    NeverAnswered,
    /// The client can answer none of the challenges: each is malformed, unsupported or too long, or
    /// not allowed by the policy or the required strength. The slice has the reason for each, in
    /// order; it is empty if there was no challenge.
    ///
    /// The exchange stays open, so you may go on with other challenges, for example from a field of
    /// another name. If the request carried an answer, that may have been refused, and is
    /// kept all the same: see [`errors`](crate::manual::errors#giveup-a-client-stops).
    NoUsableChallenge(Box<[SkipReason]>),
}

impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongCredentials(_) => f.write_str("wrong user name or password"),
            Self::StaleAgain => f.write_str("the server asked for yet another nonce"),
            Self::TooManyAnswers => {
                f.write_str("the server refused too many answers (Policy::with_max_answers)")
            }
            Self::NeverAnswered => f.write_str("too many challenges to requests without an answer"),
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
