//! The server that a program keeps: its key, its memory and its clock through a whole life, and what
//! cannot be done to it by accident.

mod memory;
mod randomness;
mod realms;

/// One table, and several.
const CAPACITIES: [usize; 2] = [10, 2000];
