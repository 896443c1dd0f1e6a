//! The check of one request.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use countersign::digest::{Ha1, User};
use countersign::server::{
    self, Arrival, Attempt, Authenticator, Grant, Receipt, Refusal, SharedStore, Verified,
};
use countersign::{Authorization, Channel, EntityBody, Target};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue, PROXY_AUTHORIZATION, RETRY_AFTER};
use http::request::Parts;
use http::{Response, StatusCode, Uri};
use http_body::Body;

use crate::fields;
use crate::server::buffer::BodyError;
use crate::server::client_uri::ClientUri;
use crate::server::event::Event;
use crate::server::found::Found;
use crate::server::identity::Identity;
use crate::server::limiter::{Limiter, Subject};
use crate::server::outcome::Outcome;
use crate::server::request_body::RequestBody;
use crate::server::settings::{Claim, Server, Settings};
use crate::server::users::{StoreError, Users};
use crate::server::verdict::Verdict;
use crate::target::request_target;

/// A request that is let through.
pub(super) struct Checked<B> {
    /// `None` if it has no credentials and needs none.
    pub(super) login: Option<Login>,
    /// To pass on.
    pub(super) body: RequestBody<B>,
}

/// Who has logged in, for the response.
pub(super) struct Login {
    /// Whether by Digest, whose responses may have `Authentication-Info`.
    pub(super) is_digest: bool,
    /// `None` if the layer sends none.
    pub(super) receipt: Option<Receipt>,
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
    for field in [AUTHORIZATION, PROXY_AUTHORIZATION] {
        if let http::header::Entry::Occupied(mut values) = head.headers.entry(field) {
            values
                .iter_mut()
                .for_each(|value| value.set_sensitive(true));
        }
    }
    // One of a layer around this one is of another login.
    head.extensions.remove::<Identity<U>>();
    let checking = Checking {
        settings,
        uri: ClientUri::of(head),
        head,
    };
    let challenger = settings.realm.challenger();
    if settings.is_optional && !head.headers.contains_key(fields::credentials(challenger)) {
        checking.tell(|| None, Outcome::Anonymous, None);
        return Ok(Checked {
            login: None,
            body: RequestBody::unread(body),
        });
    }
    let (identity, receipt, body) = checking.run(body).await?;
    let is_digest = identity.algorithm().is_some();
    head.extensions.insert(identity);
    Ok(Checked {
        login: Some(Login { is_digest, receipt }),
        body,
    })
}

