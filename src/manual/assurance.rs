//! How the guarantees are checked, for a security review: each means, the command that repeats it,
//! and the figures of the last run.
//!
//! [`security`](super::security) states the guarantees, and [`requirements`](super::requirements)
//! names the test of each requirement that this crate holds. Run the commands in the root of the
//! repository. `.ci/run` runs all of them except coverage, long fuzzing and most of mutation.
//!
//! | means | what it excludes | command | last figures |
//! |---|---|---|---|
//! | [types](#what-the-compiler-checks) | unsafe code; two replay memories made from one `NonceKey`; a verdict used twice | `cargo test --doc` | |
//! | [models](#models) | a use granted twice; a refusal without a reason | `cargo test --release --test suite model` | all 58,564 short histories; 2,300 long ones at random |
//! | [model of the client](#model-of-the-client) | a loop, a lockout, a count sent twice, a secret where it was not asked for, a changed password that is kept | `cargo test --release --lib client::model` | 1,304,321 states, 9,876,613 steps, 12 setups |
//! | [simulation](#simulation-of-the-client) | a right password that fails, or a wrong one that is sent too often, with servers that are honest and odd | `cargo test --release --test suite client::simulation` | all 23,040 settings once, 259 each time; 5,000 requests each |
//! | [cycles](#simulation-of-the-client) | a wrong password that is sent too often | `cargo test --release --test suite client::cycles` | 584 cycles of reactions, 8 programs |
//! | [interleavings](#threads) | the same, with threads | `cd tests/interleavings && cargo test` | 5 scenarios, every interleaving of two threads |
//! | [inputs](#inputs-of-the-server) | a change that matters, by somebody without the secret | `cargo test --test suite -- server::inputs server::uncovered` | 39 changes of 22 inputs, each with `auth` and `auth-int` |
//! | [inputs of the client](#inputs-of-the-client) | a message without the secret that locks out, or moves a secret | `cargo test --test suite client::inputs` | 71 changes of 29 inputs and the statuses, each in 4 states |
//! | [arguments](#a-hostile-caller) | a panic by what the program passes | `cargo test --test suite hostile_caller` | every open argument of every public function |
//! | [secrets](#secrets) | a secret in `Debug`, in an error or in freed memory | `cargo test --test suite redaction`, `cargo test --release --test measured wiped` | every public type |
//! | [constant work](#constant-work) | a time that tells how much was right, or who exists | `cargo test --release --test measured constant_work` | at most 1 % apart |
//! | linear work | a hostile header that takes time with the square of its length | `cargo test --release --test measured linear` | 392 shapes: at most 8.7 times the instructions for 8 times the length |
//! | [mutation](#mutation) | a line that no test needs | `.ci/mutants` | 98 % of 1,899 changes, all but one of the rest by `measured`: [see there](#mutation) |
//! | [coverage](#coverage) | a line that no test runs | `.ci/coverage` | 98.5 % of the lines, 98.5 % of the regions |
//! | [fuzzing](#fuzzing) | what nobody thought of | `cargo +nightly fuzz run -s none session` | see there |
//! | peers | a reading of the RFCs that no other program shares | `cargo test --test interop` | [`interoperability`](super::interoperability) |
//! | licences, advisories, lowest versions | a dependency that should not be there | `.ci/run` | |
//!
//! # What the compiler checks
//!
//! The crate forbids `unsafe`. The misuses that its types exclude are `compile_fail` examples, so
//! each is seen not to compile: see [`NonceKey`](crate::server::NonceKey),
//! [`PendingClaim`](crate::server::PendingClaim) and [`Verified`](crate::server::Verified).
//!
//! # Models
//!
//! A server is compared with the set of the uses that it granted, which forgets nothing, and each
//! of its refusals with the reasons that there are. `server::model::exhaustive` runs every history
//! of four steps: uses of two nonces, a name in another spelling, a clock that is set on and back,
//! keys that change, restarts, tables with one place and with two, one-time nonces, and a shared
//! store. `server::model` runs long ones at random; in `server::model::held` requests wait between
//! `begin`, `verify` and `admit`, over all of that, and are admitted late, in any order.
//!
//! # Model of the client
//!
//! `client::model` visits all states of a client that a small alphabet of events leads to, breadth
//! first. A peer sends challenges of two realms, with nonces that are new, repeated or stale, of
//! several strengths, alone and in pairs, and some that nobody can answer; and other responses,
//! with right, wrong and absent proofs, with `nextnonce`, and with statuses that put the nonce in
//! doubt. Users type right and wrong passwords when they are asked, at once or late, give up, or
//! send the request again without a login. One request or two are under way. The policies are the
//! default, also with preemptive Basic, and
//! [`require_server_proof`](crate::client::Policy::require_server_proof),
//! [`with_rfc2069`](crate::client::Policy::with_rfc2069) and
//! [`with_max_answers`](crate::client::Policy::with_max_answers), with 1 and with 4.
//!
//! Nine of the 12 setups are searched to the end: only states in which a secret was refused a third
//! time (in most setups a second time, in some a first time) are checked without following them
//! further. The other three, with two requests at once, end after 12 or 18 events. At each step,
//! every exchange keeps to its limits, no count is sent twice, and each answer is computed again
//! from what the user typed for its realm and scheme. From each state, an honest server lets the
//! client in within two requests, or after the documented number of asks if the right password was
//! refused before; and a server that refuses the password from then on, as after a change, gets it
//! at most eight times for each request under way before the client drops it, also if no request is
//! sent again after a refusal, or a path that asks for no password accepts it between the refusals.
//! `src/client/model/mod.rs` says what counts as the same state. That equal states behave alike is
//! checked for 82,194 pairs of histories.
//!
//! It found one defect: a password that was refused and accepted in turn took the place of another
//! refused one. It finds these planted faults:
//!
//! | planted | found after |
//! |---|---|
//! | a count that is not increased | 5 events |
//! | counts forgotten when the nonce changes | 5 events |
//! | a login kept for another realm | 3 events |
//! | Basic sent for every path | 6 events |
//! | no limit to refused answers | 8 events |
//! | no limit to requests without an answer | 18 events |
//! | an answer after giving up | 6 events |
//! | a stale nonce forgiven each time | 6 events |
//! | a refused secret sent again at once | 7 events |
//! | a refused secret sent again one ask too late | 11 events |
//! | a refused secret that stays refused when it is accepted | 10 events |
//! | a strength required without a proof | 4 events |
//! | a strength that is not required | 5 events |
//! | a wrong proof taken | 4 events |
//! | an interim response taken | 4 events |
//! | the hash state of another nonce used | 8 events |
//!
//! `client::any_server`, `client::liveness` and `client::interleavings` run random histories with
//! more kinds of messages, and with this crate's servers.
//!
//! # Simulation of the client
//!
//! The servers of the model refuse or accept anything, or are honest in one way. Real ones are
//! honest in many: each nonce is valid once, or only the newest one; they do not say `stale`, pause
//! after a wrong password, limit requests, fail at times, let everybody in at some paths, or have
//! an application behind them that says 401 and asks for nothing. `client::simulation` combines
//! such habits, with a proxy in front or none, and programs with one request at a time, two or six,
//! which send a refused request again or not, in simulated time. It bounds how many requests fail
//! with the right password (with one request at a time and a server that does not fail: none, or
//! three before a response has shown that it is right), and how often a server finds a password
//! wrong that was typed wrong or was changed. Several requests at a time, in quick succession, to a
//! server that takes its newest nonce only, or through a proxy with one-time nonces to a server
//! that has them, too, and does not say `stale`, make each other's nonces invalid all the time;
//! there only the second bound holds. `client::cycles` runs all servers whose reactions to a wrong
//! password repeat after one to three.
//!
//! # Threads
//!
//! What threads could do to an [`Authenticator`](crate::server::Authenticator) lies inside its
//! calls: a lock that is released between check and record, a floor of issue times that another
//! thread raises, a key that changes in between. So loom's locks and atomics stand in for its own.
//! Loom runs a test once for each order in which threads can take them, and for each value that a
//! relaxed load may return.
//!
//! # Inputs of the server
//!
//! What somebody without the secret can change in a request that they captured, and what then may
//! differ. `server::inputs` makes each change before the user's own request arrives, and fails when
//! a parameter of credentials, or a field of [`Target`](crate::Target) or
//! [`Arrival`](crate::server::Arrival), has no row. For a request that was granted before,
//! `server::uncovered_parameters` rewrites its header.
//!
//! | step | input | changed in meaning | changed in spelling |
//! |---|---|---|---|
//! | [`begin`](crate::server::Authenticator::begin) | number of values, scheme | refused | same use |
//! | | `realm`, `nonce`, `uri` | refused | same use (`nonce` with an escape: refused) |
//! | | `algorithm`, `qop` | refused: another formula | same use |
//! | | method and request-target | refused: HA2 | refused, except as the [`UriCheck`](crate::server::UriCheck) allows |
//! | | binding of the [`Arrival`](crate::server::Arrival) | refused: the nonce is foreign | – |
//! | | time | refused after the lifetime, or if the nonce is forgotten | – |
//! | | channel | same use; Basic is refused where it is not offered | – |
//! | | `opaque`, unknown parameters, order, whitespace | same use | same use |
//! | [`verify`](crate::server::Attempt::verify) | `username`, `username*`, `userhash` | refused, unless the store finds the same account | same use |
//! | | `response`, `nc`, `cnonce` | refused | same use (`nc`: refused) |
//! | | body | refused with `auth-int`; otherwise same use | – |
//! | [`admit`](crate::server::Authenticator::admit), [`settle`](crate::server::PendingClaim::settle) | nothing from the request beyond nonce, count and HA1 | – | – |
//! | [`refuse`](crate::server::Authenticator::refuse) | only the reason for the refusal: the challenges depend on the realm, the channel, the binding and the time | – | – |
//! | [`authentication_info`](crate::server::Grant::authentication_info) | `cnonce`, `nc` and `qop` are repeated as they were sent | – | – |
//!
//! *Refused* means that the server remembers nothing and the user's own request is granted
//! afterwards. *Same use* means that the grant is for the same account and the same count, so the
//! user's own request is then a replay: an attacker can deliver a request first, and nothing else.
//! In the forms without a protected count, the response does not cover `nc`, and covers `cnonce`
//! only with a `-sess` algorithm; there a nonce is valid for one use, unless
//! [`Quirk::ReusableNonces`](crate::server::Quirk::ReusableNonces) is set.
//!
//! # Inputs of the client
//!
//! What a peer without the secret can change in a [`Client`](crate::client::Client).
//! `client::inputs` sends each message to clients in four states, whose server offers Digest with
//! `auth`, Digest with `auth-int`, or Basic. It fails when a parameter of a challenge or of
//! `Authentication-Info`, a status or an argument has no row, and when a cell of these tables is
//! not what it saw. The policy of these clients allows RFC 2069 and Latin-1, with which messages
//! can change the most. The effects are:
//!
//! | effect | what differs | what an honest server undoes it with |
//! |---|---|---|
//! | asks | the user is asked for a login in another realm: compare [`Ask::endpoint`](crate::client::Ask::endpoint), the realm and the scheme | its challenge, which asks for its own realm |
//! | nonce | the next answer has the message's nonce and parameters, within the policy and the required strength | its challenge: an answer with the forged nonce is refused as stale |
//! | paths | more request-targets of this endpoint belong to the realm of the message, and get its answers | nothing: the answers go where the peer could have asked for them |
//! | elsewhere | the same effects in another realm of the endpoint, which the message names | its challenge for that realm |
//! | withheld | requests to the folder of this one go without an answer, or with an answer for another realm | its challenge to one of them, which takes the folder back |
//! | dropped | the login is dropped, or the [`Ask`](crate::client::Ask) that waits for the user is superseded | a login at its challenge |
//! | refused | the secret counts as refused, and the login is dropped | a login at its challenge, with the same secret; after several refusals, after up to 64 asks: see [`states`](crate::client::states#refused-secrets) |
//! | accepted | the secret counts as accepted: earlier refusals of it are forgotten, and an exchange forgives one refusal with another nonce | its next refusals |
//! | doubt | the nonce is in doubt, so the next request goes without an answer | its challenge to that request |
//!
//! In the states, the user is asked for a login; is logged in, and sends a request outside the
//! protection space, which carries no answer; is logged in, and waits for the response to the first
//! answer; or waits for the response to a later answer, after the server has proved itself.
//!
//! | message | input | asked | logged in | first answer | later answer |
//! |---|---|---|---|---|---|
//! | Digest challenge | `realm` | asks, nonce, elsewhere, withheld | asks, nonce, elsewhere, withheld | asks, elsewhere, withheld, refused | asks, nonce, elsewhere, withheld |
//! | | `nonce` | nonce | nonce | refused | nonce, refused |
//! | | `opaque` | nonce | nonce | refused | nonce |
//! | | `domain` | nonce, paths | nonce, paths | paths, refused | nonce, paths |
//! | | `algorithm` | nonce, dropped | nonce, dropped | nonce, dropped | nonce, dropped |
//! | | `qop` | nonce, dropped | nonce, dropped | nonce, dropped, refused | nonce |
//! | | `stale` | nonce | nonce | nonce, refused | nonce, refused |
//! | | `userhash` | nonce | nonce | nonce | nonce |
//! | | `charset` | nonce | dropped | dropped | dropped |
//! | Basic challenge | `realm` | asks, elsewhere, withheld, dropped | asks, paths, elsewhere, dropped | asks, elsewhere, withheld, dropped | asks, elsewhere, withheld |
//! | | `charset` | dropped | paths, dropped | dropped | – |
//! | any challenge | scheme | nonce | nonce | refused | nonce |
//! | | number in one response | asks, elsewhere, withheld, dropped | nonce, elsewhere, dropped | elsewhere, withheld, dropped, refused | nonce, elsewhere, withheld, dropped |
//! | | number of responses | asks, nonce, dropped | asks, nonce | asks, refused | asks, dropped |
//! | | unknown parameters | nonce | nonce | refused | nonce |
//! | | malformed | – | – | – | – |
//! | `Authentication-Info` | `nextnonce` | – | – | nonce, accepted | nonce |
//! | | `rspauth` | – | – | accepted, doubt | doubt |
//! | | `qop` | – | – | accepted, doubt | doubt |
//! | | `cnonce` | – | – | doubt | doubt |
//! | | `nc` | – | – | accepted, doubt | doubt |
//! | | number of values | – | – | accepted | – |
//! | | malformed | – | – | accepted | – |
//! | link or redirect | request-target | – | – | – | – |
//! | response | body | – | – | accepted, doubt | doubt |
//! | | status 100, 102 to 199, 401, 407 | – | – | – | – |
//! | | status 400, 403, 406, 413, 414, 431, 500, 502 to 504, 509, 512 to 599 | – | – | doubt | doubt |
//! | | status 408, 421, 425, 426, 429, 511 | – | – | – | – |
//! | | any other status | – | – | accepted | – |
//! | Digest challenge to a Basic login | `realm` | asks, withheld, dropped | asks, dropped | asks, withheld, dropped | asks, withheld, dropped |
//! | Basic challenge to a Basic login | `realm` | asks | asks, paths | asks, refused | asks, refused |
//! | | `charset` | nonce | paths, dropped | dropped | dropped |
//!
//! After each message, with another response under way or without, and also if the user follows
//! every ask: an honest server grants the next request or the one after it (after several refusals,
//! once the asks above have come), and from then on requests carry an answer unasked. No message
//! changes the required strength, the counts sent with the 17 nonces used last, or the login of a
//! realm or an endpoint that it does not name; and no secret goes to a realm that the user has not
//! logged in to. The exchange that gets a forged message may fail: whoever forged that could have
//! forged its response. `client::liveness` checks the same after random messages.
//!
//! Any number of realms, paths and challenges takes bounded memory: see the
//! [limits](super::security#limits-on-input). What is forgotten for them comes back with the
//! server's next challenge.
//!
//! # A hostile caller
//!
//! Every public function with an argument that can hold anything (text, bytes, numbers, header
//! values) is called with every byte, with long and misleading text, and with 0, 1 and the largest
//! numbers. The result is a typed error or the documented one. The list is read from the source, so
//! a new function fails until it has a row.
//!
//! # Secrets
//!
//! Every public type is shown by `Debug`, and every error by `Display`, when it holds marked text;
//! types of at most eight bytes that borrow nothing are exempt. The list of types is read from the
//! source. `measured::wiped` searches the memory that is freed for secrets.
//!
//! # Constant work
//!
//! Instructions are counted by valgrind: for a MAC, a response and a Basic password that differ in
//! the first digit, in the last and in all; for known users, unknown users and accounts without an
//! HA1 of the hash function; over the lengths of names and passwords.
//!
//! # Mutation
//!
//! `cargo-mutants` lists 2,265 changes of `src`. Those of functions that compile were run against
//! the unit tests and the suite: first 1,126, nearly all of those in `client`, `server`, `hash`,
//! `digest` and `header` except in const and generic functions; then 773, all of those in `syntax`
//! and in const and generic functions.
//!
//! | | first | then |
//! |---|---|---|
//! | noticed | 1,077 | 750 |
//! | showed that a test was missing, which was written, or that code could be simpler | 19 | 10 |
//! | noticed by `measured`, which the command leaves out: wiping and constant work | 18 | 3 |
//! | noticed by no test: the overwriting of stale bytes that a moved `Prefix` may hold | 1 | 0 |
//! | change no result: `.ci/mutants.toml` lists these, and others, with their reasons | 11 | 10 |
//!
//! So with the new tests 98 % of those that change a result are noticed by these tests, and all but
//! one of the rest by `measured`. A random quarter of all changes was run before, 421 that compile:
//! 387 were noticed, 15 showed that a test was missing, 4 are noticed by `measured`, and 15 change
//! no result. Of 29 changes in constants, one showed that a test was missing. So did one of the 24
//! that compile in `client/evidence.rs`, `client/meaning.rs`, `client/request.rs` and
//! `client/space_id.rs`, which are newer than this table. `.ci/run` repeats three of the files that
//! a mistake would cost most in.
//!
//! # Coverage
//!
//! By the unit tests and the suite, without the examples, measurements and peers. What is missing
//! is listed by `.ci/coverage --missing`: texts of errors, which the suite does not read all;
//! functions that run at compile time only (`syntax/chars.rs`); getters that only examples call;
//! and branches that cannot be reached, which stand where the alternative would be a panic.
//!
//! # Fuzzing
//!
//! `session` runs scripts of users with this crate's clients and with others, a server, a clock and
//! an attacker, and knows every request that a user sent. It finds these planted faults from the
//! stored inputs:
//!
//! | planted | found after |
//! |---|---|
//! | the replay key depends on the name as it was spelled | 32 scripts |
//! | a refused secret is never sent again | 55 scripts |
//! | a body's hash at the end of a `uri` is accepted in the uncounted form | 9,000 scripts |
//!
//! Six other targets compare parsing with a second parser and with another library, and writing
//! with reading, and so run little else. `.ci/coverage --fuzz` counts the regions of `src` that the
//! stored inputs of a target run: `session` 77 %, `round_trip` 29 %, `basic` 23 %, `authorization`
//! 15 %, `challenges` 14 %, `authentication_info` 8 %, `http_auth_peer` 7 %. The inputs take 270
//! KB.
//!
//! So far `session` has run 6.1 million scripts, the other targets 1,194 million inputs: about an
//! hour of processor time for each target.
