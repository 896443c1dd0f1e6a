//! Pairs of a name and a password by Basic.

use countersign::Challenge;

use super::subject::Subject;
use crate::message::{Reply, in_other_case};
use crate::outcome::{Outcome, Stop, fail, skip};

/// The value of the field, of any octets (RFC 4648, section 4).
pub(super) fn credentials(user: &[u8], password: &[u8]) -> Vec<u8> {
    encoded(&joined(user, password))
}

fn encoded(octets: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = b"Basic ".to_vec();
    for three in octets.chunks(3) {
        let at = |index: usize| usize::from(three.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            value.push(match digit <= three.len() {
                true => DIGITS[bits >> (18 - 6 * digit) & 63],
                false => b'=',
            });
        }
    }
    value
}

pub(super) fn right_pair(server: &mut Subject<'_>) -> Outcome {
    let offered = server.challenged()?.offers_basic();
    let check = server.check;
    if check.user.contains(':') {
        return skip("Basic can not carry this name");
    }
    let value = credentials(check.user.as_bytes(), check.password.as_bytes());
    let right = server.get(&[value])?;
    let is_ascii = check.user.is_ascii() && check.password.is_ascii();
    match offered {
        true if !is_ascii && !right.is_granted() => skip("another encoding: see BasicEncoding"),
        true => server.must_grant("the right password", &right),
        // Some clients send Basic unasked, and go on doing so for as long as they are let in.
        false => server.must_refuse("the right password by Basic, which is not offered,", &right),
    }
}

/// The name and the password, if Basic is offered.
fn offered(server: &mut Subject<'_>) -> Outcome<[Vec<u8>; 2]> {
    let check = server.check;
    match server.challenged()?.offers_basic() {
        true => Ok([&check.user, &check.password].map(|it| it.clone().into_bytes())),
        false => Err(Stop::NotOffered("Basic")),
    }
}

/// Sends what stands before the encoding.
fn sent(server: &mut Subject<'_>, pair: &[u8]) -> Outcome<Reply> {
    server.get(&[encoded(pair)])
}

/// Sends pairs that are all wrong.
fn must_refuse(server: &mut Subject<'_>, pairs: &[Vec<u8>]) -> Outcome {
    for pair in pairs {
        let reply = sent(server, pair)?;
        server.must_refuse(&shown(pair), &reply)?;
    }
    Ok(())
}

/// Sends pairs whose name a server may take for another spelling of the right one.
fn should_refuse(server: &mut Subject<'_>, pairs: &[Vec<u8>]) -> Outcome {
    for pair in pairs {
        let reply = sent(server, pair)?;
        let why = "names may be compared so, if everything behind the login compares them so, too";
        server.should_refuse(&shown(pair), &reply, why)?;
    }
    Ok(())
}

fn shown(pair: &[u8]) -> String {
    format!("the pair \"{}\"", pair.escape_ascii())
}

/// A name, what is between, and a password.
fn joined(user: &[u8], password: &[u8]) -> Vec<u8> {
    [user, b":", password].concat()
}

pub(super) fn colon(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    let more = |parts: [&[u8]; 3]| parts.join(&b':');
    let pairs = [
        more([&user, &password, b"x"]),
        more([&user, &password, b""]),
        more([&user, b"x", &password]),
        more([&user, b"", &password]),
        more([b"x", &user, &password]),
    ];
    must_refuse(server, &pairs)
}

pub(super) fn control(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    let mut pairs = Vec::new();
    for control in [b"\0", b"\n", b"\r"] {
        let with = |before: &[u8]| [before, control, b"x"].concat();
        pairs.push(joined(&user, &with(&password)));
        pairs.push(joined(&with(&user), &password));
    }
    pairs.push(joined(&user, &[&*password, b"\0"].concat()));
    pairs.push(joined(&user, b"\0"));
    must_refuse(server, &pairs)
}

pub(super) fn case(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    let [name, other] = [&user, &password].map(|it| in_other_case(it));
    if other != password {
        must_refuse(server, &[joined(&user, &other)])?;
    }
    match name == user {
        true => Ok(()),
        false => should_refuse(server, &[joined(&name, &password)]),
    }
}

pub(super) fn spaces(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    let around = |text: &[u8]| {
        [
            [b" ", text].concat(),
            [text, b" "].concat(),
            [text, b"\t"].concat(),
        ]
    };
    must_refuse(server, &around(&password).map(|it| joined(&user, &it)))?;
    should_refuse(server, &around(&user).map(|it| joined(&it, &password)))
}

