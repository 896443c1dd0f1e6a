//! The scenarios for servers.

use std::fmt;

use super::subject::Subject;
use super::{counts, coverage, login, nonces, offers, spelling};
use crate::outcome::Outcome;

/// A situation that a server is put in. They run in this order.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Scenario {
    /// A request without credentials.
    Challenge,
    /// How the challenges and `Authentication-Info` are written.
    Form,
    /// The order of several challenges.
    ChallengeOrder,
    /// Whether Basic is offered on a cleartext channel, or taken although it is not offered.
    CleartextBasic,
    /// A client with the right password.
    Login,
    /// A second request by the same client, with the count raised.
    SecondRequest,
    /// `Authentication-Info`, if the server sends it.
    ServerProof,
    /// A wrong password.
    WrongPassword,
    /// A user that does not exist.
    UnknownUser,
    /// Basic credentials, if Basic is offered.
    Basic,
    /// A captured header that is sent again.
    Replay,
    /// A count that was already used, in a different answer.
    CountRepeated,
    /// A count that leaves some out, and then one of those.
    CountJumped,
    /// A count that wrong answers had before.
    CountOfWrongAnswer,
    /// A captured header, with the user name in another spelling.
    ReplayUnderOtherName,
    /// A captured header, for another request-target.
    OtherUri,
    /// A captured header, for another method.
    OtherMethod,
    /// An answer for another realm.
    OtherRealm,
    /// An answer with an algorithm that is not offered.
    OtherAlgorithm,
    /// An answer without qop, although the server offers it.
    QopDropped,
    /// A body that the response covers, if `auth-int` is offered.
    AuthInt,
    /// A body that was changed, if `auth-int` is offered.
    TamperedBody,
    /// A hashed user name, if the server offers it.
    Userhash,
    /// Other spellings of a right answer.
    OtherSpelling,
    /// A response that is cut off.
    TruncatedResponse,
    /// A nonce that the server did not issue.
    ForeignNonce,
    /// A nonce whose lifetime is over. Needs a [clock](super::ServerCheck::with_clock).
    StaleNonce,
    /// Two fields with credentials.
    TwoCredentials,
    /// Nearly valid values and noise.
    Malformed,
}

