//! Header values that look for work that grows faster than their length.

/// So long that the limit on their number does not cut them short.
const LONG_CHALLENGE: &str = concat!(
    "A b=\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234",
    "\", c=\"012345678901234567890123456789012345678901234567890123456789012345678901234567890123",
    "\", d=\"012345678901234567890123456789012345678901234567890123456789012345678901234567890123",
    "\", "
);

/// The same, with a fault at its start.
const LONG_FAULT: &str = concat!(
    "A b=\"\x01, =\", ",
    "A=b, =\"@, @, \\\\012345678901234567890123456789012345678901234567890123456789012345678901",
    "\", c=\"012345678901234567890123456789012345678901234567890123456789012345678901234567890123",
    "\", d=\"012345678901234567890123456789012345678901234567890123456789012345678901234567890123",
    "\", "
);

/// A way to fill a header value.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What to call it.
    pub name: &'static str,
    start: &'static str,
    repeated: &'static str,
    end: &'static str,
}

impl Shape {
    /// All of them. Those with many challenges are cut short by the limit on their number.
    pub const ALL: &'static [Self] = &[
        Self::of("commas", "", ",", ""),
        Self::of("commas in a challenge", "Digest a=b", ",", ""),
        Self::of("spaces", "", " ", ""),
        Self::of("spaces in a challenge", "Digest ", " ", "a=b"),
        Self::of("spaces before a fault", "Digest a=b", " ", "@"),
        Self::of("one scheme", "A", "a", ""),
        Self::of("schemes", "", "A,", ""),
        Self::of("challenges", "", ", A b=c", ""),
        Self::of("long challenges", "", LONG_CHALLENGE, ""),
        Self::of("long faults", "", LONG_FAULT, ""),
        Self::of("faulty challenges", "", "A b=@, ", ""),
        Self::of("faults in one challenge", "A ", "@,", ""),
        Self::of("faults in quotes", "", "A b=\"\x01\",", ""),
        Self::of("parameters", "Digest a=b", ", abcdefgh=ijklmno", ""),
        Self::of("too many parameters", "Digest a=b", ",a=b", ""),
        Self::of("parameters of ours", "Digest nc=1", ",nc=1", ""),
        Self::of("blanks at parameters", "Digest a=b", " , a = b ", ""),
        Self::of("one name", "Digest ", "a", "=b"),
        Self::of("blanks after a name", "Digest a", " ", "=b"),
        Self::of("one token68", "Negotiate ", "/", ""),
        Self::of("padding", "Negotiate a", "=", ""),
        Self::of("token68s", "", "A b=,", ""),
        Self::of("one quoted string", "Digest realm=\"", "a", "\""),
        Self::of("escapes", "Digest response=\"", "\\a", "\""),
        Self::of("escapes and blanks", "Digest response=\"", "\\a\t", "\""),
        Self::of("escaped quotes", "Digest algorithm=\"", "\\\"", "\""),
        Self::of("qop values", "Digest qop=\"auth", ",auth-int", "\""),
        Self::of("unclosed quote", "Digest realm=\"", "a", ""),
        Self::of("unclosed quote, escapes", "Digest realm=\"", "\\a", ""),
        Self::of("quotes", "Digest a=", "\"", ""),
    ];

    const fn of(
        name: &'static str,
        start: &'static str,
        repeated: &'static str,
        end: &'static str,
    ) -> Self {
        Self {
            name,
            start,
            repeated,
            end,
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> &'static Self {
        let mut all = Self::ALL.iter();
        all.find(|shape| shape.name == name).unwrap()
    }

    /// A value of at most this many bytes, and less by no more than one repetition.
    pub fn fill(&self, length: usize) -> Vec<u8> {
        let room = length - self.start.len() - self.end.len();
        let repeated = self.repeated.repeat(room / self.repeated.len());
        [self.start, &repeated, self.end].concat().into_bytes()
    }
}
