//! The scenarios for servers.

use super::subject::Subject;
use super::{counts, coverage, login, names, nonces, offers, spelling};
use crate::scenarios::scenarios;

scenarios! {
    /// A situation that a server is put in. They run in this order.
    for Subject<'_>;

    /// A request without credentials.
    Challenge = offers::challenge,
        "401 (407 from a proxy) with a challenge that can be read (RFC 9110, 11.6.1)";
    /// How the challenges and `Authentication-Info` are written.
    Form = offers::form, "quotes where RFC 7616, 3.3 and 3.5, want them, and nowhere else";
    /// The order of several challenges.
    ChallengeOrder = offers::order,
        "SHA before MD5, and Basic last: clients may take the first (RFC 7616, 3.7)";
    /// Whether Basic is offered on a cleartext channel.
    CleartextBasic = offers::cleartext_basic,
        "no Basic where others can read the password (RFC 7617, 4)";
    /// The nonces of several challenges.
    NonceRepeated = nonces::repeated, "a nonce of its own for each challenge (RFC 7616, 3.3)";
    /// A client with the right password.
    Login = login::login, "a grant after one challenge";
    /// A second request by the same client, with the count raised.
    SecondRequest = login::second_request,
        "a grant, or a new nonce with stale=true (RFC 7616, 3.3); at once with nextnonce";
    /// A request without credentials after a login.
    LoginRemembered = login::remembered, "a challenge: the login was another client's";
    /// `Authentication-Info`, if the server sends it.
    ServerProof = login::server_proof, "rspauth, qop, nc and cnonce of this request (RFC 7616, 3.5)";
    /// Wrong passwords, also with the nonce of a login.
    WrongPassword = login::wrong_password,
        "a new challenge, without stale=true, which says that the password is right, and no rspauth";
    /// Empty passwords, of this user and of some that do not exist.
    EmptyPassword = login::empty_password, "a refusal";
    /// The refusals for a user that does not exist.
    UnknownUser = names::unknown_user, "the same as for a wrong password, which tells no names";
    /// How long these refusals take. Needs [`with_timing`](super::ServerCheck::with_timing).
    UserTiming = names::timing, "as long as for a wrong password, which tells no names";
    /// A right response with the name of another user.
    OtherName = names::other_name, "a refusal: the password is of one user";
    /// Basic credentials: right and wrong ones if Basic is offered, and otherwise right ones.
    Basic = login::basic, "a grant for the right pair, and for no other; none if it is not offered";
    /// A captured header that is sent again.
    Replay = counts::replay, "a refusal: the count was used (RFC 7616, 3.4 and 5.5)";
    /// A captured header that is sent again in another spelling.
    ReplayRespelled = counts::replay_respelled,
        "a refusal: a response does not cover how a header is spelled (RFC 7616, 3.4.2)";
    /// A count that was already used, in a different answer.
    CountRepeated = counts::repeated, "a refusal: the count was used (RFC 7616, 3.4 and 5.5)";
    /// Forty counts and one far ahead, each of which is used again later.
    OldCounts = counts::old,
        "grants, or stale=true; then refusals: the counts were used (RFC 7616, 3.4 and 5.5)";
    /// A count that leaves some out, and then one of those.
    CountJumped = counts::jumped,
        "a grant, or stale=true: requests overtake each other and get lost";
    /// A count that wrong answers had before.
    CountOfWrongAnswer = counts::of_wrong_answer,
        "a grant: otherwise whoever reads a nonce can keep its owner out";
    /// A captured header, for another request-target: longer, shorter, or in another case.
    OtherUri = coverage::other_uri, "a refusal: uri is not the request-target (RFC 7616, 3.4.6)";
    /// A captured header, for other methods.
    OtherMethod = coverage::other_method,
        "a refusal: the response covers the method (RFC 7616, 3.4.3)";
    /// Answers for other realms.
    OtherRealm = coverage::other_realm, "a refusal: the realm is not the server's";
    /// Answers with algorithms that are not offered: by name, without the parameter, and under the
    /// name of one that is.
    OtherAlgorithm = coverage::other_algorithm, "a refusal: the algorithm was not offered";
    /// Answers with a qop that is not offered.
    OtherQop = coverage::other_qop, "a refusal: the qop was not offered";
    /// An answer without qop, although the server offers it.
    QopDropped = coverage::qop_dropped,
        "a refusal: without qop no count is covered (RFC 7616, 3.4)";
    /// A body that the response covers, if `auth-int` is offered.
    AuthInt = coverage::auth_int, "a grant (RFC 7616, 3.4.3)";
    /// A body that was changed, if `auth-int` is offered.
    TamperedBody = coverage::tampered_body,
        "a refusal: the response covers the body (RFC 7616, 3.4.3)";
    /// A hashed user name, if the server offers it.
    Userhash = spelling::userhash, "a grant (RFC 7616, 3.4.4)";
    /// Other spellings of a right answer.
    OtherSpelling = spelling::other_spelling,
        "grants: names and schemes have no case, parameters no order";
    /// A right answer under the names of other schemes.
    OtherScheme = spelling::other_scheme, "a refusal: it is not Digest";
    /// Right answers that lack a parameter.
    MissingParameter = spelling::missing, "a refusal: each is needed (RFC 7616, 3.4)";
    /// Right answers in which a parameter stands a second time, with another value.
    RepeatedParameter = spelling::repeated,
        "a refusal: a name stands once, and programs differ in which they read (RFC 9110, 11.2)";
    /// A response that is cut off, too long, or right in part.
    AlteredResponse = coverage::altered_response, "refusals: the whole response is compared";
    /// Nonces that the server did not issue.
    ForeignNonce = nonces::foreign,
        "a refusal: a nonce is the server's own (RFC 7616, 3.3 and 5.4)";
    /// A nonce whose lifetime is over. Needs a [clock](super::ServerCheck::with_clock).
    StaleNonce = nonces::stale,
        "401 with stale=true, and a grant for the new nonce (RFC 7616, 3.3)";
    /// Wrong passwords with nonces that are unknown, used, or too old. Leave it out for a server that
    /// checks nonces before passwords, for example to read no body in vain.
    StaleForWrongPassword = nonces::stale_for_wrong_password,
        "no stale=true: it is for who knows the password (RFC 2617, 3.2.1; RFC 7616, 3.3, permits it)";
    /// Two credentials: in two fields, or in one.
    TwoCredentials = spelling::two_credentials,
        "a refusal: the field stands once (RFC 9110, 5.3 and 11.6.2)";
    /// Nearly valid values and noise.
    Malformed = spelling::malformed, "no grant, no panic and no status of 500 or more";
}
