//! Who knows the passwords.
use countersign::client::{Account, Ask};

/// Who knows passwords that the cache does not have, such as the user.
pub trait Prompt: Send + Sync + 'static {
    /// Gives an account; `None` if the user will not. For an ask that equals a declined one, nobody
    /// is asked again.
    ///
    /// Any server can choose any realm name, and so can each user of an origin that many share, so
    /// compare the endpoint, and bind the account to its realm.
    ///
    /// After a refusal, [`Ask::is_again`] is true. Over an encrypted channel the refusal comes from
    /// the server, and repeating the password may lock the account.
    fn ask(&self, ask: &Ask) -> impl Future<Output = Option<Account>> + Send;
}

/// Nobody: the cache has all accounts.
impl Prompt for () {
    async fn ask(&self, _: &Ask) -> Option<Account> {
        None
    }
}
