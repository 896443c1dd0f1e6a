//! How credentials are written.

/// How credentials are written, for servers that need another form than the specified one.
///
/// ```
/// use countersign::digest::Style;
///
/// let for_old_iis = Style::new().with_quoted_qop();
/// # let _ = for_old_iis;
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Style {
    pub(super) quoted_qop: bool,
}

impl Style {
    /// As RFC 7616 wants it.
    pub const fn new() -> Self {
        Self { quoted_qop: false }
    }

    /// `qop="auth"`, which old IIS insists on, and many cameras refuse.
    #[must_use]
    pub const fn with_quoted_qop(self) -> Self {
        Self { quoted_qop: true }
    }
}
