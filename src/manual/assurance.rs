//! How the guarantees are checked, for a security review: each means, the command that repeats it,
//! and the figures of the last run.
//!
//! [`security`](super::security) states the guarantees, and [`requirements`](super::requirements)
//! names the test of each requirement that this crate holds. Run the commands in the root of the
//! repository. `.ci/run` runs all of them except mutation, coverage and long fuzzing.
//!
//! | means | what it excludes | command | last figures |
//! |---|---|---|---|
//! | [types](#what-the-compiler-checks) | unsafe code; two replay memories made from one `NonceKey`; a verdict used twice | `cargo test --doc` | |
//! | [models](#models) | a use granted twice; a refusal without a reason | `cargo test --release --test suite model` | all 58,564 short histories; 300 long ones at random |
//! | [interleavings](#threads) | the same, with threads | `cd tests/interleavings && cargo test` | 5 scenarios, every interleaving of two threads |
//! | [inputs](#inputs-of-the-server) | a change that matters, by somebody without the secret | `cargo test --test suite server::inputs server::uncovered` | 39 changes of 22 inputs, each with `auth` and `auth-int` |
//! | [arguments](#a-hostile-caller) | a panic by what the program passes | `cargo test --test suite hostile_caller` | every open argument of every public function |
//! | [secrets](#secrets) | a secret in `Debug`, in an error or in freed memory | `cargo test --test suite redaction`, `cargo test --release --test measured wiped` | every public type |
//! | [constant work](#constant-work) | a time that tells how much was right, or who exists | `cargo test --release --test measured constant_work` | at most 1 % apart |
//! | [mutation](#mutation) | a line that no test needs | `.ci/mutants` | the 13 most critical files: [see there](#mutation) |
//! | [coverage](#coverage) | a line that no test runs | `.ci/coverage` | 98.0 % of the lines, 97.9 % of the regions |
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
//! store. `server::model` runs long ones at random.
//!
//! For clients, `client::any_server`, `client::liveness` and `client::interleavings` run random
//! histories with hostile servers: every exchange ends, no count is sent twice, no secret goes to a
//! realm that it was not asked for, and an honest server lets the client in within two requests.
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
//! [`with_reusable_nonces`](crate::server::Realm::with_reusable_nonces) is set.
//!
//! # Inputs of the client
//!
//! What a peer without the secret can change in a [`Client`](crate::client::Client), and what
//! undoes it. `client::liveness` checks the last column from any state that random messages lead
//! to.
//!
//! | message | what it can change | what an honest server undoes it with |
//! |---|---|---|
//! | challenge, before a login | which realm and scheme the user is asked for: compare [`Ask::endpoint`](crate::client::Ask::endpoint) and the realm | its next challenge, which replaces the forged one |
//! | challenge, after a login | the nonce, its algorithm and qop within the policy and the required strength | its next challenge; an answer with the forged nonce is refused as stale |
//! | challenge without qop, or of another scheme or hash function | the login is dropped, and asked for again | a login at its next challenge |
//! | refusal | the secret counts as refused | the secret is taken again at the next ask, or after up to 64 of them if it was refused often: see [`states`](crate::client::states#refused-secrets) |
//! | `nextnonce` | the next nonce | its refusal with `stale` |
//! | other responses | the nonce is in doubt, so a request goes without an answer | its challenge to that request |
//! | any number of realms, paths, challenges | bounded memory: other entries are forgotten, by the [limits](super::security#limits-on-input) | its challenge |
//! | none of these | the required strength, the counts sent with the 17 nonces used last, the logins of other endpoints | – |
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
//! `cargo-mutants` lists 402 changes of the 13 files where a mistake would cost most: the formulas,
//! nonces, keys, replay table, window and shared store, and a client's states, choices, strengths,
//! refused secrets and counts. Sixty-two of them do not compile. Of the rest, 311 were run: each is
//! noticed but for those below, some only because the tests then run longer than they may. The
//! remaining 29 wait for a longer run; most change constants or the output of `Debug`. So do the
//! other files: of a random sample of 40 changes, 38 were noticed.
//!
//! What stays unnoticed changes no result: output of `Debug`; a shortcut before an exact count
//! (`is_too_long` in `client/nonce.rs`, `from_base64` in `basic.rs`); `^` for `|` where the bits do
//! not overlap (`server/window.rs`, `server/nonce.rs`); and the place at which the search in the
//! replay table begins, which costs time alone.
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
//! with reading.
