//! Header values to test a parser with: valid, nearly valid, and noise.
//!
//! | field | also serves |
//! |---|---|
//! | [`WwwAuthenticate`] | `Proxy-Authenticate` |
//! | [`Authorization`] | `Proxy-Authorization` |
//! | [`AuthenticationInfo`] | `Proxy-Authentication-Info` |
//!
//! There are three ways to get them. For property tests, strategies (feature `proptest`), which
//! shrink to short and plain values:
//!
//! ```
//! # #[cfg(feature = "proptest")] {
//! use countersign_testing::values::{Quality, Value, WwwAuthenticate, strategy};
//! use proptest::prelude::*;
//!
//! proptest!(|(value in strategy::<WwwAuthenticate>(Quality::Valid))| {
//!     // Your parser stands here.
//!     prop_assert!(countersign::raw_challenges([&value]).all(|one| one.is_ok()));
//! });
//! proptest!(|(value in any::<Value<WwwAuthenticate>>())| {
//!     let _ = countersign::challenges([&value]).count(); // of any quality: does not panic
//! });
//! # }
//! ```
//!
//! For fuzz targets, `Arbitrary`:
//!
//! ```
//! use countersign_testing::values::{Authorization, Value};
//!
//! // libfuzzer_sys::fuzz_target!(|value: Value<Authorization>| target(value));
//! fn target(value: Value<Authorization>) {
//!     let _ = countersign::Authorization::parse(&value);
//! }
//! # use arbitrary::{Arbitrary, Unstructured};
//! # target(Value::arbitrary(&mut Unstructured::new(b"any bytes will do"))?);
//! # Ok::<(), arbitrary::Error>(())
//! ```
//!
//! For loops and benchmarks, a seed:
//!
//! ```
//! use countersign_testing::values::{AuthenticationInfo, Quality, Value};
//!
//! for value in Value::<AuthenticationInfo>::seeded(Quality::NearlyValid, 7).take(1000) {
//!     let _ = countersign::wire::AuthenticationInfo::parse([&value]);
//! }
//! ```

// The tests of countersign include this folder, `answer.rs` and `params.rs`, so that both have one
// generator. That is why paths begin with `super` here.
mod element;
mod faults;
mod field;
mod pieces;
#[cfg(feature = "proptest")]
mod strategy;

use std::fmt;
use std::marker::PhantomData;

use arbitrary::{Arbitrary, Unstructured};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub use field::{AuthenticationInfo, Authorization, Field, WwwAuthenticate};
#[cfg(feature = "proptest")]
pub use strategy::strategy;

/// The password that the response of a [valid](Quality::Valid) Digest value is computed with.
pub const PASSWORD: &str = "Circle of Life";

/// The bytes that one value is made from. Most need fewer than a hundred.
const CHOICES: usize = 512;

/// How close a value is to the grammar.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Quality {
    /// Follows the grammar of RFC 9110, sections 5.6 and 11, and RFC 7616 or RFC 7617 if it is
    /// of their scheme. A recipient must read it, although some forms are rare: empty list
    /// elements, whitespace around `=`, escapes that nothing needs, names in any case.
    ///
    /// The `response` of Digest credentials is right for a GET of their `uri`, without a body and
    /// with [`PASSWORD`].
    Valid,
    /// A valid value with one to three faults. A few are valid all the same, and a response may
    /// still be right, for example if the fault is in an unknown parameter.
    NearlyValid,
    /// Pieces of values in any order, or random bytes, including control bytes.
    Noise,
}

impl Quality {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Valid, Self::NearlyValid, Self::Noise];
}

/// A value of the field `F`.
///
/// `Debug` shows the bytes with escapes.
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct Value<F> {
    quality: Quality,
    bytes: Vec<u8>,
    field: PhantomData<F>,
}

impl<F: Field> Value<F> {
    /// Makes a value from a fuzzer's bytes. When they run out, the plainest alternative is taken.
    ///
    /// # Errors
    ///
    /// None that occur: the type is the convention of `arbitrary`.
    pub fn generate(quality: Quality, choices: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        let bytes = match quality {
            Quality::Valid => element::spell(&F::elements(choices)?, choices)?,
            Quality::NearlyValid => faults::nearly(F::elements(choices)?, choices)?,
            Quality::Noise => faults::noise(choices)?,
        };
        Ok(Self {
            quality,
            bytes,
            field: PhantomData,
        })
    }

    /// An endless sequence of values. The same seed and quality give the same values on every
    /// machine, with the same setting of the feature `md5`, in all versions that have the same
    /// first two numbers.
    pub fn seeded(quality: Quality, seed: u64) -> impl Iterator<Item = Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        std::iter::from_fn(move || {
            let mut choices = [0; CHOICES];
            rng.fill_bytes(&mut choices);
            Self::generate(quality, &mut Unstructured::new(&choices)).ok()
        })
    }

    /// The quality that the value was made with.
    pub const fn quality(&self) -> Quality {
        self.quality
    }

    /// The value.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value for the `http` crate; `None` if it has control bytes, as noise may.
    pub fn to_header_value(&self) -> Option<http::HeaderValue> {
        http::HeaderValue::from_bytes(&self.bytes).ok()
    }
}

/// Makes values of any quality.
impl<'a, F: Field> Arbitrary<'a> for Value<F> {
    fn arbitrary(choices: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let quality = *choices.choose(&Quality::ALL)?;
        Self::generate(quality, choices)
    }
}

impl<F> AsRef<[u8]> for Value<F> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<F: Field> fmt::Debug for Value<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (quality, bytes) = (self.quality, self.bytes.escape_ascii());
        write!(f, "{quality:?} {}: \"{bytes}\"", F::NAME)
    }
}
