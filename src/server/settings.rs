//! Settings of a realm that have more than two values.

/// Where Basic is offered and accepted.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum BasicOffer {
    /// Nowhere.
    #[default]
    Never,
    /// Wherever the channel is [encrypted](crate::Channel::Encrypted).
    Encrypted,
    /// Also where others can read the password.
    Anywhere,
}

/// When a server gives a client the nonce it is to use next (RFC 7616, section 3.5).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum NextNonce {
    /// Never: the client learns from a refusal that its nonce is too old.
    Never,
    /// When half of the nonce's lifetime is over, or when it is good for no other request.
    #[default]
    WhenOld,
    /// With every response. A client must then wait for each before it sends the next request.
    Always,
}
