//! Who a request is from.

use std::fmt;
use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::error::ErrorInternalServerError;
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest};
use countersign_tower::server::{self, Users};

/// Who a request is from: an extractor, also as an `Option` where the login is
/// [optional](countersign_tower::server::AuthLayer::with_optional_login). `U` is the user store of the
/// [`Login`](crate::Login) around the handler. Without such a login the response is a 500, which says
/// so.
pub struct Identity<U: Users>(server::Identity<U>);

impl<U: Users> Deref for Identity<U> {
    type Target = server::Identity<U>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<U: Users> FromRequest for Identity<U> {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let found = request.extensions().get().cloned();
        let missing = "no login by the user store that the handler names";
        ready(
            found
                .map(Self)
                .ok_or_else(|| ErrorInternalServerError(missing)),
        )
    }
}

// Derived, both would require the same of `U`.
impl<U: Users> Clone for Identity<U> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<U: Users<Account: fmt::Debug>> fmt::Debug for Identity<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
