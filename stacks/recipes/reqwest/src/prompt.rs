//! Who knows the passwords.
use countersign::client::{Ask, Endpoint, Policy};

/// Who knows the passwords, such as the user.
pub trait Prompt: Send + Sync + 'static {
    /// Gives a name and a password; `None` if the user will not. For an ask that equals a declined
    /// one, nobody is asked again.
    ///
    /// Any server can choose any realm name and scheme, and so can each user of an origin that many
    /// share, so compare the endpoint, the realm and the scheme with those of the account.
    ///
    /// In clear, a program with fixed logins gives the same one for every ask, also after a refusal:
    /// anybody on the way may have forged it, and the client bounds how often a refused password is
    /// sent. Over an encrypted channel it gives `None` if [`Ask::is_again`] is true, because the
    /// refusal comes from the server, and repeating the password may lock the account.
    fn ask(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send;

    /// What may be sent to a server, and in which form.
    fn policy(&self, _endpoint: &Endpoint) -> Policy {
        Policy::new()
    }
}
