//! The attacker, who sees all messages and knows no password.

use countersign::MAX_VALUE_BYTES;
use countersign::digest::HashFunction;

use super::header::Header;
use super::request::Request;
use super::script::Script;
use super::store::{ACCOUNTS, HASHES, REALM};
use crate::accounts::Spelling;

/// The number of captures to keep; the oldest is overwritten.
const MAX_CAPTURED: usize = 32;

/// A captured request with its credentials.
#[derive(Clone)]
pub(super) struct Captured {
    pub(super) header: Vec<u8>,
    pub(super) request: Request,
}

#[derive(Default)]
pub(super) struct Attacker {
    captured: Vec<Captured>,
    /// The number of captures so far.
    count: usize,
}

impl Attacker {
    pub(super) fn capture(&mut self, header: &[u8], request: &Request) {
        let captured = Captured {
            header: header.to_vec(),
            request: request.clone(),
        };
        match self.captured.get_mut(self.count % MAX_CAPTURED) {
            Some(oldest) => *oldest = captured,
            None => self.captured.push(captured),
        }
        self.count += 1;
    }

    pub(super) fn pick(&self, script: &mut Script<'_>) -> Option<Captured> {
        let which = script.below(MAX_CAPTURED) % self.captured.len().max(1);
        self.captured.get(which).cloned()
    }
}

/// Changes one byte at any position.
pub(super) fn mutate(mut header: Vec<u8>, script: &mut Script<'_>) -> Vec<u8> {
    let at = script.position(header.len());
    header[at] = script.byte();
    header
}

/// Rewrites credentials, with as many edits as the script says.
pub(super) fn rewrite(header: &[u8], script: &mut Script<'_>) -> Vec<u8> {
    let Some(mut header) = Header::read(header) else {
        return header.to_vec();
    };
    for _ in 0..=script.below(3) {
        edit(&mut header, script);
    }
    header.to_bytes()
}

/// Guesses the hash function of credentials by the length of the response.
fn hash(header: &Header, choice: u8) -> HashFunction {
    match header.get("response").map_or(0, <[u8]>::len) {
        34 => HashFunction::Md5,
        _ => HASHES[usize::from(choice & 1)],
    }
}

const NAMES: [&str; 14] = [
    "username",
    "username*",
    "userhash",
    "realm",
    "nonce",
    "uri",
    "response",
    "algorithm",
    "qop",
    "nc",
    "cnonce",
    "opaque",
    "charset",
    "unknown",
];

const VALUES: [&str; 20] = [
    "\"\"",
    "x",
    "\"a=b, c\"",
    "true",
    "false",
    "\"true\"",
    "auth",
    "\"auth\"",
    "auth-int",
    "AUTH",
    "00000000",
    "00000001",
    "1",
    "00000002",
    "ffffffff",
    "\"another\"",
    "MD5",
    "sha-256",
    "\"SHA-256\"",
    "SHA-256-sess",
];

fn edit(header: &mut Header, script: &mut Script<'_>) {
    match script.below(12) {
        0..=2 => {
            let choice = script.byte();
            let spelling = Spelling::ALL[usize::from(choice & 15) % Spelling::ALL.len()];
            // Usually the hash function of a captured header.
            let account = &ACCOUNTS[usize::from(choice >> 4 & 3) % ACCOUNTS.len()];
            let hash = hash(header, choice >> 7);
            for name in ["username", "username*", "userhash"] {
                header.remove(name);
            }
            for (name, value) in spelling.params(account, REALM, hash) {
                header.add(name.as_bytes(), value);
            }
        }
        3 | 4 => {
            let name = script.pick(&NAMES);
            header.set(name, script.pick(&VALUES));
        }
        5 => {
            let name = script.pick(&NAMES);
            header.set(name, script.text());
        }
        6 => header.remove(script.pick(&NAMES)),
        7 => header.add(script.pick(&NAMES).as_bytes(), script.pick(&VALUES)),
        8 => header.rotate(script.below(16)),
        edit if header.len() > 0 => {
            let (name, value) = header.param_mut(script.below(16) % header.len());
            match edit {
                9 => *value = respelled(value, script.byte()),
                10 => *name = name.to_ascii_uppercase(),
                // Hexadecimal digits and other values.
                _ => *value = value.to_ascii_uppercase(),
            }
        }
        _ => {}
    }
}

