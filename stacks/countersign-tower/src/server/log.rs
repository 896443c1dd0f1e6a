//! Events for `tracing`.

use tracing::{Level, debug, enabled, warn};

use crate::server::event::Event;
use crate::server::outcome::Outcome;

/// Returns whether anybody wants to know.
pub(super) fn is_wanted(outcome: &Outcome<'_>) -> bool {
    match outcome.is_server_fault() {
        true => enabled!(target: TARGET, Level::WARN),
        false => enabled!(target: TARGET, Level::DEBUG),
    }
}

pub(super) fn log(event: &Event<'_>) {
    let outcome = &event.outcome;
    match outcome.is_server_fault() {
        true => warn!(target: TARGET, "{event}: {outcome}"),
        false => debug!(target: TARGET, "{event}: {outcome}"),
    }
}

const TARGET: &str = "countersign_tower";

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use countersign::server::Reason;
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Metadata, Subscriber};

    use super::*;

    /// Keeps the level and text of each event.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<(Level, String)>>>);

    impl Subscriber for Kept {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &tracing::Event<'_>) {
            struct Text(String);
            impl Visit for Text {
                fn record_debug(&mut self, _: &Field, value: &dyn std::fmt::Debug) {
                    self.0 = format!("{value:?}");
                }
            }
            let mut text = Text(String::new());
            event.record(&mut text);
            let level = *event.metadata().level();
            self.0.lock().unwrap().push((level, text.0));
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn faults_of_the_server_are_warnings() {
        let kept = Kept::default();
        let (head, ()) = http::Request::new(()).into_parts();
        let tell = |outcome| {
            assert!(is_wanted(&outcome));
            log(&Event {
                head: &head,
                address: None,
                uri: "/",
                realm: "files",
                user: None,
                outcome,
                status: None,
            });
        };
        tracing::subscriber::with_default(kept.clone(), || {
            tell(Outcome::NoAddress);
            tell(Outcome::Refused(Reason::WrongCredentials));
        });
        let kept = kept.0.lock().unwrap();
        let [(first, fault), (second, refused)] = &kept[..] else {
            panic!("{kept:?}")
        };
        assert_eq!((*first, *second), (Level::WARN, Level::DEBUG));
        assert!(
            fault.starts_with("no-address from - in \"files\""),
            "{fault}"
        );
        assert!(
            refused.starts_with("wrong-credentials from - "),
            "{refused}"
        );
    }
}
