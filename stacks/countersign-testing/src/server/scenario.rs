//! The scenarios for servers.

use super::subject::Subject;
use super::{basic, counts, coverage, doors, login, names, nonces, offers, spelling};
use crate::scenarios::scenarios;

scenarios! {
    /// A situation that a server is put in. They run in this order.
    for Subject<'_>;

    /// A request without credentials.
    Challenge = offers::challenge,
        "401 (407 from a proxy) with a challenge that can be read (RFC 9110, 11.6.1)";
    /// Other methods without credentials, and last DELETE, which may succeed. See
    /// [`with_open`](super::ServerCheck::with_open).
    OpenMethod = doors::method, "no grant: a method that is left out is an open door";
    /// Other spellings and queries of the URI, without credentials.
    OpenPath = doors::path, "no grant: a spelling that is left out is an open door";
    /// `stale` in the first challenge.
    StaleAtFirst = offers::stale_at_first,
        "no stale=true: it says that the nonce of a request was old (RFC 7616, 3.3)";
    /// How the challenges and `Authentication-Info` are written.
    Form = offers::form, "quotes where RFC 7616, 3.3 and 3.5, want them, and nowhere else";
    /// The order of several challenges.
    ChallengeOrder = offers::order,
        "SHA before MD5, and Basic last: clients may take the first (RFC 7616, 3.7)";
    /// Whether Basic is offered on a cleartext channel.
    CleartextBasic = offers::cleartext_basic,
        "no Basic where others can read the password (RFC 7617, 4, advises against it)";
    /// The nonces of several challenges.
    NonceRepeated = nonces::repeated, "a nonce of its own for each challenge (RFC 7616, 3.3, advises it)";
    /// A client with the right password.
    Login = login::login, "a grant after one challenge";
    /// Each Digest challenge, with each qop that it offers.
    EachChallenge = login::each_challenge, "grants: what is offered is understood (RFC 7616, 3.3)";
    /// Four clients at a time, who are all challenged before the first answers.
    TwoClients = login::two_clients,
        "grants, or stale=true: a challenge to one client is no end of another's nonce";
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
    /// The right pair by Basic, whether or not it is offered.
    Basic = basic::right_pair, "a grant if Basic is offered, and a refusal if not";
    /// More colons than one, by Basic.
    BasicColon = basic::colon, "refusals: the first colon ends the name (RFC 7617, 2)";
    /// NUL and line ends, by Basic.
    BasicControl = basic::control, "refusals: no control characters (RFC 7617, 2)";
    /// Letters in another case, by Basic.
    BasicCase = basic::case, "refusals: it is another pair";
    /// Spaces around the name and the password, by Basic.
    BasicSpaces = basic::spaces, "refusals: it is another pair";
    /// Beginnings, ends and extensions of the name and the password, by Basic.
    BasicPart = basic::part, "refusals: the whole name and the whole password are compared";
    /// Empty names and passwords, and no colon, by Basic.
    BasicEmpty = basic::empty, "refusals: it is no pair, or another one";
    /// Other encodings of the password, and UTF-8 and ISO-8859-1 for one that is not ASCII.
    BasicEncoding = basic::encoding,
        "the octets are compared, and those of UTF-8 are right by charset (RFC 7617, 2.1)";
    /// The scheme in another case, and what is no credentials by Basic.
    BasicForm = basic::form, "grants whatever the case of the scheme (RFC 9110, 11.1); no others";
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
    /// Counts of more than 8, 16 and 31 bits.
    WideCounts = counts::wide, "grants, or stale=true, and refusals of used ones: a count has 32 bits (RFC 7616, 3.4)";
    /// A count that leaves some out, and then one of those.
    CountJumped = counts::jumped,
        "a grant, or stale=true: requests overtake each other and get lost";
    /// A count that wrong answers had before.
    CountOfWrongAnswer = counts::of_wrong_answer,
        "a grant: otherwise whoever reads a nonce can keep its owner out";
    /// A captured header, for another request-target: longer, shorter, or in another case.
    OtherUri = coverage::other_uri, "a refusal: uri is not the request-target (RFC 7616, 3.4.6)";
    /// Right credentials in the field for a proxy, or for an origin that is asked by a proxy.
    OtherRole = coverage::other_role, "a refusal: they are for somebody else (RFC 9110, 11.7)";
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
    /// A body, an empty one and none, which the response covers, if `auth-int` is offered.
    AuthInt = coverage::auth_int, "grants, and proofs over the response's body (RFC 7616, 3.4.3 and 3.5)";
    /// A body that was changed, if `auth-int` is offered.
    TamperedBody = coverage::tampered_body,
        "a refusal: the response covers the body (RFC 7616, 3.4.3)";
    /// A hashed user name, if the server offers it.
    Userhash = spelling::userhash, "a grant (RFC 7616, 3.4.4)";
    /// Other spellings of a right answer.
    OtherSpelling = spelling::other_spelling,
        "grants: names and schemes have no case, parameters no order";
    /// `qop`, `nc` and `algorithm` in quotes.
    QuotedParameter = spelling::quoted, "grants, because clients in wide use send these";
    /// A right answer under the names of other schemes.
    OtherScheme = spelling::other_scheme, "a refusal: it is not Digest";
    /// Right answers that lack a parameter.
    MissingParameter = spelling::missing, "a refusal: each is needed (RFC 7616, 3.4)";
    /// Right answers in which a parameter stands a second time, with another value.
    RepeatedParameter = spelling::repeated,
        "a refusal: a name stands once (RFC 9110, 11.2, says so to senders)";
    /// A response that is cut off, too long, or right in part.
    AlteredResponse = coverage::altered_response, "refusals: the whole response is compared";
    /// Nonces that the server did not issue.
    ForeignNonce = nonces::foreign,
        "a refusal: a nonce is the server's own (RFC 7616, 3.3 and 5.4)";
    /// A nonce whose lifetime is over. Needs a [clock](super::ServerCheck::with_clock).
    StaleNonce = nonces::stale,
        "401 with stale=true, and a grant for the new nonce (RFC 7616, 3.3)";
    /// `nextnonce`, eight times in a row.
    NextNonce = nonces::next, "a grant for the first answer with it (RFC 7616, 3.5)";
    /// Wrong passwords with nonces that are unknown, used, or too old.
    StaleForWrongPassword = nonces::stale_for_wrong_password,
        "no stale=true: it is for who knows the password (RFC 2617, 3.2.1; RFC 7616, 3.3, permits it)";
    /// Two credentials: in two fields, or in one.
    TwoCredentials = spelling::two_credentials,
        "a refusal: the field stands once (RFC 9110, 5.3, says so to senders)";
    /// Nearly valid values and noise.
    Malformed = spelling::malformed, "no grant, no panic and no status of 500 or more";
}
