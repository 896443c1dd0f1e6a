//! Answers for requests.

use crate::client::ask::SpaceId;
use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::error::Error;
use crate::client::exchange::{Exchange, Sent, SentQop};
use crate::client::login::{DigestLogin, Login};
use crate::client::nonce::{Arc, Nonce};
use crate::client::paths::{OwnTarget, Paths, folder};
use crate::client::policy::{AuthInt, Policy, Quirk};
use crate::digest::{Cnonce, DigestCredentials, HexDigest, Kd, Qop, QopParams, ha2, nc_digits};
use crate::field_value::FieldValue;
use crate::inline_bytes::InlineBytes;
use crate::syntax::{MAX_VALUE_BYTES, Text, chars};
use crate::target::Target;

/// What becomes of the field `Authorization` (`Proxy-Authorization` for a proxy) of a request.
///
/// Both cases matter for a request object that is used again: a field that stays there goes to the
/// next server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use]
pub enum Field<'e> {
    /// Set it to this value.
    Set(&'e FieldValue),
    /// Remove it.
    Remove,
}

impl<'e> Field<'e> {
    /// The value, for a request that is made anew each time, and so has no field to remove.
    pub const fn for_new_request(self) -> Option<&'e FieldValue> {
        match self {
            Self::Set(value) => Some(value),
            Self::Remove => None,
        }
    }
}

impl Client {
    /// Returns what becomes of the field `Authorization` (`Proxy-Authorization` for a proxy) of the
    /// next request of an exchange. Call this exactly once for each request sent, because each
    /// Digest answer uses up a nonce count. [`rules`](super::rules) says when there is an answer;
    /// there is none for a request-target that may name another origin, or has userinfo.
    ///
    /// # Errors
    ///
    /// [`Error`] if no valid answer can be made for this request.
    pub fn authorize<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
    ) -> Result<Field<'e>, Error> {
        let Some(own_target) = begin(exchange, target, &self.endpoint)? else {
            return Ok(Field::Remove);
        };
        let space = self.space_to_answer_for(exchange, &own_target);
        let Some(space) = space.and_then(|id| self.spaces.for_use(id)) else {
            return Ok(Field::Remove);
        };
        let is_asked = exchange.asked.is_some();
        let nonce = match &exchange.asked {
            Some(asked) => asked.nonce.as_ref(),
            None => space.nonce.as_ref(),
        };
        // The required strength may have risen since the challenge was chosen.
        if !space.may_answer(nonce, &self.policy, &self.strengths, &self.accounts) {
            return Ok(Field::Remove);
        }
        let answer = match (&mut space.login, nonce) {
            (Some(Login::Basic(value)), _) => check_length(value).map(|()| value.clone()),
            (Some(Login::Digest(login)), Some(nonce)) => {
                let Some((nc, repeated)) = self.counts.next(nonce) else {
                    // Without an answer, the server gives another nonce.
                    return Ok(Field::Remove);
                };
                let cnonce = || repeated.unwrap_or_else(|| self.generator.cnonce());
                let (policy, kept) = (&self.policy, &mut exchange.sent);
                let answer = digest_answer(nonce, login, policy, target, (nc, cnonce), kept);
                if let Some(sent) = kept {
                    self.counts
                        .keep(nonce, nc, sent.qop.map(|sent| sent.cnonce));
                }
                answer
            }
            _ => return Ok(Field::Remove),
        };
        match answer {
            Ok(value) => {
                // Basic is valid for the folder: the caller may have changed the target since, or
                // called `challenged` before the first `authorize`.
                if is_asked && exchange.sent.is_none() {
                    space.paths.extend(Paths::of([folder(target.uri)]));
                }
                exchange.answering_space = Some(space.id);
                exchange.accepted = space.accepted;
                Ok(Field::Set(exchange.answer.insert(value)))
            }
            // The nonce may be old or forged, so let the server ask first.
            Err(Error::TooLong) if !is_asked => Ok(Field::Remove),
            Err(_) if !is_asked && !target.body.is_deferred() => Ok(Field::Remove),
            Err(why) => Err(why),
        }
    }

    /// Returns the space of the challenge that an exchange has to answer, or the space from which its
    /// next request may carry an answer unasked.
    fn space_to_answer_for(
        &mut self,
        exchange: &mut Exchange,
        target: &OwnTarget<'_>,
    ) -> Option<SpaceId> {
        self.log_in_unasked();
        let asking = exchange.asked.as_ref().map(|asked| asked.space);
        if self.spaces.by_id(asking).is_some() {
            return asking;
        }
        exchange.asked = None;
        match self.policy.has(Quirk::OnlyWhenAsked) {
            true => None,
            false => self.spaces.covering(target),
        }
    }
}

