//! What one answer has in common with the next.

use alloc::vec::Vec;

use crate::client::nonce::{Arc, Nonce};
use crate::digest::{Ha1, Kd, Marks, Qop};
use crate::field_value::FieldValue;
use crate::syntax::chars;

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

    /// Writes the next answer: by the rest of one with this qop, or anew, and then keeps its rest.
    #[inline(always)]
    pub(super) fn write<E>(
        &mut self,
        qop: Qop,
        values: Values<'_>,
        anew: impl FnOnce() -> Result<(FieldValue, Marks), E>,
    ) -> Result<FieldValue, E> {
        // Others are written with escapes.
        let is_plain = chars::has_only_plain(values[0]);
        if let Some(template) = self
            .template
            .as_ref()
            .filter(|it| is_plain && it.qop == qop)
        {
            return Ok(template.write(values));
        }
        let (value, ends) = anew()?;
        if is_plain {
            self.template = Some(Template::of(qop, value.as_bytes(), ends, values));
        }
        Ok(value)
    }
}

impl Template {
    fn of(qop: Qop, answer: &[u8], ends: Marks, values: Values<'_>) -> Self {
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
        Self { qop, bytes, places }
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
