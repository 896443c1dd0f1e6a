//! Whether the next request will carry an answer.

use crate::client::client::Client;
use crate::client::paths::OwnTarget;
use crate::client::space::{ProtectionSpace, Scheme};
use crate::digest::HashFunction;

/// Whether the first request of an exchange for a request-target will carry an answer, and if not,
/// why. See [`Client::readiness`](super::Client::readiness).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Readiness {
    /// No answer, because nobody is logged in, or nobody is logged in to the protection space of
    /// the request-target.
    NotLoggedIn,
    /// No answer, because the request-target is outside every known protection space, for example
    /// because it names another origin. There is a login for at least a part of the endpoint.
    OutsideSpace,
    /// No answer, because the nonce cannot be used any more, for example because the server could
    /// not read it. The challenge that comes back can usually be answered without another login.
    NoNonce,
    /// No answer, because the credentials are weaker than the required
    /// [`Strength`](super::Strength).
    BelowStrength,
    /// An answer, which the server may still refuse.
    Answer,
    /// An answer that covers the body, if the [`Target`](crate::Target) has the body, or its hash
    /// by this function. Without either, an answer that does not cover the body if server and
    /// policy allow that, and otherwise none.
    AnswerOverBody(HashFunction),
}

impl Client {
    /// Returns whether a request-target is within a known protection space. Elsewhere no
    /// credentials are sent until the server asks, and none for a request-target that
    /// [could name another origin](Self::authorize), which no space covers.
    ///
    /// For Digest, `domain` lists what the space covers, and without it (RFC 7616, section 3.3), or
    /// if it has no valid path or URI, the space covers all request-targets. If all URIs of
    /// `domain` name other origins, it covers none. For Basic, the space covers the folder of the
    /// challenged path (RFC 7617, section 2.2); for preemptive Basic, and for a proxy, it covers
    /// all. What several challenges of one space cover adds up. When another realm challenges a
    /// request-target that its own space covers, other spaces lose longer paths that cover it.
    ///
    /// A path covers everything below it, with any query. A path with a malformed escape, or in
    /// which a server may find a segment `.` or `..`, is covered only by a space that covers all. A
    /// URI of `domain` that has a query covers nothing. The client keeps at most 64 paths of 8 KiB
    /// in all for a space: the first of a long `domain`, and of several challenges the latest.
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
    /// twice. The prediction leaves out two rare cases without an answer: a header value that is
    /// too long, and a nonce whose last count was used.
    ///
    /// If the request will carry no answer, use `Expect: 100-continue`, or probe with a safe method
    /// (HEAD or OPTIONS) for the same request-target in a separate exchange. Do not probe with
    /// an empty PUT or POST: a server that does not ask for credentials would execute the request.
    /// With [`require_server_proof`](super::Policy::require_server_proof), a probe that the server
    /// answers without a challenge, such as a public OPTIONS, is
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
            _ if space.strength() < space.required_strength(&self.strengths) => {
                Readiness::BelowStrength
            }
            Scheme::Basic { .. } => Readiness::Answer,
            Scheme::Digest { nonce, .. } if !nonce.is_usable => Readiness::NoNonce,
            Scheme::Digest { nonce, .. } if self.policy.wants_auth_int(nonce.qop) => {
                Readiness::AnswerOverBody(nonce.algorithm.hash_function())
            }
            Scheme::Digest { .. } => Readiness::Answer,
        }
    }
}
