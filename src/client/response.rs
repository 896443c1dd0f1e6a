//! Processing of responses.

use crate::challenger::Challenger;
use crate::client::client::Client;
use crate::client::exchange::Exchange;
use crate::client::next::{GiveUp, Next};
use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::selector::Selector;
use crate::error::HeaderError;
use crate::header::{AuthenticationInfo, Challenge, challenges};
use crate::syntax::Text;
use crate::target::EntityBody;

impl Client {
    /// Processes a final response and returns what to do next. Status 401 (407 if the endpoint is a
    /// proxy) is handled as by [`challenged`](Self::challenged), any other status as by
    /// [`completed`](Self::completed).
    ///
    /// `fields` returns the values of the field with the given name, which is in lower case. The
    /// closure must return every value: a stronger challenge may come in a second field line, and
    /// some HTTP libraries (such as minreq) keep only one value per name. `body` is the body of
    /// the response and matters only for `qop=auth-int`. If the server sends `Authentication-Info`
    /// in trailers, call `challenged` or `completed` by the status instead.
    ///
    /// If the request goes through a proxy that has a client, too, pass the response to the proxy's
    /// client first, and to the origin's client only if the result is [`Next::Done`]. Pass no
    /// response from inside a tunnel (after `CONNECT`) to the proxy's client: it comes from the
    /// origin, which could otherwise ask for the proxy's credentials.
    ///
    /// An interim response (1xx; 101 only in SIP), or a 407 if the endpoint is an origin, changes
    /// nothing. Its result is [`Next::Done`] with [`ServerProof::Absent`], or with
    /// [`Policy::require_server_proof`](super::Policy::require_server_proof) the error
    /// [`ServerProofError::Missing`]. So do not pass interim responses.
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
    /// The client skips challenges that it cannot or must not answer: see
    /// [`SkipReason`](super::SkipReason). Of the others it chooses one of a realm that it is logged
    /// in to, if there is one; then the strongest; then, if the policy prefers `auth-int`, one that
    /// offers it; then the first. RFC 7616, section 3.7, recommends
    /// the server's order, but allows clients to have another one. This client prefers strength,
    /// because many servers put MD5 or Basic first for the sake of old clients.
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
        let next = self.choose(exchange, challenges(values));
        if let Next::GiveUp(GiveUp::NoUsableChallenge(_)) = next {
            self.on_no_challenge(exchange);
        }
        next
    }

    /// Like [`challenged`](Self::challenged), for callers that have parsed the challenges and
    /// selected some of them. In SIP, several proxies may put their challenges into one response;
    /// make one client for each realm then, without Basic, which SIP does not have: see
    /// [SIP clients](crate::manual::cookbook::sip::client).
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
    /// let policy = Policy::new().without_basic();
    /// let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let is_of_b = |challenge: &Challenge<'_>| {
    ///     matches!(challenge, Challenge::Digest(digest) if digest.realm == "b")
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

    /// Selects a challenge and processes it.
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
            let mut spaces = self.spaces.iter();
            spaces.any(|space| space.is_ready() && space.is_of_realm(realm))
        };
        let choice = selector.choose(challenges, is_logged_in);
        self.on_challenge(choice, exchange)
    }

    /// Processes a response without a challenge for this client: any status but 401 (407 if the
    /// endpoint is a proxy). The client checks whether the server proved that it knows the secret,
    /// and takes the server's next nonce.
    ///
    /// `values` are all values of `Authentication-Info` (`Proxy-Authentication-Info` from a proxy),
    /// from the header section and the trailers together; `None::<&str>` if there are none. `body`
    /// is the body of the response, and matters only for `qop=auth-int`.
    ///
    /// What the response says about the answer that the request carried; the first matching row
    /// applies:
    ///
    /// | response | meaning |
    /// |---|---|
    /// | 407; 100, 102 to 199; 101 in SIP | none, and nothing changes: a proxy refused the request, or the response is not final |
    /// | with a valid proof | the answer was accepted |
    /// | with a [`ServerProofError`]; 400, 403, 406, 413, 414, 431, 500, 502, 503, 504, and any other 5xx that is not registered for HTTP | the nonce is in doubt: an attacker may have chosen one that the server cannot read. The next request goes without an answer, to get another nonce. Basic credentials are sent as before |
    /// | 408, 421, 425, 426, 429, 511 | none, and nothing changes: usually sent before anybody looks at the credentials |
    /// | any other: 2xx, 3xx, 404, 486 in SIP, …, 101 (Switching Protocols), and to a proxy's client 401 | the answer was accepted |
    ///
    /// In SIP a 401 or 407 may have challenges for both kinds of clients, because a proxy that
    /// forks a request collects those of all branches (RFC 3261, section 16.7): pass a client its
    /// challenges by [`challenged_by`](Self::challenged_by), whatever the status.
    ///
    /// The acceptance shows that the secret is right if the proof is valid, or if the server had
    /// asked for the answer (and the space of that challenge still exists). Otherwise the resource
    /// may need no password, and take any.
    ///
    /// After a redirect, use a new exchange: see [the
    /// cookbook](crate::manual::cookbook::urls#redirects).
    ///
    /// The client takes a `nextnonce` if the answer was accepted, its login and nonce are still the
    /// current ones, and the nonce is still usable. It ignores a `nextnonce` that is empty, or too
    /// long for most servers to read back. For a `-sess` algorithm it computes a new session key
    /// with that nonce, although RFC 7616, section 3.6, keeps the key until the next challenge:
    /// servers that compute the key from the request alone, as this crate's server does, require
    /// this.
    ///
    /// # Errors
    ///
    /// [`ServerProofError::Wrong`] if the proof is wrong. Do not trust the response: its sender may
    /// not know the secret.
    /// [`Policy::ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) makes this
    /// `Ok(ServerProof::Wrong)`.
    ///
    /// With [`Policy::require_server_proof`](super::Policy::require_server_proof), also
    /// [`ServerProofError::Missing`] if the response has no proof that can be checked, whatever its
    /// status, and [`ServerProofError::Header`] if the field, after a Digest answer, is malformed.
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
        values: I,
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
        let mut info = AuthenticationInfo::default();
        let proof = self.check_proof(exchange, values, &mut info, body);
        self.on_response(exchange, status, &info, proof);
        proof
    }

    /// The result for a response without a proof.
    fn without_proof(&self) -> Result<ServerProof, ServerProofError> {
        match self.policy.requires_proof {
            true => Err(ServerProofError::Missing),
            false => Ok(ServerProof::Absent),
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
        // The request carried no answer, or Basic, which does not define the field.
        let Some(sent) = &exchange.sent else {
            return self.without_proof();
        };
        let proof = match AuthenticationInfo::parse(values) {
            Ok(parsed) => {
                *info = parsed;
                let uri = exchange.uri().unwrap_or_default();
                match sent.check(info, uri, body) {
                    Err(ServerProofError::Wrong) if self.policy.ignores_wrong_proof() => {
                        ServerProof::Wrong
                    }
                    checked => checked?,
                }
            }
            // An attacker could also omit the field, so this is no worse than no proof.
            Err(_) if !self.policy.requires_proof => ServerProof::Unreadable,
            Err(error) => return Err(error.into()),
        };
        match proof {
            ServerProof::Valid => Ok(proof),
            _ if !self.policy.requires_proof => Ok(proof),
            _ => Err(ServerProofError::Missing),
        }
    }
}
