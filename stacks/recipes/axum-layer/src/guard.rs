//! Connects axum with countersign.
use std::sync::Arc;

use axum::body;
use axum::extract::{OriginalUri, Request, State};
use axum::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use countersign::server::{Arrival, Attempt, Authenticator, Rejected, Verified};
use countersign::{Body, Channel, Target};
use tokio::task::spawn_blocking;

use crate::users::{Account, StoreError, Users};

/// Who was let in: take it by `Extension<CurrentUser>`.
#[derive(Clone)]
pub struct CurrentUser {
    pub name: String,
    pub how: &'static str,
}

pub struct Guard {
    pub auth: Authenticator,
    pub channel: Channel,
    pub users: Arc<Users>,
}

/// The middleware, for `axum::middleware::from_fn_with_state`.
pub async fn protect(
    State(guard): State<Arc<Guard>>,
    // A nested router sees a part of the path; the client hashed all of it.
    OriginalUri(uri): OriginalUri,
    request: Request,
    next: Next,
) -> Response<body::Body> {
    // In two parts, because a body is not `Sync`: no reference to it can be kept over an `await`.
    let (mut head, body) = request.into_parts();
    let uri = uri.path_and_query().map_or("", |uri| uri.as_str());
    let target = Target::new(head.method.as_str(), uri);
    let arrival = Arrival::now(guard.channel);
    let credentials = head.headers.get_all(AUTHORIZATION);
    let verified = match guard.auth.begin(credentials, &target, &arrival) {
        Ok(attempt) => match guard.verify(attempt).await {
            Ok(verified) => verified,
            Err(error) => {
                eprintln!("store: {error}");
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
        },
        Err(rejected) => Err(rejected),
    };
    let (user, receipt) = match verified.and_then(|verified| guard.auth.admit(verified)) {
        Ok(grant) => {
            let how = grant
                .algorithm()
                .map_or("Basic", |algorithm| algorithm.as_str());
            let (Account { name, .. }, receipt) = grant.into_parts();
            (CurrentUser { name, how }, receipt)
        }
        Err(rejected) => return guard.refuse(&rejected),
    };
    head.extensions.insert(user);
    let mut response = next.run(Request::from_parts(head, body)).await;
    if let Some(info) = receipt.authentication_info(Body::Unknown) {
        let field = HeaderName::from_static(receipt.field());
        let value = HeaderValue::from_bytes(info.as_bytes()).unwrap();
        response.headers_mut().insert(field, value);
    }
    response
}

impl Guard {
    async fn verify<'a>(
        &self,
        attempt: Attempt<'a>,
    ) -> Result<Result<Verified<'a, Account>, Rejected<'a>>, StoreError> {
        let users = Arc::clone(&self.users);
        let realm = attempt.realm().name().to_owned();
        if users.has_slow_passwords(&realm)
            && let Some(pair) = attempt.basic().cloned()
        {
            let found = spawn_blocking(move || users.find_by_password(&realm, &pair)).await??;
            return Ok(attempt.decide(found));
        }
        let (user, hash) = (attempt.claimed_user().into_owned(), attempt.hash());
        let found = spawn_blocking(move || users.find(&realm, &user, hash)).await??;
        Ok(attempt.verify_by(found, |account, _| account.ha1.as_ref()))
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Response<body::Body> {
        eprintln!("refused: {:?} {rejected}", rejected.class());
        let refusal = self.auth.refuse(rejected);
        let mut response = Response::builder().status(refusal.status);
        for challenge in &refusal.challenges {
            response = response.header(refusal.field, challenge.as_bytes());
        }
        response.body(body::Body::empty()).unwrap()
    }
}
