//! The tables in the documentation of `countersign::client::states`, each cell once.

mod beside_the_tables;
mod chosen;
mod late;
mod not_there;
mod ready;
mod refused_answer;

use countersign::client::Policy;

use crate::support::client::{CHALLENGE, Dialog, Said};

const BASIC: &str = r#"Basic realm="r""#;
const BOTH: [&str; 2] = [CHALLENGE, BASIC];

/// Nothing a client could use; it may still take it for being asked.
const UNUSABLE: &str = "Newauth";

fn idle() -> Dialog {
    Dialog::new(Policy::new())
}

fn chosen(by: &str) -> Dialog {
    let mut dialog = idle();
    assert_eq!(dialog.challenged([by]), Said::Login);
    dialog
}

/// In an exchange that has not been answered yet.
fn ready(by: &str) -> Dialog {
    Dialog::logged_in(Policy::new(), by)
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Chosen,
    Ready,
}

/// Finds the state out by trying: only `Ready` has credentials that fit.
fn state(dialog: &Dialog, fitting: &str) -> State {
    let mut dialog = dialog.clone();
    dialog.next_exchange();
    match dialog.challenged([fitting]) {
        Said::Login => State::Chosen,
        Said::Retry => State::Ready,
        other => panic!("{other:?}"),
    }
}

fn wrong() -> Said {
    Said::WrongCredentials
}
