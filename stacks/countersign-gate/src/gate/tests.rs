//! The gate is asked as nginx asks it.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use countersign::digest::{Ha1, HashFunction};
use countersign::wire::{QopParams, ha2, response};
use http::Request;

use super::*;
use crate::users::Files;

const BASIC: &str = "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl";

impl Gate {
    /// How many users are in force.
    pub fn users(&self) -> usize {
        lock(&self.state).users.len()
    }

    pub fn has_user(&self, name: &[u8]) -> bool {
        lock(&self.state).users.find(name).is_some()
    }
}

fn users(names: &[&str]) -> Users {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        Some(path)
    };
    let line = |name: &&str| {
        let ha1 = Ha1::new(HashFunction::Sha256, name, "files", "Circle of Life");
        format!("{name}:files:{}\n", ha1.as_hex())
    };
    // bcrypt, slow enough to look at it under way.
    let hash = "$2y$05$PGUvu8TPHs1EpYNOeJVHdexDZjCATbao9XJkihVMbT60N/kbKfPva";
    let files = Files {
        realm: "files".into(),
        digest: write("htdigest", names.iter().map(line).collect()),
        basic: write(
            "htpasswd",
            names.iter().map(|it| format!("{it}:{hash}\n")).collect(),
        ),
    };
    files.read().unwrap()
}

fn gate() -> Gate {
    Gate::new(Convention::Nginx, users(&["Mufasa", "Simba"]), 20).unwrap()
}

#[derive(Clone)]
struct Asked {
    id: &'static str,
    method: &'static str,
    target: &'static str,
    address: &'static str,
    scheme: &'static str,
    credentials: String,
}

impl Asked {
    fn head(&self) -> Parts {
        let request = Request::get("/")
            .header("x-gate-request", format!("{}.1.1.1", self.id))
            .header("x-original-method", self.method)
            .header("x-original-uri", self.target)
            .header("x-forwarded-for", self.address)
            .header("x-forwarded-proto", self.scheme);
        let request = match &*self.credentials {
            "" => request,
            value => request.header("authorization", value),
        };
        request.body(()).unwrap().into_parts().0
    }

    async fn of(&self, gate: &Gate) -> Response<Body> {
        gate.respond(&self.head(), false).await
    }

    async fn status(&self, gate: &Gate) -> u16 {
        self.of(gate).await.status().as_u16()
    }
}

/// A request with the right answer to a new challenge.
async fn login(gate: &Gate, password: &str) -> Asked {
    let mut asked = Asked {
        id: "a",
        method: "GET",
        target: "/x",
        address: "192.0.2.1",
        scheme: "http",
        credentials: String::new(),
    };
    let refused = asked.of(gate).await;
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap();
    let nonce = challenge
        .split("nonce=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", password);
    let qop = QopParams::new("auth", "00000001", "c").unwrap();
    let digest = response(
        &ha1,
        nonce,
        Some(&qop),
        &ha2(HashFunction::Sha256, "GET", "/x", None),
    );
    asked.credentials = format!(
        "Digest username=\"Mufasa\", realm=\"files\", nonce=\"{nonce}\", uri=\"/x\", \
         algorithm=SHA-256, response=\"{digest}\", qop=auth, nc=00000001, cnonce=\"c\""
    );
    asked
}

#[tokio::test]
async fn the_same_request_is_granted_again_and_no_other() {
    let gate = gate();
    let asked = login(&gate, "Circle of Life").await;
    let first = asked.of(&gate).await;
    assert_eq!(first.headers()["x-remote-user"], "Mufasa");
    for _ in 0..3 {
        let again = asked.of(&gate).await;
        assert_eq!(again.headers(), first.headers());
    }
    for other in [
        Asked {
            id: "b",
            ..asked.clone()
        },
        Asked {
            method: "POST",
            ..asked.clone()
        },
        Asked {
            target: "/y",
            ..asked.clone()
        },
        Asked {
            address: "192.0.2.2",
            ..asked.clone()
        },
        Asked {
            scheme: "https",
            ..asked.clone()
        },
        Asked {
            credentials: asked.credentials.replace("Mufasa", "Simba"),
            ..asked.clone()
        },
    ] {
        assert_ne!(other.status(&gate).await, 200, "{}", other.credentials);
    }
}

#[tokio::test]
async fn a_grant_by_basic_over_tls_is_none_in_clear() {
    let gate = gate();
    let asked = login(&gate, "").await;
    let asked = Asked {
        scheme: "https",
        credentials: BASIC.into(),
        ..asked
    };
    assert_eq!(asked.status(&gate).await, 200);
    assert_eq!(
        Asked {
            scheme: "http",
            ..asked
        }
        .status(&gate)
        .await,
        401
    );
}

#[tokio::test]
async fn a_removed_user_is_out_at_once() {
    let gate = gate();
    let asked = login(&gate, "Circle of Life").await;
    assert_eq!(asked.status(&gate).await, 200);
    gate.replace_users(users(&["Simba"]));
    assert_eq!(asked.status(&gate).await, 401);
}

