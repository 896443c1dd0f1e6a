//! A request that may go on.

use crate::digest::{Algorithm, Qop, User};
use crate::field_value::FieldValue;
use crate::server::receipt::{Proof, Receipt};
use crate::server::settings::NextNonce;
use crate::server::uri::UriCheck;
use crate::server::verified::Verified;
use crate::target::EntityBody;

/// A request that may go on.
#[derive(Debug)]
#[must_use]
pub struct Grant<'a, A>(Verified<'a, A>);

impl<'a, A> Grant<'a, A> {
    #[inline]
    pub(super) const fn new(verified: Verified<'a, A>) -> Self {
        Self(verified)
    }

    /// The account that [`verify`](super::Attempt::verify) was given. Authorise by this.
    pub const fn account(&self) -> &A {
        &self.0.account
    }

    /// The user's name as the request spelled it, or its hash. No response covers the spelling: where
    /// the store takes several for one account, authorise by the [`account`](Self::account).
    pub fn claimed_user(&self) -> User<'_> {
        self.0.claimed.user()
    }

    /// The algorithm of the response; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.0.claimed.algorithm()
    }

    /// What the response covers; `None` for Basic and for the form of RFC 2069, which covers the
    /// request line but no count.
    pub fn qop(&self) -> Option<Qop> {
        self.0.claimed.digest()?.credentials.qop()
    }

    /// Returns whether the response covers the nonce count, so that a captured header is worth
    /// nothing more. Not so for Basic, RFC 2069 and the uncounted form.
    pub const fn is_counted(&self) -> bool {
        self.0.counted
    }

    /// The strictest check that the `uri` parameter passes; [`UriCheck::Unchecked`] for Basic,
    /// which covers no request at all.
    pub fn uri_match(&self) -> UriCheck {
        self.0
            .claimed
            .digest()
            .map_or(UriCheck::Unchecked, |claim| claim.uri_match)
    }

    /// The `Authentication-Info` value for the response, whatever its status: the server's own proof,
    /// and the nonce to use next when it is [time for one](super::Realm::with_next_nonce). `body` is
    /// the response's; only `qop=auth-int` covers it.
    ///
    /// `None` if there is nothing to say: for Basic, and without a next nonce also for RFC 2069, and
    /// where the proof would cover a body that is not known.
    ///
    /// It may also be sent in a trailer section (RFC 7615, section 3). Over a cleartext channel it
    /// shows listeners that the request was authenticated (section 5). The name of the field is
    /// [`info_field`](Self::info_field).
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        self.proof()?.authentication_info(body)
    }

    /// The name of the field: `authentication-info` or `proxy-authentication-info`.
    pub const fn info_field(&self) -> &'static str {
        self.0.realm.challenger.info_field()
    }

    /// What the response says of this request, borrowing nothing.
    pub fn receipt(&self) -> Receipt {
        Receipt::new(self.0.realm.challenger, self.proof())
    }

    /// The account, and what the response says of this request. If `A` borrows nothing, neither do
    /// the two.
    pub fn into_parts(self) -> (A, Receipt) {
        let receipt = self.receipt();
        (self.0.account, receipt)
    }

    fn proof(&self) -> Option<Proof<'_>> {
        let verified = &self.0;
        let claim = verified.claimed.digest()?;
        let key = verified.key.as_ref()?;
        let realm = verified.realm;
        let is_due = realm.next_nonce == NextNonce::Always
            || verified.is_single_use()
            || realm.is_old(claim.nonce, verified.arrival.now);
        let next = claim.next.as_ref().filter(|_| is_due);
        Some(Proof::new(key, &claim.credentials, verified.counted, next))
    }
}

impl<'a, A> Verified<'a, A> {
    /// Lets replays through, for as long as the nonce lives: whoever captures the header can send
    /// the request again. For a service whose requests change nothing and reveal nothing.
    pub const fn dangerous_skip_replay_check(self) -> Grant<'a, A> {
        Grant::new(self)
    }
}
