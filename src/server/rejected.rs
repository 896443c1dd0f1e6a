//! A rejected request.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use crate::channel::Channel;
use crate::digest::User;
use crate::header::Authorization;
use crate::server::arrival::Arrival;
use crate::server::realm::Realm;
use crate::server::rejection::{Rejection, RejectionClass};
use crate::time::Timestamp;

/// A rejected request: the reason, and the user that it claims to be from, if any.
///
/// Pass it to [`Authenticator::refuse`](super::Authenticator::refuse) for the response. `Display`
/// gives the reason; neither it nor `Debug` shows the user name.
///
/// ```
/// # #[cfg(feature = "std")] {
/// # use countersign::server::{Arrival, Authenticator, Realm};
/// # use countersign::{Channel, Target};
/// use countersign::digest::Ha1;
/// use countersign::wire::basic_credentials;
/// use countersign::server::{BasicOffer, Rejection};
///
/// # let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
/// # let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
/// # let value = basic_credentials("Mufasa", "wrong")?;
/// # let target = Target::new("GET", "/");
/// # let arrival = Arrival::now(Channel::Encrypted);
/// # let attempt = auth.begin([&value], &target, &arrival).unwrap();
/// # let account = None::<Ha1>;
/// let rejected = attempt.verify(account).unwrap_err();
/// assert_eq!(rejected.rejection(), Rejection::WrongCredentials);
/// if let Some(user) = rejected.claimed_user() {
///     // The name comes from the client, and may be long. The `Display` of `User` escapes it.
///     let user: String = user.to_string().chars().take(200).collect();
///     println!("{} user={user}: {rejected}", rejected.rejection().name());
/// #   assert_eq!(user, r#""Mufasa""#);
/// }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It borrows the request and the realm. If the request is moved or dropped before the response is
/// made, or for `?` in a function that returns `Box<dyn Error>`, use
/// [`into_owned`](Self::into_owned).
#[derive(Clone)]
pub struct Rejected<'a> {
    rejection: Rejection,
    request: Request<'a>,
}

/// The parts of the request that the response and the log need.
#[derive(Clone)]
enum Request<'a> {
    Borrowed {
        /// The value of the credentials field, which `claimed_user` parses again.
        value: Option<&'a [u8]>,
        realm: &'a Realm,
        arrival: Arrival<'a>,
    },
    Owned(Box<Owned>),
}

#[derive(Clone)]
struct Owned {
    user: Option<User<'static>>,
    realm: Realm,
    channel: Channel,
    now: Timestamp,
    binding: Box<[u8]>,
}

impl<'a> Rejected<'a> {
    pub(super) const fn new(
        rejection: Rejection,
        value: Option<&'a [u8]>,
        realm: &'a Realm,
        arrival: &Arrival<'a>,
    ) -> Self {
        Self {
            rejection,
            request: Request::Borrowed {
                value,
                realm,
                arrival: *arrival,
            },
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

    /// The user that the client claims to be, as the request names it. `None` if the field is
    /// absent, occurs more than once or cannot be parsed (also because this crate does not support
    /// the algorithm or qop), and for other schemes. For Basic, this call decodes the credentials,
    /// even those that `begin` [refused](Rejection::CleartextBasic) without decoding them.
    pub fn claimed_user(&self) -> Option<User<'a>> {
        let value = match &self.request {
            Request::Borrowed { value, .. } => (*value)?,
            Request::Owned(owned) => return owned.user.clone(),
        };
        match Authorization::parse(value).ok()? {
            Authorization::Basic(pair) => {
                Some(User::from_octets(pair.username().into()).into_owned())
            }
            Authorization::Digest(credentials) => Some(credentials.user()),
            Authorization::Other(_) => None,
        }
    }

    /// Converts to a value that borrows nothing, with a copy of the [user](Self::claimed_user) and
    /// of the realm's settings. [`refuse`](super::Authenticator::refuse) gives the same response
    /// for it, with another nonce.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use countersign::digest::Ha1;
    /// use countersign::server::{Arrival, Authenticator, Rejected};
    /// use countersign::{Channel, Target};
    ///
    /// fn check(auth: &Authenticator, value: &str) -> Result<(), Box<dyn std::error::Error>> {
    ///     let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
    ///     let attempt = auth.begin([value], &target, &arrival).map_err(Rejected::into_owned)?;
    ///     let account = None::<Ha1>; // from the user store
    ///     attempt.verify(account).map_err(Rejected::into_owned)?;
    ///     Ok(())
    /// }
    /// # use countersign::server::Realm;
    /// # let auth = Authenticator::new(Realm::new("files")?, 100, &mut getrandom::SysRng)?;
    ///
    /// let error = check(&auth, "Basic").unwrap_err();
    /// let rejected = error.downcast::<Rejected>()?;
    /// assert_eq!(auth.refuse(&rejected).status, 401);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_owned(self) -> Rejected<'static> {
        let user = self.claimed_user().map(User::into_owned);
        let owned = match self.request {
            Request::Borrowed { realm, arrival, .. } => Box::new(Owned {
                user,
                realm: realm.clone(),
                channel: arrival.channel,
                now: arrival.now,
                binding: arrival.binding.into(),
            }),
            Request::Owned(owned) => owned,
        };
        Rejected {
            rejection: self.rejection,
            request: Request::Owned(owned),
        }
    }

    /// The realm that the request was checked against.
    pub(super) fn realm(&self) -> &Realm {
        match &self.request {
            Request::Borrowed { realm, .. } => realm,
            Request::Owned(owned) => &owned.realm,
        }
    }

    pub(super) fn arrival(&self) -> Arrival<'_> {
        match &self.request {
            Request::Borrowed { arrival, .. } => *arrival,
            Request::Owned(owned) => {
                Arrival::new(owned.channel, owned.now).bound_to(&owned.binding)
            }
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
