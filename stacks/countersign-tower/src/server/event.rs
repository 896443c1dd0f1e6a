//! What is told to a log.

use std::fmt;
use std::net::IpAddr;

use countersign::digest::User;
use http::StatusCode;
use http::request::Parts;

use crate::server::outcome::Outcome;

/// What became of a request, for logs, metrics and rate limiters: see
/// [`on_event`](super::AuthLayerBuilder::on_event).
///
/// `Display` is a line for a log, without what only the client knows and without control
/// characters: `wrong-credentials from 192.0.2.1 in "files", user "Mufasa"`, or `-` where the address
/// or the user is not known. The user, which anybody can claim, comes last and is shortened to 100
/// characters. A filter for fail2ban is `^wrong-credentials from <HOST> in `.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The head of the request. Credentials in it are marked as sensitive, so `Debug` does not show
    /// them.
    pub head: &'a Parts,
    /// The address of the [client](super::ClientAddress).
    pub address: Option<IpAddr>,
    /// The request-target as the client sent it, against which Digest is checked. Below
    /// `Router::nest` the URI in the head has lost its prefix. A log should show it by `{:?}`: it may
    /// have characters that reverse the text after them.
    pub uri: &'a str,
    /// The name of the realm.
    pub realm: &'a str,
    /// The user that the client claims to be, if it can be read. `Display` escapes it, and does not
    /// shorten it: it can be several times as long as a header.
    pub user: Option<User<'a>>,
    /// Whether it was let through, and why not.
    pub outcome: Outcome<'a>,
    /// The status of the response; `None` if the wrapped service decides.
    pub status: Option<StatusCode>,
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from ", self.outcome.name())?;
        match self.address {
            Some(address) => write!(f, "{}", address.to_canonical())?,
            None => f.write_str("-")?,
        }
        write!(f, " in {:?}, user ", self.realm)?;
        match &self.user {
            // Without a limit, one request writes half a megabyte into the log.
            Some(user) => {
                let user = user.to_string();
                let end = user
                    .char_indices()
                    .nth(100)
                    .map_or(user.len(), |(at, _)| at);
                f.write_str(&user[..end])
            }
            None => f.write_str("-"),
        }
    }
}
