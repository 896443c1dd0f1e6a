//! The credentials for one origin or proxy.

use rand_core::TryCryptoRng;

use crate::challenger::Challenger;
use crate::client::ask::Ask;
use crate::client::authorize::{AuthorizeError, check_length, check_request, digest_answer};
use crate::client::counts::Counts;
use crate::client::endpoint::Endpoint;
use crate::client::exchange::Exchange;
use crate::client::login::{LoginError, Secret, UserPass};
use crate::client::next::{GiveUp, Next};
use crate::client::paths::{OurTarget, Paths};
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

/// The credentials for one origin or proxy, a protection space for each of its realms, and what
/// became of them.
///
/// It is not [`Clone`], because two of them would send one count of a nonce twice. `Debug` shows no
/// header text and no secret. Secrets are wiped when dropped.
#[derive(Debug)]
pub struct Client {
    pub(super) endpoint: Endpoint,
    pub(super) policy: Policy,
    pub(super) strengths: Strengths,
    pub(super) spaces: Spaces,
    pub(super) counts: Counts,
    pub(super) seed: Seed,
    /// Of the space made last.
    pub(super) last_id: u64,
}

impl Client {
    /// A client that has not been challenged yet, for one origin or proxy. The requests of others
    /// want a client of their own: see [`AuthCache`](super::AuthCache).
    ///
    /// The generator is drawn from now and not again: cnonces come from a seed.
    ///
    /// # Errors
    ///
    /// The error of `rng`, if it fails.
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

    /// A client whose cnonces come from these bytes, which must be random and used for nothing else.
    pub fn from_seed(endpoint: Endpoint, policy: Policy, seed: [u8; 32]) -> Self {
        // Where ids of asks begin: they tell the asks of one client from those of another, and nobody
        // sees them.
        let id = seed.first_chunk().copied().map_or(0, u64::from_le_bytes);
        Self {
            // An ask of a proxy is none of an origin's, even of one seed.
            last_id: if endpoint.is_proxy() { !id } else { id },
            endpoint,
            policy,
            strengths: Strengths::new(),
            spaces: Spaces::new(),
            counts: Counts::new(),
            seed: Seed::new(seed),
        }
    }

    /// Sends Basic credentials with the first request, wherever on the endpoint, until a challenge
    /// asks for something else.
    ///
    /// # Errors
    ///
    /// [`LoginError::BasicNotAllowed`] if the policy does not allow Basic on this channel;
    /// [`LoginError::Text`] if Basic cannot carry the name or the password.
    pub fn with_preemptive_basic(
        mut self,
        username: &str,
        password: &str,
    ) -> Result<Self, LoginError> {
        let policy = &self.policy;
        let unprotected = policy.allows_unproven() && policy.allows_qop(QopSet::NONE);
        if !policy.basic || !policy.allows_basic(self.endpoint.channel()) || !unprotected {
            return Err(LoginError::BasicNotAllowed);
        }
        let login = UserPass::new(policy.latin1, username, Secret::Password(password))?;
        self.last_id = self.last_id.wrapping_add(1);
        self.spaces.clear();
        self.spaces
            .push(ProtectionSpace::preemptive(login, self.last_id));
        Ok(self)
    }

    /// Replaces the policy. Do so before the first challenge, and before
    /// [`with_preemptive_basic`](Self::with_preemptive_basic), which asks it.
    #[must_use]
    pub const fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Refuses challenges weaker than what is known of the server.
    #[must_use]
    pub fn with_strength(mut self, strength: Strength) -> Self {
        self.strengths.raise_floor(strength);
        self
    }

    /// How strong the credentials were that the server took, for the next client of this endpoint.
    pub fn strength(&self) -> Strength {
        self.strengths.overall()
    }

    /// Whose credentials it holds.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Takes the head of a response and its body, as far as that is known: by the status it is one
    /// that asks for credentials ([`challenged`](Self::challenged)) or one that does not
    /// ([`completed`](Self::completed)).
    ///
    /// `fields` gives all values of the field of that name, which is in lower case. `body` is only
    /// looked at for `qop=auth-int`. A server's proof in the trailers is for those who call
    /// [`completed`](Self::completed) themselves.
    ///
    /// A 407 says nothing to an origin's client, because the request never reached the origin:
    /// nothing is changed, and it is [`Next::Done`] with [`ServerProof::Absent`]. Where a proxy has a
    /// client, too, ask that first.
    ///
    /// # Errors
    ///
    /// As [`completed`](Self::completed).
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

