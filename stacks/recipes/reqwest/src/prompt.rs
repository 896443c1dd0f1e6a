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
    /// A program with fixed logins gives the same one for every ask, also after a refusal: the
    /// refusal may have been forged, and the client limits how often a refused password is sent.
    fn ask(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send;

    /// What may be sent to a server, and in which form.
    fn policy(&self, _endpoint: &Endpoint) -> Policy {
        Policy::new()
    }
}
