//! What a server answers: every rejection, in which order the checks come, and what the
//! challenges say.

mod nonces;
mod rejections;
mod schemes;
mod uris;
