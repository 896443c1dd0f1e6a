//! The scenarios for clients.

use super::trial::Trial;
use super::{bodies, choice, login, nonces, places, refusals, writing};
use crate::scenarios::scenarios;

scenarios! {
    /// A situation that a client is put in. They run in this order, each with a new client.
    for Trial<'_>;

    /// A server with SHA-256 and `qop="auth"`.
    Login = login::login, "a grant, at the first answer";
    /// Two more requests to the same server.
    SecondRequest = login::second_request, "a grant, with the count raised (RFC 7616, 3.4)";
    /// Seventeen requests with one nonce, and then with another.
    Counts = nonces::counts, "1 for the first request with a nonce, and so on, in hex (RFC 7616, 3.4)";
    /// Other methods than GET.
    OtherMethod = login::other_method, "a grant: the response covers the method (RFC 7616, 3.4.3)";
    /// A body, also after `stale`.
    Body = bodies::kept, "the body that was given, in the request that is let in";
    /// How bodies are sent.
    BodyLength = bodies::length,
        "Content-Length: devices refuse bodies in chunks (RFC 9110, 8.6, advises it)";
    /// The URI in the answer, also one with escapes.
    Uri = writing::uri, "uri is what stands on the request line (RFC 7616, 3.4)";
    /// How the answer is written.
    Form = writing::form,
        "qop, nc and algorithm without quotes, nc with 8 digits, hex in lower case (RFC 7616, 3.4)";
    /// Other spellings of a challenge.
    OtherSpelling = choice::other_spelling,
        "a grant: names have no case, values may be quoted (RFC 9110, 5.6 and 11.2)";
    /// `userhash` and `stale` that are false, in other spellings.
    Flags = choice::flags, "the name in clear, and no further answer (RFC 7616, 3.3)";
    /// A challenge with two nonces.
    RepeatedParameter = choice::repeated,
        "no answer: a name stands once (RFC 9110, 11.2, says so to servers)";
    /// Two challenges with different parameters.
    MixedChallenges = choice::mixed, "an answer to one challenge, with nothing of the other";
    /// A realm with quotes, commas and backslashes.
    QuotedRealm = writing::quoted_realm,
        "a grant: escapes are resolved before hashing (RFC 7616, 3.4)";
    /// An `opaque` with quotes, commas and backslashes.
    Opaque = writing::opaque, "opaque comes back unchanged (RFC 7616, 3.4)";
    /// A server without `opaque`, and then one whose `opaque` is empty.
    NoOpaque = writing::no_opaque,
        "no opaque where there was none, and an empty one for an empty one";
    /// Each algorithm by itself.
    EachAlgorithm = login::each_algorithm, "a right answer, or none";
    /// An algorithm and a qop that nobody knows.
    UnknownAlgorithm = choice::unknown_algorithm,
        "no answer: the challenge is ignored (RFC 7616, 3.3), and one beside it is not";
    /// A server without qop, as in RFC 2069.
    Rfc2069 = login::rfc2069, "a right answer without qop, nc and cnonce, or none";
    /// `auth` and `auth-int`, and a body.
    AuthOrAuthInt = login::auth_or_auth_int, "a grant, whichever is chosen";
    /// `auth-int` alone, and a body.
    AuthInt = login::auth_int,
        "a right answer that covers the body, or none (RFC 7616, 3.4.3)";
    /// A server that asks for hashed names.
    Userhash = login::userhash, "a grant, with the name hashed or not (RFC 7616, 3.4.4)";
    /// SHA-256, MD5 and Basic, the strongest first.
    StrongestFirst = choice::strongest_first,
        "an answer to the challenge of SHA-256 (RFC 7616, 3.7)";
    /// Basic, MD5 and SHA-256, the strongest last.
    StrongestLast = choice::strongest_last,
        "an answer to the challenge of SHA-256 (RFC 7616, 5.6 and 5.8; 3.7 permits the first)";
    /// Several challenges in one field, one of an unknown scheme with commas in quotes.
    OneField = choice::one_field, "a grant: commas separate challenges (RFC 9110, 11.6.1)";
    /// Basic alone on a cleartext channel.
    CleartextBasic = choice::cleartext_basic,
        "no password where others can read it (RFC 7617, 4, advises against it)";
    /// Basic after Digest: alone, from a server that proved itself by Digest; and in the clear,
    /// beside Digest that is refused.
    Downgrade = choice::downgrade, "no password: the server could do better (RFC 7616, 5.8, advises it)";
    /// A realm that the account is not for. Needs the account's
    /// [realm](super::ClientCheck::with_realm).
    OtherRealm = places::other_realm,
        "no credentials: any user of an origin can name a realm there";
    /// Two realms of one server, in turn.
    TwoRealms = places::two_realms,
        "grants: realm and nonce of the last challenge there (RFC 7616, 3.3 and 3.4)";
    /// A redirect within the server.
    Redirect = places::redirect, "an answer for the new URI (RFC 7616, 3.4.3)";
    /// A redirect to another server.
    RedirectAway = places::redirect_away, "no credentials for the other server";
    /// A request to another server, after a login.
    OtherOrigin = places::other_origin, "no credentials for the other server";
    /// A proxy's 407 from a server, or a server's 401 from a proxy.
    OtherStatus = places::other_status, "no credentials: the account is not for who asks";
    /// A nonce whose lifetime is over.
    StaleNonce = nonces::stale,
        "a grant: stale=true, in any case, asks for no other password (RFC 7616, 3.3)";
    /// How often a client asks its user. Needs [`Network::prompt`](super::Network::prompt).
    Prompts = nonces::prompts, "one prompt for all requests, also with another nonce";
    /// `nextnonce`, for nonces that are valid once.
    NextNonce = nonces::next_nonce, "grants without a refusal between them (RFC 7616, 3.5, advises it)";
    /// Several nonces, one after the other.
    FreshCnonce = nonces::fresh_cnonce,
        "another cnonce for another nonce (RFC 7616, 5.9 and 5.12)";
    /// Wrong proofs of the server: with other digits, and that of another response.
    WrongProof = refusals::wrong_proof,
        "an error: who answered does not know the password (RFC 7616, 3.5)";
    /// A server that refuses everything.
    Refusals = refusals::refusals, "at most 12 requests, and the refusal is returned";
    /// A server that refuses everything with `stale=true`.
    StaleForever = refusals::stale_forever,
        "at most 12 requests, and the refusal is returned";
    /// Challenges in responses that ask for no credentials.
    UnaskedChallenge = refusals::unasked,
        "no credentials: 200, 403 and 404 ask for none (RFC 9110, 11.6.1)";
    /// A used nonce that is refused without a challenge.
    DeadNonce = refusals::dead_nonce,
        "the third request is let in: without an answer the server would challenge";
    /// 401 without a challenge.
    NoChallenge = refusals::no_challenge, "no credentials, and the refusal is returned";
    /// Challenges and `Authentication-Info` that are nearly valid, or noise.
    Malformed = refusals::malformed, "at most 12 requests, and no panic";
}
