//! Processing of responses.

use crate::challenger::Challenger;
use crate::client::client::Client;
use crate::client::error::Error;
use crate::client::exchange::{Exchange, Next, ServerProof};
use crate::client::policy::Quirk;
use crate::error::HeaderError;
use crate::header::{AuthenticationInfo, Challenge, challenges};
use crate::target::EntityBody;

impl Client {
    /// Processes a final response, by the rules of [`rules`](super::rules).
    ///
    /// `fields` returns the values of all field lines with the given name, which is in lower case.
    /// `body` is the body of the response and matters only for `qop=auth-int`. Of a request through
    /// a proxy that has a client, too, pass the response to the proxy's client first, and to the
    /// origin's only if the result is [`Next::Done`]. Pass no response from inside a tunnel to the
    /// proxy's client: the origin could ask for the proxy's credentials.
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
    ) -> Result<Next, Error>
    where
        F: FnMut(&'static str) -> I,
        I: Iterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let challenger = self.endpoint.challenger();
        if status == challenger.status() {
            let values = fields(challenger.challenge_field());
            return Ok(self.challenged(exchange, challenges(values)));
        }
        let info = fields(challenger.info_field());
        let proof = self.completed(exchange, status, info, body)?;
        Ok(Next::Done(proof))
    }

    /// Processes the challenges of a 401 or 407, or some of them: in SIP, several proxies may put
    /// theirs into one response, whatever its status (RFC 3261, section 16.7). Make one client for
    /// each realm then, without Basic, which SIP does not have.
    pub fn challenged<'a, I>(&mut self, exchange: &mut Exchange, challenges: I) -> Next
    where
        I: IntoIterator<Item = Result<Challenge<'a>, HeaderError>>,
    {
        let choice = self.choose(challenges);
        self.on_challenge(choice, exchange)
    }

    /// Processes a response without a challenge for this client: checks whether the server proved
    /// that it knows the secret, and takes its next nonce.
    ///
    /// `values` are all values of `Authentication-Info` (`Proxy-Authentication-Info` from a proxy),
    /// from the header section and the trailers together. An interim response (1xx; 101 only in
    /// SIP) changes nothing, and nor does a 407 to an origin's client.
    ///
    /// # Errors
    ///
    /// [`Error::WrongProof`] if the proof is wrong, and with
    /// [`Policy::require_server_proof`](super::Policy::require_server_proof)
    /// [`Error::MissingProof`] if there is none that can be checked, whatever the status.
    pub fn completed<'a, I, V>(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        values: I,
        body: EntityBody<'_>,
    ) -> Result<ServerProof, Error>
    where
        I: Iterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        // After a 101 outside SIP, the connection speaks another protocol.
        let is_interim = matches!(status, 100..=199) && (status != 101 || self.endpoint.is_sip());
        // A challenge may be of a proxy on the way.
        let is_challenge = [self.endpoint.challenger(), Challenger::Proxy].map(Challenger::status);
        if is_interim || is_challenge.contains(&status) {
            return self.judge(ServerProof::Absent);
        }
        exchange.hold = None;
        let mut info = AuthenticationInfo::default();
        let proof = match (&exchange.sent, AuthenticationInfo::parse(values)) {
            // The request carried no answer, or Basic, which does not define the field.
            (None, _) => ServerProof::Absent,
            // An attacker could also omit the field, so this is no worse than no proof.
            (Some(_), Err(_)) => ServerProof::Unreadable,
            (Some(sent), Ok(parsed)) => {
                info = parsed;
                sent.check(&info, exchange.uri().unwrap_or_default(), body)
            }
        };
        let proof = self.judge(proof);
        self.on_response(exchange, status, &info, proof.as_ref().ok());
        proof
    }

    /// Returns an error for a proof that the policy does not accept.
    const fn judge(&self, proof: ServerProof) -> Result<ServerProof, Error> {
        let requires_proof = self.policy.requires_proof;
        let ignores_wrong = self.policy.has(Quirk::IgnoreWrongProof) && !requires_proof;
        match proof {
            ServerProof::Wrong if !ignores_wrong => Err(Error::WrongProof),
            ServerProof::Valid => Ok(proof),
            _ if requires_proof => Err(Error::MissingProof),
            _ => Ok(proof),
        }
    }
}
