//! The server's proof, for the response to an admitted request.

use alloc::boxed::Box;

use crate::challenger::Challenger;
use crate::digest::{DigestCredentials, Ha1, HexDigest, Qop, QopParams, rspauth};
use crate::field_value::FieldValue;
use crate::header::AuthenticationInfo;
use crate::server::nonce::Nonce;
use crate::syntax::Text;
use crate::target::EntityBody;

/// An owned copy of what the `Authentication-Info` field for an admitted request is built from. Use
/// it for a response that is built later or elsewhere, and keep it, for example, in the extensions
/// of the request. `Debug` hides its content, and the secret in it is wiped when dropped.
///
/// For a rejected request, [`Rejected::into_owned`](super::Rejected::into_owned) serves the same
/// purpose.
///
/// ```
/// use countersign::EntityBody;
/// use countersign::server::{Grant, Receipt};
///
/// fn keep<A>(grant: Grant<'_, A>) -> (A, Receipt) {
///     grant.into_parts()
/// }
///
/// fn add_header(receipt: &Receipt, response: &mut http::Response<()>) {
///     if let Some(info) = receipt.authentication_info(EntityBody::Unknown) {
///         let value = http::HeaderValue::from_bytes(info.as_ref()).unwrap();
///         response.headers_mut().insert(receipt.info_field(), value);
///     }
/// }
/// # let _ = (keep::<()>, add_header);
/// ```
#[derive(Clone)]
pub struct Receipt {
    challenger: Challenger,
    digest: Option<DigestReceipt>,
}

#[derive(Clone)]
struct DigestReceipt {
    key: Ha1,
    nonce: Box<[u8]>,
    uri: Box<[u8]>,
    qop_params: Option<OwnedQopParams>,
    counted: bool,
    next: Option<Nonce>,
}

#[derive(Clone)]
struct OwnedQopParams {
    qop: Qop,
    qop_text: Box<[u8]>,
    nc: u32,
    nc_text: Box<[u8]>,
    cnonce: Box<[u8]>,
}

impl Receipt {
    pub(super) fn new(challenger: Challenger, proof: Option<Proof<'_>>) -> Self {
        let keep = |text: Text<'_>| text.to_bytes().into_owned().into_boxed_slice();
        Self {
            challenger,
            digest: proof.map(|proof| DigestReceipt {
                key: proof.key.clone(),
                nonce: keep(proof.nonce),
                uri: keep(proof.uri),
                qop_params: proof.qop_params.map(|qop_params| OwnedQopParams {
                    qop: qop_params.qop,
                    qop_text: keep(qop_params.qop_text),
                    nc: qop_params.nc,
                    nc_text: keep(qop_params.nc_text),
                    cnonce: keep(qop_params.cnonce),
                }),
                counted: proof.counted,
                next: proof.next.copied(),
            }),
        }
    }

    /// The `Authentication-Info` value for the response: see
    /// [`Grant::authentication_info`](super::Grant::authentication_info).
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        let digest = self.digest.as_ref()?;
        let text = |bytes| Text::assume_checked(bytes);
        Proof {
            key: &digest.key,
            nonce: text(&digest.nonce),
            uri: text(&digest.uri),
            qop_params: digest.qop_params.as_ref().map(|owned| QopParams {
                qop: owned.qop,
                qop_text: text(&owned.qop_text),
                nc: owned.nc,
                nc_text: text(&owned.nc_text),
                cnonce: text(&owned.cnonce),
            }),
            counted: digest.counted,
            next: digest.next.as_ref(),
        }
        .authentication_info(body)
    }

    /// The field name for [`authentication_info`](Self::authentication_info): `authentication-info`
    /// or `proxy-authentication-info`.
    pub const fn info_field(&self) -> &'static str {
        self.challenger.info_field()
    }
}

impl core::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Receipt(..)")
    }
}

/// The inputs of the server's proof (RFC 7616, section 3.5), and the next nonce if it is due.
#[derive(Clone, Copy)]
pub(super) struct Proof<'a> {
    key: &'a Ha1,
    nonce: Text<'a>,
    uri: Text<'a>,
    qop_params: Option<QopParams<'a>>,
    /// Whether the client's response covers the nonce count. The server's proof then does, too.
    counted: bool,
    next: Option<&'a Nonce>,
}

impl<'a> Proof<'a> {
    pub(super) const fn new(
        key: &'a Ha1,
        credentials: &DigestCredentials<'a>,
        counted: bool,
        next: Option<&'a Nonce>,
    ) -> Self {
        Self {
            key,
            nonce: credentials.nonce,
            uri: credentials.uri,
            qop_params: credentials.qop_params,
            counted,
            next,
        }
    }

    pub(super) fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        let rspauth = self.rspauth(body);
        let mut info = match (&self.qop_params, &rspauth) {
            (Some(qop_params), Some(rspauth)) => {
                AuthenticationInfo::with_proof(rspauth, qop_params)
            }
            _ => AuthenticationInfo::default(),
        };
        info.nextnonce = self.next.map(Nonce::text);
        let value = info.to_field_value();
        (!value.as_bytes().is_empty()).then_some(value)
    }

    /// `None` for RFC 2069, which has no `rspauth`, and if `rspauth` covers the body, but the body
    /// is unknown or was hashed by another function.
    fn rspauth(&self, body: EntityBody<'_>) -> Option<HexDigest> {
        let qop_params = self.qop_params.as_ref()?;
        let body = match qop_params.qop {
            Qop::Auth => None,
            Qop::AuthInt => Some(body.hash(self.key.hash_function())?),
        };
        let covered = Some(qop_params).filter(|_| self.counted);
        let proof = rspauth(self.key, self.nonce, covered, self.uri, body.as_ref());
        Some(proof)
    }
}
