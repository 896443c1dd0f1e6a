//! The users and their clients.

use countersign::Channel;
use countersign::client::{
    Account, Ask, AuthCache, Client, Endpoint, LoginError, Policy, Quirk, Strength,
};

use super::script::Script;
use super::store::{self, ACCOUNTS, HASHES, REALM};

/// The number of origins that a person visits. All lead to the same server.
pub(super) const ORIGINS: usize = 3;

pub(super) struct Person {
    pub(super) account: usize,
    secret: Secret,
    policy: Policy,
    cache: AuthCache,
    pub(super) max_answers: u8,
}

type Setting = fn(Policy) -> Policy;

#[derive(Clone, Copy)]
enum Secret {
    Password,
    Ha1,
    Wrong,
}

impl Person {
    /// One person per account, and an impostor who does not know the first one's password.
    pub(super) fn read_all(script: &mut Script<'_>) -> Vec<Self> {
        let mut people: Vec<_> = (0..ACCOUNTS.len())
            .map(|account| Self::read(account, script))
            .collect();
        people.push(Self {
            secret: Secret::Wrong,
            cache: AuthCache::from_seed(2, people[0].policy, [0xFF; 32]),
            ..people[0]
        });
        people
    }

    fn read(account: usize, script: &mut Script<'_>) -> Self {
        let [form, more] = [0; 2].map(|_| script.byte());
        let max_answers = more >> 3 & 3;
        let max_answers = if max_answers == 0 { 2 } else { max_answers };
        let mut policy = Policy::new().with_max_answers(max_answers);
        let settings: [(bool, Setting); 9] = [
            (form & 1 != 0, |it| it.with_quirk(Quirk::Rfc2069)),
            (form & 2 != 0, Policy::prefer_auth_int),
            (form & 4 != 0, |it| it.with_quirk(Quirk::NoUserhash)),
            (form & 8 != 0, |it| it.with_quirk(Quirk::Latin1)),
            (form & 16 != 0, |it| it.with_quirk(Quirk::PlainUsernames)),
            (form & 32 != 0, Policy::require_server_proof),
            (more & 1 != 0, |it| {
                it.require_strength(Strength::DigestRfc2069)
            }),
            (more & 2 != 0, Policy::with_cleartext_basic),
            (more & 4 != 0, |it| it.with_quirk(Quirk::QuotedQop)),
        ];
        for (said, set) in settings {
            if said {
                policy = set(policy);
            }
        }
        let mut secret = Secret::Password;
        if let Some(&hash) = HASHES.get(usize::from(more >> 5 & 3).wrapping_sub(1)) {
            secret = Secret::Ha1;
            policy = policy
                .require_strength(Strength::DigestRfc2069)
                .require_hash(hash);
        }
        Self {
            account,
            secret,
            policy,
            cache: AuthCache::from_seed(2, policy, [account as u8; 32]),
            max_answers,
        }
    }

    pub(super) const fn knows_the_password(&self) -> bool {
        !matches!(self.secret, Secret::Wrong)
    }

    /// Returns the client for one of the origins.
    pub(super) fn client(&mut self, origin: usize, channel: Channel) -> &mut Client {
        let scheme = match channel {
            Channel::Encrypted => "https",
            Channel::Cleartext => "http",
        };
        let host = "example.com";
        let endpoint = match origin % ORIGINS {
            0 => Endpoint::origin(scheme, host, None).expect("its port is known"),
            1 => Endpoint::origin(scheme, "EXAMPLE.com", Some(8080)).expect("a port"),
            _ => Endpoint::proxy(scheme, host, 3128),
        };
        self.cache.client(&endpoint)
    }

    /// Logs in for [`Next::Login`](countersign::client::Next::Login). Returns whether to send the
    /// request again: not if the server, or somebody in its place, has refused the credentials, or
    /// if the person has no credentials for the realm.
    pub(super) fn login(&mut self, origin: usize, channel: Channel, ask: &Ask) -> bool {
        let (secret, account) = (self.secret, self.account);
        let client = self.client(origin, channel);
        let name = ACCOUNTS[account].name;
        let account = match (secret, ask.hash_function()) {
            (Secret::Ha1, Some(hash)) => Account::from_ha1(name, REALM, store::ha1(account, hash)),
            // Its policy allows no Basic.
            (Secret::Ha1, None) => return false,
            (Secret::Wrong, _) => Account::new(name, "wrong").with_basic(),
            (Secret::Password, _) => Account::new(name, ACCOUNTS[account].password).with_basic(),
        };
        match client.login(ask, &account) {
            Ok(()) => true,
            Err(LoginError::AlreadyRefused | LoginError::OtherRealm) => false,
            Err(why) => panic!("a name and a password that can be sent: {why}"),
        }
    }
}
