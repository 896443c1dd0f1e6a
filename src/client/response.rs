//! Processing of responses.

use crate::challenger::Challenger;
use crate::client::client::Client;
use crate::client::exchange::Exchange;
use crate::client::next::Next;
use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::selector::Selector;
use crate::client::short::Short;
use crate::error::HeaderError;
use crate::header::{AuthenticationInfo, Challenge, challenges};
use crate::syntax::Text;
use crate::target::EntityBody;

impl Client {
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
    /// [`Next::Done`] with [`ServerProof::Absent`], or with
    /// [`Policy::require_server_proof`](super::Policy::require_server_proof) the error
    /// [`ServerProofError::Missing`]. Inside a TLS tunnel, after `CONNECT`, a 407 does not come
    /// from the proxy. Do not pass that response to the proxy's client, because the origin could
    /// then ask for the proxy's credentials.
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
    /// The client prefers challenges of realms that it is logged in to. Among these, or among all
    /// if there are none, it answers the strongest challenge that the [`Policy`](super::Policy)
    /// allows, and of equal ones the first. RFC 7616, section 3.7, has a client use the first
    /// challenge that it supports, unless a local policy says otherwise. Here, the local policy is
    /// to prefer strength, because many servers put MD5 or Basic first for the sake of old clients.
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
    /// selected some of them. In SIP, several proxies put their challenges into one response, and
    /// each realm has its own client:
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
            let mut ready = self.spaces.iter().filter(|space| space.is_ready());
            ready.any(|space| space.realm().is_some_and(|ready| realm == *ready))
        };
        let choice = selector.choose(challenges, is_logged_in);
        self.on_challenge(choice, exchange)
    }

    /// Processes a response that does not challenge this client: any status but 401 for an origin's
    /// client, any but 407 for a proxy's. The client checks the server's proof and takes the
    /// server's next nonce.
    ///
    /// `info` takes all values of `Authentication-Info` (`Proxy-Authentication-Info` from a proxy),
    /// those of the head and of the trailers in one call; `None::<&str>` if there are none. If the
    /// proof comes in the trailers, a call with the head alone finds none. `body` is the body of
    /// the response, and matters only for `qop=auth-int`.
    ///
    /// What the status means for the answer that the request carried:
    ///
    /// | status | meaning |
    /// |---|---|
    /// | 1xx except 101 outside SIP; 407 | none, and nothing changes: the response is not final, or comes from a proxy that did not pass the request on |
    /// | 400, 403, 406, 413, 414, 431, 500, 502, 503, 504 without a valid proof, and any other with a [`ServerProofError`] | the nonce is in doubt: the next request goes without an answer, and gets a new nonce with the challenge |
    /// | any other (2xx, 3xx, 404, …, and 101 outside SIP, which switches protocols), and any with a valid proof | the answer was accepted |
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
    /// [`ServerProofError::Wrong`] if the proof is wrong. Do not trust the response: its sender may
    /// not know the secret.
    /// [`Policy::ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) turns this
    /// into a result.
    ///
    /// With [`Policy::require_server_proof`](super::Policy::require_server_proof), also
    /// [`ServerProofError::Missing`] if the response has no proof that can be checked, whatever its
    /// status, and [`ServerProofError::Header`] if the field cannot be parsed.
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
}
