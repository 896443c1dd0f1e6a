//! Answers for requests.

use crate::client::answer::{AuthorizeError, check_length, check_request, digest_answer};
use crate::client::client::Client;
use crate::client::exchange::Exchange;
use crate::client::paths::{OwnTarget, Paths};
use crate::client::request::Request;
use crate::client::space::Scheme;
use crate::digest::Cnonce;
use crate::field_value::FieldValue;
use crate::target::Target;

impl Client {
    /// Returns the value of `Authorization` (`Proxy-Authorization` for a proxy) for the next
    /// request of an exchange. Call this exactly once for each request sent, because each Digest
    /// answer uses up a nonce count.
    ///
    /// If the result is `None`, send the request without the field, and remove the field from a
    /// request object that you reuse. The result is `None`:
    ///
    /// - before a login to the protection space;
    /// - outside the protection spaces, unless the server has challenged this exchange;
    /// - while the nonce is unusable: in doubt (see [`completed`](Self::completed)), exhausted, or
    ///   used with another login;
    /// - while the credentials are weaker than the required [`Strength`](super::Strength);
    /// - after the client has given up on the exchange, except with
    ///   [`NoUsableChallenge`](super::GiveUp::NoUsableChallenge);
    /// - for a request-target that names another origin, or could (such as `index.html`, which has
    ///   no leading `/`), unless the endpoint is a proxy, and for one with userinfo
    ///   (`user:password@`); but in SIP, where `sip:` URIs name a user, neither matters for these;
    /// - before a challenge, in the cases below.
    ///
    /// The client remembers the last count of each of the 17 most recent nonces, across logins, so
    /// it repeats no count of these nonces.
    ///
    /// # Errors
    ///
    /// [`AuthorizeError::Method`] if the method is not a token, and [`AuthorizeError::Target`] if
    /// the request-target contains a control byte other than HTAB.
    ///
    /// Only if a challenge of this exchange is still to be answered: [`AuthorizeError::TooLong`] if
    /// the value would be longer than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES),
    /// [`AuthorizeError::BodyNeeded`] if the response must cover a body that is unknown, and
    /// [`AuthorizeError::NonceExhausted`] if the nonce has been used 2³² - 1 times. Before a
    /// challenge, the result is `None` in these cases: the request goes without credentials, and a
    /// challenge that comes back replaces the nonce. So a single forged message cannot lock the
    /// client out. [`readiness`](Self::readiness) tells in advance whether the body will be needed.
    pub fn authorize<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
    ) -> Result<Option<&'e FieldValue>, AuthorizeError> {
        self.answer(exchange, target, None)
    }

    /// Like [`authorize`](Self::authorize), with a given cnonce, for known-answer tests. Pass a new
    /// cnonce at every call. The given one is ignored for Basic, for RFC 2069, and for a `-sess`
    /// algorithm after the first request with a nonce.
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    ///
    /// # let endpoint = Endpoint::origin("http", "www.example.org", None)?;
    /// # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    /// // The example of RFC 7616, section 3.9.1.
    /// let challenge = r#"Digest realm="http-auth@example.org", qop="auth, auth-int",
    ///     algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    ///     opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#.replace('\n', "");
    /// let mut exchange = Exchange::new();
    /// let next = client.challenged(&mut exchange, [&challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Mufasa", "Circle of Life")?;
    /// let target = Target::new("GET", "/dir/index.html");
    /// let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
    /// let answer = client.authorize_with_cnonce(&mut exchange, &target, cnonce)?;
    /// let response = "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1";
    /// assert!(answer.unwrap().to_str()?.contains(response));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`authorize`](Self::authorize), and [`AuthorizeError::Cnonce`].
    pub fn authorize_with_cnonce<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
        cnonce: &str,
    ) -> Result<Option<&'e FieldValue>, AuthorizeError> {
        let cnonce = Cnonce::new(cnonce).map_err(AuthorizeError::Cnonce)?;
        self.answer(exchange, target, Some(&cnonce))
    }

    fn answer<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
        cnonce: Option<&Cnonce>,
    ) -> Result<Option<&'e FieldValue>, AuthorizeError> {
        // A challenge asks for an answer for its own request-target.
        let is_answered = exchange.answer.is_some();
        if is_answered && exchange.uri() != Some(target.uri) {
            exchange.challenging_space = None;
        }
        exchange.answer = None;
        exchange.sent = None;
        exchange.answering_space = None;
        exchange.is_preemptive = false;
        exchange.request = None;
        check_request(target)?;
        let Some(own_target) = OwnTarget::of(target.uri, &self.endpoint) else {
            return Ok(None);
        };
        exchange.request = Some(Request::new(target));
        if exchange.closed {
            return Ok(None);
        }
        let challenging_space = exchange
            .challenging_space
            .and_then(|id| self.spaces.by_id(id));
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
        if space.strength() < space.required_strength(&self.strengths) {
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
                let (counts, generator) = (&mut self.counts, &mut self.generator);
                let cnonce = || cnonce.copied().unwrap_or_else(|| generator.cnonce());
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
                // Basic is valid for the folder of the challenged path. Add the folder of this
                // request-target, in case the caller has changed it since, or called `challenged`
                // before the first `authorize`.
                let is_basic = exchange.sent.is_none();
                if is_challenged && is_basic && space.paths.covering_len(&own_target).is_none() {
                    space.paths.extend(Paths::folder_of(target.uri));
                }
                exchange.answering_space = Some(id);
                exchange.is_preemptive = !is_challenged;
                Ok(Some(exchange.answer.insert(value)))
            }
            // A challenge that cannot be answered may be old or forged, so let the server challenge
            // this request first.
            Err(_) if !is_challenged => Ok(None),
            Err(why) => Err(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::endpoint::Endpoint;
    use crate::client::next::Next;
    use crate::client::policy::Policy;
    use crate::client::readiness::Readiness;

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
        // A new exchange goes without an answer.
        let mut exchange = Exchange::new();
        let none = client.authorize(&mut exchange, &target);
        assert!(matches!(none, Ok(None)), "{none:?}");
        // If the server repeats this nonce in a challenge, that is an error, once.
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
        // A server that goes back to the exhausted nonce does not see its counts start again.
        let mut exchange = Exchange::new();
        assert_eq!(client.challenged(&mut exchange, CHALLENGE), Next::Retry);
        assert_eq!(client.authorize(&mut exchange, &target).err(), exhausted);
    }
}
