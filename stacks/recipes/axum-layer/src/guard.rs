//! Connects axum with countersign.
use std::sync::Arc;

use axum::extract::{OriginalUri, Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{AppendHeaders, IntoResponse, Response};
use countersign::server::{Arrival, Authenticator, Refusal, Verdict};
use countersign::{Channel, EntityBody, Target};

use crate::users::{Account, CurrentUser, StoreError, Users};

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
) -> Result<Response, Response> {
    // In two parts, because a body is not `Sync`: no reference to it can be kept over an `await`.
    let (mut head, body) = request.into_parts();
    let uri = uri.path_and_query().map_or("", |uri| uri.as_str());
    let target = Target::new(head.method.as_str(), uri);
    let arrival = Arrival::now(guard.channel);
    let credentials = head.headers.get_all(AUTHORIZATION);
    let auth = &guard.auth;
    let attempt = auth
        .begin(credentials.iter(), &target, arrival)
        .map_err(refuse)?;
    let found = guard.users.find(&attempt).await.map_err(unavailable)?;
    let verified = match &found {
        // The password has been compared with an Argon2 hash.
        Some(Account { ha1: None, .. }) => {
            attempt.decide(found.map_or(Verdict::Wrong, Verdict::Right))
        }
        _ => attempt.verify_by(found, |account, _| account.ha1.as_ref()),
    };
    let grant = auth.admit(verified.map_err(refuse)?).map_err(refuse)?;
    let how = grant
        .algorithm()
        .map_or("Basic", |algorithm| algorithm.as_str());
    let (Account { name, .. }, receipt) = grant.into_parts();
    head.extensions.insert(CurrentUser { name, how });
    let response = next.run(Request::from_parts(head, body)).await;
    let info = receipt.authentication_info(EntityBody::Unknown);
    let info = info.map(|value| (receipt.info_field(), Vec::from(value)));
    Ok((AppendHeaders(info), response).into_response())
}

fn unavailable(error: StoreError) -> Response {
    eprintln!("store: {error}");
    StatusCode::SERVICE_UNAVAILABLE.into_response()
}

fn refuse(refusal: Refusal) -> Response {
    eprintln!("refused: {}", refusal.reason.name());
    let status = StatusCode::from_u16(refusal.status).unwrap();
    let challenges = refusal.challenges.into_iter();
    let challenges = challenges.map(|value| (refusal.field, Vec::from(value)));
    (status, AppendHeaders(challenges)).into_response()
}