/// Begins a request of an exchange. Returns its path if it may carry an answer.
fn begin<'a>(
    exchange: &mut Exchange,
    target: &Target<'a>,
    endpoint: &Endpoint,
) -> Result<Option<OwnTarget<'a>>, Error> {
    // A challenge asks for an answer for its own request-target.
    if exchange.uri().is_some_and(|uri| uri != target.uri) {
        exchange.asked = None;
    }
    exchange.answer = None;
    exchange.sent = None;
    exchange.answering_space = None;
    exchange.uri = None;
    if !chars::is_token(target.method) {
        return Err(Error::Method);
    }
    Text::new(target.uri)?;
    let own_target = OwnTarget::of(target.uri, endpoint);
    exchange.is_foreign = own_target.is_none();
    if !exchange.is_foreign {
        exchange.uri = Some(InlineBytes::new(target.uri));
    }
    Ok(own_target.filter(|_| !exchange.closed))
}

/// Makes the answer to a Digest challenge for a request that [`begin`] has checked, and stores in
/// `kept` what the answer was made from. The cnonce is drawn only if needed.
fn digest_answer(
    nonce: &Arc<Nonce>,
    login: &mut DigestLogin,
    policy: &Policy,
    target: &Target<'_>,
    (nc, cnonce): (u32, impl FnOnce() -> Cnonce),
    kept: &mut Option<Sent>,
) -> Result<FieldValue, Error> {
    let (qop, body) = choose_qop(nonce, policy, target)?;
    let is_session = nonce.algorithm.is_sess();
    let qop = qop.map(|qop| SentQop {
        qop,
        cnonce: cnonce(),
    });
    let digits = nc_digits(nc);
    let params = qop
        .as_ref()
        .map(|sent| QopParams::from_parts(sent.qop, nc, Text::nc(&digits), sent.cnonce.text()));
    // Many nonces are used once, so what later answers share is kept from the second on.
    let mut common = login.take_common(nonce, nc > 1 && !is_session);
    let mut kd = match (&common, &qop) {
        (Some(common), _) => common.begun.clone(),
        (None, Some(sent)) if is_session => {
            let key = login.ha1.session_key(nonce.nonce(), sent.cnonce.text());
            Kd::new(&key, nonce.nonce())
        }
        (None, _) => Kd::new(&login.ha1, nonce.nonce()),
    };
    let begun = kd.cover(params.as_ref()).clone();
    let hash = nonce.algorithm.hash_function();
    let response = kd.finish(&ha2(hash, target.method, target.uri, body.as_ref()));
    let write = || {
        let (challenge, uri) = (nonce.challenge(), Text::assume_checked(target.uri));
        // Does not fail: a name that cannot be sent was refused at the login.
        let username = login.username(nonce, policy)?;
        let credentials = DigestCredentials::of(&challenge, username, uri, params, response);
        Ok::<_, Error>(credentials.write(policy.has(Quirk::QuotedQop)))
    };
    let value = match (&mut common, &qop) {
        (Some(common), Some(SentQop { qop, cnonce })) => {
            let values = [target.uri, &digits, &cnonce.0, response.as_bytes()];
            common.write(*qop, values, write)?
        }
        _ => write()?.0,
    };
    login.common = common;
    // An answer that is not sent must not use up a count.
    check_length(&value)?;
    // Written in place, which saves copying the struct.
    *kept = Some(Sent {
        ha1: login.ha1.clone(),
        nonce: nonce.clone(),
        qop,
        nc,
        begun,
    });
    Ok(value)
}

fn check_length(value: &FieldValue) -> Result<(), Error> {
    match value.as_bytes().len() <= MAX_VALUE_BYTES {
        true => Ok(()),
        false => Err(Error::TooLong),
    }
}

/// Returns the qop to use (`None` for RFC 2069), and the hash of the body if the qop covers it.
fn choose_qop(
    nonce: &Nonce,
    policy: &Policy,
    target: &Target<'_>,
) -> Result<(Option<Qop>, Option<HexDigest>), Error> {
    if nonce.qop.is_empty() {
        return Ok((None, None));
    }
    let auth = nonce.qop.contains(Qop::Auth) && policy.auth_int != AuthInt::Required;
    if policy.wants_auth_int(nonce.qop) {
        let hash = nonce.algorithm.hash_function();
        match target.body.hash(hash) {
            None if !auth || target.body.is_deferred() => {
                return Err(Error::BodyNeeded(hash));
            }
            None => {}
            body => return Ok((Some(Qop::AuthInt), body)),
        }
    }
    Ok((Some(Qop::Auth), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Account, Endpoint};
    use crate::header::challenges;

    #[test]
    fn the_nonce_count_never_wraps() {
        let client = Client::from_seed(Endpoint::proxy("http", "h", 1), Policy::new(), [7; 32]);
        let mut client = client.with_account(Account::new("u", "p")).unwrap();
        client.counts.of(b"n").count = u32::MAX - 1;
        for is_answered in [true, false] {
            let mut exchange = Exchange::new();
            let value = r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#;
            let _ = client.challenged(&mut exchange, challenges([value]));
            let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
            // Without an answer the server gives another nonce.
            assert_eq!(answer.unwrap() != Field::Remove, is_answered);
        }
    }
}
