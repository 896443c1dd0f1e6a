//! Answers for requests.

use crate::client::client::Client;
use crate::client::common::Form;
use crate::client::error::Error;
use crate::client::exchange::{Exchange, Sent, SentQop};
use crate::client::login::{DigestLogin, Login};
use crate::client::nonce::{Counts, Nonce};
use crate::client::paths::{OwnTarget, Paths};
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
    /// there is none for a request-target that may name another origin, or has userinfo. With a large
    /// body and without an answer, use `Expect: 100-continue`, or probe with a HEAD or OPTIONS, never
    /// with an empty PUT or POST.
    ///
    /// A space covers, for Digest, the paths of `domain` and all below them; without `domain`, all
    /// (RFC 7616, section 3.3). For Basic it covers the folder of the challenged path (RFC 7617,
    /// section 2.2); for preemptive Basic, and at a proxy, all. A path with a malformed or double
    /// escape, a backslash, or a segment `.` or `..` is covered only where all are.
    ///
    /// # Errors
    ///
    /// [`Error`] if no valid answer can be made for this request.
    pub fn authorize<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
    ) -> Result<Field<'e>, Error> {
        // A challenge asks for an answer for its own request-target.
        if exchange.uri().is_some_and(|uri| uri != target.uri) {
            exchange.asked = None;
        }
        exchange.answer = None;
        exchange.sent = None;
        exchange.answering_space = None;
        exchange.uri = None;
        check_request(target)?;
        let own_target = OwnTarget::of(target.uri, &self.endpoint);
        exchange.is_foreign = own_target.is_none();
        let Some(own_target) = own_target else {
            return Ok(Field::Remove);
        };
        exchange.uri = Some(InlineBytes::new(target.uri));
        if exchange.closed {
            return Ok(Field::Remove);
        }
        self.log_in_unasked();
        let asking_space = exchange.asked.as_ref().map(|asked| asked.space);
        let asking_space = asking_space.and_then(|id| self.spaces.by_id(id));
        let is_asked = asking_space.is_some();
        if !is_asked {
            exchange.asked = None;
            if self.policy.has(Quirk::OnlyWhenAsked) {
                return Ok(Field::Remove);
            }
        }
        let space = asking_space.or_else(|| self.spaces.covering(&own_target));
        let space = space.map(|space| space.id);
        let Some(space) = space.and_then(|id| self.spaces.for_use(id)) else {
            return Ok(Field::Remove);
        };
        let nonce = match &exchange.asked {
            Some(asked) => asked.nonce.as_ref(),
            None => space.nonce.as_ref(),
        };
        // The required strength may have risen since the challenge was chosen.
        if !space.may_answer(nonce, &self.strengths, &self.accounts) {
            return Ok(Field::Remove);
        }
        let answer = match (&mut space.login, nonce) {
            (Some(Login::Basic(value)), _) => check_length(value).map(|()| value.clone()),
            (Some(Login::Digest(login)), Some(nonce)) => {
                let (counts, cnonce) = (&mut self.counts, || self.generator.cnonce());
                let sent = &mut exchange.sent;
                let answer =
                    digest_answer(nonce, login, &self.policy, target, cnonce, counts, sent);
                if let Some(sent) = sent {
                    sent.accepted = space.accepted;
                }
                answer
            }
            _ => return Ok(Field::Remove),
        };
        match answer {
            Ok(value) => {
                // Basic is valid for the folder of the challenged path. Add the folder of this
                // request-target, in case the caller has changed it since, or called `challenged`
                // before the first `authorize`.
                let is_basic = exchange.sent.is_none();
                if is_asked && is_basic && space.paths.covering_len(&own_target).is_none() {
                    space.paths.extend(Paths::folder_of(target.uri));
                }
                exchange.answering_space = Some(space.id);
                Ok(Field::Set(exchange.answer.insert(value)))
            }
            // Not a failure: the caller has yet to hash the body.
            Err(why @ Error::BodyNeeded(_)) if target.body.is_deferred() => Err(why),
            // The nonce may be old or forged, so let the server ask first.
            Err(_) if !is_asked => Ok(Field::Remove),
            Err(why) => {
                if let Error::NonceExhausted = why {
                    exchange.asked = None;
                }
                Err(why)
            }
        }
    }
}

/// Refuses a request for which no valid answer can be made.
fn check_request(target: &Target<'_>) -> Result<(), Error> {
    if !chars::is_token(target.method) {
        return Err(Error::Method);
    }
    Text::new(target.uri)?;
    Ok(())
}

