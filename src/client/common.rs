//! What one answer has in common with the next.

use alloc::vec::Vec;

use crate::client::nonce::{Nonce, Texts};
use crate::digest::{Ha1, Kd, Marks, Qop};
use crate::field_value::FieldValue;

/// What the answers with one secret to one challenge have in common. It belongs to the login, and
/// is made at the second answer, because many nonces are used once.
pub(super) struct Common {
    /// Of the challenge.
    texts: Texts,
    /// After `key:nonce:`.
    pub(super) begun: Kd,
    value: Option<Template>,
}

impl Common {
    pub(super) fn new(ha1: &Ha1, nonce: &Nonce) -> Self {
        Self {
            texts: nonce.texts.clone(),
            begun: Kd::new(ha1, nonce.nonce()),
            value: None,
        }
    }

    pub(super) fn is_of(&self, nonce: &Nonce) -> bool {
        self.texts == nonce.texts
    }

    /// The next answer in this form, if there was one.
    pub(super) fn write(&self, form: Form, values: Values<'_>) -> Option<FieldValue> {
        let template = self.value.as_ref().filter(|it| it.form == form);
        template.map(|it| it.write(values))
    }

    /// Keeps the rest of an answer with these values, which it has without escapes.
    pub(super) fn keep(&mut self, form: Form, answer: &[u8], ends: Marks, values: Values<'_>) {
        self.value = Template::of(form, answer, ends, values);
    }
}

/// What an answer says in another way or not at all, although the challenge is the same.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) struct Form {
    pub(super) qop: Qop,
    pub(super) is_hashed_name: bool,
    pub(super) is_extended: bool,
    pub(super) is_qop_quoted: bool,
}

/// What each answer has of its own: uri, nc, cnonce and response, in this order.
pub(super) type Values<'a> = [&'a [u8]; 4];

/// An answer without its [`Values`].
struct Template {
    form: Form,
    bytes: Vec<u8>,
    /// Where each value belongs.
    places: [usize; 4],
}

impl Template {
    fn of(form: Form, answer: &[u8], ends: Marks, values: Values<'_>) -> Option<Self> {
        let mut bytes = Vec::with_capacity(answer.len());
        let mut places = [0; 4];
        let mut from = 0;
        for ((end, value), place) in ends.into_iter().zip(values).zip(&mut places) {
            let start = end.checked_sub(value.len())?;
            bytes.extend_from_slice(answer.get(from..start)?);
            *place = bytes.len();
            from = end;
        }
        bytes.extend_from_slice(answer.get(from..)?);
        Some(Self {
            form,
            bytes,
            places,
        })
    }

    fn write(&self, values: Values<'_>) -> FieldValue {
        let length = self.bytes.len() + values.iter().map(|value| value.len()).sum::<usize>();
        let mut answer = Vec::with_capacity(length);
        let mut from = 0;
        for (place, value) in self.places.into_iter().zip(values) {
            answer.extend_from_slice(self.bytes.get(from..place).unwrap_or_default());
            answer.extend_from_slice(value);
            from = place;
        }
        answer.extend_from_slice(self.bytes.get(from..).unwrap_or_default());
        FieldValue::new(answer)
    }
}
