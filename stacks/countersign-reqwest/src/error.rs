//! The errors.

use reqwest::Response;

/// The reason why a request has no response that can be used. `E` is the error of what sends it.
///
/// ```no_run
/// use countersign_reqwest::{Client, Error};
///
/// # async fn get(client: Client) {
/// match client.get("https://example.com/").send().await {
///     Ok(response) => println!("{}", response.status()),
///     Err(Error::WrongCredentials(refused)) => println!("{}: ask again", refused.why),
///     Err(Error::Login(refused)) => println!("refused: {}", refused.why),
///     Err(error) => println!("{error}"),
/// }
/// # }
/// ```
pub type Error<E = reqwest::Error> = countersign_tower::client::SendError<E, Response>;

/// A response that asks for a login, and why there is none.
pub type Refused = countersign_tower::client::Refused<Response>;

/// The reason why a [`Client`](crate::Client) cannot be set up.
pub type SetupError = countersign_tower::client::SetupError<reqwest::Error>;
