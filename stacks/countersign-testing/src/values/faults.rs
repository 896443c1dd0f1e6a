//! Nearly valid values, and noise.

use arbitrary::{Result, Unstructured};

use super::element::{Body, Element, spell};
use super::pieces::{SCRAPS, SPECIALS, one, one_in, position};

/// Puts faults into parameters before spelling them, or into the bytes after.
pub(super) fn nearly(mut elements: Vec<Element>, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let faults = u.int_in_range(1..=3)?;
    let in_params = u.int_in_range(0..=faults)?;
    for _ in 0..in_params {
        let at = position(u, elements.len() - 1)?;
        spoil(&mut elements[at], u)?;
    }
    let mut value = spell(&elements, u)?;
    for _ in in_params..faults {
        edit(&mut value, u)?;
    }
    Ok(value)
}

/// Puts one fault into the parameters of an element, if it has any.
fn spoil(element: &mut Element, u: &mut Unstructured<'_>) -> Result<()> {
    let Body::Params(params) = &mut element.body else {
        return Ok(());
    };
    let params = &mut params.0;
    let Some(last) = params.len().checked_sub(1) else {
        return Ok(());
    };
    let at = position(u, last)?;
    match u.int_in_range(0..=5)? {
        0 => drop(params.remove(at)),
        1 => params.push(params[at].clone()),
        2 => params[at].value.clear(),
        3 => params[at].is_quoted ^= true,
        4 => params[at].value = one(u, SCRAPS)?.to_owned(),
        _ => {
            let value = &mut params[at].value;
            value.truncate(position(u, value.len())?);
        }
    }
    Ok(())
}

/// Changes one byte.
fn edit(value: &mut Vec<u8>, u: &mut Unstructured<'_>) -> Result<()> {
    let at = position(u, value.len())?;
    match u.int_in_range(0..=3)? {
        0 if at < value.len() => drop(value.remove(at)),
        1 if at < value.len() => value[at] = one(u, SPECIALS)?,
        2 => value.truncate(at),
        _ => value.insert(at, one(u, SPECIALS)?),
    }
    Ok(())
}

/// Scraps of values, with some bytes between them, or bytes alone.
pub(super) fn noise(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let bytes_only = one_in(u, 4)?;
    let mut value = Vec::new();
    for _ in 0..u.int_in_range(0..=40)? {
        if bytes_only || one_in(u, 6)? {
            value.push(u.arbitrary()?);
        } else {
            value.extend_from_slice(one(u, SCRAPS)?);
        }
    }
    Ok(value)
}
