//! Headers of Digest, whose parameters have their right values or others, and what to build headers
//! of.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Bytes, Pieces, TOKENS, piece, quoted, text, utf8};
use crate::support::round_trip::Fields;

type Forms = &'static [(&'static [u8], Pieces)];

/// `forms` in some order: mostly each once and right, but perhaps left out, twice, or odd.
fn once_each(forms: Forms) -> impl Strategy<Value = Bytes> {
    let one = |&(name, values): &(&'static [u8], Pieces)| {
        let param = move |value: &[u8]| [name, b"=", value].concat();
        let right = select(values).prop_map(param);
        let odd = prop_oneof![quoted(), piece(TOKENS)].prop_map(move |value| param(&value));
        prop_oneof![
            40 => right.clone().prop_map(|one| vec![one]),
            2 => Just(Vec::new()),
            1 => odd.clone().prop_map(|one| vec![one]),
            1 => (right, odd).prop_map(|(one, two)| vec![one, two]),
        ]
    };
    let all: Vec<_> = forms.iter().map(one).collect();
    all.prop_map(|all| all.concat())
        .prop_shuffle()
        .prop_map(|all| all.join(&b", "[..]))
}

/// A Digest challenge: of the grammar, and mostly of the scheme.
pub fn digest_challenge() -> impl Strategy<Value = Bytes> {
    const FORMS: Forms = &[
        (b"realm", &[b"\"a\"", b"\"a \\\"b\\\"\"", b"a"]),
        (b"nonce", &[b"\"abc\"", b"\"\"", b"abc"]),
        (b"opaque", &[b"\"xyz\"", b"xyz"]),
        (b"domain", &[b"\"/a /b\""]),
        (
            b"algorithm",
            &[b"MD5", b"SHA-256", b"\"SHA-512-256\"", b"md5-SESS"],
        ),
        (
            b"qop",
            &[
                b"\"auth\"",
                b"\"auth,auth-int\"",
                b"auth",
                b"\"x, auth-int\"",
            ],
        ),
        (b"stale", &[b"true", b"FALSE", b"\"true\""]),
        (b"userhash", &[b"true", b"false", b"\"TRUE\""]),
        (b"charset", &[b"UTF-8", b"\"utf-8\"", b"x"]),
    ];
    once_each(FORMS).prop_map(|params| [b"Digest ", params.as_slice()].concat())
}

/// Digest credentials: of the grammar, and mostly of the scheme.
pub fn digest_credentials() -> impl Strategy<Value = Bytes> {
    const FORMS: Forms = &[
        (
            b"username",
            &[
                b"\"Mufasa\"",
                b"\"a\\\"b\"",
                b"0123456789abcdef0123456789abcdef",
            ],
        ),
        (b"realm", &[b"\"a\"", b"\"a \\\"b\\\"\"", b"a"]),
        (b"nonce", &[b"\"abc\"", b"\"\"", b"abc"]),
        (b"uri", &[b"\"/\"", b"\"/a?b=c\"", b"*"]),
        (b"cnonce", &[b"\"xyz\"", b"xyz"]),
        (b"opaque", &[b"\"xyz\"", b"xyz"]),
        (b"qop", &[b"auth", b"\"auth\"", b"AUTH-INT"]),
        (b"nc", &[b"00000001", b"1", b"\"0000000a\""]),
    ];
    const HASHES: Pieces = &[
        b", response=\"0123456789abcdef0123456789ABCDEF\"",
        b", algorithm=md5, response=\"0123456789abcdef0123456789abcdef\"",
        b", algorithm=\"MD5-sess\", response=0123456789abcdef0123456789abcdef",
        b", algorithm=SHA-256, response=\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"",
        b", response=0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef, algorithm=sha-512-256",
        b", algorithm=SHA-256-sess, response=\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"",
        b", algorithm=SHA-256, response=\"0123456789abcdef0123456789abcdef\"",
        b", algorithm=SHA-512, response=\"0123456789abcdef0123456789abcdef\"",
    ];
    const EXTRAS: Pieces = &[
        b", username*=UTF-8''a",
        b", userhash=true",
        b", userhash=\"FALSE\"",
        b", userhash=yes",
        b", algorithm=SHA-256",
        b", response=a",
    ];
    let extra = option::weighted(0.2, piece(EXTRAS));
    (once_each(FORMS), piece(HASHES), extra).prop_map(|(params, hash, extra)| {
        [
            b"Digest ",
            params.as_slice(),
            &hash,
            &extra.unwrap_or_default(),
        ]
        .concat()
    })
}

/// `Authentication-Info`: of the grammar, and mostly of the scheme.
pub fn info() -> impl Strategy<Value = Bytes> {
    const FORMS: Forms = &[
        (b"nextnonce", &[b"\"abc\"", b"\"\"", b"abc"]),
        (b"rspauth", &[b"\"0123456789abcdef0123456789ABCDEF\""]),
        (b"qop", &[b"auth", b"\"auth\"", b"AUTH-INT"]),
        (b"cnonce", &[b"\"xyz\"", b"\"\"", b"xyz"]),
        (b"nc", &[b"00000001", b"\"0000000a\"", b"FFFFFFFF"]),
    ];
    once_each(FORMS)
}

/// What headers are built from; few of it is refused.
pub fn fields() -> impl Strategy<Value = Fields> {
    let texts = (text(), text(), text(), text(), text());
    let name = prop_oneof![utf8().prop_map(String::into_bytes), text()];
    let password = prop_oneof![Just(b"Circle of Life".to_vec()), text()];
    let cnonce = utf8().prop_map(String::into_bytes);
    (any::<u32>(), texts, name, password, cnonce).prop_map(
        |(choices, (realm, nonce, opaque, domain, uri), name, password, cnonce)| Fields {
            choices,
            realm,
            nonce,
            opaque,
            domain,
            uri,
            name,
            password,
            cnonce,
        },
    )
}
