//! The end of each round: a server that tells the truth lets in whoever has the password.

use countersign::client::{Account, Exchange, Field, Next};
use countersign::digest::HashFunction;
use countersign::{EntityBody, Target};

use super::{PROXY, Round};
use crate::support::client::Sent;

impl Round {
    /// Nobody is locked out by what was said before, with an account that names no realm in whatever
    /// realm this is.
    pub(super) fn honest_ending(&mut self) {
        let at = self.dice.below(self.mostly);
        let settings = self.settings[at];
        // With a policy that such a server meets.
        if settings.without_qop || settings.hash.is_some_and(|it| it != HashFunction::Sha256) {
            return;
        }
        self.lines.clear();
        let owners = self.judge.accounts(at);
        let (user, password, realm) = match owners.is_empty() {
            true => ("honest".to_owned(), "secret".to_owned(), "files".to_owned()),
            false => {
                let owner = owners[self.dice.below(owners.len())].clone();
                if owner.ha1.is_some_and(|it| it != HashFunction::Sha256) {
                    return;
                }
                let realm = owner.realm.unwrap_or_else(|| "renamed".to_owned());
                (owner.user, owner.password, realm)
            }
        };
        let account = Account::new(&user, &password);
        let target = Target::new("GET", "/a/x").with_body(EntityBody::Empty);
        let quoted = realm.replace('"', "\\\"");
        let mut nonce = 0;
        for _ in 0..70 {
            let mut exchange = Exchange::new();
            loop {
                let client = self.cache.client(&self.endpoints[at]);
                let field = client.authorize(&mut exchange, &target);
                let sent = match field {
                    Ok(Field::Set(value)) => Some(Sent::read(value.as_bytes())),
                    _ => None,
                };
                if sent.as_ref().is_some_and(|sent| {
                    sent.scheme == "Digest"
                        && sent.get("realm") == realm
                        && sent.get("nonce") == format!("honest{nonce}")
                        && sent.is_right(&user, &password, &target)
                }) {
                    return;
                }
                nonce += 1;
                let stale = match sent.is_some() && self.dice.one_in(2) {
                    true => ", stale=true",
                    false => "",
                };
                let value = format!(
                    "Digest realm=\"{quoted}\", nonce=\"honest{nonce}\", algorithm=SHA-256, \
                     qop=\"auth,auth-int\"{stale}"
                );
                let status = if at == PROXY { 407 } else { 401 };
                let values = |_| std::iter::once(&value);
                let body = EntityBody::Unknown;
                let client = self.cache.client(&self.endpoints[at]);
                match client
                    .received(&mut exchange, status, values, body)
                    .unwrap()
                {
                    Next::Login(ask) => {
                        let _ = client.login(&ask, &account);
                    }
                    Next::Retry => {}
                    _ => break,
                }
            }
        }
        panic!("locked out of {realm}: {settings:?}, {owners:?}");
    }
}
