//! An admitted request.

use crate::digest::{Algorithm, Qop, User};
use crate::field_value::FieldValue;
use crate::server::receipt::{Proof, Receipt};
use crate::server::settings::NextNonce;
use crate::server::uri::UriCheck;
use crate::server::verified::Verified;
use crate::target::EntityBody;

/// An admitted request: its response or password is correct for the account.
///
/// It can be a replay only with Basic, with [reusable nonces](super::Realm::with_reusable_nonces)
/// if it is not [counted](Self::is_counted), after
/// [`dangerous_skip_replay_check`](Verified::dangerous_skip_replay_check), and if used counts are
/// missing, for example because a [shared
/// store](super::PendingClaim#a-store-that-loses-its-data) lost its data, servers with the same key
/// have no shared store, or `used_until` was [too early](super::Authenticator::with_key).
///
/// ```
/// # #[cfg(feature = "std")] {
/// # use countersign::server::{Arrival, Authenticator, BasicOffer, Realm};
/// # use countersign::{Channel, Target};
/// use countersign::wire::basic_credentials;
/// use countersign::EntityBody;
/// use countersign::digest::Ha1;
/// use countersign::server::UriCheck;
///
/// # let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
/// # let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
/// # let value = basic_credentials("Mufasa", "Circle of Life")?;
/// # let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
/// # let attempt = auth.begin([&value], &target, &arrival).unwrap();
/// # let ha1 = Ha1::new(attempt.hash_function(), "Mufasa", "files", "Circle of Life");
/// # let verified = attempt.verify(Some(ha1)).unwrap();
/// let grant = auth.admit(verified).unwrap();
/// let account: &Ha1 = grant.account();
/// if let Some(info) = grant.authentication_info(EntityBody::Unknown) {
///     println!("{}: {}", grant.info_field(), info.to_str()?);
/// }
/// # let _ = account;
///
/// // These are Basic credentials, which cover neither a count nor the request:
/// assert!(!grant.is_counted());
/// assert_eq!(grant.uri_match(), UriCheck::Unchecked);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Grant<'a, A>(Verified<'a, A>);

impl<'a, A> Grant<'a, A> {
    #[inline]
    pub(super) const fn new(verified: Verified<'a, A>) -> Self {
        Self(verified)
    }

    /// The account that was passed to [`verify`](super::Attempt::verify), to a variant of it, or to
    /// [`decide`](super::Attempt::decide). Base authorisation on it.
    pub const fn account(&self) -> &A {
        &self.0.account
    }

    /// The user name as spelled in the request, or its hash. The response does not cover the
    /// spelling, so base authorisation on the [`account`](Self::account).
    pub fn claimed_user(&self) -> User<'a> {
        self.0.credentials.user()
    }

    /// The algorithm of the response; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.0.credentials.algorithm()
    }

    /// The `qop` of the request; `None` for Basic and for RFC 2069.
    pub fn qop(&self) -> Option<Qop> {
        self.0.credentials.digest()?.credentials.qop()
    }

    /// Returns whether the response covers the nonce count. `false` for Basic, for RFC 2069 and for
    /// the [uncounted form](super::Realm::with_uncounted_form).
    pub const fn is_counted(&self) -> bool {
        self.0.counted
    }

    /// The strictest check that the `uri` parameter passed; [`UriCheck::Unchecked`] for Basic,
    /// whose credentials do not cover the request.
    pub fn uri_match(&self) -> UriCheck {
        self.0
            .credentials
            .digest()
            .map_or(UriCheck::Unchecked, |digest| digest.uri_match)
    }

    /// The `Authentication-Info` value for the response, whatever its status (in SIP for a 2xx
    /// only: RFC 3261, section 20.6): the server's proof (`rspauth`), and the next nonce when [one
    /// is due](super::Realm::with_next_nonce). The next nonce was issued by `begin`, so its
    /// lifetime starts when the request arrives.
    ///
    /// `body` is the body of the response; only `qop=auth-int` uses it (RFC 7616, section 3.5). It
    /// is the body that the client receives: empty (`EntityBody::Bytes(b"")`) in a response to
    /// `HEAD`, and in one with status 204 or 304.
    ///
    /// `None` if there is nothing to send. This is always so for Basic. If no next nonce is due, it
    /// is also so for RFC 2069, which has no `rspauth`, and for `auth-int` with
    /// [`EntityBody::Unknown`] or a hash by another function, because `rspauth` would have to cover
    /// the body.
    ///
    /// Send it as [`info_field`](Self::info_field), in the header or the trailer section (RFC 7615,
    /// section 3). Over a cleartext channel it tells eavesdroppers that the request was
    /// authenticated (section 5).
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        self.proof()?.authentication_info(body)
    }

    /// The field name for [`authentication_info`](Self::authentication_info): `authentication-info`
    /// or `proxy-authentication-info`.
    pub const fn info_field(&self) -> &'static str {
        self.0.realm.challenger.info_field()
    }

    /// An owned copy of what [`authentication_info`](Self::authentication_info) needs, for a
    /// response that is built later.
    pub fn receipt(&self) -> Receipt {
        Receipt::new(self.0.realm.challenger, self.proof())
    }

    /// The account and the [receipt](Self::receipt), neither of which keeps the request borrowed.
    pub fn into_parts(self) -> (A, Receipt) {
        let receipt = self.receipt();
        (self.0.account, receipt)
    }

    fn proof(&self) -> Option<Proof<'_>> {
        let verified = &self.0;
        let digest = verified.credentials.digest()?;
        let key = verified.response_key.as_ref()?;
        let realm = verified.realm;
        let is_due = realm.next_nonce == NextNonce::Always
            || verified.is_single_use()
            || realm.is_old(digest.nonce, verified.arrival.now);
        let next = digest.next.as_ref().filter(|_| is_due);
        Some(Proof::new(key, &digest.credentials, verified.counted, next))
    }
}

impl<'a, A> Verified<'a, A> {
    /// Admits the request without checking for a replay: anyone who captures the header can send
    /// the request again for the lifetime of the nonce. Only for a service whose requests change
    /// nothing and reveal nothing.
    ///
    /// ```
    /// use countersign::digest::Ha1;
    /// use countersign::server::{Attempt, Grant, Rejected};
    ///
    /// fn admit<'a>(attempt: Attempt<'a>, ha1: Ha1) -> Result<Grant<'a, Ha1>, Rejected<'a>> {
    ///     Ok(attempt.verify(Some(ha1))?.dangerous_skip_replay_check())
    /// }
    /// # let _ = admit;
    /// ```
    pub const fn dangerous_skip_replay_check(self) -> Grant<'a, A> {
        Grant::new(self)
    }
}
