//! Every error and every rejection, and what to do about it.
//!
//! A [`Rejection`](crate::server::Rejection) is about a request, a
//! [`GiveUp`](crate::client::GiveUp) about a server's challenges: both are usually normal, and
//! belong in the log. [`InvalidText`](crate::InvalidText) and
//! [`AuthorizeError`](crate::client::AuthorizeError) are usually mistakes of the calling program.
//! None of them shows header text or a secret. The enums are `#[non_exhaustive]`: give a `match` a
//! last arm that refuses the request, or gives up.
//!
//! # A server rejects a request
//!
//! Send the [`Refusal`](crate::server::Refusal) of
//! [`Authenticator::refuse`](crate::server::Authenticator::refuse), and log the
//! [name](crate::server::Rejection::name). Statuses are in the table at
//! [`Rejection`](crate::server::Rejection). What else to do:
//!
//! | rejection | cause | what to do |
//! |---|---|---|
//! | [`NoCredentials`](crate::server::Rejection::NoCredentials) | usually a first request | nothing; do not count it |
//! | [`MultipleCredentials`](crate::server::Rejection::MultipleCredentials) | a client or a proxy sends the field twice; or several SIP realms in one request | select the value for your realm before [`begin`](crate::server::Authenticator::begin), as for [SIP](super::cookbook::sip) |
//! | [`InvalidMethod`](crate::server::Rejection::InvalidMethod) | the method is not a token | if an HTTP library parsed the request, check what you pass to [`Target`](crate::Target): most libraries refuse such a method |
//! | [`Header`](crate::server::Rejection::Header) | malformed credentials, usually of a broken client or a probe | the [error](#a-header-cannot-be-read) says what is wrong |
//! | [`SchemeNotOffered`](crate::server::Rejection::SchemeNotOffered) | Bearer, for example, or Basic where only Digest is offered | handle [other schemes](super::cookbook::schemes) before `begin`; offer Basic by [`with_basic`](crate::server::Realm::with_basic) |
//! | [`CleartextBasic`](crate::server::Rejection::CleartextBasic) | Basic over a cleartext channel | behind a TLS-terminating proxy, pass the [`Channel`](crate::Channel) between client and proxy, if no further hop is in clear; otherwise redirect clients to `https`, and consider the password known to others |
//! | [`RealmMismatch`](crate::server::Rejection::RealmMismatch) | credentials for another realm of the origin, or from before the realm was renamed | give each realm its [`domain`](crate::server::Realm::with_domain); never rename a realm, because every HA1 contains the name |
//! | [`AlgorithmNotOffered`](crate::server::Rejection::AlgorithmNotOffered) | the client ignores the challenge, saw an older one, or uses an unsupported algorithm | see [what to offer to whom](super::interoperability#what-to-offer-to-whom) |
//! | [`QopNotOffered`](crate::server::Rejection::QopNotOffered) | a client of RFC 2069, a challenge altered on the way, or a qop that is not offered | [`with_rfc2069`](crate::server::Realm::with_rfc2069), for old devices only |
//! | [`UserhashNotOffered`](crate::server::Rejection::UserhashNotOffered) | the client hashes the name although it was not asked to | [`with_userhash`](crate::server::Realm::with_userhash), if the store [finds users by hash](super::cookbook::users#hashed-user-names) |
//! | [`SessionCnonce`](crate::server::Rejection::SessionCnonce) | Qt and others send a cnonce in the form of a hash with a `-sess` algorithm; or the cnonce has a colon, which no setting allows | offer the plain algorithm, or read the risk of [`with_hash_like_cnonces`](crate::server::Realm::with_hash_like_cnonces) |
//! | [`UriMismatch`](crate::server::Rejection::UriMismatch) | a framework that strips a prefix; a client or proxy that rewrites the request-target; a captured header sent for another resource; or, without a protected count, a `uri` that [ends like a hash](super::security#what-a-response-covers) | first check the [request-target you pass](super::cookbook::frameworks#the-request-target-of-a-framework), then choose a [`UriCheck`](crate::server::UriCheck) for the client |
//! | [`BodyUnknown`](crate::server::Rejection::BodyUnknown) | `auth-int`, and the program passed neither the body nor its hash by the client's hash function, or called [`reject_unread`](crate::server::Attempt::reject_unread) with a fresh nonce or for Basic | [hash the body](super::cookbook::bodies#a-streaming-body), or do not offer `auth-int`; send 413 if the body was too large to read |
//! | [`MissingHa1`](crate::server::Rejection::MissingHa1) | the account has no HA1 of the [hash function](crate::server::Attempt::hash_function) needed | log it as an error, and count it as a guess; offer only [algorithms](crate::server::Realm::with_algorithms) that every user has an HA1 for |
//! | [`WrongCredentials`](crate::server::Rejection::WrongCredentials) | a wrong password, an unknown user, an altered request, or a client that computes the response differently; also `decide` for Digest | [count it](super::cookbook::limits#a-rate-limiter) by account and address; if one client type always gets it, check that the HA1 was made for this realm, this spelling of the name, and UTF-8 in NFC |
//! | [`NonceForeign`](crate::server::Rejection::NonceForeign) | a restart, a key that two rotations dropped, another machine or `Authenticator`, other settings or another binding | nothing: the client retries. If it persists, a balancer moves clients between machines that do not [share a key](super::cookbook::nonces#several-machines), so that they never get in, or there is an `Authenticator` per worker |
//! | [`NonceExpired`](crate::server::Rejection::NonceExpired) | an idle client, or a clock set forward | nothing: the client retries |
//! | [`NonceForgotten`](crate::server::Rejection::NonceForgotten) | the table is full, a clock was set back, or the key outlived the table | nothing: the client retries. If it is frequent, raise the [capacity](crate::server::Authenticator::new); if no Digest request is admitted, the capacity may be 0: raise it, or with a shared store call [`claim`](crate::server::Verified::claim) instead of `admit` |
//! | [`Replayed`](crate::server::Rejection::Replayed) | a retransmission; a count 64 or more below the highest one used; a second request with a nonce that is valid for one; or an attacker | nothing for one; many from one address are worth a look, but no reason for a ban: a library that repeats requests causes them with the right password. Do not count it against the account |
//!
//! By [class](crate::server::RejectionClass):
//!
//! | class | log | count |
//! |---|---|---|
//! | [`NoCredentials`](crate::server::RejectionClass::NoCredentials) | at debug level, if at all | never |
//! | [`Stale`](crate::server::RejectionClass::Stale) | at debug level | as a metric: a rise means a restart, a full table, keys that differ, or a clock that jumped |
//! | [`ClientFault`](crate::server::RejectionClass::ClientFault) | as information | as a metric, if at all: it costs an attacker nothing, and tells nothing |
//! | [`ServerFault`](crate::server::RejectionClass::ServerFault) | as an error | as an alert |
//! | [`WrongSecret`](crate::server::RejectionClass::WrongSecret) | as a failed login (RFC 7616, section 3.4) | by account and address, and by address alone. A limit or a ban counts this class and `MissingHa1`, and nothing else |
//! | [`Suspicious`](crate::server::RejectionClass::Suspicious) | as a warning | as a metric by address, for a person to look at. No limit or ban counts it: retransmissions and overtaken requests of honest clients cause it, and whoever captured a header can cause it in its user's name |
//!
//! # A client gives up
//!
//! | reason | what to do |
//! |---|---|
//! | [`WrongCredentials`](crate::client::GiveUp::WrongCredentials) | ask the user for other credentials, log in with the ask of this value, and start a new exchange: [three attempts](super::cookbook::logins#three-attempts). An unattended program with a fixed password: over an encrypted channel the refusal comes from the origin, and repeating the password may lock the account, so stop, or wait for a person, also after a restart of your program, which forgets refusals. Over a cleartext one anybody on the way can forge a refusal, so go on with the same password: the client [bounds how often it sends a refused one](crate::client::states#refused-secrets), which is usually about twenty times in a thousand requests; but where the server locks accounts or bans addresses after a few failures, stop here, too. A program that never sends a refused request again can get this with the right password, if nonces expire without `stale`: let it send a request that it can repeat, such as a GET. Repeated `StaleAgain` or `TooManyAnswers` may mean the same as `WrongCredentials` |
//! | [`StaleAgain`](crate::client::GiveUp::StaleAgain) | start a new exchange, once. If it happens again, find out whether the server's machines share a key, and whether its nonces live longer than a request travels |
//! | [`TooManyAnswers`](crate::client::GiveUp::TooManyAnswers) | as for `StaleAgain`; if it goes on, ask the user, because the password may have been changed; raise [`with_max_answers`](crate::client::Policy::with_max_answers) only if each refusal has a known reason |
//! | [`NeverAnswered`](crate::client::GiveUp::NeverAnswered) | usually a bug of the program: `authorize` was not called, or [returned `None`](crate::client::Client::authorize) each time, for example because nobody logged in, the request-target is not one of this endpoint (such as that of a [camera which names another address](super::cookbook::rtsp#another-address)), or the [`AuthCache`](crate::client::AuthCache) is too small |
//! | [`NoUsableChallenge`](crate::client::GiveUp::NoUsableChallenge) | show the reasons below to whoever can change the policy or the server. If the request [carried an answer](crate::client::Exchange::answer), the server may have refused it without saying so, and the client keeps the login. Stop then, or ask the user and call [`logout`](crate::client::Client::logout) before the next request, unless you know that the response comes from an application behind the server. After `logout`, [preemptive credentials](crate::client::Client::with_preemptive_basic) have to be set again |
//!
//! Why a challenge was skipped. On a cleartext channel, somebody in between may have removed the
//! stronger challenge, the qop or `auth-int`. So lower a policy only for a server that is known to
//! need it, and never because of one response:
//!
//! | reason | what to do |
//! |---|---|
//! | [`Header`](crate::client::SkipReason::Header) | the [error](#a-header-cannot-be-read) says what is wrong or unsupported in the challenge; report it to the server's operator |
//! | [`UnknownScheme`](crate::client::SkipReason::UnknownScheme) | answer [other schemes](super::cookbook::schemes) yourself |
//! | [`Basic`](crate::client::SkipReason::Basic) | keep [`without_basic`](crate::client::Policy::without_basic) unless this server is meant to get the password |
//! | [`CleartextBasic`](crate::client::SkipReason::CleartextBasic) | use `https`; if the certificate is what is not verified, have a person confirm it; on a private link set the [channel](crate::client::Endpoint::with_channel), and only as a last resort [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic) |
//! | [`WeakAlgorithm`](crate::client::SkipReason::WeakAlgorithm) | ask the operator of the server for a stronger hash function; otherwise use a policy with a lower [floor](crate::client::Policy::with_floor) for this endpoint |
//! | [`OtherHash`](crate::client::SkipReason::OtherHash) | store an HA1 of the hash function that the server offers: [`require_hash`](crate::client::Policy::require_hash) |
//! | [`SessionAlgorithm`](crate::client::SkipReason::SessionAlgorithm) | remove [`without_sess_algorithms`](crate::client::Policy::without_sess_algorithms); without a qop the challenge cannot be answered at all |
//! | [`Rfc2069`](crate::client::SkipReason::Rfc2069) | [`with_rfc2069`](crate::client::Policy::with_rfc2069), for a camera or another old device |
//! | [`NoAuthInt`](crate::client::SkipReason::NoAuthInt) | the challenge does not offer what [`require_auth_int`](crate::client::Policy::require_auth_int) asks for; most servers cannot |
//! | [`UncountedAuthInt`](crate::client::SkipReason::UncountedAuthInt) | drop [`with_uncounted_form`](crate::client::Policy::with_uncounted_form) for this server |
//! | [`NoServerProof`](crate::client::SkipReason::NoServerProof) | have the server offer Digest with a qop, and drop [`with_uncounted_form`](crate::client::Policy::with_uncounted_form); or leave [`require_server_proof`](crate::client::Policy::require_server_proof) off for it |
//! | [`BelowStrength`](crate::client::SkipReason::BelowStrength) | warn the user of a possible attack; if they know the reason, [forget the strength](super::cookbook::proof#keeping-the-strength) |
//! | [`TooLong`](crate::client::SkipReason::TooLong) | no server known needs more than 4 KiB: this one is broken or hostile |
//!
//! # A login is not taken
//!
//! | error | what to do |
//! |---|---|
//! | [`Superseded`](crate::client::LoginError::Superseded) | send the request again; discard the password, because the next ask may be for another realm or scheme |
//! | [`AlreadyRefused`](crate::client::LoginError::AlreadyRefused) | prompt again and say that the login failed; do not repeat the same password |
//! | [`BasicNotAllowed`](crate::client::LoginError::BasicNotAllowed) | [`with_preemptive_basic`](crate::client::Client::with_preemptive_basic) needs a policy and a channel that allow Basic, and a required strength no higher than Basic |
//! | [`PasswordNeeded`](crate::client::LoginError::PasswordNeeded) | with stored HA1s, set [`without_basic`](crate::client::Policy::without_basic) |
//! | [`OtherHash`](crate::client::LoginError::OtherHash) | with stored HA1s, set [`require_hash`](crate::client::Policy::require_hash), or select the HA1 by [`Ask::hash_function`](crate::client::Ask::hash_function) |
//! | [`Text`](crate::client::LoginError::Text) | the name or the password cannot be sent: prompt again and show the [reason](#text-is-not-accepted) |
//!
//! # No credentials can be computed for a request
//!
//! | error | what to do |
//! |---|---|
//! | [`Method`](crate::client::AuthorizeError::Method) | fix the program: the method is not a token |
//! | [`Target`](crate::client::AuthorizeError::Target) | fix the program: percent-encode the request-target |
//! | [`BodyNeeded`](crate::client::AuthorizeError::BodyNeeded) | hash the body with this function, add it [to the target](crate::Target::with_body), and call `authorize` again: [a large upload](super::cookbook::bodies#a-large-upload) |
//! | [`Cnonce`](crate::client::AuthorizeError::Cnonce) | pass 1 to 64 characters of printable ASCII |
//! | [`TooLong`](crate::client::AuthorizeError::TooLong) | shorten the request-target, the name or, for Basic, the password: most servers refuse such a field |
//! | [`NonceExhausted`](crate::client::AuthorizeError::NonceExhausted) | call `authorize` again, and send the request without credentials |
//!
//! # The server's proof fails
//!
//! | error | what to do |
//! |---|---|
//! | [`Wrong`](crate::client::ServerProofError::Wrong) | do not use the response: somebody else may have sent it. For a server known to compute it wrongly, [`ignore_wrong_server_proof`](crate::client::Policy::ignore_wrong_server_proof) |
//! | [`Missing`](crate::client::ServerProofError::Missing) | do not use the response. If public resources or redirects must work, see [a proof for some requests](super::cookbook::proof#a-proof-for-some-requests) |
//! | [`Header`](crate::client::ServerProofError::Header) | as for `Missing`; the [error](#a-header-cannot-be-read) says what is wrong with `Authentication-Info` |
//!
//! A [`ServerProof`](crate::client::ServerProof) is not an error, but only one of them proves
//! anything:
//!
//! | proof | meaning for the program |
//! |---|---|
//! | [`Valid`](crate::client::ServerProof::Valid) | the server knows the secret; [store the strength](super::cookbook::proof#keeping-the-strength) |
//! | [`Absent`](crate::client::ServerProof::Absent) | normal: many servers send none |
//! | [`Unchecked`](crate::client::ServerProof::Unchecked) | pass the body of the response to have it checked |
//! | [`Unreadable`](crate::client::ServerProof::Unreadable) | like `Absent` |
//! | [`Wrong`](crate::client::ServerProof::Wrong) | like `Absent`; only with [`ignore_wrong_server_proof`](crate::client::Policy::ignore_wrong_server_proof) |
//!
//! # A header cannot be read
//!
//! A [`HeaderError`](crate::HeaderError) has either a [position](crate::HeaderError::position) in the
//! value or the [name](crate::HeaderError::name) of a parameter.
//! [`refuse`](crate::server::Authenticator::refuse) gives the status for it, and
//! [`Client`](crate::client::Client) goes on with the next challenge. When you parse headers
//! yourself:
//!
//! | message | what to do |
//! |---|---|
//! | expected ..., quoted string without a closing quote | the sender is at fault; look at the value from the position on, and at [`leniency`](super::leniency) |
//! | expected the end | several credentials may have been joined into one value: pass each field line as one value, and never join them with commas |
//! | control byte in a quoted string | treat the message as hostile |
//! | header value too long, too many parameters, too many challenges | the same: real peers stay far below the [limits](super::security#limits-on-input) |
//! | parameter missing, given more than once, malformed, in conflict with another parameter | the sender is at fault |
//! | parameter not supported | an algorithm or qop that this crate lacks; for MD5, enable the feature `md5` |
//!
//! # Text is not accepted
//!
//! [`InvalidText`](crate::InvalidText) is about text that your program passed. It is a bug, unless
//! a user typed the text or it comes from a file.
//!
//! | error | what to do |
//! |---|---|
//! | [`Control`](crate::InvalidText::Control) | remove the control character; some end the header line |
//! | [`ColonInUsername`](crate::InvalidText::ColonInUsername) | tell the user that Basic cannot carry this name |
//! | [`NotLatin1`](crate::InvalidText::NotLatin1) | this name or password cannot be used with [`with_latin1`](crate::client::Policy::with_latin1) at this server |
//! | [`NotHex`](crate::InvalidText::NotHex), [`Length`](crate::InvalidText::Length) | check the stored HA1 or key: its hash function, and that the file is complete. `Length` is also a scheme, parameter or token68 that is empty or makes the value too long |
//! | [`NotToken`](crate::InvalidText::NotToken), [`NotToken68`](crate::InvalidText::NotToken68), [`RepeatedName`](crate::InvalidText::RepeatedName), [`ImplementedScheme`](crate::InvalidText::ImplementedScheme) | fix what you pass to [`with_params`](crate::FieldValue::with_params) or [`with_token68`](crate::FieldValue::with_token68) |
//!
//! # Files and configuration
//!
//! | error | what to do |
//! |---|---|
//! | [`UnknownPort`](crate::client::UnknownPort) | pass the port, and for an encrypted scheme also the [channel](crate::client::Endpoint::with_channel) |
//! | [`UnknownStrength`](crate::client::UnknownStrength) | do not log in: a newer version may have stored the text |
//! | the error of a random number generator | do not start: nonce keys, salts and cnonces need it |
