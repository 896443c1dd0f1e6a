//! The client: which challenges it answers, with what, and where it sends credentials unasked.
//!
//! - `transitions`: its states, and what leads from one to another; `refused_answer` there is what
//!   it makes of a second challenge.
//! - `policy`: each setting, and what a caller may ask of a client.
//! - `protection_space`: where credentials go, and the cache that has a client for each origin.
//! - `concurrent_exchanges`, `shared_logins`, `refusals_in_parallel`, `interleavings`: several
//!   requests at a time.
//! - `sent_unasked`, `unjudged_answers`: answers that nobody asked for, and those whose exchange ends
//!   before a refusal of them is understood.
//! - `cycles`: a wrong password, and every short cycle of reactions to it.
//! - `responses`: what it reads of a response.
//! - `any_server`, `liveness`: random servers, honest and hostile. It must stay safe with all, and get
//!   in with the honest ones.
//! - `simulation`: honest servers with odd habits, and many requests in simulated time: how often right
//!   passwords fail, and how often wrong ones are sent.
//! - `steps`: what a program does in several of these, one call a step.
//! - `inputs`: what a peer without the secret can change by each input, in each state.
//! - `threats`, `quirks`: what went wrong in other clients, and what real servers ask for.

mod accounts;
mod concurrent_exchanges;
mod forged_responses;
mod interleavings;
mod liveness;
mod model;
mod policy;
mod protection_space;
mod quirks;
mod reports;
mod responses;
mod rules;
mod simulation;
mod threats;
mod world;
