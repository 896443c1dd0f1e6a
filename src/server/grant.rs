//! A verified request, an admitted one, and the server's proof for the response.

use alloc::boxed::Box;
use core::fmt;

use crate::challenger::Challenger;
use crate::digest::{Algorithm, Begun, DigestCredentials, Qop, User};
use crate::field_value::FieldValue;
use crate::header::{AuthenticationInfo, Authorization};
use crate::server::arrival::When;
use crate::server::credentials::{CheckedCredentials, CheckedDigest};
use crate::server::nonce::{Issuer, Nonce};
use crate::server::realm::Realm;
use crate::server::refusal::Refusal;
use crate::server::rejection::Rejection;
use crate::server::replay::ReplayKey;
use crate::target::{EntityBody, Target};

/// What the steps pass on of a request.
#[derive(Clone, Debug)]
pub(super) struct Checked<'a> {
    pub(super) realm: &'a Realm,
    /// Of the server that checked the nonce, which alone may admit the request.
    pub(super) issuer: &'a Issuer,
    pub(super) value: Value<'a>,
    pub(super) credentials: CheckedCredentials<'a>,
    pub(super) when: When<'a>,
}

impl Checked<'_> {
    pub(super) fn reject(&self, why: Rejection) -> Refusal {
        Refusal::new(why, &self.realm.0, self.issuer, &self.when)
    }

    pub(super) fn is_of(&self, issuer: &Issuer) -> bool {
        core::ptr::eq(self.issuer, issuer)
    }
}

/// Hidden from `Debug`, because for Basic it holds a password.
#[derive(Clone, Copy)]
pub(super) struct Value<'a>(pub(super) &'a [u8]);

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

/// A request whose response or password is correct for an account, but which may still be a replay.
/// Until it is [admitted](super::Authenticator::admit), the account is not accessible:
///
/// ```compile_fail,E0599
/// fn hasty(verified: countersign::server::Verified<'_, countersign::digest::Ha1>) {
///     verified.account(); // no such method
/// }
/// ```
#[must_use]
pub struct Verified<'a, A> {
    pub(super) request: Checked<'a>,
    /// What the response and the server's proof share. `None` for Basic.
    pub(super) begun: Option<Begun>,
    /// Whether the response covers the nonce count.
    pub(super) counted: bool,
    pub(super) account: A,
}

impl<'a, A> Verified<'a, A> {
    /// Returns whether the nonce of a Digest request is valid for this request only.
    fn is_single_use(&self) -> bool {
        let Checked { realm, when, .. } = &self.request;
        let is_reusable = |digest: &CheckedDigest<'_>| digest.nonce.is_reusable(&realm.0, when.now);
        realm.0.one_time_nonces
            || !self.counted && !self.request.credentials.digest().is_some_and(is_reusable)
    }

    pub(super) fn replay_key(&self) -> Option<ReplayKey> {
        let digest = self.request.credentials.digest()?;
        let count = match digest.credentials.qop_params {
            _ if self.is_single_use() => None,
            Some(qop_params) if self.counted => Some(qop_params.nc()),
            _ => return None,
        };
        Some(ReplayKey {
            nonce: digest.nonce,
            count,
            valid_until: digest.nonce.expires(&self.request.realm.0),
        })
    }

    /// The nonce to send with the response, if one is due.
    fn next_nonce(&self) -> Option<&Nonce> {
        let Checked { realm, when, .. } = &self.request;
        let digest = self.request.credentials.digest()?;
        let is_due = self.is_single_use() || digest.nonce.is_old(&realm.0, when.now);
        digest.next.as_ref().filter(|_| is_due)
    }
}

/// Hides the account.
impl<A> fmt::Debug for Verified<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("request", &self.request)
            .field("counted", &self.counted)
            .finish_non_exhaustive()
    }
}

/// An admitted request: its response or password is correct for the account. Pass on the grant or
/// its [parts](Self::into_parts), because the request, checked again, is [`Rejection::Replayed`].
///
/// It can be a replay only with Basic; with [reusable nonces](super::Quirk::ReusableNonces) if it
/// is not [counted](Self::is_counted); and if a [shared
/// store](super::PendingClaim#a-store-that-loses-its-data) lost its data.
#[derive(Debug)]
#[must_use]
pub struct Grant<'a, A>(pub(super) Verified<'a, A>);

impl<'a, A> Grant<'a, A> {
    /// The account of the user store. Base authorisation on it.
    pub const fn account(&self) -> &A {
        &self.0.account
    }

