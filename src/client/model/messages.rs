//! What a peer may send.

/// A message of the peer, for the exchange that waits for one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Message {
    /// A 401 with these values of `WWW-Authenticate`.
    Challenge(&'static [&'static str]),
    /// Another status.
    Response(u16, Info),
}

/// The `Authentication-Info` of a response.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Info {
    Absent,
    Unreadable,
    /// A proof that only somebody who knows the secret can make: sent only for right secrets.
    Valid,
    /// A proof by somebody who does not know the secret.
    Wrong,
    /// `nextnonce` without a proof.
    Next,
    ValidAndNext,
}

/// The nonces that have a count in the model. The first letter is the realm; those in `3` come as
/// `nextnonce`, those in `x` in challenges that differ from the server's own, and those in `h` from
/// the honest server.
pub(super) const NONCES: [&str; 13] = [
    "a1", "a2", "a3", "ax", "b1", "b2", "b3", "bx", "ah0", "ah1", "bh0", "bh1", "am",
];

/// The realms of the model.
pub(super) const REALMS: [&str; 2] = ["a", "b"];

macro_rules! digest {
    ($realm:literal, $nonce:literal $(, $more:literal)?) => {
        concat!(
            "Digest realm=\"", $realm, "\", nonce=\"", $nonce, "\", qop=\"auth\", algorithm=SHA-256",
            $(", ", $more)?
        )
    };
}

pub(super) const A1: Message = Message::Challenge(&[digest!("a", "a1")]);
pub(super) const A2: Message = Message::Challenge(&[digest!("a", "a2")]);
pub(super) const A1_STALE: Message = Message::Challenge(&[digest!("a", "a1", "stale=true")]);
pub(super) const A2_STALE: Message = Message::Challenge(&[digest!("a", "a2", "stale=true")]);
pub(super) const A1_DOMAIN: Message = Message::Challenge(&[digest!("a", "a1", "domain=\"/a\"")]);
pub(super) const A2_USERHASH: Message = Message::Challenge(&[digest!("a", "a2", "userhash=true")]);
pub(super) const B1: Message = Message::Challenge(&[digest!("b", "b1")]);
pub(super) const B1_DOMAIN: Message = Message::Challenge(&[digest!("b", "b1", "domain=\"/b\"")]);

/// Other parameters, in a forged challenge or from an unusual server.
pub(super) const A_AUTH_INT: Message = Message::Challenge(&[
    "Digest realm=\"a\", nonce=\"ax\", qop=\"auth-int\", algorithm=SHA-256, stale=true",
]);
pub(super) const A_NO_QOP: Message =
    Message::Challenge(&["Digest realm=\"a\", nonce=\"a1\", algorithm=SHA-256"]);
pub(super) const A_MD5: Message = Message::Challenge(&[A_MD5_VALUE]);
pub(super) const A_MD5_VALUE: &str =
    "Digest realm=\"a\", nonce=\"am\", qop=\"auth\", algorithm=MD5";
pub(super) const A_BASIC: Message = Message::Challenge(&["Basic realm=\"a\""]);
pub(super) const B_BASIC: Message = Message::Challenge(&["Basic realm=\"b\""]);

/// Two strengths, the weaker first.
pub(super) const A_MD5_AND_SHA2: Message = Message::Challenge(&[A_MD5_VALUE, digest!("a", "a1")]);
pub(super) const A_BASIC_AND_SHA2: Message =
    Message::Challenge(&["Basic realm=\"a\"", digest!("a", "a2")]);
/// Two realms.
pub(super) const A_AND_B: Message = Message::Challenge(&[digest!("a", "a2"), digest!("b", "b1")]);
/// A 401 that nobody can answer.
pub(super) const NONE: Message = Message::Challenge(&[]);
pub(super) const UNKNOWN: Message = Message::Challenge(&[
    "Negotiate",
    "Digest realm=\"a\", qop=\"auth\", algorithm=SHA-256",
]);

pub(super) const OK: Message = Message::Response(200, Info::Absent);
pub(super) const OK_UNREADABLE: Message = Message::Response(200, Info::Unreadable);
pub(super) const OK_VALID: Message = Message::Response(200, Info::Valid);
pub(super) const OK_WRONG: Message = Message::Response(200, Info::Wrong);
pub(super) const OK_NEXT: Message = Message::Response(200, Info::Next);
pub(super) const OK_VALID_NEXT: Message = Message::Response(200, Info::ValidAndNext);
pub(super) const FORBIDDEN: Message = Message::Response(403, Info::Absent);
pub(super) const FORBIDDEN_VALID: Message = Message::Response(403, Info::Valid);
pub(super) const ERROR: Message = Message::Response(500, Info::Absent);
pub(super) const INTERIM: Message = Message::Response(100, Info::Next);
/// A response that only a proxy's client should get.
pub(super) const PROXYS: Message = Message::Response(407, Info::Next);
