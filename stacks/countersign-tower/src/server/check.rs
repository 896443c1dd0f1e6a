//! The check of one request.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use countersign::digest::{Ha1, User};
use countersign::server::{
    Arrival, Attempt, Authenticator, Grant, Receipt, Refusal, SharedStore, Verdict, Verified,
};
use countersign::{Authorization, Channel, EntityBody, Scheme, Target};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue, PROXY_AUTHORIZATION, RETRY_AFTER};
use http::request::Parts;
use http::{Response, StatusCode};
use http_body::Body;

use crate::fields;
use crate::server::buffer::BodyError;
use crate::server::client_address::{ClientAddress, network};
use crate::server::client_uri::ClientUri;
use crate::server::event::Event;
use crate::server::found::Found;
use crate::server::identity::Identity;
use crate::server::limiter::{Guesser, Limiter};
#[cfg(feature = "tracing")]
use crate::server::log;
use crate::server::outcome::Outcome;
use crate::server::request_body::RequestBody;
use crate::server::settings::{Claim, Server, Settings};
use crate::server::users::{StoreError, Users};

/// A request that [`AuthLayer::check`](super::AuthLayer::check) lets through.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked<B> {
    /// The body to pass on in place of the one that came.
    pub body: RequestBody<B>,
    /// What the response tells the client about its login.
    pub info: LoginInfo,
}

/// The login of a request that was let through, for its response.
pub struct LoginInfo {
    field: HeaderName,
    scheme: Option<Scheme>,
    /// `None` if the layer sends none.
    receipt: Option<Receipt>,
}

impl LoginInfo {
    /// The scheme of the login; `None` if the request has no credentials and needs none.
    pub const fn scheme(&self) -> Option<Scheme> {
        self.scheme
    }

    /// The field to add to the response: the proof that the server knows the secret, and the next
    /// nonce. It takes the place of a field of this name, which would be about another login. `body`
    /// is what the response has for a body: `Empty` if it has none, as for `HEAD` and for 204 and 304.
    pub fn field(&self, body: EntityBody<'_>) -> Option<(HeaderName, HeaderValue)> {
        let info = self.receipt.as_ref()?.authentication_info(body)?;
        // Does not fail: it has no control bytes.
        let value = HeaderValue::from_maybe_shared(Bytes::from(Vec::from(info))).ok()?;
        Some((self.name(), value))
    }

    pub(super) fn name(&self) -> HeaderName {
        self.field.clone()
    }
}

impl fmt::Debug for LoginInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginInfo")
            .field("scheme", &self.scheme)
            .finish_non_exhaustive()
    }
}

/// Checks a request and adds the [`Identity`] to it. Returns the response to a request that is not
/// let through.
pub(super) async fn check<B, U>(
    settings: &Settings<U>,
    head: &mut Parts,
    body: B,
) -> Result<Checked<B>, Response<()>>
where
    B: Body<Data = Bytes>,
    B::Error: Into<StoreError>,
    U: Users,
{
    // So that no log of the request shows a Basic password, for this challenger or another.
    for (field, value) in &mut head.headers {
        if [AUTHORIZATION, PROXY_AUTHORIZATION].contains(field) {
            value.set_sensitive(true);
        }
    }
    // One of a layer around this one is of another login.
    head.extensions.remove::<Identity<U>>();
    let challenger = settings.realm.challenger();
    let checking = Checking {
        settings,
        uri: ClientUri::of(head, challenger),
        address: ClientAddress::of(head),
        head,
    };
    let info = |scheme, receipt| LoginInfo {
        field: fields::info(challenger),
        scheme,
        receipt,
    };
    if settings.is_optional && !head.headers.contains_key(fields::credentials(challenger)) {
        checking.tell(|| None, Outcome::Anonymous, None);
        return Ok(Checked {
            body: RequestBody::unread(body),
            info: info(None, None),
        });
    }
    let (identity, receipt, body) = checking.run(body).await?;
    let info = info(Some(identity.scheme()), receipt);
    head.extensions.insert(identity);
    Ok(Checked { body, info })
}

