//! The client: which challenges it answers, with what, and where it sends credentials unasked.
//!
//! - `model`: its page, `client::rules`, written down a second time, and every short word of events
//!   played to both. `rules`: what the words do not reach.
//! - `silent`, `turns`: servers that neither accept nor challenge, and realms that take turns.
//! - `answers`: what one has in common with the next.
//! - `accounts`, `reports`: what programs are configured with, and what users of other clients have
//!   reported.
//! - `policy`: each setting, and what a caller may ask of a client.
//! - `protection_space`: where credentials go, and the cache that has a client for each origin.
//! - `responses`, `forged_responses`: what it reads of a response, and what somebody in the server's
//!   place gains by one.
//! - `simulation`: honest servers with odd habits, and many requests at a time; its `world` is that of
//!   `silent`, too.
//! - `oracle`: random lives of a cache among hostile servers, and what must hold of every answer; at
//!   the end an honest server lets the client in.
//! - `threats`, `quirks`: what went wrong in other clients, and what real servers ask for.

mod accounts;
mod answers;
mod endpoints;
mod forged_responses;
mod kept;
mod model;
mod oracle;
mod policy;
mod protection_space;
mod quirks;
mod reports;
mod responses;
mod rules;
mod silent;
mod simulation;
mod threats;
mod turns;
mod world;
