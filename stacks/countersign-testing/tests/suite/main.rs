//! Tests of countersign-testing through its public interface.

mod clients;
#[cfg(feature = "data")]
mod data;
mod own_client;
mod own_server;
mod servers;
mod tower;
mod toys;
mod values;
