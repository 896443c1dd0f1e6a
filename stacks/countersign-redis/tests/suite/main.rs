//! Machines that share a real Redis. Where none is installed, the tests say so and pass.

mod cluster;
mod connections;
mod counts;
mod losses;
mod proxy;
mod server;
mod site;
