//! The check of one request.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use countersign::digest::{Ha1, User};
use countersign::server::{self, Arrival, Attempt, Receipt, Refusal, Use, Verified};
use countersign::{Authorization, Channel, EntityBody, Target, Timestamp};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue, PROXY_AUTHORIZATION, RETRY_AFTER};
use http::request::Parts;
use http::{Response, StatusCode, Uri};
use http_body::Body;

use crate::server::buffer::BodyError;
use crate::server::client_uri::ClientUri;
use crate::server::event::Event;
use crate::server::found::Found;
use crate::server::identity::Identity;
use crate::server::limiter::{Limiter, Subject};
use crate::server::outcome::Outcome;
use crate::server::request_body::RequestBody;
use crate::server::settings::{Server, Settings};
use crate::server::target::request_target;
use crate::server::users::{StoreError, Users};
use crate::server::verdict::Verdict;

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
    pub(super) receipt: Receipt,
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
    let field = settings.realm.challenger().credentials_field();
    if settings.is_optional && !head.headers.contains_key(field) {
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
    async fn run<B>(&self, body: B) -> Result<(Identity<U>, Receipt, RequestBody<B>), Response<()>>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<StoreError>,
    {
        let uri = request_target(self.uri, self.settings.realm.challenger());
        let target = Target::new(self.head.method.as_str(), &*uri);
        let refuse = |refusal: Refusal| self.refuse(&refusal);

        let mut attempt = self.begin(&target)?;
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
            let read = self.settings.buffer.read(body).await;
            (bytes, trailers, _share) = read.map_err(|error| self.unread(&user, error))?;
            // The nonce was fresh when the head came. Whoever holds the body back decides when
            // the request is complete, so the nonce must still be fresh now.
            attempt = self.begin(&target.with_body(EntityBody::Bytes(&bytes)))?;
            RequestBody::whole(bytes.clone(), trailers)
        } else {
            RequestBody::unread(body)
        };
        let (verified, subject) = self.verify(attempt, &user, network).await?;
        let limiter = self.settings.limiter.as_ref().zip(subject);
        if let Some((limiter, subject)) = &limiter {
            let why = verified.as_ref().err().map(|refusal| refusal.reason);
            if let Some(wait) = limiter.count(subject, why) {
                return Err(self.limited(&user, wait));
            }
        }
        let verified = verified.map_err(refuse)?;
        let grant = match &self.settings.auth {
            Server::Own(auth) => auth.admit(verified).map_err(refuse)?,
            Server::Shared(auth, set_if_absent) => match auth.claim(verified) {
                Ok(grant) => grant,
                Err(claim) => {
                    let is_absent = set_if_absent(claim.key(), claim.expires()).await;
                    let used = match is_absent.map_err(|error| self.unavailable(&user, &error))? {
                        true => Use::First,
                        false => Use::Seen,
                    };
                    claim.settle(used, Timestamp::now()).map_err(refuse)?
                }
            },
        };
        if let Some((limiter, subject)) = &limiter {
            limiter.forgive(subject);
        }
        let (identity, receipt) = Identity::of(grant, |found: Candidate<_>| found.account);
        self.tell(|| Some(user.clone()), Outcome::Granted, None);
        Ok((identity, receipt, body))
    }

    fn realm(&self) -> &str {
        self.settings.realm.name()
    }

    /// Begins the check as of now.
    fn begin<'r>(&'r self, target: &Target<'r>) -> Result<Attempt<'r>, Response<()>> {
        let head = self.head;
        let channel = head.extensions.get().copied();
        let channel: Channel = channel.unwrap_or(self.settings.channel);
        let realm = &self.settings.realm;
        let field = realm.challenger().credentials_field();
        let credentials = head.headers.get_all(field).iter();
        let auth = &self.settings.auth;
        auth.begin_as(realm, credentials, target, Arrival::now(channel))
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

    /// Asks the user store, and checks the response or the password. Also returns whom the limiter
    /// is to count it for.
    async fn verify<'r>(
        &self,
        attempt: Attempt<'r>,
        user: &User<'_>,
        limiter: Option<(&Limiter, IpAddr)>,
    ) -> Result<(CheckResult<'r, U::Account>, Option<Subject>), Response<()>> {
        let (users, realm) = (&self.settings.users, self.realm());
        let hash = attempt.hash_function();
        let subject = |ha1: Option<&Ha1>| {
            let (limiter, network) = limiter?;
            Some(limiter.subject(network, realm, user, hash, ha1))
        };
        let unavailable = |error: StoreError| self.unavailable(user, &error);
        if let Some(pair) = attempt.basic() {
            let verdict = users.check_password(pair, realm).await;
            match verdict.map_err(unavailable)? {
                Verdict::CompareHa1 => {}
                Verdict::Right(account) => {
                    let candidate = Candidate { account, ha1: None };
                    return Ok((
                        attempt.decide(server::Verdict::Right(candidate)),
                        subject(None),
                    ));
                }
                Verdict::Wrong => {
                    return Ok((attempt.decide(server::Verdict::Wrong), subject(None)));
                }
            }
        }
        let found = users.find(user, realm, hash).await;
        let found = found.map_err(unavailable)?;
        let subject = subject(found.as_ref().map(|found| &found.ha1));
        let candidate = found.map(|Found { account, ha1 }| Candidate {
            account,
            ha1: Some(ha1),
        });
        let verified = attempt.verify_by(candidate, |candidate, _| candidate.ha1.as_ref());
        Ok((verified, subject))
    }

    fn refuse(&self, refusal: &Refusal) -> Response<()> {
        let mut response = Response::new(());
        // Does not fail: one of the statuses that the table of `Rejection` names.
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
        let field = self.settings.realm.challenger().credentials_field();
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

/// An account whose secret is being checked.
struct Candidate<A> {
    account: A,
    /// `None` where the store has checked the password.
    ha1: Option<Ha1>,
}

type CheckResult<'r, A> = Result<Verified<'r, Candidate<A>>, Refusal>;
