//! The program as it is started.

mod check;
mod login;
mod origin;
mod program;
