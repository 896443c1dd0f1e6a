//! What a server tells about the names of its users.

use std::collections::BTreeMap;
use std::time::Duration;

use super::login::refused;
use super::subject::Subject;
use crate::message::Reply;
use crate::outcome::{Outcome, fail, skip};

pub(super) fn unknown_user(server: &mut Subject<'_>) -> Outcome {
    let user = server.check.user.clone();
    let unknown = format!("{user}x");
    let password = format!("{}x", server.check.password);
    let wrong = refused(server, &user, &password)?;
    // What differs between two responses to the same tells nothing.
    let again = refused(server, &user, &password)?;
    for password in [&password, &server.check.password] {
        let other = refused(server, &unknown, password)?;
        for ((wrong, again), other) in wrong.iter().zip(&again).zip(other) {
            let [wrong, again, other] =
                [wrong, again, &other].map(|reply| features(reply, [&unknown, &user]));
            let tells =
                |it: &&String| wrong.get(*it) != other.get(*it) && wrong.get(*it) == again.get(*it);
            if let Some(label) = wrong.keys().chain(other.keys()).find(tells) {
                let shown = |it: &BTreeMap<_, String>| match it.get(label) {
                    Some(text) => format!("{text:?}"),
                    None => "missing".to_owned(),
                };
                return fail(format!(
                    "{label} is {}, not {}",
                    shown(&other),
                    shown(&wrong)
                ));
            }
        }
    }
    Ok(())
}

/// The parts of a response, with a label for each, without names, digits, nonces and opaques, which
/// may be the same for a second, or count.
fn features(reply: &Reply, names: [&str; 2]) -> BTreeMap<String, String> {
    let challenges = countersign::raw_challenges(reply.challenge_values()).flatten();
    let challenges: Vec<_> = challenges.collect();
    let changing = |name| challenges.iter().filter_map(move |it| it.param(name));
    let nonces = changing("nonce").chain(changing("opaque"));
    let nonces = nonces.map(|it| String::from_utf8_lossy(&it.to_bytes()).into_owned());
    let hidden: Vec<_> = names.map(String::from).into_iter().chain(nonces).collect();
    let text = |bytes: &[u8]| {
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        for name in hidden.iter().filter(|name| !name.is_empty()) {
            text = text.replace(name, "");
        }
        text.replace(|letter: char| letter.is_ascii_digit(), "")
    };
    let status = ("status".to_owned(), reply.status.to_string());
    let mut all = BTreeMap::from([status]);
    for (index, line) in reply.body.split(|&byte| byte == b'\n').enumerate() {
        all.insert(format!("line {} of the body", index + 1), text(line));
    }
    for (name, value) in &reply.headers {
        all.insert(format!("the field {name}"), String::new());
        let values = all.entry(format!("the value of {name}")).or_default();
        values.push_str(&text(value.as_bytes()));
    }
    for (index, challenge) in challenges.iter().enumerate() {
        for (name, value) in challenge.params() {
            let label = format!("{name} of challenge {}", index + 1);
            all.insert(label, text(&value.to_bytes()));
        }
    }
    all
}

/// How often each refusal is timed.
const TIMES: usize = 20;

/// What the system and the network may make of it.
const NOISE: Duration = Duration::from_millis(1);

pub(super) fn timing(server: &mut Subject<'_>) -> Outcome {
    if server.check.timing.is_none() {
        return skip("it is not asked for: see ServerCheck::with_timing");
    }
    let user = server.check.user.clone();
    let password = format!("{}x", server.check.password);
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..TIMES {
        for (times, user) in times.iter_mut().zip([user.clone(), format!("{user}x")]) {
            let replies = refused(server, &user, &password)?;
            times.push(replies.iter().map(|reply| reply.took).sum());
        }
    }
    let [known, unknown] = times.map(|mut times| {
        times.sort_unstable();
        [TIMES / 4, TIMES / 2, TIMES * 3 / 4].map(|at| times[at])
    });
    let spread = (known[2] - known[0]).max(unknown[2] - unknown[0]);
    match known[1].abs_diff(unknown[1]) > spread.max(NOISE) {
        true => fail(format!(
            "{:?} for {:?}, the medians of {TIMES}",
            unknown[1], known[1]
        )),
        false => Ok(()),
    }
}

pub(super) fn other_name(server: &mut Subject<'_>) -> Outcome {
    let answer = server.fresh_answer()?;
    let zeros = "0".repeat(answer.response().as_str().len());
    let hashed = answer.params().token("userhash", "true");
    let other = format!("{}x", answer.user);
    for (what, params) in [
        ("another name", answer.params().with("username", other)),
        ("an empty name", answer.params().with("username", "")),
        ("the hash of another name", hashed.with("username", zeros)),
    ] {
        let reply = server.get(&[params.write("Digest")])?;
        server.must_refuse(what, &reply)?;
    }
    Ok(())
}
