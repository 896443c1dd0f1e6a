//! Digest credentials made by hand.

use countersign::digest::{Algorithm, BodyHasher, Ha1, HexDigest, Qop, userhash};
use countersign::wire::{DigestChallenge, QopParams, ha2, response};
use countersign::{Text, raw_challenges};

use super::params::Params;

/// Whether an algorithm is of MD5, which the hash functions may lack.
pub(crate) fn is_md5(algorithm: Algorithm) -> bool {
    algorithm.to_string().starts_with("MD5")
}

/// Digest credentials that are right for what their fields say. Changing a field changes the
/// response with it; changing the [parameters](Self::params) does not.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) user: String,
    pub(crate) password: String,
    /// These three are returned byte for byte, whatever their encoding.
    pub(crate) realm: Vec<u8>,
    pub(crate) nonce: Vec<u8>,
    pub(crate) method: String,
    pub(crate) uri: String,
    pub(crate) algorithm: Algorithm,
    pub(crate) algorithm_given: bool,
    /// None for the form of RFC 2069.
    pub(crate) qop: Option<Qop>,
    pub(crate) nc: u32,
    pub(crate) cnonce: String,
    pub(crate) opaque: Option<Vec<u8>>,
    pub(crate) userhash: bool,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The answer to a challenge for a GET of `uri`, the first with its nonce.
    pub(crate) fn to(
        challenge: &DigestChallenge<'_>,
        user: &str,
        password: &str,
        uri: &str,
    ) -> Self {
        let text = |text: Text<'_>| text.to_bytes().into_owned();
        let qop = [Qop::Auth, Qop::AuthInt].into_iter();
        let written = challenge.to_field_value();
        let algorithm = raw_challenges([&written]).find_map(|it| it.ok()?.param("algorithm"));
        Self {
            user: user.to_owned(),
            password: password.to_owned(),
            realm: text(challenge.realm),
            nonce: text(challenge.nonce),
            method: "GET".to_owned(),
            uri: uri.to_owned(),
            algorithm: challenge.algorithm(),
            algorithm_given: algorithm.is_some(),
            qop: qop.into_iter().find(|&qop| challenge.qop.contains(qop)),
            nc: 1,
            cnonce: "bXkgb3duIGNub25jZQ".to_owned(),
            opaque: challenge.opaque.map(text),
            userhash: false,
            body: Vec::new(),
        }
    }

    /// The HA1 or session key.
    pub(crate) fn secret(&self) -> Ha1 {
        let hash = self.algorithm.hash_function();
        let ha1 = Ha1::new(hash, &*self.user, &*self.realm, &*self.password);
        match self.algorithm.is_sess() {
            true => ha1.session_key(&*self.nonce, &*self.cnonce),
            false => ha1,
        }
    }

    /// The value of `qop`, if there is one.
    pub(crate) fn qop_text(&self) -> Option<&'static str> {
        match self.qop? {
            Qop::AuthInt => Some("auth-int"),
            _ => Some("auth"),
        }
    }

    /// The answer with a secret or a qop that the fields can not say. `None` without a qop.
    pub(crate) fn made_with(
        &self,
        secret: &str,
        qop: Option<&str>,
        covers_body: bool,
    ) -> Option<Vec<u8>> {
        let hash = self.algorithm.hash_function();
        let hashed = |parts: &[&[u8]]| {
            let mut hasher = BodyHasher::new(hash);
            hasher.update(&parts.join(&b':'));
            hasher.finish()
        };
        let (qop, _) = (qop?, self.qop?);
        let body = covers_body.then(|| hashed(&[&self.body]));
        let ha2 = ha2(hash, &*self.method, &*self.uri, body.as_ref());
        let (nc, cnonce) = (self.nc(), self.cnonce.as_bytes());
        let parts = [
            secret.as_bytes(),
            &self.nonce,
            nc.as_bytes(),
            cnonce,
            qop.as_bytes(),
            ha2.as_str().as_bytes(),
        ];
        let params = self.params().with("response", hashed(&parts).as_str());
        let mut params = params.with("qop", qop);
        for param in params.0.iter_mut().filter(|param| param.name == "qop") {
            param.is_quoted = qop.contains(',');
        }
        Some(params.write("Digest"))
    }

    fn nc(&self) -> String {
        format!("{:08x}", self.nc)
    }

    pub(crate) fn response(&self) -> HexDigest {
        self.hashed(&self.method, &self.body)
    }

    /// The server's proof over this body of its response.
    pub(crate) fn rspauth(&self, body: &[u8]) -> HexDigest {
        self.hashed("", body)
    }

    fn hashed(&self, method: &str, body: &[u8]) -> HexDigest {
        let hash = self.algorithm.hash_function();
        let mut hasher = BodyHasher::new(hash);
        hasher.update(body);
        let body = (self.qop == Some(Qop::AuthInt)).then(|| hasher.finish());
        let ha2 = ha2(hash, method, &*self.uri, body.as_ref());
        let (nc, qop) = (self.nc(), self.qop.map(|qop| qop.to_string()));
        // A cnonce with control bytes is never made.
        let qop = qop.as_ref();
        let qop = qop.and_then(|qop| QopParams::new(qop, &nc, &self.cnonce).ok());
        response(&self.secret(), &*self.nonce, qop.as_ref(), &ha2)
    }

    pub(crate) fn params(&self) -> Params {
        let mut params = Params::default();
        params = match self.userhash {
            true => {
                let hash = self.algorithm.hash_function();
                let name = userhash(hash, &*self.user, &*self.realm);
                params
                    .quoted("username", name.as_str())
                    .token("userhash", "true")
            }
            false => params.quoted("username", &self.user),
        };
        params = params
            .quoted("realm", &self.realm)
            .quoted("nonce", &self.nonce)
            .quoted("uri", &self.uri)
            .quoted("response", self.response().as_str());
        if self.algorithm_given {
            params = params.token("algorithm", self.algorithm.to_string());
        }
        params = self.with_qop(params);
        match &self.opaque {
            Some(opaque) => params.quoted("opaque", opaque),
            None => params,
        }
    }

    fn with_qop(&self, params: Params) -> Params {
        match self.qop {
            Some(qop) => params
                .token("qop", qop.to_string())
                .token("nc", self.nc())
                .quoted("cnonce", &self.cnonce),
            None => params,
        }
    }

    /// The parameters of `Authentication-Info` in a response with this body.
    pub(crate) fn info(&self, body: &[u8]) -> Params {
        let params = Params::default().quoted("rspauth", self.rspauth(body).as_str());
        self.with_qop(params)
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        self.params().write("Digest")
    }
}
