//! Who a request is from.

use countersign::Scheme;
use countersign::digest::{Algorithm, Qop, User};
use countersign::server::{Grant, Receipt};

/// Who a request is from, and how that is known. [`AuthLayer`](super::AuthLayer) adds it to the
/// extensions of each request that it lets through. `A` is the
/// [`Users::Account`](super::Users::Account) of its store.
///
/// ```
/// use countersign_tower::server::Identity;
///
/// fn handle(request: &http::Request<()>) -> String {
///     let identity = request.extensions().get::<Identity<String>>();
///     identity.map_or("nobody", |identity| identity.account()).to_owned()
/// }
/// # assert_eq!(handle(&http::Request::new(())), "nobody");
/// ```
#[derive(Clone, Debug)]
pub struct Identity<A> {
    user: User<'static>,
    account: A,
    algorithm: Option<Algorithm>,
    qop: Option<Qop>,
    is_counted: bool,
}

impl<A> Identity<A> {
    /// The identity of a granted request, and the receipt for its response.
    pub(super) fn of<F>(grant: Grant<'_, F>, account: impl FnOnce(F) -> A) -> (Self, Receipt) {
        let user = grant.claimed_user().into_owned();
        let (algorithm, qop, is_counted) = (grant.algorithm(), grant.qop(), grant.is_counted());
        let (found, receipt) = grant.into_parts();
        let identity = Self {
            user,
            account: account(found),
            algorithm,
            qop,
            is_counted,
        };
        (identity, receipt)
    }

    /// The account. Base authorisation on it.
    pub const fn account(&self) -> &A {
        &self.account
    }

    /// The user name as spelled in the request, or its hash, for a log. Digest does not protect
    /// the spelling, so base authorisation on the [`account`](Self::account).
    pub const fn claimed_user(&self) -> &User<'static> {
        &self.user
    }

    /// The scheme: Basic or Digest.
    pub const fn scheme(&self) -> Scheme<'static> {
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
