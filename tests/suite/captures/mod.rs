//! What real clients and servers sent, as recorded in `tests/captures/*.json`.

mod server;
mod verification;

/// The files of right answers, and how many each has.
const RIGHT: [(&str, usize); 6] = [
    ("clients", 706),
    ("proxy_clients", 26),
    ("rtsp_clients", 29),
    ("sip_clients", 14),
    ("real_pairs", 350),
    ("servers_probed", 629),
];
