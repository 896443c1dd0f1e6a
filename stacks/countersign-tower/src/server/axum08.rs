//! What an application with axum 0.8 needs.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, OptionalFromRequestParts};
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

/// The address of the connection, for a [`Limiter`](super::Limiter) where clients connect to the
/// server themselves. axum has it in [`ConnectInfo`] if the router is served with
/// `into_make_service_with_connect_info::<SocketAddr>()`.
pub fn peer_address(head: &Parts) -> Option<IpAddr> {
    let peer = head.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map(|peer| peer.0.ip())
}
