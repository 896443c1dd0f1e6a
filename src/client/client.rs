//! The client side of authentication to one origin or proxy.

use rand_core::TryCryptoRng;

use crate::client::ask::Ask;
use crate::client::counts::Counts;
use crate::client::endpoint::Endpoint;
use crate::client::generator::Generator;
use crate::client::login::{LoginError, Secret, UserPass};
use crate::client::policy::Policy;
use crate::client::space::ProtectionSpace;
use crate::client::space_id::SpaceId;
use crate::client::spaces::Spaces;
use crate::client::strength::Strength;
use crate::client::strengths::Strengths;
use crate::digest::{Ha1, QopSet};
use crate::secret;

/// The client side of authentication to one origin or proxy: its policy, logins, nonces and counts.
/// A client keeps one protection space per realm, for up to eight realms.
///
/// A client is not [`Clone`], because two copies would send the same nonce count twice. `Debug`
/// shows no header text and no secret, and secrets are wiped when dropped. See the [module](super)
/// for an example.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct Client {
    pub(super) endpoint: Endpoint,
    pub(super) policy: Policy,
    pub(super) strengths: Strengths,
    pub(super) spaces: Spaces,
    pub(super) counts: Counts,
    pub(super) generator: Generator,
    /// The id of the space that was made last.
    pub(super) last_id: SpaceId,
}