/// Spells the same value differently: with quotes, without them, or with one character escaped.
fn respelled(value: &[u8], at: u8) -> Vec<u8> {
    let inner = value
        .strip_prefix(b"\"")
        .and_then(|value| value.strip_suffix(b"\""));
    match inner {
        None => [b"\"", value, b"\""].concat(),
        Some(inner) if at == 255 => inner.to_vec(),
        Some(inner) => {
            let (before, after) = inner.split_at(usize::from(at) % inner.len().max(1));
            [b"\"", before, b"\\", after, b"\""].concat()
        }
    }
}

/// Forged challenges; `genuine` is one of the server's.
pub(super) fn challenges(genuine: Option<&str>, script: &mut Script<'_>) -> Vec<Vec<u8>> {
    const VALUES: [(&str, &str); 20] = [
        ("stale", "true"),
        ("stale", "\"TRUE\""),
        ("qop", "\"auth-int\""),
        ("qop", "\"auth\""),
        ("qop", "\"auth,auth-int\""),
        ("qop", "\"\""),
        ("algorithm", "MD5"),
        ("algorithm", "SHA-256"),
        ("algorithm", "SHA-256-sess"),
        ("algorithm", "\"SHA-512-256\""),
        ("nonce", "\"n\\once\""),
        ("nonce", "\"0\""),
        ("opaque", "\"o\\\"p\""),
        ("realm", "\"another\""),
        ("realm", "\"\\realm\""),
        ("userhash", "true"),
        ("userhash", "false"),
        ("domain", "\"/b https://example.com/\""),
        ("charset", "UTF-8"),
        ("charset", "\"latin1\""),
    ];
    let mut challenges = Vec::new();
    for _ in 0..=script.below(3) {
        let choice = script.byte();
        let read = |text: &str| Header::read(text.as_bytes());
        challenges.push(match (choice & 7, genuine.and_then(read)) {
            (0, _) => script.text().to_vec(),
            (1, _) => br#"Basic realm="realm""#.to_vec(),
            (_, challenge) => {
                let plain = r#"Digest realm="realm", nonce="0", qop="auth", algorithm=SHA-256"#;
                let mut challenge = match challenge {
                    Some(challenge) if choice & 8 == 0 => challenge,
                    _ => read(plain).expect("parameters"),
                };
                for _ in 0..choice >> 4 & 3 {
                    let (name, value) = script.pick(&VALUES);
                    challenge.set(name, value);
                }
                match choice >> 6 {
                    1 => challenge.remove(script.pick(&["qop", "charset", "algorithm", "opaque"])),
                    2 if choice & 15 == 15 => {
                        let name = script.pick(&["nonce", "opaque"]);
                        challenge.set(name, oversized(script));
                    }
                    _ => {}
                }
                challenge.to_bytes()
            }
        });
    }
    challenges
}

/// A forged `Authentication-Info`.
pub(super) fn info(genuine: Option<&str>, script: &mut Script<'_>) -> Option<Vec<u8>> {
    let nonce = || {
        let header = Header::read(genuine?.as_bytes())?;
        header.get("nonce").map(<[u8]>::to_vec)
    };
    match script.below(6) {
        0 => None,
        1 => Some(script.text().to_vec()),
        2 => Some(b"nextnonce=\"1\"".to_vec()),
        3 => Some([b"nextnonce=", &nonce().unwrap_or_default()[..]].concat()),
        4 => Some(b"nextnonce=\"\\2\", rspauth=\"00000000000000000000000000000000\"".to_vec()),
        _ => Some([b"nextnonce=", &oversized(script)[..]].concat()),
    }
}

/// A value so long that an answer which repeats it is about as long as allowed.
fn oversized(script: &mut Script<'_>) -> Vec<u8> {
    let length = MAX_VALUE_BYTES - 4 * usize::from(script.byte());
    let mut value = vec![b'o'; length];
    value[0] = b'"';
    value[length - 1] = b'"';
    value
}
