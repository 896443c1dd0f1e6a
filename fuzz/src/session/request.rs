//! The requests of users.

use std::borrow::Cow;

use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign::{EntityBody, Target};

use super::script::Script;

const METHODS: [&str; 4] = ["GET", "POST", "OPTIONS", "get"];
/// Several spellings of one resource, other resources, and other origins.
const URIS: [&str; 13] = [
    "/a?b=c",
    "/",
    "*",
    "/a",
    "/a?b=d",
    "/%61?b=c",
    "/a%3Bb",
    "/a;b",
    "/a%2fb",
    "http://example.com/a?b=c",
    "https://example.com/a?b=c",
    "https://evil.example/a?b=c",
    "",
];

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) uri: Cow<'static, str>,
    pub(super) body: Vec<u8>,
    pub(super) known: Known,
}

/// What the client knows about the body when it answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    Whole,
    /// Its hash by this function.
    Hashed(HashFunction),
    /// Nothing, because the body is streamed.
    Nothing,
}

impl Request {
    /// A GET with an empty, known body.
    pub(super) const fn get(uri: &'static str) -> Self {
        Self {
            method: "GET",
            uri: Cow::Borrowed(uri),
            body: Vec::new(),
            known: Known::Whole,
        }
    }

    pub(super) fn read(script: &mut Script<'_>) -> Self {
        let choice = script.byte();
        let mut request = Self::get(URIS[usize::from(choice & 15) % URIS.len()]);
        if choice & 16 != 0 {
            request.method = script.pick(&METHODS);
            request.body = script.text().to_vec();
        }
        request.known = match choice >> 5 & 3 {
            0 | 1 => Known::Whole,
            2 => Known::Hashed(HashFunction::Sha256),
            _ => Known::Nothing,
        };
        request
    }

    /// The request as the client passes it to the crate.
    pub(super) fn target(&self) -> Target<'_> {
        let body = match self.known {
            Known::Whole => EntityBody::Bytes(&self.body),
            Known::Hashed(hash) => EntityBody::Hashed(self.body_hash(hash)),
            Known::Nothing => EntityBody::Unknown,
        };
        Target::new(self.method, &*self.uri).with_body(body)
    }

    pub(super) fn body_hash(&self, hash: HashFunction) -> HexDigest {
        let mut hasher = BodyHasher::new(hash);
        hasher.update(&self.body);
        hasher.finish()
    }

    /// The origin that it names, if it is in absolute form.
    pub(super) fn origin(&self) -> Option<&str> {
        let (scheme_and, _) = self.uri.split_once("/a")?;
        Some(scheme_and).filter(|origin| origin.contains("://"))
    }
}
