//! The least work that could do each job: no allocation but for what is returned, no errors, no
//! types, no decisions. This is called a floor.
//!
//! A program could use none of this: a floor skips what is not its job, and trusts its input.

use std::hint::black_box;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

const TCHAR: u8 = 1;
const QDTEXT: u8 = 2;
const SEPARATOR: u8 = 4;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric()
            || matches!(
                b,
                b'!' | b'#'
                    | b'$'
                    | b'%'
                    | b'&'
                    | b'\''
                    | b'*'
                    | b'+'
                    | b'-'
                    | b'.'
                    | b'^'
                    | b'_'
                    | b'`'
                    | b'|'
                    | b'~'
            )
        {
            classes[byte] |= TCHAR;
        }
        if matches!(b, b'\t' | b' '..=0xFF) && !matches!(b, b'"' | b'\\' | 0x7F) {
            classes[byte] |= QDTEXT;
        }
        if matches!(b, b' ' | b'\t' | b',') {
            classes[byte] |= SEPARATOR;
        }
        byte += 1;
    }
    classes
};

/// The start and the end of a name or value in a header.
pub type Span = (u32, u32);

/// The places of the names and values. Beyond `ROOM`, later ones overwrite the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spans {
    pub spans: [(Span, Span); Self::ROOM],
    pub count: usize,
}

impl Spans {
    const ROOM: usize = 32;

    /// The value of the parameter with this number: 1 is the first, 0 the scheme.
    #[inline]
    pub fn value<'a>(&self, header: &'a [u8], number: usize) -> &'a [u8] {
        let (_, (start, end)) = self.spans[number];
        &header[start as usize..end as usize]
    }

    #[inline]
    fn note(&mut self, name: (usize, usize), value: (usize, usize)) {
        let span = |(start, end)| (start as u32, end as u32);
        self.spans[self.count % Self::ROOM] = (span(name), span(value));
        self.count += 1;
    }
}

#[inline]
fn skip(header: &[u8], mut at: usize, class: u8) -> usize {
    while at < header.len() && CLASSES[header[at] as usize] & class != 0 {
        at += 1;
    }
    at
}

/// Finds names and values in one pass that looks each byte up once. A scheme counts as a name
/// without a value; other bytes are skipped.
#[inline]
pub fn tokenize(header: &[u8], found: &mut Spans) {
    found.count = 0;
    let mut at = 0;
    loop {
        at = skip(header, at, SEPARATOR);
        let name = at;
        at = skip(header, at, TCHAR);
        let name = (name, at);
        match header.get(at) {
            Some(b'=') => {}
            Some(_) => {
                found.note(name, (at, at));
                at += usize::from(name.0 == name.1);
                continue;
            }
            None => {
                found.note(name, (at, at));
                return;
            }
        }
        at += 1;
        let start;
        if header.get(at) == Some(&b'"') {
            at += 1;
            start = at;
            loop {
                at = skip(header, at, QDTEXT);
                if header.get(at) != Some(&b'\\') {
                    break;
                }
                at += 2;
            }
            found.note(name, (start, at));
            at += 1;
        } else {
            start = at;
            at = skip(header, at, TCHAR);
            found.note(name, (start, at));
        }
    }
}

/// Bytes joined on the stack.
struct Joined {
    bytes: [u8; 448],
    length: usize,
}

impl Joined {
    const fn new() -> Self {
        Self {
            bytes: [0; 448],
            length: 0,
        }
    }

    #[inline]
    fn push(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.length + bytes.len();
        self.bytes[self.length..end].copy_from_slice(bytes);
        self.length = end;
        self
    }

    #[inline]
    fn push_hex(&mut self, bytes: &[u8]) -> &mut Self {
        for byte in bytes {
            let digits = [digit(byte >> 4), digit(byte & 15)];
            self.bytes[self.length..self.length + 2].copy_from_slice(&digits);
            self.length += 2;
        }
        self
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[inline]
const fn digit(value: u8) -> u8 {
    value + b'0' + (value > 9) as u8 * 39
}

/// The state of the hash after `HA1:nonce:`, with which a response begins.
fn begun<D: Digest>(ha1: &[u8], nonce: &[u8]) -> D {
    let mut joined = Joined::new();
    joined.push(ha1).push(b":").push(nonce).push(b":");
    D::new_with_prefix(joined.as_slice())
}

/// What a program knows only at run time, so that the compiler cannot compute with it.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub method: &'a str,
    pub uri: &'a str,
    pub username: &'a str,
    pub realm: &'a str,
    pub nonce: &'a str,
    pub cnonce: &'a str,
    pub opaque: &'a str,
    pub algorithm: &'a str,
    pub ha1: &'a str,
}

/// Computes HA2 and, from the state after `HA1:nonce:`, the response: each is one call of the hash,
/// over bytes joined on the stack. Writes the response in hex.
#[inline]
fn response<D: Digest>(begun: D, known: &Known<'_>, [nc, cnonce, qop]: [&[u8]; 3], hex: &mut [u8]) {
    let mut joined = Joined::new();
    joined
        .push(known.method.as_bytes())
        .push(b":")
        .push(known.uri.as_bytes());
    let ha2 = D::digest(joined.as_slice());
    joined.length = 0;
    joined
        .push(nc)
        .push(b":")
        .push(cnonce)
        .push(b":")
        .push(qop)
        .push(b":")
        .push_hex(&ha2);
    let response = begun.chain_update(joined.as_slice()).finalize();
    for (digits, byte) in hex.chunks_exact_mut(2).zip(response.iter()) {
        digits[0] = digit(byte >> 4);
        digits[1] = digit(byte & 15);
    }
}

/// The MAC of a nonce.
#[derive(Clone, Debug)]
pub struct NonceMac(Hmac<Sha256>);

impl NonceMac {
    /// Computes the schedule of the key.
    pub fn new(key: &[u8; 32]) -> Self {
        let mut block = [0; 64];
        block[..32].copy_from_slice(key);
        Self(Hmac::new(&block.into()))
    }

