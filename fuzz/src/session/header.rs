//! Digest credentials, split into parameters so that they can be rewritten.

/// The parameters of a header value, each with its original spelling.
#[derive(Clone, Debug)]
pub(super) struct Header {
    scheme: Vec<u8>,
    params: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Header {
    /// Returns `None` for a value without parameters.
    pub(super) fn read(value: &[u8]) -> Option<Self> {
        let blank = value.iter().position(|&byte| byte == b' ')?;
        let (scheme, list) = value.split_at(blank);
        let mut params = Vec::new();
        for param in split(list) {
            let equals = param.iter().position(|&byte| byte == b'=')?;
            let (name, value) = (param[..equals].to_vec(), param[equals + 1..].to_vec());
            params.push((name, value));
        }
        let scheme = scheme.to_vec();
        Some(Self { scheme, params })
    }

    pub(super) fn len(&self) -> usize {
        self.params.len()
    }

    pub(super) fn param_mut(&mut self, at: usize) -> &mut (Vec<u8>, Vec<u8>) {
        &mut self.params[at]
    }

    /// The value of a parameter, with its original spelling.
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        let mut params = self.params.iter();
        let (_, value) = params.find(|(it, _)| it.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(value)
    }

    /// Replaces the value of a parameter in place, or adds it.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        let is_it = |it: &[u8]| it.eq_ignore_ascii_case(name.as_bytes());
        match self.params.iter_mut().find(|(it, _)| is_it(it)) {
            Some((_, it)) => *it = value.into(),
            None => self.add(name.as_bytes(), value),
        }
    }

    pub(super) fn add(&mut self, name: &[u8], value: impl Into<Vec<u8>>) {
        self.params.push((name.to_vec(), value.into()));
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.params
            .retain(|(it, _)| !it.eq_ignore_ascii_case(name.as_bytes()));
    }

    pub(super) fn rotate(&mut self, by: usize) {
        let length = self.params.len().max(1);
        self.params.rotate_left(by % length);
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut value = self.scheme.clone();
        for (at, (name, param)) in self.params.iter().enumerate() {
            value.extend(if at == 0 { &b" "[..] } else { b", " });
            value.extend(name);
            value.push(b'=');
            value.extend(param);
        }
        value
    }
}

/// The elements of a list, without surrounding whitespace. A comma in quotes is not a separator.
fn split(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    list.split(move |&byte| {
        let is_end = byte == b',' && !quoted;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        is_end
    })
    .map(<[u8]>::trim_ascii)
    .filter(|element| !element.is_empty())
}
