//! The types and numbers of the header.
#![forbid(unsafe_code)]
#![allow(non_camel_case_types, reason = "the names of C")]

use std::ffi::{c_char, c_int, c_void};

use crate::server::{Outcome, Pending};

/// The version of this interface: the second number of the library's version.
pub const CS_ABI_VERSION: u32 = 1;

/// Nothing is left to do: the response is for you.
pub const CS_DONE: c_int = 0;
/// Authorize again, and send the request again.
pub const CS_RETRY: c_int = 1;
/// The response is for you, and it is a refusal: the error says why.
pub const CS_GIVE_UP: c_int = 2;
/// The server asks for a login and the client has no account: ask a person, call `cs_client_login`,
/// authorize again, and send the request again.
pub const CS_LOGIN: c_int = 3;
/// The call did not do what was asked: the error says why.
pub const CS_ERROR: c_int = -1;

/// Bytes: `len` of them at `data`, without a zero byte at the end. `data` may be null, which says
/// that there is no text.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct cs_text {
    /// The first byte, or null.
    pub data: *const c_char,
    /// The number of bytes.
    pub len: usize,
}

/// A field of a message: name and value, without the colon, whitespace around them and the line end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cs_field {
    /// The name, in upper or lower case.
    pub name: cs_text,
    /// The value.
    pub value: cs_text,
}

/// What credentials are made for: method and request-target as they are in the request line, and the
/// whole body. `body.data` is null where the body is not known, which is enough without `auth-int`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cs_request {
    /// The method, in the case of the request line.
    pub method: cs_text,
    /// The request-target: `/path?query` for an origin.
    pub uri: cs_text,
    /// The body; null if it is not known, and not null with length 0 if there is none.
    pub body: cs_text,
}

/// Why a call failed: one line of text that ends with a zero byte, empty if it did not fail.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cs_error {
    /// The text.
    pub text: [c_char; 256],
}

/// The login that an exchange asks for, to show to a person.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cs_ask {
    /// The realm as UTF-8, without control characters. The server chose it: show the host, too.
    pub realm: cs_text,
    /// 1 if a password was refused before.
    pub is_again: c_int,
    /// 1 if the password is sent as it is (Basic), 0 if it is hashed (Digest).
    pub is_basic: c_int,
}

/// What the server says of a request. Everything in it belongs to it.
#[repr(C)]
#[derive(Debug, Default)]
pub struct cs_verdict {
    /// 200: granted. 0: look the user up, then call `cs_verdict_verify`. Else: refuse with this status.
    pub status: u16,
    /// 1 if this may be a guess of a password, for a limiter.
    pub is_guess: c_int,
    /// The hash function of the HA1 that `cs_verdict_verify` takes.
    pub hash: c_int,
    /// 1 if `cs_verdict_verify` needs the body of the request, because the response covers it.
    pub needs_body: c_int,
    /// The name of the user, as UTF-8; null if there is none. Do not trust it before status 200.
    pub user: cs_text,
    /// The password, if status is 0 and the credentials are Basic: for `cs_verdict_decide`.
    pub password: cs_text,
    /// The reason in a word, for the log: `granted`, `wrong-credentials`.
    pub reason: cs_text,
    /// The name of the fields to send.
    pub field: cs_text,
    /// Their values, each a field of its own.
    pub values: *const cs_text,
    /// How many there are.
    pub count: usize,
}

/// Looks a user up: writes the HA1 of `hash` into `ha1`, 32 or 64 hexadecimal digits and a zero byte,
/// and returns 1; returns 0 if there is no such user, and another number if the store failed. The
/// name is null if the client sent none that is text.
pub type cs_find = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        user: cs_text,
        hash: c_int,
        ha1: *mut c_char,
    ) -> c_int,
>;

impl cs_error {
    /// The beginning of the text, if there is no room for all of it.
    pub(crate) fn set(&mut self, text: &str) {
        self.text = [0; 256];
        let ends = (0..256).rev().find(|&at| text.is_char_boundary(at));
        let text = text.as_bytes().iter().take(ends.unwrap_or_default());
        for (to, from) in self.text.iter_mut().zip(text) {
            *to = from.cast_signed();
        }
    }
}

impl From<&[u8]> for cs_text {
    /// Borrowed, for as long as the header says.
    fn from(bytes: &[u8]) -> Self {
        Self {
            data: bytes.as_ptr().cast(),
            len: bytes.len(),
        }
    }
}

impl From<&str> for cs_text {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl<'a, T> From<Option<&'a T>> for cs_text
where
    T: AsRef<[u8]> + ?Sized,
{
    fn from(text: Option<&'a T>) -> Self {
        text.map_or_else(Self::default, |text| text.as_ref().into())
    }
}

/// A verdict, and what it points to. C sees the first field.
#[repr(C)]
pub(crate) struct Verdict {
    seen: cs_verdict,
    values: Vec<cs_text>,
    pub(crate) state: State,
}

pub(crate) enum State {
    Pending(Box<Pending>),
    Decided(Outcome),
}

impl Verdict {
    pub(crate) fn new(state: State) -> Box<Self> {
        let mut verdict = Box::new(Self {
            seen: cs_verdict::default(),
            values: Vec::new(),
            state,
        });
        verdict.show();
        verdict
    }

    /// Points the part that C sees to the state, after each change of it.
    pub(crate) fn show(&mut self) {
        self.seen = match &self.state {
            State::Pending(pending) => cs_verdict {
                hash: pending.hash,
                needs_body: pending.needs_body.into(),
                user: pending.user.as_ref().into(),
                password: pending.basic.as_ref().map(|pair| pair.password()).into(),
                ..cs_verdict::default()
            },
            State::Decided(outcome) => {
                let values = outcome.values.iter();
                self.values = values.map(|value| value.as_bytes().into()).collect();
                cs_verdict {
                    status: outcome.status,
                    is_guess: outcome.is_guess.into(),
                    user: outcome.user.as_ref().into(),
                    reason: outcome.reason.into(),
                    field: outcome.field.into(),
                    values: self.values.as_ptr(),
                    count: self.values.len(),
                    ..cs_verdict::default()
                }
            }
        };
    }
}
