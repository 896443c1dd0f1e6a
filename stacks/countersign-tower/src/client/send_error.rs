//! The errors of clients that follow redirects.

use std::convert::Infallible;
use std::error::Error;
use std::fmt::{self, Write};

use countersign::client::{self, GiveUp, LoginError};
use countersign::{Challenger, InvalidText};
use http::header::WWW_AUTHENTICATE;

use crate::client::error::AuthClientError;
use crate::client::failure::LoginFailure;
use crate::client::redirect::Followed;
use crate::client::transport::Incoming;

/// The reason why a request has no response that can be used. `E` is the error of what sends it, and
/// `R` its response.
#[derive(Debug)]
#[non_exhaustive]
pub enum SendError<E, R> {
    /// The request was not sent, or its response did not arrive.
    Send(E),
    /// Not a URL of `http` or `https` with a host.
    Url,
    /// The URL has a user name or a password: give them to an [`Account`](client::Account).
    Userinfo,
    /// The server refused the name and the password.
    ///
    /// Over TLS, stop at that: further requests send the same password now and then, and might lock
    /// the account. In clear the refusal may be forged. If several requests at once share a login at
    /// a server whose nonces are good once, as those of some devices are, and that does not call
    /// them stale, the password may be right: [`Quirk::OnlyWhenAsked`](client::Quirk::OnlyWhenAsked)
    /// gives each request a nonce of its own.
    WrongCredentials(Box<Refused<R>>),
    /// The response asks for a login, and there is none: [`LoginFailure`] says why.
    Login(Box<Refused<R>>),
    /// The response leads on after as many redirects as are followed.
    TooManyRedirects(Box<R>),
    /// No answer can be made for this request.
    Authorize(client::Error),
    /// The server did not prove that it knows the secret, which the policy requires, or its proof
    /// was wrong. The response is not to be trusted.
    ServerProof(client::Error),
}

/// A response that asks for a login.
#[non_exhaustive]
pub struct Refused<R> {
    /// Why there is none.
    pub why: LoginFailure,
    /// The response.
    pub response: R,
    /// What the error shows.
    text: String,
}

impl<E, R> SendError<E, R> {
    /// Returns the response, unless it asks for a login or leads on.
    pub(super) fn check<I: Incoming<Inner = R>>(followed: Followed<I>) -> Result<R, Self> {
        let mut response = followed.response;
        if followed.leads_on {
            return Err(Self::TooManyRedirects(Box::new(response.into_inner())));
        }
        let Some(why) = response.extensions_mut().remove::<LoginFailure>() else {
            return Ok(response.into_inner());
        };
        let mut text = why.to_string();
        let is_wrong = match &why {
            LoginFailure::GiveUp(GiveUp::WrongCredentials(ask)) => {
                let is_origin = ask.endpoint().challenger() == Challenger::Origin;
                if is_origin && !followed.is_answered {
                    // The realm comes last.
                    text.insert_str(0, "not sent again after an earlier refusal: ");
                }
                true
            }
            _ => false,
        };
        if !is_wrong {
            let _ = write!(text, " ({}", followed.uri);
            if let LoginFailure::GiveUp(GiveUp::NoUsableChallenge(_)) = why {
                for value in response.headers().get_all(WWW_AUTHENTICATE) {
                    // The server's choice: not at any length.
                    let shown = value.to_str().unwrap_or("(not ASCII)").chars().take(60);
                    let _ = write!(text, "; {} …", String::from_iter(shown));
                }
            }
            text.push(')');
        }
        let refused = Box::new(Refused {
            why,
            response: response.into_inner(),
            text,
        });
        Err(match is_wrong {
            true => Self::WrongCredentials(refused),
            false => Self::Login(refused),
        })
    }
}

impl<E, R> From<AuthClientError<E>> for SendError<E, R> {
    fn from(error: AuthClientError<E>) -> Self {
        match error {
            AuthClientError::Service(error) => Self::Send(error),
            AuthClientError::UnknownOrigin => Self::Url,
            AuthClientError::Authorize(error) => Self::Authorize(error),
            AuthClientError::ServerProof(error) => Self::ServerProof(error),
        }
    }
}

impl<E: fmt::Display, R> fmt::Display for SendError<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(error) => error.fmt(f),
            Self::Url => f.write_str("expected a URL such as http://host:8080/path"),
            Self::Userinfo => InvalidText::Userinfo.fmt(f),
            Self::WrongCredentials(refused) | Self::Login(refused) => f.write_str(&refused.text),
            Self::TooManyRedirects(_) => f.write_str("too many redirects"),
            Self::Authorize(error) | Self::ServerProof(error) => error.fmt(f),
        }
    }
}

/// Transparent, like its `Display`.
impl<E: Error, R: fmt::Debug> Error for SendError<E, R> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Send(error) => error.source(),
            Self::Url | Self::Userinfo | Self::TooManyRedirects(_) => None,
            Self::WrongCredentials(refused) | Self::Login(refused) => refused.why.source(),
            Self::Authorize(error) | Self::ServerProof(error) => error.source(),
        }
    }
}

impl<R: fmt::Debug> fmt::Debug for Refused<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused")
            .field("why", &self.why)
            .field("response", &self.response)
            .finish_non_exhaustive()
    }
}

/// The reason why a client cannot be set up. `E` is the error of the library that it is made with.
#[derive(Debug)]
#[non_exhaustive]
pub enum SetupError<E = Infallible> {
    /// Not a URL with a host and a known port.
    Url,
    /// The URL has a user name or a password: give them to the [`Account`](client::Account).
    Userinfo,
    /// The account cannot be used.
    Account(LoginError),
    /// The operating system has no random numbers.
    Random,
    /// The library refuses its settings.
    Settings(E),
}

impl<E: fmt::Display> fmt::Display for SetupError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url => f.write_str("expected a URL such as http://host:8080/path"),
            Self::Userinfo => InvalidText::Userinfo.fmt(f),
            Self::Account(error) => error.fmt(f),
            Self::Random => f.write_str("no random numbers from the operating system"),
            Self::Settings(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for SetupError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Account(error) => error.source(),
            Self::Settings(error) => error.source(),
            Self::Url | Self::Userinfo | Self::Random => None,
        }
    }
}