    /// The user name as spelled in the request, or its hash, which the response does not cover.
    pub fn claimed_user(&self) -> User<'a> {
        self.0.request.credentials.user()
    }

    /// The algorithm of the response; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.0.request.credentials.algorithm()
    }

    /// The `qop` of the request (`auth-int` covers the body); `None` for Basic and for RFC 2069.
    pub fn qop(&self) -> Option<Qop> {
        self.0.request.credentials.digest()?.credentials.qop()
    }

    /// Returns whether the response covers the nonce count; `false` for Basic.
    pub const fn is_counted(&self) -> bool {
        self.0.counted
    }

    /// The `Authentication-Info` value for the header or trailer section of a response (RFC 7615,
    /// section 3) of any status, in SIP of a 2xx (RFC 3261, section 20.6): the server's proof, and
    /// the next nonce once half of a nonce's lifetime has passed, or if it is used up. `None`, as
    /// for Basic, if neither is.
    ///
    /// Only `qop=auth-int` uses `body`, the body of the response as the client receives it (RFC
    /// 7616, section 3.5): [`EntityBody::Empty`] for `HEAD`, 204 and 304.
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        let sent = &self.0.request.credentials.digest()?.credentials;
        let begun = self.0.begun.as_ref()?;
        info(sent, begun, self.0.next_nonce(), body)
    }

    /// The field name: `authentication-info` or `proxy-authentication-info`.
    pub fn info_field(&self) -> &'static str {
        self.0.request.realm.challenger().info_field()
    }

    /// The account, and what a response that is built later needs for [the
    /// field](Self::authentication_info). Neither keeps the request borrowed.
    pub fn into_parts(self) -> (A, Receipt) {
        let Verified { request, begun, .. } = &self.0;
        let late = || {
            let sent = &request.credentials.digest()?.credentials;
            let begun = begun.as_ref()?;
            (sent.qop() == Some(Qop::AuthInt)).then(|| Late {
                value: request.value.0.into(),
                begun: begun.clone(),
                next: self.0.next_nonce().copied(),
            })
        };
        let receipt = Receipt {
            challenger: request.realm.challenger(),
            proof: match late() {
                Some(late) => Proof::Late(Box::new(late)),
                None => Proof::Made(self.authentication_info(EntityBody::Unknown)),
            },
        };
        (self.0.account, receipt)
    }
}

/// Makes the `Authentication-Info` field for an admitted request without borrowing the request.
/// `Debug` hides its content, and the secret that it holds for `auth-int` is wiped when dropped.
#[derive(Clone)]
pub struct Receipt {
    challenger: Challenger,
    proof: Proof,
}

#[derive(Clone)]
enum Proof {
    /// The body of the response does not change it.
    Made(Option<FieldValue>),
    Late(Box<Late>),
}

/// The proof for `auth-int`, which covers the body of the response.
#[derive(Clone)]
struct Late {
    /// The credentials field of the request.
    value: Box<[u8]>,
    begun: Begun,
    next: Option<Nonce>,
}

impl Receipt {
    /// The `Authentication-Info` value for the response: see [`Grant::authentication_info`].
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        match &self.proof {
            Proof::Made(value) => value.clone(),
            Proof::Late(late) => match Authorization::parse(&*late.value) {
                Ok(Authorization::Digest(sent)) => {
                    info(&sent, &late.begun, late.next.as_ref(), body)
                }
                // Impossible, because `begin` has parsed the value.
                _ => None,
            },
        }
    }

    /// The field name: `authentication-info` or `proxy-authentication-info`.
    pub const fn info_field(&self) -> &'static str {
        self.challenger.info_field()
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipt(..)")
    }
}

/// The server's proof (RFC 7616, section 3.5), which covers the count if the client's response
/// does, and the next nonce if it is due.
fn info(
    sent: &DigestCredentials<'_>,
    begun: &Begun,
    next: Option<&Nonce>,
    body: EntityBody<'_>,
) -> Option<FieldValue> {
    let mut info = AuthenticationInfo::default();
    let rspauth;
    // RFC 2069 has no proof. HA2 is that of the request with an empty method.
    if let Some(qop_params) = sent.qop_params
        && let Some(ha2) = sent.ha2(&Target::new("", "").with_body(body))
    {
        rspauth = begun.go_on().finish(&ha2);
        info = AuthenticationInfo::with_proof(&rspauth, &qop_params);
    }
    info.nextnonce = next.map(Nonce::text);
    let value = info.to_field_value();
    (!value.as_bytes().is_empty()).then_some(value)
}