impl Client {
    /// Makes a client for one origin or proxy. Each endpoint needs its own client: see
    /// [`AuthCache`](super::AuthCache).
    ///
    /// # Errors
    ///
    /// The error of `rng`, which is called once, for a seed of 32 bytes. Cnonces are derived from
    /// the seed.
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Policy};
    ///
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// # let _ = client;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<R>(endpoint: Endpoint, policy: Policy, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let mut seed = [0; 32];
        rng.try_fill_bytes(&mut seed)?;
        let client = Self::from_seed(endpoint, policy, seed);
        secret::wipe(&mut seed);
        Ok(client)
    }

    /// Makes a client whose cnonces are derived from `seed`, for programs that have random bytes
    /// but no `rand_core` generator. The seed must be random and must not be used for anything
    /// else, such as a second client.
    pub fn from_seed(endpoint: Endpoint, policy: Policy, mut seed: [u8; 32]) -> Self {
        let first_id = SpaceId::take_from(&mut seed);
        Self {
            // Keeps the asks of a proxy and an origin apart even if a caller wrongly gives both
            // clients the same seed.
            last_id: match endpoint.is_proxy() {
                true => first_id.opposite(),
                false => first_id,
            },
            endpoint,
            policy,
            strengths: Strengths::new(),
            spaces: Spaces::new(),
            counts: Counts::new(),
            generator: Generator::new(seed),
        }
    }

    /// Sends Basic credentials with requests to the endpoint, beginning with the first, usually
    /// until the server asks for Digest or refuses them. The server gets the password without
    /// having asked. This replaces all earlier logins.
    ///
    /// # Errors
    ///
    /// [`LoginError::BasicNotAllowed`] if the policy does not allow Basic on this channel, requires
    /// a [server proof](Policy::require_server_proof) or requires `auth-int`, or if the
    /// [`strength`](Self::strength) of the client is higher than Basic. [`LoginError::Text`] if
    /// Basic cannot encode the name or the password.
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, Policy};
    ///
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?
    ///     .with_preemptive_basic("Mufasa", "Circle of Life")?;
    /// let mut exchange = Exchange::new();
    /// let answer = client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// assert_eq!(*answer.unwrap(), "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_preemptive_basic(
        mut self,
        username: &str,
        password: &str,
    ) -> Result<Self, LoginError> {
        let policy = &self.policy;
        let needs_digest = policy.requires_proof || !policy.meets_required_qop(QopSet::NONE);
        let is_too_weak = self.strengths.overall() > Strength::Basic;
        let allowed = policy.basic && policy.allows_basic_over(self.endpoint.channel());
        if !allowed || needs_digest || is_too_weak {
            return Err(LoginError::BasicNotAllowed);
        }
        let login = policy.with_mapped(username, password, |username, password| {
            UserPass::new(policy.latin1, username, Secret::Password(password))
        })?;
        self.spaces.clear();
        self.spaces
            .push(ProtectionSpace::preemptive(login, self.last_id.advance()));
        Ok(self)
    }

    /// Replaces the policy, for an endpoint of an [`AuthCache`](super::AuthCache::client_with) that
    /// needs another policy than the rest. Call this before the first challenge, and before
    /// [`with_preemptive_basic`](Self::with_preemptive_basic), which checks the policy.
    #[must_use]
    pub const fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Requires at least this strength of every challenge, in all realms of the endpoint. Weaker
    /// challenges are skipped as [`BelowStrength`](super::SkipReason::BelowStrength). A value lower
    /// than a previous one has no effect.
    ///
    /// The value usually comes from [`strength`](Self::strength) of an earlier client. See [keeping
    /// the strength](crate::manual::client#the-servers-proof).
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, GiveUp, Next, Policy, Strength};
    ///
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?
    ///     .with_strength(Strength::DigestSha2);
    /// let next = client.challenged(&mut Exchange::new(), [r#"Basic realm="files""#]);
    /// assert!(matches!(next, Next::GiveUp(GiveUp::NoUsableChallenge(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_strength(mut self, strength: Strength) -> Self {
        self.strengths.raise_floor(strength);
        self
    }

    /// Returns the strength to store, and to require of the next client with
    /// [`with_strength`](Self::with_strength).
    ///
    /// It is the minimum over up to eight realms: of the strongest credentials that a realm has
    /// accepted with a proof, or of the weakest that it has accepted if it never gave one. It is at
    /// least what [`with_strength`](Self::with_strength) required, and rises above that only once a
    /// server has [proved](super::ServerProof::Valid) that it knows the secret.
    /// [`logout`](Self::logout) does not lower it.
    pub fn strength(&self) -> Strength {
        self.strengths.overall()
    }

    /// The endpoint that the credentials are for.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Logs in to the protection space of `ask` with a user name and password. Afterwards, send the
    /// request again. A password that is fixed, and not typed for this ask, needs a check first
    /// that [`Ask::endpoint`], [`Ask::realm`] and [`Ask::scheme`] are the account's: anyone who
    /// controls some paths of the origin can name a new realm or the same one, and ask for the
    /// password by Basic.
    ///
    /// For Digest the password is hashed and not kept. If this replaces another login, the client
    /// no longer uses its nonce. The same login again keeps the nonce.
    ///
    /// Name and password are used as given, unless `Policy::with_precis` of the feature `precis`
    /// maps them. A challenge with `charset=UTF-8` asks for Unicode Normalization Form C (RFC 7616,
    /// section 4; RFC 7617, section 2.1), but what users type or paste may contain decomposed
    /// letters. So set that policy, or normalise them yourself.
    ///
    /// # Errors
    ///
    /// [`LoginError::Superseded`] if the login is no longer asked for,
    /// [`LoginError::AlreadyRefused`] if the server has refused the same name and password and the
    /// client must not send them again yet, and [`LoginError::Text`] if the name or the password
    /// cannot be sent.
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    ///
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// let challenge = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;
    /// let next = client.challenged(&mut exchange, [challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Mufasa", "Circle of Life")?;
    /// let answer = client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// assert!(answer.unwrap().to_str()?.starts_with(r#"Digest username="Mufasa", "#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn login(&mut self, ask: &Ask, username: &str, password: &str) -> Result<(), LoginError> {
        let policy = self.policy;
        policy.with_mapped(username, password, |username, password| {
            self.login_with_secret(ask, username, Secret::Password(password))
        })
    }

    /// Like [`login`](Self::login), for programs that store HA1s instead of passwords. The HA1 must
    /// be made for this user, and for the [`realm`](Ask::realm) and the
    /// [`hash_function`](Ask::hash_function) of the ask.
    ///
    /// Set [`without_basic`](Policy::without_basic) in the policy, and
    /// [`require_hash`](Policy::require_hash) if you store HA1s of one hash function only.
    /// Otherwise the client may choose a challenge that the HA1 cannot answer.
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    /// use countersign::digest::{Ha1, HashFunction};
    ///
    /// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
    /// let policy = Policy::new().without_basic().require_hash(ha1.hash_function());
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let challenges = [
    ///     r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-512-256"#,
    ///     r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#,
    /// ];
    /// let next = client.challenged(&mut Exchange::new(), challenges);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// assert_eq!(ask.realm(), b"files");
    /// client.login_with_ha1(&ask, "Mufasa", &ha1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`login`](Self::login), [`LoginError::PasswordNeeded`] if the challenge is
    /// Basic, and [`LoginError::OtherHash`] if the HA1 was made with another hash function.
    pub fn login_with_ha1(
        &mut self,
        ask: &Ask,
        username: &str,
        ha1: &Ha1,
    ) -> Result<(), LoginError> {
        self.login_with_secret(ask, username, Secret::Ha1(ha1))
    }

    fn login_with_secret(
        &mut self,
        ask: &Ask,
        username: &str,
        secret: Secret<'_>,
    ) -> Result<(), LoginError> {
        let space = self
            .spaces
            .by_id_mut(ask.id)
            .ok_or(LoginError::Superseded)?;
        space.log_in(ask, self.policy.latin1, username, secret)
    }

    /// Returns whether a login for `ask` is still needed.
    ///
    /// Returns false if the protection space has a login, if credentials were refused there since
    /// the ask was made, or if the ask was [superseded](LoginError::Superseded). Then do not prompt
    /// the user: send the request again. If a login is still missing, this leads to a new ask.
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    ///
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// let challenge = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;
    /// let next = client.challenged(&mut Exchange::new(), [challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// assert!(client.wants(&ask));
    /// client.login(&ask, "Mufasa", "Circle of Life")?;
    /// assert!(!client.wants(&ask));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wants(&self, ask: &Ask) -> bool {
        let space = self.spaces.by_id(ask.id);
        space.is_some_and(|space| space.wants(ask))
    }

    /// Forgets all logins, nonces, and refused secrets, but not the [`strength`](Self::strength).
    /// Earlier asks become [superseded](LoginError::Superseded). The client also keeps the counts
    /// of the 17 most recent nonces, so that it repeats none of these counts.
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Policy, Readiness};
    ///
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?
    ///     .with_preemptive_basic("Mufasa", "Circle of Life")?;
    /// assert_eq!(client.readiness("/"), Readiness::Answer);
    /// client.logout();
    /// assert_eq!(client.readiness("/"), Readiness::NotLoggedIn);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn logout(&mut self) {
        self.spaces.clear();
    }
}
