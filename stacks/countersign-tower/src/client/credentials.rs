//! Who knows the passwords.

use std::future::Future;
use std::sync::Arc;

use countersign::client::{Account, Ask};

/// Who knows names and passwords that the [cache](countersign::client::AuthCache::add_account) does
/// not have: the user, or a key store.
///
/// ```
/// use countersign::Scheme;
/// use countersign::client::{Account, Ask};
/// use countersign_tower::client::Credentials;
///
/// struct Terminal;
///
/// impl Credentials for Terminal {
///     async fn credentials(&self, ask: &Ask) -> Option<Account> {
///         let again = if ask.is_again() { "Wrong password. " } else { "" };
///         // The endpoint first: the realm is any text, which can be long and look like a prompt.
///         let realm: String = ask.realm_text().chars().take(60).collect();
///         // By Basic the server gets the password itself.
///         let is_basic = ask.scheme() == Scheme::Basic;
///         let form = if is_basic { " (sent unhashed)" } else { "" };
///         let place = format!("{again}{}, realm {realm:?}{form}", ask.endpoint());
///         let (name, password) = prompt(place).await?;
///         let account = Account::new(&name, &password);
///         Some(if is_basic { account.with_basic() } else { account })
///     }
/// }
/// # async fn prompt(_: String) -> Option<(String, String)> { None }
/// # let _ = Terminal;
/// ```
pub trait Credentials: Send + Sync + 'static {
    /// Returns an account, or `None` to give up: then the 401 or 407 is returned.
    ///
    /// Any server can choose any realm name and scheme, and so can each user of an origin that many
    /// share. So look at [`Ask::endpoint`] and [`Ask::realm`] before you give out a password, or
    /// bind the [`Account`] to its realm. It answers Digest alone, unless
    /// [`with_basic`](Account::with_basic). If the last one was wrong, [`Ask::is_again`] is true.
    ///
    /// | returned | the request | [`LoginFailure`](super::LoginFailure) in the extensions |
    /// |---|---|---|
    /// | an account that the server accepts | is sent with it | none |
    /// | one that it refuses | is sent with it, and you are asked again | |
    /// | one that it has refused before | is sent with it [now and then](countersign::client::rules#refused-secrets), or else ends with the 401 or 407 | `GiveUp` |
    /// | one for another realm or scheme | ends with the 401 or 407 | `GiveUp` |
    /// | the fifth wrong one | ends with the 401 or 407 | `TooManyLogins` |
    /// | `None` | ends with the 401 or 407 | `Declined`, or `GiveUp` after a refusal |
    ///
    /// It is called once for all requests that wait for the same login, and a `None` holds for all
    /// of them. If the future is dropped with its request, the next one that waits calls it again.
    /// It may send requests through the same layer, but not to this endpoint.
    fn credentials(&self, ask: &Ask) -> impl Future<Output = Option<Account>> + Send;
}

/// Nobody: the cache has all accounts.
impl Credentials for () {
    async fn credentials(&self, _: &Ask) -> Option<Account> {
        None
    }
}

impl<C: Credentials> Credentials for Arc<C> {
    fn credentials(&self, ask: &Ask) -> impl Future<Output = Option<Account>> + Send {
        C::credentials(self, ask)
    }
}
