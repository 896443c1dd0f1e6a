//! The client side of authentication to one origin or proxy.

use rand_core::TryCryptoRng;

use crate::challenger::Challenger;
use crate::client::ask::Ask;
use crate::client::authorize::{AuthorizeError, check_length, check_request, digest_answer};
use crate::client::counts::Counts;
use crate::client::endpoint::Endpoint;
use crate::client::exchange::Exchange;
use crate::client::login::{LoginError, Secret, UserPass};
use crate::client::next::{GiveUp, Next};
use crate::client::paths::{OwnTarget, Paths};
use crate::client::policy::Policy;
use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::readiness::Readiness;
use crate::client::seed::Seed;
use crate::client::selector::Selector;
use crate::client::short::Short;
use crate::client::space::{ProtectionSpace, Scheme};
use crate::client::spaces::Spaces;
use crate::client::strength::Strength;
use crate::client::strengths::Strengths;
use crate::digest::{Cnonce, Ha1, QopSet};
use crate::error::HeaderError;
use crate::field_value::FieldValue;
use crate::header::{AuthenticationInfo, Challenge, challenges};
use crate::secret;
use crate::syntax::Text;
use crate::target::{EntityBody, Target};

/// The client side of authentication to one origin or proxy: its policy, logins, nonces and counts.
/// A client keeps one protection space per realm.
///
/// A client is not [`Clone`], because two copies would send the same nonce count twice. `Debug`
/// shows no header text and no secret, and secrets are wiped when dropped. See the [module](super)
/// for an example.
#[derive(Debug)]
pub struct Client {
    pub(super) endpoint: Endpoint,
    pub(super) policy: Policy,
    pub(super) strengths: Strengths,
    pub(super) spaces: Spaces,
    pub(super) counts: Counts,
    pub(super) seed: Seed,
    /// The id of the space that was made last.
    pub(super) last_id: u64,
}

impl Client {
    /// A client for one origin or proxy, not yet challenged. Requests to other endpoints need
    /// clients of their own: see [`AuthCache`](super::AuthCache).
    ///
    /// # Errors
    ///
    /// The error of `rng`. Only 32 bytes are drawn, now: cnonces are derived from this seed.
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

    /// A client whose cnonces are derived from `seed`, for programs that have random bytes but no
    /// `rand_core` generator. The seed must be random and must not be used for anything else, such
    /// as a second client.
    pub fn from_seed(endpoint: Endpoint, policy: Policy, seed: [u8; 32]) -> Self {
        // Ids start at a random number, so that a client does not take another client's ask for its
        // own. The ids are never shown.
        let id = seed.first_chunk().copied().map_or(0, u64::from_le_bytes);
        Self {
            // Keeps the asks of a proxy and an origin apart even if a caller wrongly gives both
            // clients the same seed.
            last_id: if endpoint.is_proxy() { !id } else { id },
            endpoint,
            policy,
            strengths: Strengths::new(),
            spaces: Spaces::new(),
            counts: Counts::new(),
            seed: Seed::new(seed),
        }
    }