impl Scenario {
    /// All scenarios, in the order in which they run.
    pub const ALL: &'static [Self] = &[
        Self::Challenge,
        Self::Form,
        Self::ChallengeOrder,
        Self::CleartextBasic,
        Self::Login,
        Self::SecondRequest,
        Self::ServerProof,
        Self::WrongPassword,
        Self::UnknownUser,
        Self::Basic,
        Self::Replay,
        Self::CountRepeated,
        Self::CountJumped,
        Self::CountOfWrongAnswer,
        Self::ReplayUnderOtherName,
        Self::OtherUri,
        Self::OtherMethod,
        Self::OtherRealm,
        Self::OtherAlgorithm,
        Self::QopDropped,
        Self::AuthInt,
        Self::TamperedBody,
        Self::Userhash,
        Self::OtherSpelling,
        Self::TruncatedResponse,
        Self::ForeignNonce,
        Self::StaleNonce,
        Self::TwoCredentials,
        Self::Malformed,
    ];

    /// What a server must do, and the section that asks for it.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Challenge => {
                "401 (407 from a proxy) with a challenge that can be read (RFC 9110, 11.6.1)"
            }
            Self::Form => "quotes where RFC 7616, 3.3 and 3.5, want them, and nowhere else",
            Self::ChallengeOrder => {
                "SHA before MD5, and Basic last: clients may take the first (RFC 7616, 3.7)"
            }
            Self::CleartextBasic => {
                "no Basic, offered or taken, where others can read the password (RFC 7617, 4)"
            }
            Self::Login => "a grant after one challenge",
            Self::SecondRequest => "a grant, or a new nonce with stale=true (RFC 7616, 3.3)",
            Self::ServerProof => "rspauth, qop, nc and cnonce of this request (RFC 7616, 3.5)",
            Self::WrongPassword => {
                "a new challenge, without stale=true, which says that the password is right"
            }
            Self::UnknownUser => "the same as for a wrong password, which tells no names",
            Self::Basic => "a grant for the right password, and for no other",
            Self::Replay => "a refusal: the count was used (RFC 7616, 3.4 and 5.5)",
            Self::CountRepeated => "a refusal: the count was used (RFC 7616, 3.4 and 5.5)",
            Self::CountJumped => {
                "a grant, or stale=true: requests overtake each other and get lost"
            }
            Self::CountOfWrongAnswer => {
                "a grant: otherwise whoever reads a nonce can keep its owner out"
            }
            Self::ReplayUnderOtherName => {
                "a refusal: a response does not cover how the name is spelled (RFC 7616, 3.4.2)"
            }
            Self::OtherUri => "a refusal: uri is not the request-target (RFC 7616, 3.4.6)",
            Self::OtherMethod => "a refusal: the response covers the method (RFC 7616, 3.4.3)",
            Self::OtherRealm => "a refusal: the realm is not the server's",
            Self::OtherAlgorithm => "a refusal: the algorithm was not offered",
            Self::QopDropped => "a refusal: without qop no count is covered (RFC 7616, 3.4)",
            Self::AuthInt => "a grant (RFC 7616, 3.4.3)",
            Self::TamperedBody => "a refusal: the response covers the body (RFC 7616, 3.4.3)",
            Self::Userhash => "a grant (RFC 7616, 3.4.4)",
            Self::OtherSpelling => "grants: names and schemes have no case, parameters no order",
            Self::TruncatedResponse => "refusals: the whole response is compared",
            Self::ForeignNonce => "a refusal: a nonce is the server's own (RFC 7616, 3.3 and 5.4)",
            Self::StaleNonce => {
                "401 with stale=true, and a grant for the new nonce (RFC 7616, 3.3)"
            }
            Self::TwoCredentials => "a refusal: the field stands once (RFC 9110, 5.3 and 11.6.2)",
            Self::Malformed => "no grant, no panic and no status of 500 or more",
        }
    }

    pub(super) fn run(self, server: &mut Subject<'_>) -> Outcome {
        match self {
            Self::Challenge => offers::challenge(server),
            Self::Form => offers::form(server),
            Self::ChallengeOrder => offers::order(server),
            Self::CleartextBasic => offers::cleartext_basic(server),
            Self::Login => login::login(server),
            Self::SecondRequest => login::second_request(server),
            Self::ServerProof => login::server_proof(server),
            Self::WrongPassword => login::wrong_password(server),
            Self::UnknownUser => login::unknown_user(server),
            Self::Basic => login::basic(server),
            Self::Replay => counts::replay(server),
            Self::CountRepeated => counts::repeated(server),
            Self::CountJumped => counts::jumped(server),
            Self::CountOfWrongAnswer => counts::of_wrong_answer(server),
            Self::ReplayUnderOtherName => counts::replay_under_other_name(server),
            Self::OtherUri => coverage::other_uri(server),
            Self::OtherMethod => coverage::other_method(server),
            Self::OtherRealm => coverage::other_realm(server),
            Self::OtherAlgorithm => coverage::other_algorithm(server),
            Self::QopDropped => coverage::qop_dropped(server),
            Self::AuthInt => coverage::auth_int(server),
            Self::TamperedBody => coverage::tampered_body(server),
            Self::Userhash => spelling::userhash(server),
            Self::OtherSpelling => spelling::other_spelling(server),
            Self::TruncatedResponse => coverage::truncated_response(server),
            Self::ForeignNonce => nonces::foreign(server),
            Self::StaleNonce => nonces::stale(server),
            Self::TwoCredentials => spelling::two_credentials(server),
            Self::Malformed => spelling::malformed(server),
        }
    }
}

/// The name of the variant.
impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
