//! The answer to a challenge that the program keeps itself.

use crate::client::error::{Error, GiveUp, LoginError, SkipReason};
use crate::digest::{
    DigestChallenge, DigestCredentials, Ha1, HexDigest, Qop, QopParams, User, nc_digits,
};
use crate::field_value::FieldValue;
use crate::syntax::Text;
use crate::target::Target;
use crate::wire::response;

impl DigestChallenge<'_> {
    /// Answers a challenge that the program keeps: as a header value, which is parsed for each
    /// request, or in parts, from a form. `count` is the number of requests with this nonce, from 1
    /// on; `cnonce` is a new random text, for a `-sess` algorithm one for all of them. The qop is
    /// `auth` if that is offered. None of the [rules](super::rules) of a [`Client`](super::Client)
    /// apply, such as to take no weaker algorithm than before. [A page](crate::manual::coming_from)
    /// has an example.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] for the user name, the request-target or the cnonce; [`Error::BodyNeeded`] if
    /// `auth-int` alone is offered; [`LoginError::OtherHash`]; and for a `-sess` algorithm without a
    /// qop [`SkipReason::SessionAlgorithm`].
    pub fn answer(
        &self,
        user: &User<'_>,
        ha1: &Ha1,
        target: &Target<'_>,
        count: u32,
        cnonce: &str,
    ) -> Result<FieldValue, Error> {
        let hash = self.algorithm.hash_function();
        if ha1.hash_function() != hash {
            return Err(LoginError::OtherHash.into());
        }
        if self.algorithm.is_sess() && self.qop.is_empty() {
            return Err(GiveUp::NoUsableChallenge([SkipReason::SessionAlgorithm].into()).into());
        }
        let qop = [Qop::Auth, Qop::AuthInt]
            .into_iter()
            .find(|qop| self.qop.contains(*qop));
        let (digits, cnonce) = (nc_digits(count), Text::new(cnonce)?);
        let params = qop.map(|it| QopParams::from_parts(it, count, Text::nc(&digits), cnonce));
        let (uri, nothing) = (Text::new(target.uri)?, HexDigest::zeros(hash));
        let mut answer = DigestCredentials::new(self, user, uri, params, nothing)?;
        let ha2 = answer.ha2(target).ok_or(Error::BodyNeeded(hash))?;
        answer.response = response(&answer.response_key(ha1), self.nonce, params.as_ref(), &ha2);
        Ok(answer.to_field_value())
    }
}