    /// The MAC of time and salt.
    #[inline]
    pub fn of(&self, id: &[u8; 14]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(id);
        mac.finalize().into_bytes().into()
    }
}

/// Which counts of one nonce were used: the highest, and those below it as bits.
#[derive(Clone, Debug, Default)]
pub struct Window {
    highest: u32,
    used: u64,
}

impl Window {
    /// Returns whether the count is new. It handles only rising counts: no others are measured.
    #[inline]
    fn record(&mut self, nc: u32) -> bool {
        let is_new = nc > self.highest;
        self.used = self.used << (nc - self.highest) | 1;
        self.highest = nc;
        is_new
    }
}

/// Admits a request: finds its values, compares realm and target, computes the MAC of its nonce,
/// compares its response, and records its count.
#[inline]
pub fn admit<D: Digest>(
    header: &[u8],
    known: &Known<'_>,
    mac: &NonceMac,
    window: &mut Window,
) -> bool {
    let mut found = Spans::default();
    tokenize(header, &mut found);
    let value = |number| found.value(header, number);
    if value(2) != known.realm.as_bytes() || value(3) != known.uri.as_bytes() {
        return false;
    }
    let nonce = value(5);
    let mut bytes = [0; 30];
    let _ = URL_SAFE_NO_PAD.decode_slice(nonce, &mut bytes);
    let mut id = [0; 14];
    id.copy_from_slice(&bytes[..14]);
    let mac = mac.of(&id);
    let ha1 = known.ha1.as_bytes();
    let mut hex = [0; 64];
    let hex = &mut hex[..ha1.len()];
    let begun = begun::<D>(ha1, nonce);
    response::<D>(begun, known, [value(6), value(7), value(8)], hex);
    let nc = value(6)
        .iter()
        .fold(0, |nc, byte| nc << 4 | hex_value(*byte));
    // The MAC is of other bytes than the nonce, so they differ. Without the comparison the compiler
    // could drop the MAC.
    (mac[..16] != bytes[14..]) & (hex == value(9)) && window.record(nc)
}

#[inline]
const fn hex_value(digit: u8) -> u32 {
    (digit as u32 & 15) + (digit as u32 >> 6) * 9
}

/// The inputs for the check of the server's proof. Each request has them, because requests overlap.
#[derive(Clone, Copy, Debug)]
struct Kept {
    nc: u32,
    lengths: [usize; 4],
    texts: [[u8; 64]; 4],
}

impl Kept {
    const NOTHING: Self = Self {
        nc: 0,
        lengths: [0; 4],
        texts: [[0; 64]; 4],
    };

