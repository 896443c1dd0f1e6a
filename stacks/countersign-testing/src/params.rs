//! Parameters of a header value.

/// A parameter and how the specification has it written.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) value: Vec<u8>,
    pub(crate) is_quoted: bool,
}

/// The parameters of one challenge or of credentials, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(pub(crate) Vec<Param>);

impl Params {
    /// Adds a parameter whose value is a token.
    pub(crate) fn token(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.and(name, value.as_ref(), false)
    }

    /// Adds a parameter whose value is a quoted string.
    pub(crate) fn quoted(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.and(name, value.as_ref(), true)
    }

    fn and(mut self, name: &str, value: &[u8], is_quoted: bool) -> Self {
        self.0.push(Param {
            name: name.to_owned(),
            value: value.to_owned(),
            is_quoted,
        });
        self
    }

    /// Replaces a value. Nothing happens if there is no such parameter.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        for param in self.0.iter_mut().filter(|param| param.name == name) {
            param.value = value.as_ref().to_owned();
        }
        self
    }

    /// The value as it is to be sent: `scheme`, and the parameters in canonical spelling.
    pub(crate) fn write(&self, scheme: &str) -> Vec<u8> {
        self.write_separated(scheme, b", ")
    }

    /// The same with another separator.
    pub(crate) fn write_separated(&self, scheme: &str, separator: &[u8]) -> Vec<u8> {
        let mut value = scheme.as_bytes().to_owned();
        for (index, param) in self.0.iter().enumerate() {
            value.extend_from_slice(if index == 0 { b" " } else { separator });
            value.extend_from_slice(param.name.as_bytes());
            value.push(b'=');
            match param.is_quoted {
                true => quote(&param.value, |_| false, &mut value),
                false => value.extend_from_slice(&param.value),
            }
        }
        value
    }
}

/// Appends a quoted string. Escapes what needs it, and what `also` says.
pub(crate) fn quote(text: &[u8], mut also: impl FnMut(u8) -> bool, to: &mut Vec<u8>) {
    to.push(b'"');
    for &byte in text {
        if matches!(byte, b'"' | b'\\') || also(byte) {
            to.push(b'\\');
        }
        to.push(byte);
    }
    to.push(b'"');
}