struct Checking<'a, U> {
    settings: &'a Settings<U>,
    head: &'a Parts,
    uri: Cow<'a, str>,
    address: Option<IpAddr>,
}

impl<U: Users> Checking<'_, U> {
    async fn run<B>(
        &self,
        body: B,
    ) -> Result<(Identity<U>, Option<Receipt>, RequestBody<B>), Response<()>>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<StoreError>,
    {
        let mut attempt = self.begin(EntityBody::Unknown)?;
        let user = attempt.claimed_user();
        let limiter = self.limiter(&user)?;
        if let Some((limiter, address)) = limiter {
            let guesser = limiter.guesser(address, &attempt, None);
            if let Some(wait) = limiter.wait(&guesser) {
                return Err(self.limited(&user, wait));
            }
        }
        // Until the check is over, the body takes memory for somebody who may be nobody.
        let (bytes, _share): (Bytes, _);
        let body = if attempt.required_body_hash_function().is_some() {
            // Otherwise anyone could make us read bodies.
            if !attempt.nonce_is_fresh() {
                return Err(self.refuse(&attempt.reject_unread()));
            }
            // Boxed, like what asks the store of counts: otherwise all requests would take the
            // memory that few need.
            let network = self.address.map(network);
            let read = Box::pin(self.settings.buffer.read(body, network)).await;
            (bytes, _share) = read.map_err(|error| self.unread(&user, error))?;
            // The nonce was fresh when the head came. Whoever holds the body back decides when
            // the request is complete, so the nonce must still be fresh now.
            attempt = self.begin(EntityBody::Bytes(&bytes))?;
            RequestBody::whole(bytes.clone())
        } else {
            RequestBody::unread(body)
        };
        let known = self.ask_store(&attempt, &user).await;
        let known = known.map_err(|error| self.unavailable(&user, &error))?;
        let limiter = limiter.map(|(limiter, address)| {
            let guesser = limiter.guesser(address, &attempt, known.ha1());
            (limiter, guesser)
        });
        let limiter = limiter.as_ref();
        let (identity, receipt) = match &self.settings.auth {
            Server::Own(auth) => self.admit(auth, attempt, known, user, limiter)?,
            Server::Shared(auth, ask) => {
                let verified = self.verify(attempt, known, &user, limiter)?;
                Box::pin(self.claim(auth, &**ask, verified, user)).await?
            }
        };
        if let Some((limiter, guesser)) = limiter {
            limiter.forgive(guesser);
        }
        let user = || Some(identity.claimed_user().clone());
        self.tell(user, Outcome::Granted, None);
        Ok((identity, receipt, body))
    }

    /// Checks and admits a request by the counts in memory. Not a part of `run`, whose future would
    /// copy each of the large values on the way.
    fn admit<'r>(
        &self,
        auth: &Authenticator,
        attempt: Box<Attempt<'r>>,
        known: Known<U::Account>,
        user: User<'r>,
        limiter: Option<&(&Limiter, Guesser)>,
    ) -> Result<(Identity<U>, Option<Receipt>), Response<()>> {
        let verified = self.verify(attempt, known, &user, limiter)?;
        match auth.admit(verified) {
            Ok(grant) => Ok(self.granted(grant, user)),
            Err(refusal) => Err(self.refuse(&refusal)),
        }
    }

    /// What is kept of a grant.
    #[inline]
    fn granted(
        &self,
        grant: Grant<'_, Candidate<U::Account>>,
        user: User<'_>,
    ) -> (Identity<U>, Option<Receipt>) {
        let identity = Identity::of(&grant, user, grant.account().account.clone());
        // Basic has no proof.
        let has_info = self.settings.sends_info && identity.scheme() == Scheme::Digest;
        (identity, has_info.then(|| grant.into_parts().1))
    }

    fn realm(&self) -> &str {
        self.settings.realm.name()
    }

    /// Begins the check as of now.
    fn begin<'r>(&'r self, body: EntityBody<'r>) -> Result<Box<Attempt<'r>>, Response<()>> {
        let head = self.head;
        let channel = head.extensions.get().copied();
        let channel: Channel = channel.unwrap_or(self.settings.channel);
        let realm = &self.settings.realm;
        let field = fields::credentials(realm.challenger());
        let credentials = head.headers.get_all(field).iter();
        let auth = &self.settings.auth;
        let target = Target::new(head.method.as_str(), &*self.uri).with_body(body);
        match auth.begin_as(realm, credentials, &target, Arrival::now(channel)) {
            Ok(attempt) => Ok(Box::new(attempt)),
            Err(refusal) => Err(self.refuse(&refusal)),
        }
    }

    /// The limiter, if there is one, and the client's address to count by.
    fn limiter(&self, user: &User<'_>) -> Result<Option<(&Limiter, IpAddr)>, Response<()>> {
        let Some(limiter) = &self.settings.limiter else {
            return Ok(None);
        };
        // With one count for all clients without an address, any of them could lock a user out. With
        // none, all of them could guess.
        match self.address {
            Some(address) => Ok(Some((limiter, address))),
            None => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Err(self.fail(user, Outcome::NoAddress, status))
            }
        }
    }

    /// Asks the user store.
    async fn ask_store(
        &self,
        attempt: &Attempt<'_>,
        user: &User<'_>,
    ) -> Result<Known<U::Account>, StoreError> {
        let (users, realm) = (&self.settings.users, self.realm());
        if let Some(pair) = attempt.basic() {
            match users.check_password(pair, realm).await? {
                None => {}
                Some(Verdict::Right(account)) => {
                    let candidate = Candidate { account, ha1: None };
                    return Ok(Known::Verdict(Verdict::Right(candidate)));
                }
                Some(Verdict::Wrong) => return Ok(Known::Verdict(Verdict::Wrong)),
            }
        }
        let found = users.find(user, realm, attempt.hash_function()).await?;
        Ok(Known::Found(found.map(|Found { account, ha1 }| {
            Candidate {
                account,
                ha1: Some(ha1),
            }
        })))
    }

    /// Checks the response or the password, and counts a wrong one.
    #[inline]
    fn verify<'r>(
        &self,
        attempt: Box<Attempt<'r>>,
        known: Known<U::Account>,
        user: &User<'_>,
        limiter: Option<&(&Limiter, Guesser)>,
    ) -> Result<Verified<'r, Candidate<U::Account>>, Response<()>> {
        let verified = match known {
            Known::Found(found) => attempt.verify_by(found, |found, _| found.ha1.as_ref()),
            Known::Verdict(verdict) => attempt.decide(verdict),
        };
        if let Some((limiter, guesser)) = limiter {
            let why = verified.as_ref().err().map(|refusal| refusal.reason);
            if let Some(wait) = limiter.count(guesser, why) {
                return Err(self.limited(user, wait));
            }
        }
        match verified {
            Ok(verified) => Ok(verified),
            Err(refusal) => Err(self.refuse(&refusal)),
        }
    }

    /// Admits a request by the store of counts.
    async fn claim(
        &self,
        auth: &Authenticator<SharedStore>,
        ask: &Claim,
        verified: Verified<'_, Candidate<U::Account>>,
        user: User<'_>,
    ) -> Result<(Identity<U>, Option<Receipt>), Response<()>> {
        let claim = match auth.claim(verified) {
            Ok(grant) => return Ok(self.granted(grant, user)),
            Err(claim) => claim,
        };
        let reply = ask(claim.key(), claim.time_to_live()).await;
        let reply = reply.map_err(|error| self.unavailable(&user, &error))?;
        match claim.settle(reply) {
            Ok(grant) => Ok(self.granted(grant, user)),
            Err(refusal) => Err(self.refuse(&refusal)),
        }
    }

    fn refuse(&self, refusal: &Refusal) -> Response<()> {
        let mut response = Response::new(());
        // Does not fail: one of the statuses that the page `checks` names.
        let status = StatusCode::from_u16(refusal.status);
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        for challenge in &refusal.challenges {
            // Does not fail: a challenge is visible ASCII, or bytes above it.
            if let Ok(value) = HeaderValue::from_bytes(challenge.as_bytes()) {
                let field = HeaderName::from_static(refusal.field);
                response.headers_mut().append(field, value);
            }
        }
        let outcome = Outcome::Refused(refusal.reason);
        self.tell(|| self.claimed_user(), outcome, Some(response.status()));
        response
    }

    /// The user that the credentials field names, if there is one that can be read.
    fn claimed_user(&self) -> Option<User<'static>> {
        let field = fields::credentials(self.settings.realm.challenger());
        let mut values = self.head.headers.get_all(field).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let credentials = Authorization::parse(value).ok()?;
        credentials.user().map(User::into_owned)
    }

    /// Without a challenge, to which a browser would prompt its user.
    fn fail(&self, user: &User<'_>, outcome: Outcome<'_>, status: StatusCode) -> Response<()> {
        self.tell(|| Some(user.clone()), outcome, Some(status));
        let mut response = Response::new(());
        *response.status_mut() = status;
        response
    }

    /// For a body that was to be read.
    fn unread(&self, user: &User<'_>, error: BodyError) -> Response<()> {
        match error {
            BodyError::TooLarge => {
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                self.fail(user, Outcome::BodyTooLarge, status)
            }
            BodyError::TooMany => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                self.fail(user, Outcome::TooManyBodies, status)
            }
            BodyError::Failed(error) => {
                let outcome = Outcome::BodyFailed(&*error);
                self.fail(user, outcome, StatusCode::BAD_REQUEST)
            }
        }
    }

    fn unavailable(&self, user: &User<'_>, error: &StoreError) -> Response<()> {
        let outcome = Outcome::StoreFailed(error);
        let mut response = self.fail(user, outcome, StatusCode::SERVICE_UNAVAILABLE);
        let soon = HeaderValue::from_static("1");
        response.headers_mut().insert(RETRY_AFTER, soon);
        response
    }

    fn limited(&self, user: &User<'_>, wait: Duration) -> Response<()> {
        let status = StatusCode::TOO_MANY_REQUESTS;
        let mut response = self.fail(user, Outcome::Limited(wait), status);
        let retry_after = seconds_until(wait).into();
        response.headers_mut().insert(RETRY_AFTER, retry_after);
        response
    }

    /// `user` is called only if somebody listens, because a Basic one is decoded for it.
    fn tell<'u>(
        &self,
        user: impl FnOnce() -> Option<User<'u>>,
        outcome: Outcome<'_>,
        status: Option<StatusCode>,
    ) {
        let on_event = self.settings.on_event.as_ref();
        #[cfg(feature = "tracing")]
        let is_logged = log::is_wanted(&outcome);
        #[cfg(not(feature = "tracing"))]
        let is_logged = false;
        if on_event.is_none() && !is_logged {
            return;
        }
        let event = Event {
            head: self.head,
            address: self.address,
            uri: &self.uri,
            realm: self.realm(),
            user: user(),
            outcome,
            status,
        };
        #[cfg(feature = "tracing")]
        log::log(&event);
        if let Some(on_event) = on_event {
            on_event(&event);
        }
    }
}

/// Whole seconds, rounded up, so that nobody comes back too early.
const fn seconds_until(wait: Duration) -> u64 {
    let is_more = wait.subsec_nanos() > 0;
    wait.as_secs().saturating_add(is_more as u64)
}

/// What the user store says.
enum Known<A> {
    Found(Option<Candidate<A>>),
    /// It has checked the password.
    Verdict(Verdict<Candidate<A>>),
}

/// An account whose secret is being checked.
struct Candidate<A> {
    account: A,
    /// `None` where the store has checked the password.
    ha1: Option<Ha1>,
}

impl<A> Known<A> {
    fn ha1(&self) -> Option<&Ha1> {
        match self {
            Self::Found(Some(candidate)) => candidate.ha1.as_ref(),
            Self::Found(None) | Self::Verdict(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_comes_back_too_early() {
        for (nanos, secs) in [(0, 0), (1, 1), (999_999_999, 1), (1_000_000_000, 1)] {
            assert_eq!(seconds_until(Duration::from_nanos(nanos)), secs);
        }
        assert_eq!(seconds_until(Duration::MAX), u64::MAX);
    }
}
