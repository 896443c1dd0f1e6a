//! Who a request is from.

use std::fmt;

use countersign::Scheme;
use countersign::digest::{Algorithm, Qop, User};
use countersign::server::Grant;

use crate::server::users::Users;

/// Who a request is from, and how that is known. [`AuthLayer`](super::AuthLayer) adds it to the
/// extensions of each request that it lets through. `U` is the layer's [user store](Users), which
/// says the type of the account: a handler that uses it as another type does not compile.
///
/// With the feature `axum` it is an extractor of axum 0.8, also as an `Option` where the login is
/// [optional](super::AuthLayer::with_optional_login). A handler that asks for the identity of
/// another store than that of its layer answers with status 500, because axum composes layers and
/// handlers at run time.
///
/// ```
/// use countersign_tower::server::{Identity, UserMap};
///
/// fn handle(request: &http::Request<()>) -> String {
///     let identity = request.extensions().get::<Identity<UserMap>>();
///     identity.map_or("nobody", |identity| identity.account()).to_owned()
/// }
/// # assert_eq!(handle(&http::Request::new(())), "nobody");
/// ```
pub struct Identity<U: Users> {
    user: User<'static>,
    account: U::Account,
    algorithm: Option<Algorithm>,
    qop: Option<Qop>,
    is_counted: bool,
}

impl<U: Users> Identity<U> {
    /// The identity of a granted request of this user.
    pub(super) fn of<F>(grant: &Grant<'_, F>, user: User<'_>, account: U::Account) -> Self {
        Self {
            user: user.into_owned(),
            account,
            algorithm: grant.algorithm(),
            qop: grant.qop(),
            is_counted: grant.qop().is_some(),
        }
    }

    /// The account. Base authorisation on it.
    pub const fn account(&self) -> &U::Account {
        &self.account
    }

    /// The user name as spelled in the request, or its hash, for a log. Digest does not protect
    /// the spelling, so base authorisation on the [`account`](Self::account).
    pub const fn claimed_user(&self) -> &User<'static> {
        &self.user
    }

    /// The scheme: Basic or Digest.
    pub const fn scheme(&self) -> Scheme {
        match self.algorithm {
            Some(_) => Scheme::Digest,
            None => Scheme::Basic,
        }
    }

    /// The algorithm of the response; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.algorithm
    }

    /// What the response covers; `None` for Basic and for RFC 2069.
    pub const fn qop(&self) -> Option<Qop> {
        self.qop
    }

    /// Returns whether the response covers the nonce count, so that a captured header cannot be
    /// replayed.
    pub const fn is_counted(&self) -> bool {
        self.is_counted
    }
}

// Derived, both would require the same of `U`.
impl<U: Users> Clone for Identity<U> {
    fn clone(&self) -> Self {
        Self {
            user: self.user.clone(),
            account: self.account.clone(),
            algorithm: self.algorithm,
            qop: self.qop,
            is_counted: self.is_counted,
        }
    }
}

impl<U: Users<Account: fmt::Debug>> fmt::Debug for Identity<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("user", &self.user)
            .field("account", &self.account)
            .field("algorithm", &self.algorithm)
            .field("qop", &self.qop)
            .finish_non_exhaustive()
    }
}
