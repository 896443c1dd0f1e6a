//! The server that a program keeps: its key, its memory and its clock through a whole life, and what
//! cannot be done to it by accident.

mod memory;
mod randomness;
mod realms;
