//! The least work that could do each job: no allocation, no errors, no types, no decisions.
//!
//! None of this could be used: a floor skips what is not its job, and trusts its input.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::inputs::{METHOD, OPAQUE, REALM, URI, USERNAME};

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

/// Where something begins and ends.
pub type Span = (u32, u32);

/// Where the names and values are, the last ones over the first if they are too many.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spans {
    pub spans: [(Span, Span); Self::ROOM],
    pub count: usize,
}

impl Spans {
    const ROOM: usize = 32;

    /// The value of a parameter, counted from 1; the scheme is 0.
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

/// Finds names and values in one pass that looks each byte up once. A scheme is a name without a
/// value; what is neither is stepped over.
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

/// The hash of all that a response with this HA1 and nonce begins with.
fn begun<D: Digest>(ha1: &[u8], nonce: &[u8]) -> D {
    let mut joined = Joined::new();
    joined.push(ha1).push(b":").push(nonce).push(b":");
    D::new_with_prefix(joined.as_slice())
}

/// HA2 and the response with what it begins with known: each one call of the hash, over bytes joined
/// on the stack. Writes the response in hex.
#[inline]
pub fn response<D: Digest>(begun: D, nc: &[u8], cnonce: &[u8], qop: &[u8], hex: &mut [u8]) {
    let mut joined = Joined::new();
    joined
        .push(METHOD.as_bytes())
        .push(b":")
        .push(URI.as_bytes());
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

/// A request let in: found its values, made the MAC of its nonce, compared its response.
#[inline]
pub fn admit<D: Digest>(header: &[u8], ha1: &[u8], mac: &NonceMac) -> bool {
    let mut found = Spans::default();
    tokenize(header, &mut found);
    let value = |number| found.value(header, number);
    let nonce = value(5);
    let mut id = [0; 14];
    id.copy_from_slice(&nonce[..14]);
    let mac = mac.of(&id);
    let mut hex = [0; 64];
    let hex = &mut hex[..ha1.len()];
    response::<D>(begun(ha1, nonce), value(6), value(7), value(8), hex);
    // The MAC is that of other bytes and never the same; so nothing can be left out.
    (mac[..16] != nonce[24..]) & (hex == value(9))
}

/// Answers with rising counts: what the response begins with is kept, and the header written into
/// memory of its own, which is returned.
pub fn answers<D: Digest + Clone + 'static>(
    algorithm: &'static str,
    ha1: &[u8],
    nonce: &'static str,
    cnonce: &'static str,
) -> Box<dyn FnMut() -> Vec<u8>> {
    let (begun, length) = (begun::<D>(ha1, nonce.as_bytes()), ha1.len());
    let mut nc = 0_u32;
    Box::new(move || {
        nc += 1;
        let mut digits = [0; 8];
        for (place, byte) in digits.chunks_exact_mut(2).zip(nc.to_be_bytes()) {
            place[0] = digit(byte >> 4);
            place[1] = digit(byte & 15);
        }
        let mut hex = [0; 64];
        let hex = &mut hex[..length];
        response::<D>(begun.clone(), &digits, cnonce.as_bytes(), b"auth", hex);
        let mut out = Vec::with_capacity(512);
        for piece in [
            b"Digest username=\"",
            USERNAME.as_bytes(),
            b"\", realm=\"",
            REALM.as_bytes(),
            b"\", nonce=\"",
            nonce.as_bytes(),
            b"\", uri=\"",
            URI.as_bytes(),
            b"\", algorithm=",
            algorithm.as_bytes(),
            b", qop=auth, nc=",
            &digits,
            b", cnonce=\"",
            cnonce.as_bytes(),
            b"\", opaque=\"",
            OPAQUE.as_bytes(),
            b"\", response=\"",
            hex,
            b"\"",
        ] {
            out.extend_from_slice(piece);
        }
        out
    })
}

/// Two challenges of Digest with one new nonce, and one of Basic, each in memory of its own.
#[inline]
pub fn challenges(mac: &NonceMac, id: &[u8; 14]) -> Vec<Vec<u8>> {
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
            REALM.as_bytes(),
            b"\", qop=\"auth\", algorithm=",
            algorithm.as_bytes(),
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
        REALM.as_bytes(),
        b"\", charset=\"UTF-8\"",
    ] {
        out.extend_from_slice(piece);
    }
    values.push(out);
    values
}

/// Base64 alone, in memory of its own: there must be one allocation, for what is returned.
#[inline]
pub fn encode(pair: &[u8]) -> String {
    STANDARD.encode(pair)
}

/// The same.
#[inline]
pub fn decode(text: &[u8]) -> Vec<u8> {
    STANDARD.decode(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use countersign::digest::{Algorithm, HashFunction};
    use md5::Md5;

    use super::*;
    use crate::inputs::{AUTHORIZATION, CHALLENGE, CHALLENGES, CNONCE, NONCE, Service};

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
    fn the_response_is_that_of_the_rfc() {
        let ha1 = countersign::digest::Ha1::new(
            HashFunction::Sha256,
            USERNAME,
            REALM,
            crate::inputs::PASSWORD,
        );
        let mut hex = [0; 64];
        let begun = begun::<Sha256>(ha1.as_hex().as_bytes(), NONCE.as_bytes());
        response(begun, b"00000001", CNONCE.as_bytes(), b"auth", &mut hex);
        assert!(AUTHORIZATION.contains(core::str::from_utf8(&hex).unwrap()));
    }

    #[test]
    fn requests_are_let_in() {
        let mac = NonceMac::new(&[7; 32]);
        for algorithm in [Algorithm::SHA_256, Algorithm::MD5] {
            let service = Service::new(algorithm);
            let ha1 = service.ha1.as_hex().as_bytes();
            let admit = match algorithm.hash_function() {
                HashFunction::Md5 => admit::<Md5>,
                _ => admit::<Sha256>,
            };
            for mut request in service.requests(2) {
                assert!(admit(&request, ha1, &mac));
                let digit = request.len() - OPAQUE.len() - 20;
                request[digit] ^= 1;
                assert!(!admit(&request, ha1, &mac));
            }
        }
    }
}
