//! A part of a server that asks for credentials.
use countersign::server::{Arrival, Attempt, Authenticator, Realm, Refusal};
use countersign::{Challenger, Channel, Target};
use hyper::header::HeaderMap;

/// A part of a server that asks for credentials of its own: the paths that begin with a prefix. A
/// proxy's is every request.
pub struct Area {
    pub(crate) auth: Authenticator,
    prefix: &'static str,
}

impl Area {
    /// The area below a prefix, where this realm asks.
    pub fn new(prefix: &'static str, realm: Realm) -> Self {
        let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng).unwrap();
        Self { auth, prefix }
    }

    /// Begins to judge a request that arrives now.
    pub(crate) fn begin<'a>(
        &'a self,
        headers: &'a HeaderMap,
        target: &Target<'a>,
    ) -> Result<Attempt<'a>, Refusal> {
        let field = self.auth.realm().challenger().credentials_field();
        let arrival = Arrival::now(Channel::Cleartext);
        self.auth
            .begin(headers.get_all(field).iter(), target, arrival)
    }

    /// What this area must judge of a request, if it is the one to judge it. A proxy gets to see the
    /// absolute form, and the server behind it the path.
    pub(crate) fn target<'a>(
        &self,
        method: &'a str,
        uri: &'a str,
        path: &'a str,
    ) -> Option<Target<'a>> {
        match self.auth.realm().challenger() {
            Challenger::Proxy => Some(Target::new(method, uri)),
            Challenger::Origin => path
                .starts_with(self.prefix)
                .then(|| Target::new(method, path)),
        }
    }
}
