//! Challenges and credentials before they are spelled.

use arbitrary::{Result, Unstructured};

use super::super::params::{Param, Params, quote};
use super::pieces::{SEPARATORS, WHITESPACE, one, one_in, position};

/// What follows a scheme.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Empty,
    Token68(Vec<u8>),
    Params(Params),
}

/// One challenge, or credentials. `Authentication-Info` has no scheme.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) scheme: Option<&'static str>,
    pub(super) body: Body,
}

impl Element {
    pub(super) const fn new(scheme: &'static str, body: Body) -> Self {
        Self {
            scheme: Some(scheme),
            body,
        }
    }
}

/// Writes a list in one of its spellings.
pub(super) fn spell(elements: &[Element], u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut value = Vec::new();
    // Empty elements at the start, where the field is a list.
    if elements.len() > 1 && one_in(u, 12)? {
        value.extend_from_slice(one(u, &[&b", "[..], b" ,,"])?);
    }
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            value.extend_from_slice(one(u, SEPARATORS)?);
        }
        if let Some(scheme) = element.scheme {
            value.extend(in_some_case(scheme, u)?);
        }
        match &element.body {
            Body::Empty => {}
            Body::Token68(token68) => {
                value.push(b' ');
                value.extend_from_slice(token68);
            }
            Body::Params(params) => {
                if element.scheme.is_some() {
                    value.extend_from_slice(one(u, &[&b" "[..], b" ", b" ", b"  "])?);
                }
                spell_params(params, u, &mut value)?;
            }
        }
    }
    if elements.len() > 1 && one_in(u, 12)? {
        value.push(b',');
    }
    Ok(value)
}

fn spell_params(params: &Params, u: &mut Unstructured<'_>, value: &mut Vec<u8>) -> Result<()> {
    let mut params: Vec<&Param> = params.0.iter().collect();
    if one_in(u, 2)? {
        for end in (1..params.len()).rev() {
            params.swap(end, position(u, end)?);
        }
    }
    for (index, param) in params.into_iter().enumerate() {
        if index > 0 {
            value.extend_from_slice(one(u, SEPARATORS)?);
        }
        value.extend(in_some_case(&param.name, u)?);
        value.extend_from_slice(one(u, WHITESPACE)?);
        value.push(b'=');
        value.extend_from_slice(one(u, WHITESPACE)?);
        match param.is_quoted {
            // Escapes one letter that needs none.
            true if one_in(u, 6)? => {
                let escaped = one(u, b"aeiM/")?;
                quote(&param.value, |byte| byte == escaped, value);
            }
            true => quote(&param.value, |_| false, value),
            false => value.extend_from_slice(&param.value),
        }
    }
    Ok(())
}

/// Names of schemes and parameters may be in any case.
fn in_some_case(name: &str, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut name = name.as_bytes().to_owned();
    match u.int_in_range(0..=9)? {
        8 => name.make_ascii_uppercase(),
        9 => {
            let at = position(u, name.len() - 1)?;
            name[at] ^= if name[at].is_ascii_alphabetic() {
                0x20
            } else {
                0
            };
        }
        _ => {}
    }
    Ok(name)
}