#[tokio::test]
async fn a_check_under_way_is_not_remembered_after_a_change() {
    let gate = gate();
    let asked = login(&gate, "").await;
    let asked = Asked {
        scheme: "https",
        credentials: BASIC.into(),
        ..asked
    };
    let head = asked.head();
    let mut check = pin!(gate.respond(&head, false));
    let is_pending = poll_fn(|cx| Poll::Ready(check.as_mut().poll(cx).is_pending())).await;
    assert!(is_pending);
    gate.replace_users(users(&["Simba"]));
    assert_eq!(check.await.status(), 200, "it began before the change");
    assert_eq!(asked.status(&gate).await, 401);
    assert_eq!(Asked { id: "b", ..asked }.status(&gate).await, 401);
}

#[tokio::test]
async fn a_wrong_password_that_is_asked_about_twice_counts_once() {
    let gate = gate();
    let asked = login(&gate, "wrong").await;
    let first = asked.of(&gate).await;
    assert_eq!(first.status(), 401);
    for _ in 0..30 {
        assert_eq!(asked.of(&gate).await.headers(), first.headers());
    }
    let again = Asked { id: "b", ..asked };
    assert_eq!(again.status(&gate).await, 401);
    let text = gate.text_of_metrics();
    assert!(
        text.contains("{outcome=\"wrong-credentials\"} 2\n"),
        "{text}"
    );
}

#[tokio::test]
async fn the_limit_is_told_in_the_status_of_its_own() {
    let gate = gate();
    let asked = login(&gate, "wrong").await;
    for id in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        .repeat(2)
        .into_iter()
        .enumerate()
    {
        let target = ["/x", "/y"][id.0 / 10];
        let credentials = asked.credentials.replace("/x", target);
        let asked = Asked {
            id: id.1,
            target,
            credentials,
            ..asked.clone()
        };
        assert_eq!(asked.status(&gate).await, 401);
    }
    let limited = Asked { id: "z", ..asked }.of(&gate).await;
    assert_eq!(
        (limited.status().as_u16(), &limited.headers()["x-status"]),
        (403, &"429".parse().unwrap())
    );
    assert!(!limited.headers()["retry-after"].is_empty());
    assert!(!limited.headers().contains_key("www-authenticate"));
}

#[tokio::test]
async fn every_answer_forbids_caches() {
    let gate = gate();
    let asked = login(&gate, "Circle of Life").await;
    let forged = Asked {
        method: "",
        ..asked.clone()
    };
    let twice = Asked {
        credentials: "x".into(),
        ..asked.clone()
    };
    for asked in [asked.clone(), asked, forged, twice] {
        assert_eq!(asked.of(&gate).await.headers()["cache-control"], "no-store");
    }
}

#[tokio::test]
async fn a_password_that_was_right_takes_no_slow_hash() {
    let gate = gate();
    let asked = login(&gate, "").await;
    let asked = Asked {
        scheme: "https",
        credentials: BASIC.into(),
        ..asked
    };
    assert_eq!(asked.status(&gate).await, 200);
    // Nobody else can be checked.
    let _all = gate.hashes.acquire_many(HASHES as u32).await.unwrap();
    assert_eq!(
        Asked {
            id: "b",
            ..asked.clone()
        }
        .status(&gate)
        .await,
        200
    );
    tokio::time::pause();
    let other = Asked {
        credentials: BASIC.replace("TXV", "TXX"),
        ..asked
    };
    let overloaded = other.of(&gate).await;
    assert_eq!(
        (
            overloaded.status().as_u16(),
            &overloaded.headers()["x-status"]
        ),
        (403, &"503".parse().unwrap())
    );
}

#[test]
fn a_name_in_the_log_is_one_line_and_short() {
    let name = "a\nb\"c".repeat(1000);
    let shown = shown(&digest::User::from(&*name));
    assert!(
        shown.starts_with("\"a\\nb\\\"ca\\n") && shown.len() < 120,
        "{shown}"
    );
}

#[tokio::test]
async fn a_user_at_the_limit_takes_no_slow_hash() {
    let gate = gate();
    let asked = login(&gate, "wrong").await;
    for number in 0..20 {
        let credentials = asked
            .credentials
            .replace("cnonce=\"c\"", &format!("cnonce=\"{number}\""));
        let asked = Asked {
            credentials,
            ..asked.clone()
        };
        assert_eq!(asked.status(&gate).await, 401);
    }
    // Nobody can be checked, so an answer shows that nobody was.
    let _all = gate.hashes.acquire_many(HASHES as u32).await.unwrap();
    tokio::time::pause();
    let by_basic = Asked {
        scheme: "https",
        credentials: BASIC.into(),
        ..asked
    };
    assert_eq!(by_basic.of(&gate).await.headers()["x-status"], "429");
}