    /// Takes the challenges of a 401 or 407: all values of the field. What follows from them is the
    /// table of [`states`](super::states).
    pub fn challenged<'a, I, V>(&mut self, exchange: &mut Exchange, values: I) -> Next
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        self.choose(exchange, challenges(values))
    }

    /// [`challenged`](Self::challenged), with challenges that were read already: such as those of
    /// one proxy's realm, out of the field in which several SIP proxies ask.
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
    /// let of_b = |challenge: &Challenge<'_>| {
    ///     matches!(challenge, Challenge::Digest(digest) if digest.realm() == "b")
    /// };
    /// let of_b = challenges(field).flatten().filter(of_b);
    /// let Next::Login(ask) = client.challenged_by(&mut Exchange::new(), of_b) else { unreachable!() };
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
        let is_logged_in = |asked: Text<'_>| {
            let mut ready = self.spaces.iter().filter(|space| space.is_ready());
            ready.any(|space| space.realm().is_some_and(|realm| asked == *realm))
        };
        match selector.choose(challenges, is_logged_in) {
            Ok(choice) => self.on_challenge(&choice, exchange),
            // The caller may know of other challenges, in another field.
            Err(skipped) => Next::GiveUp(GiveUp::NoUsableChallenge(skipped)),
        }
    }

    /// Takes the user's name and password for what was asked for.
    ///
    /// For Digest the password is hashed and not kept. Credentials that replace others drop the
    /// nonce with them; the same ones keep it.
    ///
    /// Both go to the server as they are. A challenge with `charset=UTF-8` asks for Unicode
    /// Normalization Form C (RFC 7616, section 4; RFC 7617, section 2.1): bring what users type
    /// into NFC first, because what is typed or pasted may hold decomposed letters.
    ///
    /// # Errors
    ///
    /// [`LoginError::Superseded`] if this is not asked for any more, [`LoginError::AlreadyRefused`]
    /// if the server has just refused the same; [`LoginError::Text`] if the name or the password
    /// cannot be sent.
    pub fn login(&mut self, ask: &Ask, username: &str, password: &str) -> Result<(), LoginError> {
        self.log_in(ask, username, Secret::Password(password))
    }

    /// [`login`](Self::login) for those who keep the HA1 and not the password: that of this user,
    /// and of the [`realm`](Ask::realm) and the [`hash_function`](Ask::hash_function) that are asked for. Its password
    /// may be any bytes.
    ///
    /// The policy should be [`without_basic`](Policy::without_basic), and
    /// [`require_hash`](Policy::require_hash) if there are HA1s of one hash only: otherwise the
    /// client chooses, and may choose a challenge that they do not serve.
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
    /// As [`login`](Self::login), and [`LoginError::PasswordNeeded`] if Basic is asked for,
    /// [`LoginError::OtherHash`] if the HA1 is of another hash function.
    pub fn login_with_ha1(
        &mut self,
        ask: &Ask,
        username: &str,
        ha1: &Ha1,
    ) -> Result<(), LoginError> {
        self.log_in(ask, username, Secret::Ha1(ha1))
    }

    fn log_in(&mut self, ask: &Ask, username: &str, secret: Secret<'_>) -> Result<(), LoginError> {
        let space = self
            .spaces
            .by_id_mut(ask.id)
            .ok_or(LoginError::Superseded)?;
        space.log_in(ask, self.policy.latin1, username, secret)
    }

    /// Whether a login is still asked for: not if somebody has logged in there since, nor if it was
    /// [superseded](LoginError::Superseded). Then send the request again.
    pub fn wants(&self, ask: &Ask) -> bool {
        let space = self.spaces.by_id(ask.id);
        space.is_some_and(|space| space.wants(ask))
    }

    /// Forgets the credentials and the nonces, and what was refused. The strength stays, and so does
    /// what counts were sent.
    pub fn logout(&mut self) {
        self.spaces.clear();
    }

    /// Gives the header value for the next request of an exchange; `None` if there is nothing to
    /// send (yet): before a login, outside of the protection spaces unless the server asked there,
    /// while the credentials are weaker than the [`strength`](Self::strength), and where the nonce at
    /// hand cannot be used for a request that the server has not challenged.
    ///
    /// Counts: call it once for each request sent. Whoever logs in and whatever nonces come
    /// between, no count of a nonce is given twice, unless 17 others have been in use since.
    ///
    /// # Errors
    ///
    /// Always, [`AuthorizeError::Method`] if the method is not a token, and
    /// [`AuthorizeError::Target`] if the request-target cannot stand in a header.
    ///
    /// The others only after a challenge of this exchange for these credentials:
    /// [`AuthorizeError::TooLong`] if the value would be over
    /// [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES), [`AuthorizeError::BodyNeeded`] if the response
    /// must cover a body that is not known, [`AuthorizeError::NonceExhausted`] once, when the nonce
    /// has been used 2³² - 1 times. Before such a challenge the result is `None` instead: the request
    /// goes without credentials, and the challenge that comes back takes the place of the nonce that
    /// could not be used. So nothing that a server, or someone in its place, has said once keeps the
    /// client out later. To know before the first request that the body will be needed, ask
    /// [`readiness`](Self::readiness).
    pub fn authorize<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
    ) -> Result<Option<&'e FieldValue>, AuthorizeError> {
        self.answer(exchange, target, None)
    }

    /// [`authorize`](Self::authorize) with a cnonce that was chosen elsewhere, such as for a known
    /// answer. It must be another each time; it is not used for Basic, for RFC 2069, and for a
    /// `-sess` algorithm from the second request on.
    ///
    /// # Errors
    ///
    /// As [`authorize`](Self::authorize).
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
        exchange.guessed = None;
        exchange.target = None;
        check_request(target)?;
        let Some(path) = OurTarget::of(target.uri, &self.endpoint) else {
            return Ok(None);
        };
        exchange.target = Some(Short::new(target.uri));
        if exchange.closed {
            return Ok(None);
        }
        let asked = exchange.asked.and_then(|id| self.spaces.by_id(id));
        let is_asked = asked.is_some();
        let Some(id) = asked
            .or_else(|| self.spaces.covering(&path))
            .map(|space| space.id)
        else {
            return Ok(None);
        };
        let Some(space) = self.spaces.for_use(id) else {
            return Ok(None);
        };
        // It may have risen after the challenge was chosen.
        if space.strength() < space.required_by(&self.strengths) {
            return Ok(None);
        }
        let made = match &mut space.scheme {
            Scheme::Basic {
                login: Some(login), ..
            } => check_length(&login.value).map(|()| login.value.clone()),
            Scheme::Digest {
                nonce,
                login: Some(login),
            } if nonce.is_at_hand => {
                let (counts, seed) = (&mut self.counts, &mut self.seed);
                let cnonce = || cnonce.copied().unwrap_or_else(|| seed.cnonce());
                let sent = &mut exchange.sent;
                let made = digest_answer(nonce, login, &self.policy, target, cnonce, counts, sent);
                if is_asked && matches!(made, Err(AuthorizeError::NonceExhausted)) {
                    nonce.is_at_hand = false;
                }
                made
            }
            _ => return Ok(None),
        };
        match made {
            Ok(value) => {
                // Where nobody knew the request when it was challenged.
                if is_asked && exchange.sent.is_none() && space.paths.cover(&path).is_none() {
                    space.paths.extend(Paths::of_path(target.uri));
                }
                exchange.asked = None;
                exchange.guessed = Some(id).filter(|_| !is_asked);
                Ok(Some(exchange.answer.insert(value)))
            }
            // The server has not asked this time. It may have changed its mind since it, or someone
            // in its place, said what cannot be answered.
            Err(_) if !is_asked => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Takes a response that does not ask for this client's credentials, whatever its status:
    /// checks the server's own proof, and keeps its next nonce. `info` is all values of
    /// `Authentication-Info` or its `Proxy-` twin, those from the head and those from the trailers
    /// together: each call is judged by itself, so a head whose proof is yet to come in the
    /// trailers is one without a proof. Without any it is `None::<&str>`. `body` is the
    /// response's, and only looked at for `qop=auth-int`.
    ///
    /// A next nonce begins a new session of a `-sess` algorithm: its key is made anew from that
    /// nonce, where RFC 7616, section 3.6, keeps the key until the next challenge. Servers that make
    /// the key from the request at hand, as this crate's does, take no other. One that is so long
    /// that most servers could not read the answer is not taken.
    ///
    /// A redirect ends an exchange, too: the request that follows it is another.
    ///
    /// For an origin's client that is any status but 401, and 407, which never reached the origin;
    /// for a proxy's client any but 407. [`received`](Self::received) knows that.
    ///
    /// # Errors
    ///
    /// [`ServerProofError`]: whoever sent this response is not known to know the secret. Do not
    /// trust it. [`Policy::ignore_wrong_server_proof`] makes [`ServerProofError::Wrong`] a result.
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
        // Not the response yet; or one of another party, which the request did not get past.
        if matches!(status, 100..=199) || status == Challenger::Proxy.status() {
            return self.without_proof();
        }
        let mut said = AuthenticationInfo::new();
        let proof = self.check_proof(exchange, info, &mut said, body);
        self.on_response(exchange, status, &said, proof);
        proof
    }

    /// What a response without a proof comes to.
    fn without_proof(&self) -> Result<ServerProof, ServerProofError> {
        match self.policy.allows_unproven() {
            true => Ok(ServerProof::Absent),
            false => Err(ServerProofError::Missing),
        }
    }

    /// Reads what the server says of itself into `said`, and checks it.
    fn check_proof<'a, I, V>(
        &self,
        exchange: &Exchange,
        info: I,
        said: &mut AuthenticationInfo<'a>,
        body: EntityBody<'_>,
    ) -> Result<ServerProof, ServerProofError>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        // For Basic the field means nothing (RFC 7615, section 3).
        let Some(sent) = &exchange.sent else {
            return self.without_proof();
        };
        let proof = match AuthenticationInfo::parse(info) {
            Ok(info) => {
                *said = info;
                let uri = exchange.target.as_ref().map_or(&b""[..], Short::as_bytes);
                match sent.check(&info, uri, body) {
                    Err(ServerProofError::Wrong) if self.policy.ignores_wrong_proof() => {
                        ServerProof::Wrong
                    }
                    checked => checked?,
                }
            }
            // Whoever is on the way can leave it out as well.
            Err(_) if self.policy.allows_unproven() => ServerProof::Unreadable,
            Err(error) => return Err(error.into()),
        };
        match proof {
            ServerProof::Valid => Ok(proof),
            _ if self.policy.allows_unproven() => Ok(proof),
            _ => Err(ServerProofError::Missing),
        }
    }

    /// Whether there are credentials, or were asked for, that are meant for a request-target: by the
    /// `domain` of the challenge, or for Basic by the path that was challenged (RFC 7617, section
    /// 2.2). Elsewhere nothing is sent unasked.
    ///
    /// Paths cover what is below them, whatever its query; a URI of `domain` that has a query itself
    /// covers nothing.
    pub fn covers<U: AsRef<[u8]> + ?Sized>(&self, uri: &U) -> bool {
        let target = OurTarget::of(uri.as_ref(), &self.endpoint);
        target.is_some_and(|target| self.spaces.covering(&target).is_some())
    }

    /// What the first request of an exchange for this request-target will be like, so that a caller
    /// with a large body need not send it twice: it may probe with an empty request, or
    /// `Expect: 100-continue`.
    pub fn readiness<U: AsRef<[u8]> + ?Sized>(&self, uri: &U) -> Readiness {
        let target = OurTarget::of(uri.as_ref(), &self.endpoint);
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
            Scheme::Digest { nonce, .. } if !nonce.is_at_hand => Readiness::NoNonce,
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
    fn a_nonce_is_never_counted_past_its_end() {
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
        // Unasked, the next request goes without.
        let mut exchange = Exchange::new();
        let unasked = client.authorize(&mut exchange, &target);
        assert!(matches!(unasked, Ok(None)), "{unasked:?}");
        // A server that insists on this nonce is an error, once.
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
        // A server that has no other gets no answer, rather than the first count again.
        let mut exchange = Exchange::new();
        assert_eq!(client.challenged(&mut exchange, CHALLENGE), Next::Retry);
        assert_eq!(client.authorize(&mut exchange, &target).err(), exhausted);
    }
}
