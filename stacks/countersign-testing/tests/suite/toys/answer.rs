//! Credentials, as the toy server reads them, and why it refuses them.

use countersign::digest::{Algorithm, BodyHasher};

use super::{USER, password};

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

/// What goes into `Authentication-Info` of a server with this fault.
pub(super) fn proof(
    fault: &str,
    answer: &Answer,
    request: &[u8],
    next_nonce: &str,
) -> Checked<String> {
    let method = match fault {
        "proves itself with the method" => "GET",
        _ => "",
    };
    let covered = match fault {
        "proves the request's body" => request,
        "proves no body" => b"",
        _ => b"hello",
    };
    let body = (answer.optional("qop") == Some("auth-int")).then_some(covered);
    let ha1 = answer.hash(&[USER, answer.get("realm")?, password(fault)]);
    let proof = answer.response(&ha1, method, body)?;
    let Some(qop) = answer.optional("qop") else {
        return Ok(format!("rspauth=\"{proof}\""));
    };
    let qop = match fault {
        "says auth in each proof" => "auth",
        _ => qop,
    };
    let nc = match fault {
        "says count 1 in each proof" => "00000001",
        _ => answer.get("nc")?,
    };
    let cnonce = answer.get("cnonce")?;
    Ok(format!(
        "rspauth=\"{proof}\", qop={qop}, nc={nc}, cnonce=\"{cnonce}\"{next_nonce}"
    ))
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
