//! Credentials, as the toy server reads them, and why it refuses them.

use countersign::digest::{Algorithm, BodyHasher};

/// Why a request is refused.
pub(super) enum Refused {
    Malformed,
    Stale,
    Plain,
    Unknown,
    OwnFault,
}

/// The refusal of a wrong answer.
pub(super) const fn wrong(known: bool) -> Refused {
    match known {
        true => Refused::Plain,
        false => Refused::Unknown,
    }
}

pub(super) type Checked<T = ()> = Result<T, Refused>;

/// The parameters of credentials.
pub(super) struct Answer {
    pub(super) params: Vec<(String, String)>,
    pub(super) algorithm: Algorithm,
}

impl Answer {
    pub(super) fn optional(&self, name: &str) -> Option<&str> {
        let found = self.params.iter().find(|param| param.0 == name);
        found.map(|param| &*param.1)
    }

    pub(super) fn get(&self, name: &str) -> Checked<&str> {
        self.optional(name).ok_or(Refused::Malformed)
    }

    pub(super) fn hash(&self, parts: &[&str]) -> String {
        let mut hasher = BodyHasher::new(self.algorithm.hash_function());
        hasher.update(parts.join(":").as_bytes());
        hasher.finish().as_str().to_owned()
    }

    /// The response, or with an empty method the proof.
    pub(super) fn response(&self, ha1: &str, method: &str, body: Option<&[u8]>) -> Checked<String> {
        let (nonce, uri) = (self.get("nonce")?, self.get("uri")?);
        let body = body.map(|body| self.hash(&[&String::from_utf8_lossy(body)]));
        let ha2 = match &body {
            Some(body) => self.hash(&[method, uri, body]),
            None => self.hash(&[method, uri]),
        };
        let Some(qop) = self.optional("qop") else {
            return Ok(self.hash(&[ha1, nonce, &ha2]));
        };
        let cnonce = self.get("cnonce")?;
        let key = match self.algorithm.is_sess() {
            true => self.hash(&[ha1, nonce, cnonce]),
            false => ha1.to_owned(),
        };
        Ok(self.hash(&[&key, nonce, self.get("nc")?, cnonce, qop, &ha2]))
    }
}

/// The parameters of a header, with names in lower case.
pub(super) fn params(text: &str) -> Option<Vec<(String, String)>> {
    let mut params = Vec::new();
    let separators = [',', ' ', '\t'];
    let mut rest = text.trim_matches(separators);
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let (name, after) = (name.trim_end(), after.trim_start());
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-*".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return None;
        }
        let mut value = String::new();
        let after = match after.strip_prefix('"') {
            Some(quoted) => {
                let mut letters = quoted.chars();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => value.push(letters.next()?),
                        letter => value.push(letter),
                    }
                }
                letters.as_str()
            }
            None => {
                let end = after.find(separators).unwrap_or(after.len());
                value.push_str(&after[..end]);
                &after[end..]
            }
        };
        params.push((name.to_ascii_lowercase(), value));
        rest = match after.trim_start().strip_prefix(',') {
            Some(more) => more.trim_start_matches(separators),
            None if after.trim().is_empty() => "",
            None => return None,
        };
    }
    Some(params)
}
