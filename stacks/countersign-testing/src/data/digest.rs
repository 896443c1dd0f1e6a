//! Digest computations.

use serde::Deserialize;

use super::About;
use super::octets::{Hex, either};

/// The inputs of one Digest computation, unescaped, and its results.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct DigestVector {
    /// About the row.
    #[serde(flatten)]
    pub about: About,
    /// What is computed.
    pub kind: Kind,
    /// What is hashed.
    pub form: Form,
    /// The method; with it `nonce` and the results after it are there or not.
    pub method: Option<String>,
    uri: Option<String>,
    uri_hex: Option<Hex>,
    username: Option<String>,
    username_hex: Option<Hex>,
    /// The realm.
    pub realm: String,
    password: Option<String>,
    password_hex: Option<Hex>,
    /// The nonce.
    pub nonce: Option<String>,
    /// The count, hashed as spelled.
    pub nc: Option<String>,
    /// The client's nonce.
    pub cnonce: Option<String>,
    /// The qop, hashed as spelled.
    pub qop: Option<String>,
    /// The algorithm as spelled; `None` if it was not given.
    pub algorithm: Option<String>,
    /// Whether the name is sent hashed.
    pub userhash: bool,
    /// The hash of the name, if it is.
    pub userhash_value: Option<String>,
    /// What was sent beside it.
    pub opaque: Option<String>,
    /// The nonce of the request that the session key comes from, if it is another.
    pub nonce_prime: Option<String>,
    /// The cnonce of that request.
    pub cnonce_prime: Option<String>,
    body_hex: Option<Hex>,
    response_body_hex: Option<Hex>,
    /// HA1; for a `-sess` algorithm the session key.
    pub ha1: String,
    /// For a `-sess` algorithm `H(username:realm:password)`.
    pub ha1_base: Option<String>,
    /// HA2.
    pub ha2: Option<String>,
    /// The response.
    pub response: Option<String>,
    /// The server's proof.
    pub rspauth: Option<String>,
    /// How the proof is made without a qop.
    pub rspauth_basis: Option<String>,
    /// What is printed elsewhere.
    pub published: Option<Published>,
    /// Other readings.
    #[serde(default)]
    pub alt: Vec<Alternative>,
    /// The row that is right, for one of [`Form::Rfc2069WithQopFields`].
    pub pair: Option<String>,
    /// Whether a server should accept the response, if that is not plain.
    pub verifier_should_accept: Option<bool>,
}

impl DigestVector {
    /// The `uri` parameter.
    pub fn uri(&self) -> Vec<u8> {
        either(self.uri.as_deref(), self.uri_hex.as_ref())
    }

    /// The user's name.
    pub fn username(&self) -> Vec<u8> {
        either(self.username.as_deref(), self.username_hex.as_ref())
    }

    /// The user's password.
    pub fn password(&self) -> Vec<u8> {
        either(self.password.as_deref(), self.password_hex.as_ref())
    }

    /// The body of the request; empty if there is none.
    pub fn body(&self) -> Vec<u8> {
        either(None, self.body_hex.as_ref())
    }

    /// The body of the response; empty if there is none.
    pub fn response_body(&self) -> Vec<u8> {
        either(None, self.response_body_hex.as_ref())
    }
}

/// What is computed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A response.
    Response,
    /// HA1 and the hashed name alone.
    Ha1,
}

/// What is hashed for a response.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
pub enum Form {
    /// With qop, nc and cnonce.
    #[serde(rename = "rfc7616")]
    Rfc7616,
    /// Without.
    #[serde(rename = "rfc2069")]
    Rfc2069,
    /// Without, although they are sent: a mistake that is found in the wild.
    #[serde(rename = "rfc2069-with-qop-fields")]
    Rfc2069WithQopFields,
    /// There is no response.
    #[serde(rename = "ha1-only")]
    Ha1Only,
}

/// The values that are printed elsewhere.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Whether the printed values are right.
    pub matches: bool,
    /// The printed HA1.
    pub ha1: Option<String>,
    /// The printed response.
    pub response: Option<String>,
    /// The printed hash of the name.
    pub userhash_value: Option<String>,
    /// The printed proof of the server.
    pub rspauth: Option<String>,
    /// Whether that proof is right.
    pub rspauth_matches: Option<bool>,
    /// The response in an erratum.
    pub erratum_response: Option<String>,
    /// The hash of the name in an erratum.
    pub erratum_userhash_value: Option<String>,
    /// Whether the values in the erratum are right.
    pub erratum_matches: Option<bool>,
}

/// Another reading of a row.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// The reading.
    pub reading: String,
    /// The response by it.
    pub response: String,
    /// The hashed name by it.
    pub userhash_value: Option<String>,
    /// HA1 by it.
    pub ha1: Option<String>,
    /// Whether a server may accept it.
    pub accept: Option<bool>,
}
