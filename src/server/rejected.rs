//! A request that may not go on.

use core::error::Error;
use core::fmt;

use crate::digest::User;
use crate::header::Authorization;
use crate::server::arrival::Arrival;
use crate::server::realm::Realm;
use crate::server::rejection::{Rejection, RejectionClass};

/// A request that may not go on: why, and who was claimed to send it.
///
/// [`Authenticator::refuse`](super::Authenticator::refuse) makes the response of it. `Display` says
/// why; `Debug` shows no name.
///
/// ```
/// # #[cfg(feature = "std")] {
/// # use countersign::server::{Arrival, Authenticator, Realm};
/// # use countersign::{Channel, Target, basic};
/// use countersign::digest::{Ha1, User};
/// use countersign::server::{BasicOffer, Rejection, RejectionClass};
///
/// # let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
/// # let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
/// # let value = basic::credentials("Mufasa", "wrong")?;
/// # let target = Target::new("GET", "/");
/// # let arrival = Arrival::now(Channel::Encrypted);
/// # let attempt = auth.begin([&value], &target, &arrival).unwrap();
/// # let account = None::<Ha1>;
/// let rejected = attempt.verify(account).unwrap_err();
/// assert_eq!(rejected.rejection(), Rejection::WrongCredentials);
/// if rejected.rejection().class() == RejectionClass::Suspicious {
///     // The name is the client's text: escape it, so that it cannot forge a line of the log.
///     let user = rejected.claimed_user();
///     let name = user.as_ref().and_then(User::name).unwrap_or("-");
///     println!("warn user={name:?}: {rejected}");
/// #   assert_eq!(name, "Mufasa");
/// }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Rejected<'a> {
    rejection: Rejection,
    /// The one value of the credentials field. It is read once more if somebody asks for the user:
    /// most refusals are of requests without credentials, and a copy would be an allocation.
    value: Option<&'a [u8]>,
    pub(super) realm: &'a Realm,
    pub(super) arrival: Arrival<'a>,
}

impl<'a> Rejected<'a> {
    pub(super) fn new(
        rejection: Rejection,
        value: Option<&'a [u8]>,
        realm: &'a Realm,
        arrival: &Arrival<'a>,
    ) -> Self {
        Self {
            rejection,
            value,
            realm,
            arrival: *arrival,
        }
    }

    /// Why.
    pub const fn rejection(&self) -> Rejection {
        self.rejection
    }

    /// What a rate limiter should make of it.
    pub const fn class(&self) -> RejectionClass {
        self.rejection.class()
    }

    /// Who the client said it was, as it spelled that; `None` if it did not say, or not in a way
    /// that could be read.
    pub fn claimed_user(&self) -> Option<User<'a>> {
        match Authorization::parse(self.value?).ok()? {
            Authorization::Basic(pair) => {
                Some(User::from_octets(pair.username().into()).into_owned())
            }
            Authorization::Digest(credentials) => Some(credentials.user()),
            Authorization::Other(_) => None,
        }
    }
}

impl fmt::Display for Rejected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rejection.fmt(f)
    }
}

impl fmt::Debug for Rejected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rejected").field(&self.rejection).finish()
    }
}

impl Error for Rejected<'_> {}
