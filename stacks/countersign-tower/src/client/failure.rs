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
    /// [`Credentials`](super::Credentials) returned `None`, or there are none and the cache has no
    /// account for the endpoint.
    Declined(Ask),
    /// Servers asked for more than five logins during this request. This is the last ask.
    TooManyLogins(Ask),
    /// The request would have to be sent again, but its body [can be sent only once](super::Once),
    /// and the server has refused no password. Its challenge is known now.
    NotRepeatable,
    /// A redirect from another origin has led a request here that may change something, such as a
    /// POST, and this origin asks for a login. No account is used for that: otherwise each server
    /// could act in the program's name at others. Never from [`AuthClient`](super::AuthClient), which
    /// follows no redirects.
    Redirected,
    /// The client gave up.
    ///
    /// With [`GiveUp::WrongCredentials`], the server refused the password, in this request or in an
    /// earlier one, and nobody gave another. Later requests send that of an
    /// [`Account`](countersign::client::Account) again, ever more rarely, but [at least every
    /// 64th](countersign::client::rules#refused-secrets); the others end with this failure, too.
    /// That is for cleartext channels, where a refusal may be forged. Over an encrypted channel it
    /// comes from the origin, and repeating the password may lock the account: stop sending
    /// requests, or wait for a person.
    ///
    /// With [`SkipReason::Account`](countersign::client::SkipReason::Account), the account is for
    /// another realm or scheme, or cannot be sent.
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
            Self::Declined(ask) => write!(f, "no account for {}", place(ask)),
            Self::TooManyLogins(ask) => write!(f, "too many logins, the last for {}", place(ask)),
            Self::NotRepeatable => {
                f.write_str("challenged, but the body cannot be sent again: make the request anew")
            }
            Self::Redirected => f.write_str(
                "a login is asked for where a redirect from another origin has led a request that may \
                 change something: only methods such as GET log in there; send it to that URL \
                 yourself, if you trust it",
            ),
            Self::GiveUp(why @ GiveUp::WrongCredentials(ask)) => {
                write!(f, "{why} for {}", place(ask))
            }
            Self::GiveUp(why) => why.fmt(f),
        }
    }
}

impl Error for LoginFailure {}