    /// Sends Basic credentials with every request to the endpoint, beginning with the first, until
    /// the server asks for Digest or refuses them. The server gets the password without having
    /// asked. This replaces all earlier logins.
    ///
    /// # Errors
    ///
    /// [`LoginError::BasicNotAllowed`] if the policy does not allow Basic on this channel,
    /// [requires a server proof](Policy::require_server_proof) or requires `auth-int`, or if the
    /// [strength](Self::with_strength) requires more than Basic. [`LoginError::Text`] if Basic
    /// cannot encode the name or the password.
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
        let proof_not_required = policy.allows_unproven() && policy.allows_qop(QopSet::NONE);
        let strong_enough = self.strengths.overall() <= Strength::Basic;
        let allowed = policy.basic && policy.allows_basic(self.endpoint.channel());
        if !allowed || !proof_not_required || !strong_enough {
            return Err(LoginError::BasicNotAllowed);
        }
        let login = UserPass::new(policy.latin1, username, Secret::Password(password))?;
        self.last_id = self.last_id.wrapping_add(1);
        self.spaces.clear();
        self.spaces
            .push(ProtectionSpace::preemptive(login, self.last_id));
        Ok(self)
    }

    /// Gives one endpoint of an [`AuthCache`](super::AuthCache::client_with) a policy of its own.
    /// Call this before the first challenge, and before
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
    /// the strength](crate::manual::cookbook::proof#keeping-the-strength).
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

    /// Returns the strength to store and pass to [`with_strength`](Self::with_strength) next time.
    /// It locks out no realm that has accepted credentials.
    ///
    /// It is the minimum, over all realms, of the strongest credentials that each has accepted, but
    /// at least what [`with_strength`](Self::with_strength) required. The strength rises only once
    /// a server has [proved](super::ServerProof::Valid) that it knows the secret.
    /// [`logout`](Self::logout) does not lower it.
    pub fn strength(&self) -> Strength {
        self.strengths.overall()
    }

    /// The endpoint that the credentials are for.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Processes a response and returns what to do next. Status 401 (407 for a proxy's client) is
    /// handled as by [`challenged`](Self::challenged), any other status as by
    /// [`completed`](Self::completed).
    ///
    /// `fields` returns the values of the field with the given name, which is in lower case. The
    /// closure must return every value: a stronger challenge may come in a second field line, and
    /// some HTTP libraries (minreq, for one) keep only one value per name. `body` is the body of
    /// the response and matters only for `qop=auth-int`. If the server sends its proof in trailers,
    /// call `completed` yourself.
    ///
    /// If there is a client for a proxy as well, call its `received` first. A 407 changes nothing
    /// for an origin's client, because the request never reached the origin: the result is
    /// [`Next::Done`] with [`ServerProof::Absent`], or with [`Policy::require_server_proof`] the
    /// error [`ServerProofError::Missing`]. Inside a TLS tunnel, after `CONNECT`, a 407 does not
    /// come from the proxy. Do not pass that response to the proxy's client, because the origin
    /// could then ask for the proxy's credentials.
    ///
    /// # Errors
    ///
    /// The errors of [`completed`](Self::completed).
    pub fn received<'a, F, I, V>(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        mut fields: F,
        body: EntityBody<'_>,
    ) -> Result<Next, ServerProofError>
    where
        F: FnMut(&'static str) -> I,
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let challenger = self.endpoint.challenger();
        if status == challenger.status() {
            return Ok(self.challenged(exchange, fields(challenger.challenge_field())));
        }
        let info = fields(challenger.info_field());
        let proof = self.completed(exchange, status, info, body)?;
        Ok(Next::Done(proof))
    }

    /// Processes the challenges of a 401 or 407 and returns what to do next, by the tables in
    /// [`states`](super::states). `values` are all values of `WWW-Authenticate` or
    /// `Proxy-Authenticate`.
    ///
    /// Prefers a realm that is logged in to. Among the rest, the client answers the strongest
    /// challenge that the [`Policy`] allows. By RFC 7616, section 3.7, a client SHOULD use the
    /// first challenge that it supports, unless a local policy dictates otherwise. Here, the local
    /// policy is to prefer strength.
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    /// use countersign::digest::HashFunction;
    ///
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// let challenges = [
    ///     r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#,
    ///     r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-512-256"#,
    ///     r#"Basic realm="files""#,
    /// ];
    /// let next = client.challenged(&mut Exchange::new(), challenges);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// assert_eq!(ask.hash_function(), Some(HashFunction::Sha512_256));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn challenged<'a, I, V>(&mut self, exchange: &mut Exchange, values: I) -> Next
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        self.choose(exchange, challenges(values))
    }

    /// Like [`challenged`](Self::challenged), for callers that have parsed the challenges and
    /// selected some of them. In SIP, several proxies put their challenges into one response,
    /// and each realm has its own client:
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    /// use countersign::{Challenge, challenges};
    ///
    /// let field = [
    ///     r#"Digest realm="a", nonce="1", qop="auth", algorithm=SHA-256"#,
    ///     r#"Digest realm="b", nonce="2", qop="auth", algorithm=SHA-256"#,
    /// ];
    /// let endpoint = Endpoint::proxy("sips", "example.org", 5061);
    /// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// let is_of_b = |challenge: &Challenge<'_>| {
    ///     matches!(challenge, Challenge::Digest(digest) if digest.realm() == "b")
    /// };
    /// let challenges_of_b = challenges(field).flatten().filter(is_of_b);
    /// let next = client.challenged_by(&mut Exchange::new(), challenges_of_b);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// assert_eq!(ask.realm(), b"b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn challenged_by<'a, I>(&mut self, exchange: &mut Exchange, challenges: I) -> Next
    where
        I: IntoIterator<Item = Challenge<'a>>,
    {
        self.choose(exchange, challenges.into_iter().map(Ok))
    }

    fn choose<'a>(
        &mut self,
        exchange: &mut Exchange,
        challenges: impl Iterator<Item = Result<Challenge<'a>, HeaderError>>,
    ) -> Next {
        let selector = Selector {
            policy: self.policy,
            channel: self.endpoint.channel(),
            strengths: &self.strengths,
        };
        let is_logged_in = |realm: Text<'_>| {
            let mut ready = self.spaces.iter().filter(|space| space.is_ready());
            ready.any(|space| space.realm().is_some_and(|ready| realm == *ready))
        };
        match selector.choose(challenges, is_logged_in) {
            Ok(choice) => self.on_challenge(&choice, exchange),
            // The exchange stays open, because the caller may find challenges in another field.
            Err(skipped) => Next::GiveUp(GiveUp::NoUsableChallenge(skipped)),
        }
    }

    /// Logs in to the protection space of `ask` with a user name and password. Afterwards, send the
    /// request again.
    ///
    /// For Digest the password is hashed and not kept. A different name or password drops the
    /// nonce, which was used with the old login. The same login again keeps the nonce.
    ///
    /// Name and password are used as given. A challenge with `charset=UTF-8` asks for Unicode
    /// Normalization Form C (RFC 7616, section 4; RFC 7617, section 2.1). Normalise what users type
    /// or paste, because such text may contain decomposed letters.
    ///
    /// # Errors
    ///
    /// [`LoginError::Superseded`] if the login is no longer asked for,
    /// [`LoginError::AlreadyRefused`] if the server has refused the same name and password, and
    /// [`LoginError::Text`] if the name or the password cannot be sent.
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
        self.login_with_secret(ask, username, Secret::Password(password))
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
    /// Returns false if, since then, somebody has logged in to the protection space, credentials
    /// were refused there, or the ask was [superseded](LoginError::Superseded). Then do not prompt
    /// the user: send the request again. If a login is still missing, the client returns a new ask;
    /// after a refusal, [`is_again`](Ask::is_again) is true for the new ask.
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
    /// The client also keeps the nonce counts, so counts do not restart.
    pub fn logout(&mut self) {
        self.spaces.clear();
    }

    /// Returns the value of `Authorization` (`Proxy-Authorization` for a proxy) for the next
    /// request of an exchange. Call this exactly once for each request sent, because each call uses
    /// up a nonce count.
    ///
    /// If the result is `None`, send the request without the field, and remove the field from a
    /// request object that you reuse. The result is `None`:
    ///
    /// - before a login;
    /// - outside the protection spaces, unless the server has challenged this exchange;
    /// - while the nonce is in doubt (see [`completed`](Self::completed));
    /// - while the credentials are weaker than the required [`Strength`];
    /// - after the client has given up on the exchange;
    /// - for a request-target of another origin, and for one with userinfo (`user:password@`).
    ///
    /// The client remembers the counts of the last 17 nonces, across logins. It repeats none of
    /// them.
    ///
    /// # Errors
    ///
    /// [`AuthorizeError::Method`] if the method is not a token, and [`AuthorizeError::Target`] if
    /// the request-target contains a control byte.
    ///
    /// Only after the server has challenged this exchange: [`AuthorizeError::TooLong`] if the value
    /// would be longer than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES),
    /// [`AuthorizeError::BodyNeeded`] if the response must cover a body that is unknown, and
    /// [`AuthorizeError::NonceExhausted`] if the nonce has been used 2³² - 1 times, once for each
    /// challenge that repeats that nonce. In a new exchange the result is `None` in these cases:
    /// the request goes without credentials, and the challenge that comes back replaces the nonce.
    /// So a single forged message cannot lock the client out. [`readiness`](Self::readiness) tells
    /// in advance whether the body will be needed.
    pub fn authorize<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
    ) -> Result<Option<&'e FieldValue>, AuthorizeError> {
        self.answer(exchange, target, None)
    }

    /// Like [`authorize`](Self::authorize), with a given cnonce, for known-answer tests. Every call
    /// needs a new cnonce. The given one is ignored for Basic, for RFC 2069, and for a `-sess`
    /// algorithm after the first request with a nonce.
    ///
    /// # Errors
    ///
    /// The errors of [`authorize`](Self::authorize).
    pub fn authorize_with_cnonce<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
        cnonce: &Cnonce,
    ) -> Result<Option<&'e FieldValue>, AuthorizeError> {
        self.answer(exchange, target, Some(cnonce))
    }

    fn answer<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
        cnonce: Option<&Cnonce>,
    ) -> Result<Option<&'e FieldValue>, AuthorizeError> {
        exchange.answer = None;
        exchange.sent = None;
        exchange.preemptive_space = None;
        exchange.target = None;
        check_request(target)?;
        let Some(own_target) = OwnTarget::of(target.uri, &self.endpoint) else {
            return Ok(None);
        };
        exchange.target = Some(Short::new(target.uri));
        if exchange.closed {
            return Ok(None);
        }
        let challenging_space = exchange.challenging_space;
        let challenging_space = challenging_space.and_then(|id| self.spaces.by_id(id));
        let is_challenged = challenging_space.is_some();
        let Some(id) = challenging_space
            .or_else(|| self.spaces.covering(&own_target))
            .map(|space| space.id)
        else {
            return Ok(None);
        };
        let Some(space) = self.spaces.for_use(id) else {
            return Ok(None);
        };
        // The required strength may have risen since the challenge was chosen.
        if space.strength() < space.required_by(&self.strengths) {
            return Ok(None);
        }
        let answer = match &mut space.scheme {
            Scheme::Basic {
                login: Some(login), ..
            } => check_length(&login.value).map(|()| login.value.clone()),
            Scheme::Digest {
                nonce,
                login: Some(login),
            } if nonce.is_usable => {
                let (counts, seed) = (&mut self.counts, &mut self.seed);
                let cnonce = || cnonce.copied().unwrap_or_else(|| seed.cnonce());
                let sent = &mut exchange.sent;
                let policy = &self.policy;
                let answer = digest_answer(nonce, login, policy, target, cnonce, counts, sent);
                if is_challenged && matches!(answer, Err(AuthorizeError::NonceExhausted)) {
                    nonce.is_usable = false;
                }
                answer
            }
            _ => return Ok(None),
        };
        match answer {
            Ok(value) => {
                // `sent` is `None` for Basic. The challenge did not teach the client this path if
                // the request-target was not known then, or was another one.
                let is_basic = exchange.sent.is_none();
                if is_challenged && is_basic && space.paths.cover(&own_target).is_none() {
                    space.paths.extend(Paths::of_path(target.uri));
                }
                exchange.challenging_space = None;
                exchange.preemptive_space = (!is_challenged).then_some(id);
                Ok(Some(exchange.answer.insert(value)))
            }
            // A challenge that cannot be answered may be old or forged, so let the server challenge
            // this request first.
            Err(_) if !is_challenged => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Processes a response that does not challenge this client: any status but 401 for an origin's
    /// client, any but 407 for a proxy's. The client checks the server's proof and takes the
    /// server's next nonce.
    ///
    /// `info` are all values of `Authentication-Info` (`Proxy-Authentication-Info` from a proxy),
    /// those of the head and of the trailers in one call; `None::<&str>` if there are none. A call
    /// with the head alone counts as a response without a proof. `body` is the body of the
    /// response, and matters only for `qop=auth-int`.
    ///
    /// What the status means for the answer that the request carried:
    ///
    /// | status | meaning |
    /// |---|---|
    /// | 1xx, 407 | none, and nothing changes: this response is not final, or not from this endpoint |
    /// | 101 outside SIP, which switches protocols, such as to a WebSocket | that of a final response: one of the rows below |
    /// | 400, 403, 406, 413, 414, 431, 500, 502, 503, 504 without a valid proof, and any other with a [`ServerProofError`] | the nonce is in doubt: the next request goes without an answer, and gets a new nonce with the challenge |
    /// | any other (2xx, 3xx, 404, …), and any with a valid proof | the answer was accepted |
    ///
    /// An attacker may have planted a nonce that the server cannot read; replacing it keeps the
    /// client from being locked out.
    ///
    /// A redirect ends the exchange: the next request needs a new one. See [the
    /// cookbook](crate::manual::cookbook::urls#redirects).
    ///
    /// A `nextnonce` starts a new session of a `-sess` algorithm: the client computes a new session
    /// key with that nonce, although RFC 7616, section 3.6, keeps the key until the next challenge.
    /// Servers that compute the key from the request alone, as this crate's server does, require
    /// this. The client ignores a `nextnonce` that is too long for most servers to read back.
    ///
    /// # Errors
    ///
    /// [`ServerProofError`] if the sender of the response did not prove that it knows the secret as
    /// the policy requires. Do not trust such a response.
    /// [`Policy::ignore_wrong_server_proof`] turns [`ServerProofError::Wrong`] into a result. With
    /// [`Policy::require_server_proof`], a status 1xx or 407 is [`ServerProofError::Missing`].
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, Policy, ServerProof};
    /// use countersign::{EntityBody, Target};
    ///
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// // The response has no `Authentication-Info`.
    /// let proof = client.completed(&mut exchange, 200, None::<&str>, EntityBody::Unknown)?;
    /// assert_eq!(proof, ServerProof::Absent);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn completed<'a, I, V>(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        info: I,
        body: EntityBody<'_>,
    ) -> Result<ServerProof, ServerProofError>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        // The response is not final, or comes from a proxy that did not pass the request on.
        if self.endpoint.is_interim(status) || status == Challenger::Proxy.status() {
            return self.without_proof();
        }
        let values = info;
        let mut info = AuthenticationInfo::new();
        let proof = self.check_proof(exchange, values, &mut info, body);
        self.on_response(exchange, status, &info, proof);
        proof
    }

    /// The result for a response without a proof.
    fn without_proof(&self) -> Result<ServerProof, ServerProofError> {
        match self.policy.allows_unproven() {
            true => Ok(ServerProof::Absent),
            false => Err(ServerProofError::Missing),
        }
    }

    /// Parses the values of the server's `Authentication-Info` into `info` and checks the proof.
    fn check_proof<'a, I, V>(
        &self,
        exchange: &Exchange,
        values: I,
        info: &mut AuthenticationInfo<'a>,
        body: EntityBody<'_>,
    ) -> Result<ServerProof, ServerProofError>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        // Basic does not define the field (RFC 7615, section 3).
        let Some(sent) = &exchange.sent else {
            return self.without_proof();
        };
        let proof = match AuthenticationInfo::parse(values) {
            Ok(parsed) => {
                *info = parsed;
                let uri = exchange.target.as_ref().map_or(&b""[..], Short::as_bytes);
                match sent.check(info, uri, body) {
                    Err(ServerProofError::Wrong) if self.policy.ignores_wrong_proof() => {
                        ServerProof::Wrong
                    }
                    checked => checked?,
                }
            }
            // An attacker could leave the field out as well, so this is no worse than no proof.
            Err(_) if self.policy.allows_unproven() => ServerProof::Unreadable,
            Err(error) => return Err(error.into()),
        };
        match proof {
            ServerProof::Valid => Ok(proof),
            _ if self.policy.allows_unproven() => Ok(proof),
            _ => Err(ServerProofError::Missing),
        }
    }

    /// Returns whether a request-target is within a known protection space. Elsewhere no
    /// credentials are sent until the server asks.
    ///
    /// For Digest, `domain` lists what the space covers (RFC 7616, section 3.3). Without `domain`,
    /// and for a proxy, the space covers all targets. For Basic, the space covers the folder of the
    /// challenged path (RFC 7617, section 2.2).
    ///
    /// A path covers everything below it, with any query. A URI of `domain` that has a query covers
    /// nothing, and URIs of other origins are ignored. The client keeps at most 64 paths and 8 KiB
    /// of a long `domain`; over several challenges, the oldest paths are forgotten first.
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, Policy};
    ///
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// let challenge =
    ///     r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256, domain="/app /api""#;
    /// let next = client.challenged(&mut Exchange::new(), [challenge]);
    /// # let _ = next;
    /// assert!(client.covers("/app/start?lang=en"));
    /// assert!(!client.covers("/apple"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn covers<U: AsRef<[u8]> + ?Sized>(&self, uri: &U) -> bool {
        let target = OwnTarget::of(uri.as_ref(), &self.endpoint);
        target.is_some_and(|target| self.spaces.covering(&target).is_some())
    }

    /// Predicts whether the first request of an exchange for this request-target will carry an
    /// answer, and if not, why. A caller with a large body can use this to avoid sending the body
    /// twice.
    ///
    /// If the request will carry no answer, use `Expect: 100-continue`, or probe with a safe method
    /// (HEAD or OPTIONS) for the same request-target in an exchange of its own. Do not probe with
    /// an empty PUT or POST: a server that does not ask for credentials would execute the request.
    /// With [`require_server_proof`](Policy::require_server_proof), a probe that the server answers
    /// without a challenge, such as a public OPTIONS, is
    /// [`Missing`](super::ServerProofError::Missing).
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Policy, Readiness};
    ///
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// assert_eq!(client.readiness("/upload"), Readiness::NotLoggedIn);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn readiness<U: AsRef<[u8]> + ?Sized>(&self, uri: &U) -> Readiness {
        let target = OwnTarget::of(uri.as_ref(), &self.endpoint);
        let Some(space) = target.and_then(|target| self.spaces.covering(&target)) else {
            return match self.spaces.iter().any(ProtectionSpace::is_ready) {
                true => Readiness::OutsideSpace,
                false => Readiness::NotLoggedIn,
            };
        };
        match &space.scheme {
            _ if !space.is_ready() => Readiness::NotLoggedIn,
            _ if space.strength() < space.required_by(&self.strengths) => Readiness::BelowStrength,
            Scheme::Basic { .. } => Readiness::Answer,
            Scheme::Digest { nonce, .. } if !nonce.is_usable => Readiness::NoNonce,
            Scheme::Digest { nonce, .. } if self.policy.wants_auth_int(nonce.qop) => {
                Readiness::AnswerOverBody(nonce.algorithm.hash_function())
            }
            Scheme::Digest { .. } => Readiness::Answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHALLENGE: [&str; 1] = [r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#];

    #[test]
    fn the_nonce_count_never_wraps() {
        let endpoint = Endpoint::origin("https", "h", None).unwrap();
        let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let target = Target::new("GET", "/");
        let Next::Login(ask) = client.challenged(&mut exchange, CHALLENGE) else {
            panic!("no login")
        };
        client.login(&ask, "Mufasa", "Circle of Life").unwrap();
        client.counts.of(b"n").count = u32::MAX - 1;

        let answer = client.authorize(&mut exchange, &target).unwrap();
        let value = answer.unwrap().to_str().unwrap();
        assert!(value.contains("nc=ffffffff"), "{value}");
        // Before a challenge, the next request goes without an answer.
        let mut exchange = Exchange::new();
        let none = client.authorize(&mut exchange, &target);
        assert!(matches!(none, Ok(None)), "{none:?}");
        // If the server insists on this nonce, that is an error, once.
        assert_eq!(client.challenged(&mut exchange, CHALLENGE), Next::Retry);
        let exhausted = Some(AuthorizeError::NonceExhausted);
        assert_eq!(client.authorize(&mut exchange, &target).err(), exhausted);
        assert_eq!(client.readiness("/"), Readiness::NoNonce);
        let again = client.authorize(&mut exchange, &target);
        assert!(matches!(again, Ok(None)), "{again:?}");
        // Another nonce needs no login.
        let mut exchange = Exchange::new();
        let other = CHALLENGE.map(|value| value.replace(r#""n""#, r#""m""#));
        assert_eq!(client.challenged(&mut exchange, &other), Next::Retry);
        let answer = client.authorize(&mut exchange, &target).unwrap();
        assert!(answer.unwrap().to_str().unwrap().contains("nc=00000001"));
        // A server without another nonce gets no answer, rather than the first count again.
        let mut exchange = Exchange::new();
        assert_eq!(client.challenged(&mut exchange, CHALLENGE), Next::Retry);
        assert_eq!(client.authorize(&mut exchange, &target).err(), exhausted);
    }
}
