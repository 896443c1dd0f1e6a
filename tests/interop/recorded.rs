//! What clients send that are not installed, or are heavy to install: `serve` against the form of
//! their headers, as it was recorded.

use countersign::digest::{Algorithm, Ha1};
use countersign::wire::{QopParams, ha2, response};

use crate::programs::Serve;
use crate::wire;
use crate::{PASSWORD, USER, is_known};

/// What a client says in its own way.
struct Form {
    algorithm: Algorithm,
    target: &'static str,
    uri: &'static str,
    cnonce: &'static str,
}

const PLAIN: Form = Form {
    algorithm: Algorithm::SHA_256,
    target: "/",
    uri: "/",
    cnonce: "0a4f113b",
};

/// Asks a new server for a nonce and answers with it, as often as there are counts; says what
/// became of the answers.
fn outcomes(form: &Form, counts: &[&str], options: &[&str]) -> Vec<(u16, String)> {
    let algorithm = form.algorithm;
    let options = [&["--algorithm", algorithm.as_str()], options].concat();
    let serve = Serve::start(&options);
    let request_line = format!("GET {}", form.target);
    let challenged = wire::send(&serve.address, &request_line, &[]);
    let challenge = wire::field(&challenged, "www-authenticate").unwrap();
    let (_, nonce) = challenge.split_once("nonce=\"").unwrap();
    let nonce = nonce.split('"').next().unwrap();
    for nc in counts {
        let mut ha1 = Ha1::new(algorithm.hash_function(), USER, "example", PASSWORD);
        let protection = QopParams::new("auth", nc, form.cnonce).unwrap();
        if algorithm.is_sess() {
            ha1 = ha1.session_key(nonce, form.cnonce);
        }
        let ha2 = ha2(algorithm.hash_function(), "GET", form.uri, None);
        let response = response(&ha1, nonce, Some(&protection), &ha2);
        let credentials = format!(
            "Authorization: Digest username=\"{USER}\", realm=\"example\", nonce=\"{nonce}\", \
             uri=\"{}\", algorithm={algorithm}, qop=auth, nc={nc}, cnonce=\"{}\", response=\"{}\"",
            form.uri,
            form.cnonce,
            response.as_str()
        );
        wire::send(&serve.address, &request_line, &[&credentials]);
    }
    let log = serve.stop();
    let answers = log.into_iter().skip(1);
    answers.map(|line| (line.status, line.outcome)).collect()
}

fn granted() -> (u16, String) {
    (200, "granted Mufasa".to_owned())
}

#[test]
fn ruby_counts_from_zero() {
    // net-http-digest_auth 1.4.1, which Mechanize uses.
    let log = outcomes(&PLAIN, &["00000000", "00000001", "00000000"], &[]);
    assert_eq!(log[..2], [granted(), granted()]);
    assert_eq!(log[2], (401, "replayed".to_owned()));
}

#[test]
fn cnonces_like_hashes_take_permission() {
    // Qt 5, npm request, Commons HttpClient 3.1 and the crates digest_auth 0.3 and http-auth 0.1
    // send 32 digits. Those of SHA-256 are 64, which nobody was seen to send.
    let md5 = ("MD5-sess", "5ccc069c403ebaf9f0171e9517f40e41");
    let sha256 = (
        "SHA-256-sess",
        "5ccc069c403ebaf9f0171e9517f40e415ccc069c403ebaf9f0171e9517f40e41",
    );
    for (algorithm, cnonce) in [md5, sha256] {
        if !is_known(algorithm) {
            continue;
        }
        let form = Form {
            algorithm: algorithm.parse().unwrap(),
            cnonce,
            ..PLAIN
        };
        let refused = outcomes(&form, &["00000001"], &[]);
        assert_eq!(refused, [(401, "session-cnonce".to_owned())]);
        let served = outcomes(&form, &["00000001", "00000002"], &["--hash-like-cnonces"]);
        assert_eq!(served, [granted(), granted()]);
    }
}

#[test]
fn uris_encoded_otherwise_take_permission() {
    // cpp-httplib 0.11.4 encodes the request-target, and not the uri.
    let form = Form {
        target: "/a%2Cb%2Bc%3Bd%27e?x=1%2C2&y=a%20b",
        uri: "/a,b+c;d'e?x=1,2&y=a b",
        ..PLAIN
    };
    for check in ["exact", "normalized"] {
        let refused = outcomes(&form, &["00000001"], &["--uri-check", check]);
        assert_eq!(refused, [(400, "uri-mismatch".to_owned())], "{check}");
    }
    let served = outcomes(&form, &["00000001"], &["--uri-check", "decoded"]);
    assert_eq!(served, [granted()]);
}
