//! A second parser of challenges, written from the grammar of RFC 9110 and `docs/odd-peers.md`
//! alone: no state, no limits, a function a rule, each giving what it read and the rest. The
//! library's own parser is compared with it.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Names as written, values unescaped; empty also for a scheme that stands alone.
    Params(Vec<Param>),
    Token68(Vec<u8>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    pub scheme: Vec<u8>,
    pub body: Body,
}

pub type Param = (Vec<u8>, Vec<u8>);

type Parsed<'a, T> = Option<(T, &'a [u8])>;

/// One field value. None if any part of it follows neither the grammar nor `docs/odd-peers.md`.
pub fn challenges(value: &[u8]) -> Option<Vec<Challenge>> {
    let mut found = Vec::new();
    let mut rest = empty_elements(value);
    while !rest.is_empty() {
        let (one, after) = element(rest, challenge)?;
        found.push(one);
        rest = empty_elements(after);
    }
    Some(found)
}

/// One credentials value (Authorization): exactly one, not a list of credentials.
pub fn credentials(value: &[u8]) -> Option<Challenge> {
    let (scheme, rest) = token(trim(value))?;
    let body = match blanks(rest) {
        _ if rest.is_empty() => Body::Params(Vec::new()),
        after if after.len() == rest.len() => return None,
        after => match token68(after) {
            Some((text, b"")) => Body::Token68(text),
            _ => Body::Params(params(after)?),
        },
    };
    Some(Challenge { scheme, body })
}

/// `#auth-param`, as Authentication-Info has it.
pub fn params(value: &[u8]) -> Option<Vec<Param>> {
    let (found, rest) = param_list(trim(value), auth_param);
    empty_elements(rest).is_empty().then_some(found)
}

// challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
// HTAB is taken for SP too. A parameter can never be read as a challenge, so taking all that
// follow loses no other reading. Where a scheme has no token68, `name=` is a parameter.
fn challenge(input: &[u8]) -> Parsed<'_, Challenge> {
    let (scheme, rest) = token(input)?;
    let after = blanks(rest);
    let (body, rest) = if after.len() == rest.len() {
        (Body::Params(Vec::new()), rest)
    } else if let Some((text, rest)) = element(after, token68)
        && !(has_no_token68(&scheme) && is_name_and_equals(&text))
    {
        (Body::Token68(text), rest)
    } else {
        let (found, rest) = param_list(after, loose_param);
        (Body::Params(found), rest)
    };
    Some((Challenge { scheme, body }, rest))
}

fn has_no_token68(scheme: &[u8]) -> bool {
    ["basic", "digest"].contains(&&*String::from_utf8_lossy(scheme).to_lowercase())
}

// Of what a token68 may hold, `/` and `=` may not stand in a name.
fn is_name_and_equals(token68: &[u8]) -> bool {
    token68.ends_with(b"=") && token68.iter().filter(|b| b"/=".contains(b)).count() == 1
}

// The longest run of parameters; the rest begins before the comma that ends it.
fn param_list(mut rest: &[u8], param: fn(&[u8]) -> Parsed<'_, Param>) -> (Vec<Param>, &[u8]) {
    let mut found = Vec::new();
    while let Some((param, after)) = element(empty_elements(rest), param) {
        found.push(param);
        rest = after;
    }
    (found, rest)
}

// auth-param = token BWS "=" BWS ( token / quoted-string )
fn auth_param(input: &[u8]) -> Parsed<'_, Param> {
    let (name, rest) = name_and_equals(input)?;
    let (value, rest) = token(rest).or_else(|| quoted_string(rest))?;
    Some(((name, value), rest))
}

// The same in a challenge: what is not quoted is a word.
fn loose_param(input: &[u8]) -> Parsed<'_, Param> {
    let (name, rest) = name_and_equals(input)?;
    let (value, rest) = quoted_string(rest).or_else(|| word(rest))?;
    Some(((name, value), rest))
}

fn name_and_equals(input: &[u8]) -> Parsed<'_, Vec<u8>> {
    let (name, rest) = token(input)?;
    Some((name, blanks(blanks(rest).strip_prefix(b"=")?)))
}

// All that stands before the next comma or blank, which may be nothing, if each octet of it is
// visible and none is one that only some readers end it at.
fn word(input: &[u8]) -> Parsed<'_, Vec<u8>> {
    let text = input.split(|b| b" \t,".contains(b)).next()?;
    let is_fine = |b: &u8| matches!(b, b'!'..=b'~') && !b"\";\\".contains(b);
    text.iter()
        .all(is_fine)
        .then(|| (text.to_vec(), &input[text.len()..]))
}

// token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
fn token68(input: &[u8]) -> Parsed<'_, Vec<u8>> {
    let (_, rest) = many(input, |b| {
        b.is_ascii_alphanumeric() || b"-._~+/".contains(&b)
    })?;
    let rest = many(rest, |b| b == b'=').map_or(rest, |(_, rest)| rest);
    Some((input[..input.len() - rest.len()].to_vec(), rest))
}

// token = 1*tchar
fn token(input: &[u8]) -> Parsed<'_, Vec<u8>> {
    many(input, |b| {
        b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
    })
}

// quoted-string = DQUOTE *( qdtext / "\" ( HTAB / SP / VCHAR / obs-text ) ) DQUOTE
fn quoted_string(input: &[u8]) -> Parsed<'_, Vec<u8>> {
    let mut rest = input.strip_prefix(b"\"")?;
    let mut text = Vec::new();
    loop {
        let (octet, after) = match rest {
            [b'"', after @ ..] => return Some((text, after)),
            [b'\\', octet, after @ ..] | [octet, after @ ..] => (*octet, after),
            [] => return None,
        };
        if !matches!(octet, b'\t' | b' '..=b'~' | 0x80..) {
            return None;
        }
        text.push(octet);
        rest = after;
    }
}

// What `rule` reads, if it is all there is before the next comma or the end.
fn element<T>(input: &[u8], rule: fn(&[u8]) -> Parsed<'_, T>) -> Parsed<'_, T> {
    let (found, rest) = rule(input)?;
    matches!(blanks(rest), [] | [b',', ..]).then_some((found, rest))
}

// The recipient's form of a list lets elements be empty (RFC 9110 section 5.6.1.2).
fn empty_elements(input: &[u8]) -> &[u8] {
    many(input, |b| b" \t,".contains(&b)).map_or(input, |(_, rest)| rest)
}

// OWS, BWS
fn blanks(input: &[u8]) -> &[u8] {
    many(input, |b| b" \t".contains(&b)).map_or(input, |(_, rest)| rest)
}

fn trim(mut input: &[u8]) -> &[u8] {
    while let [inner @ .., b' ' | b'\t'] = input {
        input = inner;
    }
    blanks(input)
}

// 1*octet
fn many(input: &[u8], class: fn(u8) -> bool) -> Parsed<'_, Vec<u8>> {
    let end = input.iter().take_while(|b| class(**b)).count();
    (end > 0).then(|| (input[..end].to_vec(), &input[end..]))
}
