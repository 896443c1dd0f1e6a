//! An admitted request, and the field for its response.

use alloc::boxed::Box;

use crate::challenger::Challenger;
use crate::digest::{Algorithm, DigestCredentials, Kd, Qop, User};
use crate::field_value::FieldValue;
use crate::header::{AuthenticationInfo, Authorization};
use crate::secret;
use crate::server::nonce::Nonce;
use crate::server::verified::Verified;
use crate::target::{EntityBody, Target};

/// An admitted request: its response or password is correct for the account. Pass on the grant or
/// its [parts](Self::into_parts), because the request, checked again, is
/// [`Reason::Replayed`](super::Reason::Replayed).
///
/// It can be a replay only with Basic; with [replayable nonces](super::Quirk::ReplayableNonces) if it
/// has no [qop](Self::qop); and if a [shared
/// store](super::SharedStore#a-store-that-loses-its-data) lost its data.
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

    /// The qop of a response that covers its count and, with `auth-int`, the body; `None` for Basic,
    /// RFC 2069 and the [uncounted form](super::Quirk::UncountedForm).
    pub fn qop(&self) -> Option<Qop> {
        let (digest, response) = self.0.digest()?;
        digest.credentials.qop().filter(|_| response.counted)
    }

    /// The `Authentication-Info` value for the header or trailer section of a response (RFC 7615,
    /// section 3) of any status, in SIP of a 2xx (RFC 3261, section 20.6): the server's proof, and
    /// the next nonce once half of a nonce's lifetime has passed, or if it is used up. `None`, as
    /// for Basic, if neither is.
    ///
    /// Only `qop=auth-int` uses `body`, the body of the response as the client receives it (RFC
    /// 7616, section 3.5): [`EntityBody::Empty`] for `HEAD`, 204 and 304.
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        let (digest, response) = self.0.digest()?;
        info(
            &digest.credentials,
            &response.begun,
            self.0.next_nonce(),
            body,
        )
    }

    /// The field name: `authentication-info` or `proxy-authentication-info`.
    pub fn info_field(&self) -> &'static str {
        self.0.request.realm.challenger().info_field()
    }

    /// Adds [the field](Self::authentication_info) to a response whose body is not covered: not for
    /// `qop=auth-int`.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn with_info<B>(&self, mut response: http::Response<B>) -> http::Response<B> {
        if let Some(info) = self.authentication_info(EntityBody::Unknown) {
            let fields = response.headers_mut();
            fields.insert(self.info_field(), info.into());
        }
        response
    }

    /// The account, and what a response that is built later needs for [the
    /// field](Self::authentication_info). Neither keeps the request borrowed.
    pub fn into_parts(self) -> (A, Receipt) {
        let proof = match self.0.digest() {
            Some((digest, response)) if digest.credentials.qop() == Some(Qop::AuthInt) => {
                Proof::Late(Box::new(Late {
                    value: digest.credentials.to_field_value(),
                    begun: response.begun.clone(),
                    next: self.0.next_nonce().copied(),
                }))
            }
            _ => Proof::Made(self.authentication_info(EntityBody::Unknown)),
        };
        let challenger = self.0.request.realm.challenger();
        (self.0.account, Receipt { challenger, proof })
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
    /// The credentials of the request.
    value: FieldValue,
    begun: Kd,
    next: Option<Nonce>,
}

impl Receipt {
    /// The `Authentication-Info` value: see [`Grant::authentication_info`].
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        match &self.proof {
            Proof::Made(value) => value.clone(),
            Proof::Late(late) => match Authorization::parse(&late.value) {
                Ok(Authorization::Digest(sent)) => {
                    info(&sent, &late.begun, late.next.as_ref(), body)
                }
                // Impossible, because what is written parses back.
                _ => None,
            },
        }
    }

    /// The field name: `authentication-info` or `proxy-authentication-info`.
    pub const fn info_field(&self) -> &'static str {
        self.challenger.info_field()
    }
}

secret::hide!(Receipt);

/// The server's proof (RFC 7616, section 3.5), which covers the count if the client's response
/// does, and the next nonce if it is due.
fn info(
    sent: &DigestCredentials<'_>,
    begun: &Kd,
    next: Option<&Nonce>,
    body: EntityBody<'_>,
) -> Option<FieldValue> {
    let mut info = AuthenticationInfo::default();
    let rspauth;
    // RFC 2069 has no proof. HA2 is that of the request with an empty method.
    if let Some(qop_params) = sent.qop_params
        && let Some(ha2) = sent.ha2(&Target::new("", "").with_body(body))
    {
        rspauth = begun.clone().finish(&ha2);
        info = AuthenticationInfo::with_proof(&rspauth, &qop_params);
    }
    info.nextnonce = next.map(Nonce::text);
    let value = info.to_field_value();
    (!value.as_bytes().is_empty()).then_some(value)
}