    #[inline]
    fn keep(&mut self, nc: u32, known: &Known<'_>) {
        self.nc = nc;
        let texts = [known.ha1, known.nonce, known.cnonce, known.uri];
        for ((place, length), text) in self.texts.iter_mut().zip(&mut self.lengths).zip(texts) {
            place[..text.len()].copy_from_slice(text.as_bytes());
            *length = text.len();
        }
    }
}

/// Returns answers with rising counts. The hash state after `HA1:nonce:` is kept, and each header
/// is written into a new buffer.
pub fn answers<D: Digest + Clone + 'static>(known: Known<'static>) -> Box<dyn FnMut() -> Vec<u8>> {
    let begun = begun::<D>(known.ha1.as_bytes(), known.nonce.as_bytes());
    let (mut nc, mut kept) = (0_u32, Kept::NOTHING);
    Box::new(move || {
        let known = black_box(known);
        // A line feed in a target would begin another field.
        assert!(known.uri.bytes().all(|byte| byte > b' '));
        nc += 1;
        let mut digits = [0; 8];
        for (place, byte) in digits.chunks_exact_mut(2).zip(nc.to_be_bytes()) {
            place[0] = digit(byte >> 4);
            place[1] = digit(byte & 15);
        }
        let mut hex = [0; 64];
        let hex = &mut hex[..known.ha1.len()];
        let covered = [&digits, known.cnonce.as_bytes(), b"auth"];
        response::<D>(begun.clone(), &known, covered, hex);
        let mut out = Vec::with_capacity(512);
        for piece in [
            b"Digest username=\"",
            known.username.as_bytes(),
            b"\", realm=\"",
            known.realm.as_bytes(),
            b"\", nonce=\"",
            known.nonce.as_bytes(),
            b"\", uri=\"",
            known.uri.as_bytes(),
            b"\", algorithm=",
            known.algorithm.as_bytes(),
            b", qop=auth, nc=",
            &digits,
            b", cnonce=\"",
            known.cnonce.as_bytes(),
            b"\", opaque=\"",
            known.opaque.as_bytes(),
            b"\", response=\"",
            hex,
            b"\"",
        ] {
            out.extend_from_slice(piece);
        }
        kept.keep(nc, &known);
        black_box(&kept);
        out
    })
}

/// Two Digest challenges with one new nonce, and one Basic challenge, each in a new buffer.
#[inline]
pub fn challenges(mac: &NonceMac, id: &[u8; 14], realm: &str) -> Vec<Vec<u8>> {
    let mut nonce = [0; 30];
    nonce[..14].copy_from_slice(id);
    nonce[14..].copy_from_slice(&mac.of(id)[..16]);
    let mut text = [0; 40];
    let _ = URL_SAFE_NO_PAD.encode_slice(nonce, &mut text);
    let mut values = Vec::with_capacity(3);
    for algorithm in ["SHA-256", "MD5"] {
        let mut out = Vec::with_capacity(192);
        for piece in [
            b"Digest realm=\"",
            realm.as_bytes(),
            b"\", qop=\"auth\", algorithm=",
            black_box(algorithm).as_bytes(),
            b", nonce=\"",
            &text,
            b"\", charset=UTF-8",
        ] {
            out.extend_from_slice(piece);
        }
        values.push(out);
    }
    let mut out = Vec::with_capacity(64);
    for piece in [
        b"Basic realm=\"",
        realm.as_bytes(),
        b"\", charset=\"UTF-8\"",
    ] {
        out.extend_from_slice(piece);
    }
    values.push(out);
    values
}

/// Encodes base64, with one allocation for the result.
#[inline]
pub fn encode(pair: &[u8]) -> String {
    STANDARD.encode(pair)
}

/// Decodes base64, with one allocation for the result.
#[inline]
pub fn decode(text: &[u8]) -> Vec<u8> {
    STANDARD.decode(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use countersign::digest::{Algorithm, HashFunction};
    use md5::Md5;

    use super::*;
    use crate::inputs::{AUTHORIZATION, CHALLENGE, CHALLENGES, OPAQUE, REALM, Service};

    #[test]
    fn names_and_values_are_found() {
        let mut found = Spans::default();
        tokenize(CHALLENGE.as_bytes(), &mut found);
        assert_eq!(found.count, 7, "scheme, five parameters, the end");
        assert_eq!(found.value(CHALLENGE.as_bytes(), 1), REALM.as_bytes());
        assert_eq!(found.value(CHALLENGE.as_bytes(), 3), b"SHA-256");
        assert_eq!(found.value(CHALLENGE.as_bytes(), 5), OPAQUE.as_bytes());
        tokenize(CHALLENGES.as_bytes(), &mut found);
        assert_eq!(found.count, 16);
    }

    #[test]
    fn the_answer_is_that_of_the_rfc() {
        let service: &Service = Box::leak(Box::new(Service::new(Algorithm::SHA_256)));
        let answer = answers::<Sha256>(service.known())();
        let (_, response) = AUTHORIZATION.split_once("response=").unwrap();
        let (response, _) = response.split_once(',').unwrap();
        assert!(String::from_utf8(answer).unwrap().ends_with(response));
    }

    #[test]
    fn requests_are_let_in() {
        let mac = NonceMac::new(&[7; 32]);
        for algorithm in [Algorithm::SHA_256, Algorithm::MD5] {
            let service = Service::new(algorithm);
            let admit = match algorithm.hash_function() {
                HashFunction::Md5 => admit::<Md5>,
                _ => admit::<Sha256>,
            };
            let mut window = Window::default();
            for mut request in service.requests(20) {
                assert!(admit(&request, &service.known(), &mac, &mut window));
                assert!(!admit(&request, &service.known(), &mac, &mut window));
                let digit = request.len() - OPAQUE.len() - 20;
                request[digit] ^= 1;
                let mut window = Window::default();
                assert!(!admit(&request, &service.known(), &mac, &mut window));
            }
        }
    }
}
