//! `Identity` as an extractor of axum 0.8.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use http::StatusCode;
use http::request::Parts;

use crate::server::identity::Identity;
use crate::server::users::Users;

impl<S: Sync, U: Users> FromRequestParts<S> for Identity<U> {
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(head: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let identity = head.extensions.get().cloned();
        let why = "no login by the user store that the handler names";
        identity.ok_or((StatusCode::INTERNAL_SERVER_ERROR, why))
    }
}

impl<S: Sync, U: Users> OptionalFromRequestParts<S> for Identity<U> {
    type Rejection = Infallible;

    async fn from_request_parts(head: &mut Parts, _: &S) -> Result<Option<Self>, Infallible> {
        Ok(head.extensions.get().cloned())
    }
}
