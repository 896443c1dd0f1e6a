//! The least that a task takes: written by hand for these inputs alone, with the same crates for
//! hashes and base64, and no input but the right one.

use std::hint::black_box;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use countersign::digest::Algorithm;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha2::{Digest, Sha256};

use crate::inputs::{self, AUTHORIZATION, CHALLENGE, CHALLENGES, Service};
use crate::measure::Operation;

const BASIC: &[u8] = inputs::BASIC.as_bytes();
const CNONCE: &[u8] = inputs::CNONCE.as_bytes();
const METHOD: &[u8] = inputs::METHOD.as_bytes();
const NONCE: &[u8] = inputs::NONCE.as_bytes();
const PASSWORD: &[u8] = inputs::PASSWORD.as_bytes();
const REALM: &[u8] = inputs::REALM.as_bytes();
const URI: &[u8] = inputs::URI.as_bytes();
const USERNAME: &[u8] = inputs::USERNAME.as_bytes();

/// The floor of a row, if it has one.
pub fn of(row: &str) -> Option<Operation> {
    let (task, algorithm) = row.rsplit_once(", ").unwrap_or((row, ""));
    match algorithm {
        "SHA-256" => hashing::<Sha256>(task, Algorithm::SHA_256),
        "MD5" => hashing::<Md5>(task, Algorithm::MD5),
        _ => plain(row),
    }
}

fn plain(row: &str) -> Option<Operation> {
    Some(match row {
        "challenge with its parameters, 186 B" | "challenge of Digest, 186 B" => {
            Operation::new(|| lengths(&params(&black_box(CHALLENGE).as_bytes()[7..])))
        }
        "three challenges, 424 B" => Operation::new(|| {
            let value = black_box(CHALLENGES).as_bytes();
            [(7, 186), (195, 370), (378, 424)].map(|(from, to)| lengths(&params(&value[from..to])))
        }),
        "Authorization, 361 B" => {
            Operation::new(|| lengths(&params(&black_box(AUTHORIZATION).as_bytes()[7..])))
        }
        "refusal with three challenges" => {
            let mac = Hmac::<Sha256>::new_from_slice(&[7; 32]).unwrap();
            Operation::new(move || {
                let nonce = nonce(&mac, &[1; 14]);
                let digest = |algorithm: &[u8]| {
                    write(&[
                        b"Digest realm=\"",
                        REALM,
                        b"\", qop=\"auth\", algorithm=",
                        algorithm,
                        b", nonce=\"",
                        &nonce,
                        b"\", charset=UTF-8",
                    ])
                };
                let basic = write(&[b"Basic realm=\"", REALM, b"\", charset=\"UTF-8\""]);
                vec![digest(b"SHA-256"), digest(b"MD5"), basic]
            })
        }
        "Basic, encode" => Operation::new(|| {
            let username = black_box(inputs::BASIC_USERNAME).as_bytes();
            let password = inputs::BASIC_PASSWORD.as_bytes();
            let mut pair = [0; 64];
            let pair = join(&mut pair, &[username, b":", password]);
            let length = 6 + pair.len().div_ceil(3) * 4;
            let mut value = Vec::with_capacity(length);
            value.extend_from_slice(b"Basic ");
            value.resize(length, 0);
            STANDARD.encode_slice(pair, &mut value[6..]).unwrap();
            value
        }),
        "Basic, decode to the pair" => Operation::new(|| {
            let pair = STANDARD.decode(&black_box(BASIC)[6..]).unwrap();
            let colon = pair.iter().position(|byte| *byte == b':').unwrap();
            (pair, colon)
        }),
        _ => return None,
    })
}

