//! Who knows the passwords.

use std::future::Future;
use std::sync::Arc;

use countersign::client::Ask;

/// Who knows names and passwords: the user, a configuration, a key store. A
/// [`Login`](super::Login) knows one.
///
/// ```
/// use countersign::Scheme;
/// use countersign::client::Ask;
/// use countersign_tower::client::Credentials;
///
/// struct Terminal;
///
/// impl Credentials for Terminal {
///     async fn credentials(&self, ask: &Ask) -> Option<(String, String)> {
///         let again = if ask.is_again() { "Wrong password. " } else { "" };
///         // The endpoint first: the realm is any text, which can be long and look like a prompt.
///         let realm: String = ask.realm_text().chars().take(60).collect();
///         // By Basic the server gets the password itself.
///         let form = if ask.scheme() == Scheme::Basic { " (sent unhashed)" } else { "" };
///         prompt(format!("{again}{}, realm {realm:?}{form}", ask.endpoint())).await
///     }
/// }
/// # async fn prompt(_: String) -> Option<(String, String)> { None }
/// # let _ = Terminal;
/// ```
pub trait Credentials: Send + Sync + 'static {
    /// Returns a name and a password, or `None` to give up: then the 401 or 407 is returned.
    ///
    /// Any server can choose any realm name and scheme, and so can each user of an origin that many
    /// share. So look at [`Ask::endpoint`], [`Ask::realm`] and [`Ask::scheme`] before you give out
    /// a password. If the last one was wrong, [`Ask::is_again`] is true.
    ///
    /// | returned | the request | [`LoginFailure`](super::LoginFailure) in the extensions |
    /// |---|---|---|
    /// | a pair that the server accepts | is sent with it | none |
    /// | one that it refuses | is sent with it, and you are asked again | |
    /// | a pair that it has refused before | is sent with it [now and then](countersign::client::states#refused-secrets), or else ends with the 401 or 407 | `WrongCredentials` |
    /// | the fifth wrong pair | ends with the 401 or 407 | `TooManyLogins` |
    /// | `None` | ends with the 401 or 407 | `Declined` |
    ///
    /// For a program with one fixed password, the [channel](countersign::client::Endpoint::channel)
    /// of the endpoint decides:
    ///
    /// - Over an encrypted one a refusal comes from the origin, and repeating the password may lock
    ///   the account. Return `None` if [`Ask::is_again`] is true, and stop sending requests, or
    ///   wait for a person.
    /// - Over a cleartext one anybody on the way can forge a refusal. Always return the password:
    ///   the client bounds how often a [refused one](countersign::client::states#refused-secrets)
    ///   is sent, usually to about twenty times in a thousand requests. Where the
    ///   server locks accounts or bans addresses after a few failures, return `None` here, too.
    ///
    /// It is called once for all requests that wait for the same login, and a `None` holds for all
    /// of them. If the future is dropped with its request, the next one that waits calls it again.
    /// It may send requests through the same layer, but not to this endpoint.
    fn credentials(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send;
}

impl<C: Credentials> Credentials for Arc<C> {
    fn credentials(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send {
        C::credentials(self, ask)
    }
}
