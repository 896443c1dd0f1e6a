//! Tests of countersign-testing through its public interface.

mod clients;
#[cfg(feature = "data")]
mod data;
mod examples;
#[path = "../../examples/common/listener.rs"]
mod listener;
mod own_client;
mod own_server;
mod servers;
mod tower;
mod toys;
mod values;