/// Makes the answer to a Digest challenge for a request that was [checked](check_request), counts
/// this use of the nonce, and stores in `kept` what the answer was made from. `cnonce` is called
/// only if needed.
fn digest_answer(
    nonce: &Nonce,
    login: &mut DigestLogin,
    policy: &Policy,
    target: &Target<'_>,
    cnonce: impl FnOnce() -> Cnonce,
    counts: &mut Counts,
    kept: &mut Option<Sent>,
) -> Result<FieldValue, Error> {
    let uri = Text::assume_checked(target.uri);
    let hash = nonce.algorithm.hash_function();
    let (qop, body) = choose_qop(nonce, policy, target)?;
    let is_session = nonce.algorithm.is_sess();
    let uses = counts.get(nonce.nonce());
    let nc = uses.map_or(0, |uses| uses.count).checked_add(1);
    let nc = nc.ok_or(Error::NonceExhausted)?;
    let session_cnonce = uses.and_then(|uses| uses.cnonce).filter(|_| is_session);
    let sent_qop = qop.map(|qop| SentQop {
        qop,
        cnonce: session_cnonce.unwrap_or_else(cnonce),
    });
    let digits = nc_digits(nc);
    let params = sent_qop
        .as_ref()
        .map(|sent| QopParams::from_parts(sent.qop, nc, Text::nc(&digits), sent.cnonce.text()));
    let ha2 = ha2(hash, target.method, target.uri, body.as_ref());
    let mut kd = match &sent_qop {
        Some(sent) if is_session => {
            let key = login.ha1.session_key(nonce.nonce(), sent.cnonce.text());
            Kd::new(&key, nonce.nonce())
        }
        // Many nonces are used once, so what later answers share is kept from the second on.
        _ if nc == 1 => Kd::new(&login.ha1, nonce.nonce()),
        _ => login.common(nonce).begun.clone(),
    };
    let begun = kd.cover(params.as_ref()).clone();
    let response = kd.finish(&ha2);
    let is_hashed_name = nonce.userhash == Some(true) && !policy.has(Quirk::NoUserhash);
    let is_extended = policy.has(Quirk::ExtendedUsernames)
        || (nonce.suggests_extended_usernames() && !policy.has(Quirk::PlainUsernames));
    let is_qop_quoted = policy.has(Quirk::QuotedQop);
    // What this answer does not have in common with others, if it is written without escapes.
    let own = sent_qop.as_ref().and_then(|sent| {
        let form = Form {
            qop: sent.qop,
            is_hashed_name,
            is_extended,
            is_qop_quoted,
        };
        let is_plain = chars::has_only_plain(target.uri);
        let values = [target.uri, &digits, &sent.cnonce.0, response.as_bytes()];
        is_plain.then_some((form, values))
    });
    let has_common = nc > 1 && !is_session;
    let common = login.common.as_ref().filter(|_| has_common);
    let value = match (common, own) {
        (Some(common), Some((form, values))) => common.write(form, values),
        _ => None,
    };
    let value = match value {
        Some(value) => value,
        None => {
            // Does not fail: a name that cannot be sent was refused at the login.
            let username = login.username(nonce.realm(), is_hashed_name, is_extended)?;
            let challenge = nonce.challenge();
            let credentials = DigestCredentials::of(&challenge, username, uri, params, response);
            let (value, ends) = credentials.write(is_qop_quoted);
            let common = login.common.as_mut().filter(|_| has_common);
            if let (Some(common), Some((form, values))) = (common, own) {
                common.keep(form, value.as_bytes(), ends, values);
            }
            value
        }
    };
    check_length(&value)?;
    // Only now, because an answer that is not sent must not use up a count.
    let uses = counts.of(nonce.nonce());
    uses.count = nc;
    uses.cnonce = sent_qop.map(|sent| sent.cnonce).filter(|_| is_session);
    // Written in place, which saves copying the struct.
    *kept = Some(Sent {
        ha1: login.ha1.clone(),
        realm: InlineBytes::new(nonce.realm()),
        nonce: InlineBytes::new(nonce.nonce()),
        algorithm: nonce.algorithm,
        qop: sent_qop,
        is_hashed_name,
        nc,
        accepted: 0,
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
        for expected in [None, Some(Error::NonceExhausted)] {
            let mut exchange = Exchange::new();
            let value = r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#;
            let _ = client.challenged(&mut exchange, challenges([value]));
            let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
            assert_eq!(answer.err(), expected);
            if expected.is_some() {
                // The next one goes without, to get another nonce.
                let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
                assert_eq!(answer, Ok(Field::Remove));
            }
        }
    }
}
