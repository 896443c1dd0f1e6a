//! How credentials are written.

use super::subject::Subject;
use crate::answer::Answer;
use crate::outcome::{Outcome, fail, skip};
use crate::params::quote;
use crate::values::{Authorization, Quality, Value};

pub(super) fn userhash(server: &mut Subject<'_>) -> Outcome {
    let reply = server.challenged()?;
    let offered = reply
        .digest_challenges()
        .iter()
        .any(|it| it.userhash == Some(true));
    if !offered {
        return skip("userhash is not offered");
    }
    let mut answer = server.fresh_answer()?;
    answer.userhash = true;
    let reply = server.answer(&answer)?;
    server.must_grant("a hashed name", &reply)
}

/// A name for the spelling, and the spelling.
type Spelling = (&'static str, fn(&Answer) -> Vec<u8>);

const SPELLINGS: &[Spelling] = &[
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

pub(super) fn two_credentials(server: &mut Subject<'_>) -> Outcome {
    let right = server.fresh_answer()?;
    let wrong = Answer {
        user: "x".to_owned(),
        ..right.clone()
    };
    let reply = server.get(&[right.write(), wrong.write()])?;
    server.must_refuse("a right field and a wrong one", &reply)?;
    let right = server.fresh_answer()?;
    let reply = server.get(&[wrong.write(), right.write()])?;
    server.must_refuse("a wrong field and a right one", &reply)
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
            let earlier = server.messages.len();
            let reply = server.get(&[value.as_bytes().to_owned()])?;
            if reply.is_granted() || reply.status >= 500 {
                return fail(format!("status {} for: {value:?}", reply.status));
            }
            server.messages.truncate(earlier);
        }
    }
    Ok(())
}
