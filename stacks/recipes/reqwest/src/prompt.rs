//! Who knows the passwords.
use countersign::client::Ask;

/// Who knows the passwords, such as the user.
pub trait Prompt: Send + Sync + 'static {
    /// Gives a name and a password; `None` if the user will not.
    fn ask(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send;
}