struct Checking<'a, U> {
    settings: &'a Settings<U>,
    head: &'a Parts,
    uri: &'a Uri,
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
        let uri = request_target(self.uri, self.settings.realm.challenger());
        let mut attempt = self.begin(&uri, EntityBody::Unknown)?;
        let user = attempt.claimed_user();
        let network = self.network(&user)?;
        if let Some((limiter, network)) = network {
            let hash = attempt.hash_function();
            let subject = limiter.subject(network, self.realm(), &user, hash, None);
            if let Some(wait) = limiter.wait(&subject) {
                return Err(self.limited(&user, wait));
            }
        }
        // Until the check is over, the body takes memory for somebody who may be nobody.
        let (bytes, _share);
        let body = if attempt.required_body_hash_function().is_some() {
            // Otherwise anyone could make us read bodies.
            if !attempt.nonce_is_fresh() {
                return Err(self.refuse(&attempt.reject_unread()));
            }
            let trailers;
            // Boxed, like what asks the store of counts: otherwise all requests would take the
            // memory that few need.
            let read = Box::pin(self.settings.buffer.read(body)).await;
            (bytes, trailers, _share) = read.map_err(|error| self.unread(&user, error))?;
            // The nonce was fresh when the head came. Whoever holds the body back decides when
            // the request is complete, so the nonce must still be fresh now.
            attempt = self.begin(&uri, EntityBody::Bytes(&bytes))?;
            RequestBody::whole(bytes.clone(), trailers)
        } else {
            RequestBody::unread(body)
        };
        let known = self.ask_store(&attempt, &user).await;
        let known = known.map_err(|error| self.unavailable(&user, &error))?;
        let limiter = network.map(|(limiter, network)| {
            let (hash, ha1) = (attempt.hash_function(), known.ha1());
            let subject = limiter.subject(network, self.realm(), &user, hash, ha1);
            (limiter, subject)
        });
        let limiter = limiter.as_ref();
        let verified = self.verify(attempt, known, &user, limiter)?;
        let grant = match &self.settings.auth {
            Server::Own(auth) => auth
                .admit(verified)
                .map_err(|refusal| self.refuse(&refusal))?,
            Server::Shared(auth, ask) => {
                Box::pin(self.claim(auth, &**ask, verified, &user)).await?
            }
        };
        if let Some((limiter, subject)) = limiter {
            limiter.forgive(subject);
        }
        let identity = Identity::of(&grant, user, grant.account().account.clone());
        let receipt = self.settings.sends_info.then(|| grant.into_parts().1);
        let user = || Some(identity.claimed_user().clone());
        self.tell(user, Outcome::Granted, None);
        Ok((identity, receipt, body))
    }

    fn realm(&self) -> &str {
        self.settings.realm.name()
    }

    /// Begins the check as of now.
    fn begin<'r>(
        &'r self,
        uri: &'r str,
        body: EntityBody<'r>,
    ) -> Result<Box<Attempt<'r>>, Response<()>> {
        let head = self.head;
        let channel = head.extensions.get().copied();
        let channel: Channel = channel.unwrap_or(self.settings.channel);
        let realm = &self.settings.realm;
        let field = fields::credentials(realm.challenger());
        let credentials = head.headers.get_all(field).iter();
        let auth = &self.settings.auth;
        let target = Target::new(head.method.as_str(), uri).with_body(body);
        auth.begin_as(realm, credentials, &target, Arrival::now(channel))
            .map(Box::new)
            .map_err(|refusal| self.refuse(&refusal))
    }

    /// The limiter, if there is one, and the client's network to count by.
    fn network(&self, user: &User<'_>) -> Result<Option<(&Limiter, IpAddr)>, Response<()>> {
        let Some(limiter) = &self.settings.limiter else {
            return Ok(None);
        };
        // With one count for all clients without an address, any of them could lock a user out. With
        // none, all of them could guess.
        match limiter.network(self.head) {
            Some(network) => Ok(Some((limiter, network))),
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
                Verdict::CompareHa1 => {}
                Verdict::Right(account) => {
                    let candidate = Candidate { account, ha1: None };
                    return Ok(Known::Verdict(server::Verdict::Right(candidate)));
                }
                Verdict::Wrong => return Ok(Known::Verdict(server::Verdict::Wrong)),
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
    fn verify<'r>(
        &self,
        attempt: Box<Attempt<'r>>,
        known: Known<U::Account>,
        user: &User<'_>,
        limiter: Option<&(&Limiter, Subject)>,
    ) -> Result<Verified<'r, Candidate<U::Account>>, Response<()>> {
        let verified = match known {
            Known::Found(found) => attempt.verify_by(found, |found, _| found.ha1.as_ref()),
            Known::Verdict(verdict) => attempt.decide(verdict),
        };
        if let Some((limiter, subject)) = limiter {
            let why = verified.as_ref().err().map(|refusal| refusal.reason);
            if let Some(wait) = limiter.count(subject, why) {
                return Err(self.limited(user, wait));
            }
        }
        verified.map_err(|refusal| self.refuse(&refusal))
    }

    /// Admits a request by the store of counts.
    async fn claim<'r, A>(
        &self,
        auth: &Authenticator<SharedStore>,
        ask: &Claim,
        verified: Verified<'r, A>,
        user: &User<'_>,
    ) -> Result<Grant<'r, A>, Response<()>> {
        let claim = match auth.claim(verified) {
            Ok(grant) => return Ok(grant),
            Err(claim) => claim,
        };
        let reply = ask(claim.key(), claim.time_to_live()).await;
        let reply = reply.map_err(|error| self.unavailable(user, &error))?;
        claim.settle(reply).map_err(|refusal| self.refuse(&refusal))
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
        self.fail(user, outcome, StatusCode::SERVICE_UNAVAILABLE)
    }

    fn limited(&self, user: &User<'_>, wait: Duration) -> Response<()> {
        let status = StatusCode::TOO_MANY_REQUESTS;
        let mut response = self.fail(user, Outcome::Limited(wait), status);
        // Rounded up, so that nobody comes back too early.
        let is_more = wait.subsec_nanos() > 0;
        let secs = wait.as_secs().saturating_add(u64::from(is_more));
        response.headers_mut().insert(RETRY_AFTER, secs.into());
        response
    }

    /// `user` is called only if somebody listens, because a Basic one is decoded for it.
    fn tell<'u>(
        &self,
        user: impl FnOnce() -> Option<User<'u>>,
        outcome: Outcome<'_>,
        status: Option<StatusCode>,
    ) {
        let Some(on_event) = &self.settings.on_event else {
            return;
        };
        on_event(&Event {
            head: self.head,
            uri: self.uri,
            realm: self.realm(),
            user: user(),
            outcome,
            status,
        });
    }
}

/// What the user store says.
enum Known<A> {
    Found(Option<Candidate<A>>),
    /// It has checked the password.
    Verdict(server::Verdict<Candidate<A>>),
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
