//! The check of one request.

use std::net::IpAddr;
use std::time::Duration;

use countersign::digest::{Ha1, HashFunction, User};
use countersign::server::{self, Arrival, Attempt, Realm, Receipt, Refusal, Use, Verified};
use countersign::{Authorization, Challenger, Channel, EntityBody, Target, Timestamp};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue, PROXY_AUTHORIZATION, RETRY_AFTER};
use http::request::Parts;
use http::{Response, StatusCode, Uri};
use tokio::sync::OwnedSemaphorePermit;

use crate::server::claimed::Claimed;
use crate::server::event::Event;
use crate::server::found::Found;
use crate::server::identity::Identity;
use crate::server::limiter::Subject;
use crate::server::outcome::Outcome;
use crate::server::read_body::{BodyError, ReadBody};
use crate::server::settings::{Server, Settings};
use crate::server::target::request_target;
use crate::server::users::{StoreError, Users};
use crate::server::verdict::Verdict;

/// A request that is let through.
pub(super) struct Checked<B> {
    /// Whose credentials it had.
    pub(super) challenger: Challenger,
    /// Whether they were Digest's, whose responses may have `Authentication-Info`.
    pub(super) is_digest: bool,
    /// For the response.
    pub(super) receipt: Receipt,
    /// To pass on.
    pub(super) body: B,
}

/// Checks a request and adds the [`Identity`] to it. Returns the response to a request that is not
/// let through.
pub(super) async fn check<B, U, R>(
    settings: &Settings<U, R>,
    head: &mut Parts,
    body: B,
) -> Result<Checked<B>, Response<()>>
where
    U: Users,
    R: ReadBody<B>,
{
    // So that no log of the request shows a Basic password, for this challenger or another.
    for field in [AUTHORIZATION, PROXY_AUTHORIZATION] {
        if let http::header::Entry::Occupied(mut values) = head.headers.entry(field) {
            values
                .iter_mut()
                .for_each(|value| value.set_sensitive(true));
        }
    }
    let other = (settings.realm)(head);
    let realm = other.as_deref().unwrap_or_else(|| settings.auth.realm());
    let checking = Checking {
        settings,
        realm,
        head,
        uri: (settings.uri)(head),
    };
    let (identity, receipt, body) = checking.run(body).await?;
    let is_digest = identity.algorithm().is_some();
    head.extensions.insert(identity);
    Ok(Checked {
        challenger: realm.challenger(),
        is_digest,
        receipt,
        body,
    })
}

struct Checking<'a, U, R> {
    settings: &'a Settings<U, R>,
    realm: &'a Realm,
    head: &'a Parts,
    uri: &'a Uri,
}

impl<U: Users, R> Checking<'_, U, R> {
    async fn run<B>(&self, body: B) -> Result<(Identity<U::Account>, Receipt, B), Response<()>>
    where
        R: ReadBody<B>,
    {
        let uri = request_target(self.uri, self.realm.challenger());
        let target = Target::new(self.head.method.as_str(), &*uri);
        let refuse = |refusal: Refusal| self.refuse(&refusal);

        let attempt = self.begin(&target)?;
        let user = attempt.claimed_user();
        let network = self.network(&user)?;
        if let Some(wait) = self.wait(&user, attempt.hash_function(), network) {
            return Err(self.limited(&user, wait));
        }
        // Until the check is over, the body takes memory for somebody who may be nobody.
        let (attempt, body, _place) = self.read_body(attempt, &target, &user, body).await?;
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

    /// Begins the check as of now.
    fn begin<'r>(&'r self, target: &Target<'r>) -> Result<Attempt<'r>, Response<()>> {
        let head = self.head;
        let channel = head.extensions.get().copied();
        let channel: Channel = channel.unwrap_or(self.settings.channel);
        let field = self.realm.challenger().credentials_field();
        let credentials = head.headers.get_all(field).iter();
        let auth = &self.settings.auth;
        auth.begin_as(self.realm, credentials, target, Arrival::now(channel))
            .map_err(|refusal| self.refuse(&refusal))
    }

    /// The client's network, if there is a limiter to count by it.
    fn network(&self, user: &User<'_>) -> Result<Option<IpAddr>, Response<()>> {
        let Some(limiter) = &self.settings.limiter else {
            return Ok(None);
        };
        let network = limiter.network(self.head);
        // With one count for all such clients, any of them could lock a user out. With none, all
        // of them could guess.
        if network.is_none() {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return Err(self.fail(user, Outcome::NoAddress, status));
        }
        Ok(network)
    }

    /// Asks the limiter how long the claimed user is refused for.
    fn wait(
        &self,
        user: &User<'_>,
        hash: HashFunction,
        network: Option<IpAddr>,
    ) -> Option<Duration> {
        if let Some((limiter, network)) = self.settings.limiter.as_ref().zip(network) {
            let realm = self.realm.name();
            return limiter.wait(&limiter.subject(network, realm, user, hash, None));
        }
        let wait = self.settings.wait.as_ref()?;
        wait(&Claimed {
            head: self.head,
            uri: self.uri,
            realm: self.realm.name(),
            user,
        })
    }

    /// Reads the body, if the response covers it.
    async fn read_body<'r, B>(
        &'r self,
        attempt: Attempt<'r>,
        target: &Target<'r>,
        user: &User<'_>,
        body: B,
    ) -> Result<(Attempt<'r>, B, Option<OwnedSemaphorePermit>), Response<()>>
    where
        R: ReadBody<B>,
    {
        let Some(hash) = attempt.required_body_hash_function() else {
            return Ok((attempt, body, None));
        };
        // Otherwise anyone could make us read bodies.
        if !attempt.nonce_is_fresh() {
            return Err(self.refuse(&attempt.reject_unread()));
        }
        match self.settings.read_body.read(body, hash).await {
            // The nonce was fresh when the head came. Whoever holds the body back decides when
            // the request is complete, so the nonce must still be fresh now.
            Ok((body, Some(digest), place)) => {
                let target = target.with_body(EntityBody::Hashed(digest));
                Ok((self.begin(&target)?, body, place))
            }
            Ok((body, None, place)) => Ok((attempt, body, place)),
            Err(BodyError::TooLarge) => {
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                Err(self.fail(user, Outcome::BodyTooLarge, status))
            }
            Err(BodyError::TooMany) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Err(self.fail(user, Outcome::TooManyBodies, status))
            }
            Err(BodyError::Failed(error)) => {
                let outcome = Outcome::BodyFailed(&*error);
                Err(self.fail(user, outcome, StatusCode::BAD_REQUEST))
            }
        }
    }

    /// Asks the user store, and checks the response or the password. Also returns whom the limiter
    /// is to count it for.
    async fn verify<'r>(
        &self,
        attempt: Attempt<'r>,
        user: &User<'_>,
        network: Option<IpAddr>,
    ) -> Result<(CheckResult<'r, U::Account>, Option<Subject>), Response<()>> {
        let (users, realm) = (&self.settings.users, self.realm.name());
        let hash = attempt.hash_function();
        let subject = |ha1: Option<&Ha1>| {
            let (limiter, network) = self.settings.limiter.as_ref().zip(network)?;
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
        let field = self.realm.challenger().credentials_field();
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
            realm: self.realm.name(),
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