/// Rows of one hash function.
fn hashing<D: Digest + Clone + 'static>(task: &str, algorithm: Algorithm) -> Option<Operation> {
    let ha1 = hash::<D>(&[USERNAME, b":", REALM, b":", PASSWORD]);
    let algorithm_text = algorithm.as_str();
    let head = format!(
        r#"Digest username="{}", realm="{}", nonce="{}", uri="{}", algorithm={algorithm_text}, "#,
        inputs::USERNAME,
        inputs::REALM,
        inputs::NONCE,
        inputs::URI
    ) + "qop=auth, nc=";
    let tail = format!(r#"", opaque="{}", response=""#, inputs::OPAQUE);
    // As long as that of the other side.
    let cnonce = &CNONCE[..16];
    let answer = move |kept: &D, nc: u32| {
        let nc = hex(&nc.to_be_bytes());
        let mut begun = kept.clone();
        begun.update(join(&mut [0; 256], &[nc.bytes(), b":", cnonce, b":auth:"]));
        let ha2 = hash::<D>(&[black_box(METHOD), b":", URI]);
        let response = finish(begun.clone().chain_update(ha2.bytes()));
        let (head, tail, response) = (head.as_bytes(), tail.as_bytes(), response.bytes());
        let nc = nc.bytes();
        let value = write(&[head, nc, b", cnonce=\"", cnonce, tail, response, b"\""]);
        (begun, value)
    };
    let kept = D::new().chain_update([ha1.bytes(), b":", NONCE, b":"].concat());
    let mut nc = 0;
    Some(match task {
        "answer" | "client of the README" => Operation::new(move || {
            nc += 1;
            answer(&kept, nc).1
        }),
        "client of the README with proof" => {
            let info = info(ha1.bytes(), cnonce, b"00000001");
            Operation::new(move || {
                nc += 1;
                let (begun, value) = answer(&kept, nc);
                let fields = params(black_box(&info));
                let proof = finish(begun.chain_update(hash::<D>(&[b":", URI]).bytes()));
                (value, proof.bytes() == fields[1])
            })
        }
        "first answer" | "first answer by a cache" | "first answer by a new client" => {
            let challenge = inputs::challenge(algorithm);
            Operation::new(move || {
                let fields = params(&black_box(challenge).as_bytes()[7..]);
                let ha1 = hash::<D>(&[USERNAME, b":", fields[0], b":", PASSWORD]);
                let mut text = [0; 256];
                let text = join(&mut text, &[ha1.bytes(), b":", NONCE, b":"]);
                answer(&D::new().chain_update(text), 1).1
            })
        }
        "begin, verify, admit" | "server of the README" | "server of the README with http" => {
            let with_proof = task != "begin, verify, admit";
            let service = Service::new(algorithm);
            let requests = service.requests(64);
            let mac = Hmac::<Sha256>::new_from_slice(&[7; 32]).unwrap();
            let mut next = 0;
            Operation::new(move || {
                next = (next + 1) % requests.len();
                let fields = params(&black_box(&requests[next])[7..]);
                let mut sent = [0; 30];
                URL_SAFE_NO_PAD.decode_slice(fields[4], &mut sent).unwrap();
                assert!(nonce(&mac, &sent[..14])[..8] != [0; 8]);
                let ha2 = hash::<D>(&[METHOD, b":", fields[2]]);
                let (nonce, nc, cnonce) = (fields[4], fields[5], fields[6]);
                let parts = [ha1.bytes(), b":", nonce, b":", nc, b":", cnonce, b":auth:"];
                let begun = D::new().chain_update(join(&mut [0; 512], &parts));
                let response = finish(begun.clone().chain_update(ha2.bytes()));
                assert!(response.bytes() == fields[8]);
                with_proof.then(|| {
                    let ha2 = hash::<D>(&[b":", fields[2]]);
                    let proof = finish(begun.chain_update(ha2.bytes()));
                    info(proof.bytes(), cnonce, nc)
                })
            })
        }
        _ => return None,
    })
}

/// The values of parameters, in order.
fn params(list: &[u8]) -> [&[u8]; 10] {
    let mut values = [&b""[..]; 10];
    let mut rest = list;
    for value in &mut values {
        let Some(equals) = rest.iter().position(|byte| *byte == b'=') else {
            break;
        };
        let (quote, from) = match rest[equals + 1] {
            b'"' => (b'"', equals + 2),
            _ => (b',', equals + 1),
        };
        let end = rest[from..].iter().position(|byte| *byte == quote);
        let end = from + end.unwrap_or(rest.len() - from);
        *value = &rest[from..end];
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    values
}

fn lengths(values: &[&[u8]]) -> usize {
    values.iter().map(|value| value.len()).sum()
}

/// Lower-case digits.
struct Hex([u8; 64], usize);

impl Hex {
    fn bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

fn hex(bytes: &[u8]) -> Hex {
    let mut digits = [0; 64];
    for (place, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        for (digit, value) in place.iter_mut().zip([byte >> 4, byte & 15]) {
            *digit = value + if value < 10 { b'0' } else { b'a' - 10 };
        }
    }
    Hex(digits, 2 * bytes.len())
}

fn finish<D: Digest>(hasher: D) -> Hex {
    hex(&hasher.finalize())
}

fn hash<D: Digest>(parts: &[&[u8]]) -> Hex {
    hex(&D::digest(join(&mut [0; 256], parts)))
}

fn join<'t>(text: &'t mut [u8], parts: &[&[u8]]) -> &'t [u8] {
    let mut end = 0;
    for part in parts {
        text[end..end + part.len()].copy_from_slice(part);
        end += part.len();
    }
    &text[..end]
}

/// A server's proof as it sends it, but for the last quote.
fn info(proof: &[u8], cnonce: &[u8], nc: &[u8]) -> Vec<u8> {
    let (start, between) = (b"qop=auth, rspauth=\"", b"\", cnonce=\"");
    write(&[start, proof, between, cnonce, b"\", nc=", nc])
}

fn write(parts: &[&[u8]]) -> Vec<u8> {
    let mut value = Vec::with_capacity(lengths(parts));
    parts.iter().for_each(|part| value.extend_from_slice(part));
    value
}

/// A nonce as this crate makes it.
fn nonce(mac: &Hmac<Sha256>, payload: &[u8]) -> [u8; 40] {
    let mac = mac.clone().chain_update(payload).chain_update([0; 5]);
    let mut bytes = [0; 30];
    bytes[..14].copy_from_slice(payload);
    bytes[14..].copy_from_slice(&mac.finalize().into_bytes()[..16]);
    let mut text = [0; 40];
    URL_SAFE_NO_PAD.encode_slice(bytes, &mut text).unwrap();
    text
}
