//! What the response to an admitted request is built from.

use alloc::boxed::Box;

use crate::challenger::Challenger;
use crate::digest::{Credentials, Ha1, HexDigest, Qop, QopParams, request_ha2, response};
use crate::field_value::FieldValue;
use crate::header::AuthenticationInfo;
use crate::server::nonce::Nonce;
use crate::syntax::Text;
use crate::target::{EntityBody, Target};

/// What the `Authentication-Info` of a granted request is built from, without borrowing from the
/// request. Use it for a response that is built later or elsewhere: keep it in the extensions of
/// the request, for example. [`Rejected::into_owned`](super::Rejected::into_owned) does the same
/// for a request that is refused. `Debug` shows none of it, and its secret is wiped when dropped.
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
    protection: Option<OwnedProtection>,
    counted: bool,
    next: Option<Nonce>,
}

#[derive(Clone)]
struct OwnedProtection {
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
                protection: proof.protection.map(|protection| OwnedProtection {
                    qop: protection.qop,
                    qop_text: keep(protection.qop_text),
                    nc: protection.nc,
                    nc_text: keep(protection.nc_text),
                    cnonce: keep(protection.cnonce),
                }),
                counted: proof.counted,
                next: proof.next.copied(),
            }),
        }
    }

    /// The `Authentication-Info` value for the response: see
    /// [`Grant::authentication_info`](super::Grant::authentication_info).
    pub fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        let receipt = self.digest.as_ref()?;
        let text = |bytes| Text::checked(bytes);
        Proof {
            key: &receipt.key,
            nonce: text(&receipt.nonce),
            uri: text(&receipt.uri),
            protection: receipt.protection.as_ref().map(|owned| QopParams {
                qop: owned.qop,
                qop_text: text(&owned.qop_text),
                nc: owned.nc,
                nc_text: text(&owned.nc_text),
                cnonce: text(&owned.cnonce),
            }),
            counted: receipt.counted,
            next: receipt.next.as_ref(),
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

/// The inputs of the server's proof (RFC 7616, section 3.5).
#[derive(Clone, Copy)]
pub(super) struct Proof<'a> {
    pub(super) key: &'a Ha1,
    nonce: Text<'a>,
    uri: Text<'a>,
    protection: Option<QopParams<'a>>,
    /// Whether the client's response covers the nonce count. The server's proof then does, too.
    counted: bool,
    next: Option<&'a Nonce>,
}

impl<'a> Proof<'a> {
    pub(super) const fn new(
        key: &'a Ha1,
        credentials: &Credentials<'a>,
        counted: bool,
        next: Option<&'a Nonce>,
    ) -> Self {
        Self {
            key,
            nonce: credentials.nonce(),
            uri: credentials.uri(),
            protection: credentials.qop_params(),
            counted,
            next,
        }
    }

    pub(super) fn authentication_info(&self, body: EntityBody<'_>) -> Option<FieldValue> {
        let rspauth = self.rspauth(body);
        let mut info = AuthenticationInfo::new();
        if let Some(next) = self.next {
            info = info.with_nextnonce(next.text());
        }
        if let (Some(protection), Some(rspauth)) = (&self.protection, &rspauth) {
            info = info.with_proof(rspauth, protection);
        }
        let value = info.to_field_value();
        (!value.as_bytes().is_empty()).then_some(value)
    }

    /// `None` for RFC 2069, which has no such proof, and where the proof covers an unknown body.
    fn rspauth(&self, body: EntityBody<'_>) -> Option<HexDigest> {
        let protection = self.protection.as_ref()?;
        let hash = self.key.hash_function();
        let target = Target::new("", "").with_body(body);
        let covers_body = protection.qop == Qop::AuthInt;
        let ha2 = request_ha2(hash, self.uri, covers_body, &target)?;
        let covered = self.protection.as_ref().filter(|_| self.counted);
        Some(response(self.key, self.nonce, covered, &ha2))
    }
}
