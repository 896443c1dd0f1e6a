//! What operations cost, a server under load, and how to size one.
//!
//! Authentication is a small part of a server's work: a request over HTTP/1.1 on loopback takes
//! hyper [about eight times](#under-load) as long as the check of its credentials.
//!
//! # Times
//!
#![doc = include_str!("performance.md")]
//!
//! Each row is one whole task of a program. A floor is the least work that can do the job, written
//! by hand: it allocates only what it returns, decides nothing, trusts its input and wipes nothing.
//! Only the floor of a first answer is made of this crate's plain functions. The other crates are
//! used as their documentation shows, and one that takes less than a third of our time counts as
//! not having read the input. `benches/RESULTS.md` has all rows and all crates, hostile headers,
//! and what the crate adds to a build.
//!
//! What stays above the floors, in instructions ([counted](#measure-it-again) by `instructions`):
//!
//! - Reading: names are looked up, repeated ones are refused, and each text is checked. Reading the
//!   credentials takes 3,227 of the 16,900 of a server's step with MD5, and 2,316 in its floor.
//! - Moving: an attempt, with all that was read, takes 584 bytes and is moved from step to step,
//!   because a box would be an allocation: 818 in a server's step, 122 in its floor. A first answer
//!   moves values of 528 and 768 bytes besides, and drops a client (465 of 13,300).
//! - Writing an answer: about 1,200 of 6,400 with MD5; checking what it is written from, 600.
//! - Wiping: hash states, HA1s and answers are overwritten when they are dropped.
//! - Raw challenges are read twice: once to check the syntax, once to hand out the parameters, each
//!   in 1,500; 400 check that the names are UTF-8. Remembering where the parameters are would add
//!   more than a hundred bytes to each challenge.
//!
//! # Under load
//!
//! Eight clients with one connection each, right answers and rising counts, 20,000 requests for a
//! few bytes. The server had one core and the client another, on the machine of the tables:
//!
//! | server, algorithm | requests a second | p99, ms | CPU a request, µs | memory, MiB |
//! |---|--:|--:|--:|--:|
//! | hyper and this crate, SHA-256 | 115,720 | 0.10 | 8 | 2.1 |
//! | the same, MD5 | 114,131 | 0.10 | 8 | 2.1 |
//! | Apache 2.4.71, MD5 | 19,984 | 1.19 | 46 | 6.2 |
//! | lighttpd 1.4.69, SHA-256 | 118,428 | 0.10 | 8 | 1.4 |
//! | the same, MD5 | 113,412 | 0.12 | 8 | 1.5 |
//! | libmicrohttpd 0.9.75, SHA-256 | 115,837 | 0.11 | 8 | 3.1 |
//! | the same, MD5 | 123,822 | 0.10 | 8 | 3.2 |
//!
//! The servers do different work besides: Apache and lighttpd serve a file.
//!
//! Then 100 honest clients for ten minutes beside twelve connections that send as fast as the
//! server answers: bare requests, wrong passwords, and answers that were used before. An honest
//! client waits 100 ms after each response, and ten of them rest longer at times. The key was
//! rotated after two and a half minutes, the server restarted after five. The machine had other
//! work to do in these ten minutes.
//!
//! | | |
//! |---|--:|
//! | requests of the attackers | 16,925,534, or 28,209 a second |
//! | of them granted that should not have been | 0 |
//! | honest requests granted | 480,606 |
//! | honest requests refused once, as stale: 100 at the restart, 20 after a rest longer than a nonce lives | 120 |
//! | users prompted again | 0 |
//! | nonces and counts granted twice to a user, by the server's log | 0 |
//! | memory of the server, before and after the restart | 3.7 and 3.6 MiB, less than 0.1 MiB more at the end |
//!
//! # A million requests a second
//!
//! The tables say what one [`Authenticator`](crate::server::Authenticator) lets in with one thread
//! and with more: on this machine, nearly a million requests a second for each of its two cores.
//! Reading HTTP takes about eight times as long, and TLS more again, so such a server has a
//! dozen cores or more, and authentication is one of them.
//!
//! - One `Authenticator` serves all threads. Two threads let in nearly twice as much as one, since
//!   readers share the lock of the keys, and the lock of a table is held only to record a count.
//! - SHA-256 is faster than MD5 on a processor with SHA instructions.
//! - Basic hashes the password for each request, which is slow on purpose if you store slow hashes.
//! - Several processes or machines that accept each other's nonces need a [shared
//!   store](crate::manual::cookbook::nonces#several-machines), and the time of a round trip to it.
//!
//! # Capacity
//!
//! The capacity of an `Authenticator` is the number of nonces whose counts it remembers. A client
//! usually uses one nonce at a time, and gets another before it expires, if the client reads
//! `nextnonce`, or when it has expired. So two for each client that is active within one
//! [lifetime](crate::server::Realm::with_nonce_lifetime) are usually enough; a browser with several
//! connections may take a few more. Where a nonce is valid for one request, each granted request
//! takes one. Each takes at most 48 bytes: 100,000 clients need 200,000 nonces, or less than 10 MB.
//! Unused nonces take no memory, and neither do requests that are refused.
//!
//! If it is too small, nothing unsafe happens: the nonce with the oldest first use in its table is
//! forgotten, and with it unused nonces that are no newer. Their clients are refused with
//! `stale=true`. Many [`NonceForgotten`](crate::server::Rejection::NonceForgotten) in the log of a
//! server that was not restarted and whose clock was not set back mean that the capacity is too
//! small.
//!
//! From 1,024 nonces on, sixteen tables share them, each with a lock. There is nothing to
//! configure: sixteen are enough for dozens of cores, because a lock is held for some fifty
//! nanoseconds while the table is in a cache, and for some three hundred in a table of a million.
//!
//! # Measure it again
//!
//! ```text
//! cd benches && cargo bench                          # writes the tables above
//! cd benches && cargo run --release --bin instructions
//! stacks/load/run 600                                # the servers, and ten minutes under load
//! ```
//!
//! `instructions` needs valgrind. It counts the instructions, allocations and system calls of each
//! row and fails if one takes over 3 % more instructions than recorded, allocates more than its
//! goal or makes a system call; CI runs it, and one minute under load.
