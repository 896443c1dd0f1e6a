//! How credentials are written.

use super::subject::Subject;
use crate::answer::Answer;
use crate::outcome::{Outcome, fail, skip};
use crate::params::quote;
use crate::values::{Authorization, Quality, Value};

pub(super) fn userhash(server: &mut Subject<'_>) -> Outcome {
    let mut answer = server.fresh_answer()?;
    let reply = server.challenged()?;
    let offered = reply.digest_challenges();
    if !offered.iter().any(|it| it.userhash == Some(true)) {
        return skip("userhash is not offered");
    }
    answer.userhash = true;
    let reply = server.answer(&answer)?;
    server.must_grant("a hashed name", &reply)
}

/// Spellings of an answer, with a name for each.
pub(super) type Spellings = &'static [(&'static str, fn(&Answer) -> Vec<u8>)];

pub(super) const SPELLINGS: Spellings = &[
    ("the scheme in lower case", |it| it.params().write("digest")),
    ("the scheme in upper case", |it| it.params().write("DIGEST")),
    ("the parameters in reverse", |it| {
        let mut params = it.params();
        params.0.reverse();
        params.write("Digest")
    }),
    ("names in upper case", |it| {
        let mut params = it.params();
        for param in &mut params.0 {
            param.name.make_ascii_uppercase();
        }
        params.write("Digest")
    }),
    ("commas without spaces", |it| {
        it.params().write_separated("Digest", b",")
    }),
    ("a name with an escape that it does not need", |it| {
        let mut name = Vec::new();
        let mut first = true;
        quote(
            it.user.as_bytes(),
            |byte| std::mem::take(&mut first) && byte.is_ascii(),
            &mut name,
        );
        let mut params = it.params();
        params.0[0].is_quoted = false;
        params.0[0].value = name;
        params.write("Digest")
    }),
    ("a parameter that nobody knows", |it| {
        it.params()
            .quoted("auth-param", "x, y=\"z\"")
            .write("Digest")
    }),
];

pub(super) fn other_spelling(server: &mut Subject<'_>) -> Outcome {
    for (name, spell) in SPELLINGS {
        let answer = server.fresh_answer()?;
        let reply = server.get(&[spell(&answer)])?;
        server.must_grant(name, &reply)?;
    }
    Ok(())
}

/// Forms in quotes, which python-requests and Internet Explorer send.
pub(super) fn quoted(server: &mut Subject<'_>) -> Outcome {
    for name in ["qop", "nc", "algorithm"] {
        let mut params = server.fresh_answer()?.params();
        let quoted = params.0.iter_mut().filter(|param| param.name == name);
        quoted.for_each(|param| param.is_quoted = true);
        let reply = server.get(&[params.write("Digest")])?;
        if !reply.is_granted() {
            server.note(format!(
                "{name} in quotes is refused, as some clients send it"
            ));
        }
    }
    Ok(())
}

/// Why more than one of a thing may be read.
const FIRST_OR_LAST: &str = "programs differ in which of two they read";

pub(super) fn two_credentials(server: &mut Subject<'_>) -> Outcome {
    for in_one_field in [false, true] {
        for wrong_first in [false, true] {
            let right = server.fresh_answer()?;
            let wrong = Answer {
                user: "x".to_owned(),
                ..right.clone()
            };
            let mut both = vec![right.write(), wrong.write()];
            if wrong_first {
                both.reverse();
            }
            if in_one_field {
                both = vec![both.join(&b", "[..])];
            }
            let reply = server.get(&both)?;
            server.should_refuse("a right one and a wrong one", &reply, FIRST_OR_LAST)?;
        }
    }
    Ok(())
}

pub(super) fn other_scheme(server: &mut Subject<'_>) -> Outcome {
    for scheme in ["Bearer", "Basic", "Digest2", "X-Digest"] {
        let answer = server.fresh_answer()?;
        let reply = server.get(&[answer.params().write(scheme)])?;
        server.must_refuse(&format!("the scheme {scheme}"), &reply)?;
    }
    Ok(())
}

/// The parameters that no answer to a challenge with qop may lack.
const NEEDED: [&str; 7] = [
    "username", "realm", "nonce", "uri", "response", "nc", "cnonce",
];

pub(super) fn missing(server: &mut Subject<'_>) -> Outcome {
    for name in NEEDED {
        let mut answer = server.fresh_answer()?;
        if name == "cnonce" {
            answer.cnonce.clear();
        }
        let mut params = answer.params();
        let all = params.0.len();
        params.0.retain(|param| param.name != name);
        if params.0.len() < all {
            let reply = server.get(&[params.write("Digest")])?;
            server.must_refuse(&format!("an answer without {name}"), &reply)?;
        }
    }
    Ok(())
}

pub(super) fn repeated(server: &mut Subject<'_>) -> Outcome {
    for name in NEEDED {
        for wrong_first in [false, true] {
            let mut params = server.fresh_answer()?.params();
            let Some(at) = params.0.iter().position(|param| param.name == name) else {
                continue;
            };
            let mut other = params.0[at].clone();
            other.value = b"00000009".to_vec();
            match wrong_first {
                true => params.0.insert(at, other),
                false => params.0.push(other),
            }
            let reply = server.get(&[params.write("Digest")])?;
            let what = format!("an answer with {name} twice");
            server.should_refuse(&what, &reply, FIRST_OR_LAST)?;
        }
    }
    let params = server.fresh_answer()?.params();
    let params = params.token("username*", "UTF-8''nobody");
    let reply = server.get(&[params.write("Digest")])?;
    let why = "who knows RFC 2617 alone ignores username*";
    server.should_refuse("an answer with username and username*", &reply, why)
}

/// How many values of each quality are sent.
const VALUES: usize = 200;

pub(super) fn malformed(server: &mut Subject<'_>) -> Outcome {
    server.challenged()?;
    for quality in Quality::ALL {
        for value in Value::<Authorization>::seeded(quality, 1).take(VALUES) {
            // What the http crate does not take can not arrive; and one may be right by accident.
            let is_right = match countersign::Authorization::parse(&value) {
                Ok(countersign::Authorization::Basic(pair)) => {
                    pair.matches(&server.check.user, &server.check.password)
                }
                _ => false,
            };
            if is_right || value.to_header_value().is_none() {
                continue;
            }
            let earlier = server.messages.0.len();
            let reply = server.get(&[value.as_bytes().to_owned()])?;
            if reply.is_granted() || reply.status >= 500 {
                return fail(format!("status {} for: {value:?}", reply.status));
            }
            server.messages.0.truncate(earlier);
        }
    }
    Ok(())
}
