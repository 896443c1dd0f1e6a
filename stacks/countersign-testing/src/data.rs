//! Test vectors, exchanges recorded from real clients and servers, and a fuzz dictionary: the files
//! of countersign's own tests.
//!
//! Each `.json` file is an array of rows. [`files`] has all of them by name; the two pages with the
//! meaning of each field follow.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use countersign_testing::data;
//!
//! let file = data::files().iter().find(|(name, _)| *name == "vectors/challenges.json");
//! let rows: Vec<serde_json::Value> = serde_json::from_str(file.ok_or("no such file")?.1)?;
//! let mut read = 0;
//! for row in rows.iter().filter(|row| row["strict"] == "ok" && row["header_lines"].is_array()) {
//!     let lines = row["header_lines"].as_array().ok_or("no lines")?;
//!     let lines = lines.iter().filter_map(|line| line.as_str());
//!     // Your parser stands here.
//!     let parsed: Vec<_> = countersign::raw_challenges(lines).collect::<Result<_, _>>()?;
//!     assert_eq!(parsed.len(), row["expected"].as_array().ok_or("no challenges")?.len());
//!     read += 1;
//! }
//! assert!(read > 100);
//! # Ok(())
//! # }
//! ```
#![doc = include_str!("../data/vectors/README.md")]
#![doc = include_str!("../data/captures/README.md")]

/// The files of a folder, each by its name.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../data/", $name)))),*]
    };
}

// Not a constant of the module's interface: documentation would print it.
static FILES: &[(&str, &str)] = files! {
    "vectors/challenges.json" "vectors/authorization.json" "vectors/authinfo.json"
    "vectors/basic.json" "vectors/digest.json" "vectors/flows.json" "vectors/peers.json"
    "vectors/requirements.json"
    "captures/clients.json" "captures/proxy_clients.json" "captures/rtsp_clients.json"
    "captures/sip_clients.json" "captures/real_pairs.json" "captures/servers_probed.json"
    "captures/nonconforming.json"
    "dict.txt"
};

/// The name and the text of each file. `dict.txt` has the words of authentication headers, one in
/// quotes on a line, as libFuzzer and AFL read them.
pub const fn files() -> &'static [(&'static str, &'static str)] {
    FILES
}
