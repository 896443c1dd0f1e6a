//! The reason why nobody is logged in.

use std::error::Error;
use std::fmt;

use countersign::client::{Ask, GiveUp};

/// The reason why [`AuthClient`](super::AuthClient) returned a 401 or 407. It is in the extensions
/// of each such response, unless the layer left the request [alone](super#what-a-response-tells).
///
/// ```
/// use countersign_tower::client::LoginFailure;
/// use http::Response;
///
/// fn check<B>(response: Response<B>) -> Result<Response<B>, LoginFailure> {
///     match response.extensions().get::<LoginFailure>() {
///         Some(why) => Err(why.clone()),
///         None => Ok(response),
///     }
/// }
/// # assert!(check(Response::new(())).is_ok());
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum LoginFailure {
    /// [`Credentials`](super::Credentials) returned `None`. If they did so after a wrong password,
    /// [`Ask::is_again`] is true.
    Declined(Ask),
    /// The server refused this user's password, in this request or in an earlier one.
    ///
    /// If [`Credentials`](super::Credentials) return the same password again, as a
    /// [`Login`](super::Login) does, later requests send it, ever more rarely, but [at least every
    /// 64th](countersign::client::states#refused-secrets). The others end with this failure, too,
    /// and did not send it. That is for cleartext channels, where a refusal may be forged. Over an
    /// encrypted channel an unattended program [stops here](super::Credentials::credentials).
    #[non_exhaustive]
    WrongCredentials {
        /// The user name that [`Credentials`](super::Credentials) returned.
        user: String,
        /// Where it was refused.
        ask: Ask,
    },
    /// Servers asked for more than five logins during this request. This is the last ask.
    TooManyLogins(Ask),
    /// The request would have to be sent again, but its body [can be sent only once](super::Once),
    /// and the server has refused no password.
    NotRepeatable,
    /// The client gave up, for example because it can answer none of the challenges. A wrong
    /// password is a reason only if the body of the request [can be sent only once](super::Once):
    /// then nobody was asked for another.
    GiveUp(GiveUp),
}

impl fmt::Display for LoginFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The realm is the server's choice: it comes last, and not at any length.
        let place = |ask: &Ask| {
            let realm: String = ask.realm_text().chars().take(60).collect();
            format!("{}, realm {realm:?}", ask.endpoint())
        };
        match self {
            Self::Declined(ask) => write!(f, "no login for {}", place(ask)),
            Self::WrongCredentials { user, ask } => {
                let place = place(ask);
                write!(
                    f,
                    "wrong password of {user:?}, or no such user, for {place}"
                )
            }
            Self::TooManyLogins(ask) => write!(f, "too many logins, the last for {}", place(ask)),
            Self::NotRepeatable => {
                f.write_str("challenged, but the request body cannot be sent again")
            }
            Self::GiveUp(why) => why.fmt(f),
        }
    }
}

impl Error for LoginFailure {}
