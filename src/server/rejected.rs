//! A rejected request.

use core::error::Error;
use core::fmt;

use crate::digest::User;
use crate::header::Authorization;
use crate::server::arrival::Arrival;
use crate::server::realm::Realm;
use crate::server::rejection::{Rejection, RejectionClass};

/// A rejected request: the reason, and the user that it claims to be from.
///
/// Pass it to [`Authenticator::refuse`](super::Authenticator::refuse) for the response. `Display`
/// gives the reason; neither it nor `Debug` shows the user name.
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
///     // The name comes from the client. `{:?}` escapes it, so that it cannot forge log lines.
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
    /// The value of the credentials field. It is parsed again only if the caller asks for the user,
    /// which avoids an allocation for the name.
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

    /// The reason, for the log.
    pub const fn rejection(&self) -> Rejection {
        self.rejection
    }

    /// The class of the reason, for a rate limiter.
    pub const fn class(&self) -> RejectionClass {
        self.rejection.class()
    }

    /// The user that the client claims to be, as spelled in the request; `None` if there are no
    /// credentials or they cannot be parsed.
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
