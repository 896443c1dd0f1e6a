//! The errors.

use std::fmt;

use countersign::client::{self, GiveUp, LoginError};
use countersign_tower::client::{AuthClientError, LoginFailure};
use http::header::WWW_AUTHENTICATE;
use reqwest::Response;

/// The reason why a request has no response that can be used. `E` is the error of what sends it.
///
/// ```no_run
/// use countersign_reqwest::{Auth, Error, SendWith};
///
/// # async fn get(client: reqwest::Client, auth: Auth) {
/// match client.get("https://example.com/").send_with(&auth).await {
///     Ok(response) => println!("{}", response.status()),
///     Err(Error::WrongCredentials(refused)) => println!("{}: ask again", refused.why),
///     // The password may be wrong, too: `LoginFailure::MaybeDone`.
///     Err(Error::Login(refused)) => println!("refused: {}", refused.why),
///     Err(error) => println!("{error}"),
/// }
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error<E = reqwest::Error> {
    /// The request was not sent, or its response did not arrive.
    Reqwest(E),
    /// The URL is not one of `http` or `https`.
    Url,
    /// The server refused the name and the password.
    ///
    /// Over TLS, stop at that: further requests send the same password now and then, and might lock
    /// the account. In clear the refusal may be forged. If several tasks share a login at a server
    /// whose nonces are good once, as those of some devices are, and that does not call them stale,
    /// the password may be right: [`Quirk::OnlyWhenAsked`](client::Quirk::OnlyWhenAsked) gives each
    /// request a nonce of its own.
    WrongCredentials(Box<Refused>),
    /// The response asks for a login, and there is none: [`LoginFailure`] says why.
    Login(Box<Refused>),
    /// No answer can be made for this request.
    Authorize(client::Error),
    /// The server did not prove that it knows the secret, which the policy requires, or its proof
    /// was wrong. The response is not to be trusted.
    ServerProof(client::Error),
}

/// A response that asks for a login.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refused {
    /// Why there is none.
    pub why: LoginFailure,
    /// The response.
    pub response: Response,
}

impl<E> Error<E> {
    pub(crate) fn of_refused(why: LoginFailure, response: Response) -> Self {
        let is_wrong = matches!(why, LoginFailure::GiveUp(GiveUp::WrongCredentials(_)));
        let refused = Box::new(Refused { why, response });
        match is_wrong {
            true => Self::WrongCredentials(refused),
            false => Self::Login(refused),
        }
    }

    pub(crate) fn of_sending(error: AuthClientError<E>) -> Self {
        match error {
            AuthClientError::Service(error) => Self::Reqwest(error),
            AuthClientError::Authorize(error) => Self::Authorize(error),
            AuthClientError::ServerProof(error) => Self::ServerProof(error),
            _ => Self::Url,
        }
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reqwest(error) => error.fmt(f),
            Self::Url => f.write_str("not a URL of http or https"),
            Self::WrongCredentials(refused) => refused.why.fmt(f),
            Self::Login(refused) => {
                write!(f, "{} ({}", refused.why, refused.response.url())?;
                if let LoginFailure::GiveUp(GiveUp::NoUsableChallenge(_)) = refused.why {
                    // The server's choice: not at any length.
                    for value in refused.response.headers().get_all(WWW_AUTHENTICATE) {
                        let text: String = value
                            .to_str()
                            .iter()
                            .flat_map(|it| it.chars())
                            .take(60)
                            .collect();
                        write!(f, "; {text} …")?;
                    }
                }
                f.write_str(")")
            }
            Self::Authorize(error) => error.fmt(f),
            Self::ServerProof(error) => error.fmt(f),
        }
    }
}

/// Transparent, like its `Display`.
impl<E: std::error::Error> std::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Reqwest(error) => error.source(),
            Self::Url => None,
            Self::WrongCredentials(refused) | Self::Login(refused) => refused.why.source(),
            Self::Authorize(error) => error.source(),
            Self::ServerProof(error) => error.source(),
        }
    }
}

/// The reason why an [`Auth`](crate::Auth) cannot be set up.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SetupError {
    /// Not a URL with a host and a known port.
    Url,
    /// The account cannot be used.
    Account(LoginError),
    /// The operating system has no random numbers.
    Random,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url => f.write_str("not a URL with a host and a known port"),
            Self::Account(error) => error.fmt(f),
            Self::Random => f.write_str("no random numbers from the operating system"),
        }
    }
}

impl std::error::Error for SetupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Account(error) => error.source(),
            Self::Url | Self::Random => None,
        }
    }
}