pub(super) fn part(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    let mut pairs = Vec::new();
    for text in parts(&password) {
        pairs.push(joined(&user, &text));
    }
    for text in parts(&user).iter().filter(|it| !it.is_empty()) {
        pairs.push(joined(text, &password));
    }
    must_refuse(server, &pairs)
}

/// Beginnings and ends of a text, and longer texts.
fn parts(text: &[u8]) -> Vec<Vec<u8>> {
    let length = text.len();
    let mut all = vec![
        [text, b"x"].concat(),
        [b"x", text].concat(),
        [text, text].concat(),
        text[..length.min(8)].to_vec(),
        text[..length / 2].to_vec(),
        text[..length.saturating_sub(1)].to_vec(),
        text[length.min(1)..].to_vec(),
    ];
    all.retain(|it| it != text);
    all
}

pub(super) fn empty(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    if user.is_empty() || password.is_empty() {
        return skip("the right name or password is empty");
    }
    let pairs = [
        joined(&user, b""),
        joined(b"", &password),
        joined(b"", b""),
        user.clone(),
        password.clone(),
        Vec::new(),
    ];
    must_refuse(server, &pairs)
}

pub(super) fn encoding(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    // Servers may strip the highest bit, or what is not ASCII, or resolve escapes.
    let high: Vec<u8> = password.iter().map(|it| it | 0x80).collect();
    let escaped: String = password.iter().map(|it| format!("%{it:02X}")).collect();
    let wide: String = server.check.password.chars().map(widened).collect();
    for other in [
        high,
        escaped.into_bytes(),
        wide.into_bytes(),
        [&*password, b"\xff"].concat(),
        [&*password, "\u{301}".as_bytes()].concat(),
    ] {
        if other != password {
            must_refuse(server, &[joined(&user, &other)])?;
        }
    }
    let check = server.check;
    let is_latin = |text: &str| text.chars().all(|it| u32::from(it) < 0x100);
    if check.password.is_ascii() && check.user.is_ascii() {
        return Ok(());
    }
    let reply = server.challenged()?;
    let promises = |it: &Challenge<'_>| matches!(it, Challenge::Basic { utf8: true, .. });
    let promises_utf8 = reply.challenges().iter().any(promises);
    let utf8 = sent(server, &joined(&user, &password))?;
    if promises_utf8 {
        return server.must_grant("the right pair in UTF-8, by charset,", &utf8);
    }
    let latin = |text: &str| text.chars().map(|it| it as u8).collect::<Vec<_>>();
    let latin1 = match is_latin(&check.user) && is_latin(&check.password) {
        true => sent(
            server,
            &joined(&latin(&check.user), &latin(&check.password)),
        )?,
        false => utf8.clone(),
    };
    match utf8.is_granted() || latin1.is_granted() {
        true if utf8.is_granted() && latin1.is_granted() => Ok(()),
        true => {
            server.note(
                "one of UTF-8 and ISO-8859-1 is refused: without charset=\"UTF-8\" in the challenge \
                 clients can not know which",
            );
            Ok(())
        }
        false => fail("the right pair is refused in UTF-8 and in ISO-8859-1"),
    }
}

/// The full-width form of a letter, which compatibility mappings take for the same.
fn widened(letter: char) -> char {
    match letter {
        '!'..='~' => char::from_u32(u32::from(letter) + 0xFEE0).unwrap_or(letter),
        other => other,
    }
}

pub(super) fn form(server: &mut Subject<'_>) -> Outcome {
    let [user, password] = offered(server)?;
    let right = credentials(&user, &password);
    if !server.get(std::slice::from_ref(&right))?.is_granted() {
        return skip("the right pair is refused");
    }
    let token = &right[b"Basic ".len()..];
    for scheme in [&b"basic "[..], b"BASIC "] {
        let reply = server.get(&[[scheme, token].concat()])?;
        let what = format!("the scheme written \"{}\"", scheme.escape_ascii());
        server.must_grant(&what, &reply)?;
    }
    for (what, value) in [
        ("the scheme alone", b"Basic".to_vec()),
        ("no scheme", token.to_vec()),
        ("the scheme Basic2", [b"Basic2 ", token].concat()),
        (
            "the pair without encoding",
            [b"Basic ", &*joined(&user, &password)].concat(),
        ),
    ] {
        let reply = server.get(&[value])?;
        server.must_refuse(what, &reply)?;
    }
    let junk = [b"Basic ", &token[..4], b"!-!", &token[4..]].concat();
    let reply = server.get(&[junk])?;
    let why = "programs in front may read another pair";
    server.should_refuse("octets between that are not base64", &reply, why)
}
