//! What one answer has in common with the next.

use alloc::vec::Vec;

use crate::client::nonce::{Arc, Nonce};
use crate::digest::{Ha1, Kd, Marks, Qop};
use crate::field_value::FieldValue;

/// What the answers with one login to one challenge have in common. It belongs to the login, and is
/// made at the second answer, because many nonces are used once.
pub(super) struct Common {
    pub(super) nonce: Arc<Nonce>,
    /// After `key:nonce:`.
    pub(super) begun: Kd,
    template: Option<Template>,
}

/// What each answer has of its own: uri, nc, cnonce and response, in this order.
pub(super) type Values<'a> = [&'a [u8]; 4];

/// An answer with this qop, without its [`Values`].
struct Template {
    qop: Qop,
    bytes: Vec<u8>,
    /// Where each value belongs.
    places: [usize; 4],
}

impl Common {
    pub(super) fn new(ha1: &Ha1, nonce: &Arc<Nonce>) -> Self {
        Self {
            nonce: nonce.clone(),
            begun: Kd::new(ha1, nonce.nonce()),
            template: None,
        }
    }

    /// The next answer with this qop, if there was one.
    pub(super) fn write(&self, qop: Qop, values: Values<'_>) -> Option<FieldValue> {
        let template = self.template.as_ref().filter(|it| it.qop == qop)?;
        let length = template.bytes.len() + values.iter().map(|value| value.len()).sum::<usize>();
        let mut answer = Vec::with_capacity(length);
        let mut from = 0;
        for (place, value) in template.places.into_iter().zip(values) {
            answer.extend_from_slice(template.bytes.get(from..place)?);
            answer.extend_from_slice(value);
            from = place;
        }
        answer.extend_from_slice(template.bytes.get(from..)?);
        Some(FieldValue::new(answer))
    }

    /// Keeps the rest of an answer with these values, which it has without escapes.
    pub(super) fn keep(&mut self, qop: Qop, answer: &[u8], ends: Marks, values: Values<'_>) {
        let mut bytes = Vec::with_capacity(answer.len());
        let mut places = [0; 4];
        let mut from = 0;
        for ((end, value), place) in ends.into_iter().zip(values).zip(&mut places) {
            let rest = answer.get(from..end - value.len());
            bytes.extend_from_slice(rest.unwrap_or_default());
            *place = bytes.len();
            from = end;
        }
        bytes.extend_from_slice(answer.get(from..).unwrap_or_default());
        self.template = Some(Template { qop, bytes, places });
    }
}
