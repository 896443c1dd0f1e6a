//! What a server answers: every reason, in which order the checks come, and what the
//! challenges say.

mod nonces;
mod reasons;
mod schemes;
mod uris;
