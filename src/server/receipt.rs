//! The server's proof for the response, and the next nonce.

use alloc::boxed::Box;
use core::fmt;

use crate::challenger::Challenger;
use crate::digest::{Begun, DigestCredentials};
use crate::field_value::FieldValue;
use crate::header::{AuthenticationInfo, Authorization};
use crate::server::nonce::Nonce;
use crate::target::{EntityBody, Target};

/// Makes the `Authentication-Info` field for an admitted request without borrowing the request.
/// `Debug` hides its content, and the secret that it holds for `auth-int` is wiped when dropped.
#[derive(Clone)]
pub struct Receipt {
    pub(super) challenger: Challenger,
    pub(super) proof: Proof,
}

#[derive(Clone)]
pub(super) enum Proof {
    /// The body of the response does not change it.
    Made(Option<FieldValue>),
    Late(Box<Late>),
}

/// The proof for `auth-int`, which covers the body of the response.
#[derive(Clone)]
pub(super) struct Late {
    /// The credentials of the request.
    pub(super) value: FieldValue,
    pub(super) begun: Begun,
    pub(super) next: Option<Nonce>,
}

impl Receipt {
    /// The `Authentication-Info` value for the response: see
    /// [`Grant::authentication_info`](super::Grant::authentication_info).
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

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipt(..)")
    }
}

/// The server's proof (RFC 7616, section 3.5), which covers the count if the client's response
/// does, and the next nonce if it is due.
pub(super) fn info(
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
