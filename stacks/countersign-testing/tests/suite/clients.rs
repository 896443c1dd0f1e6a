//! Faults of clients are found, and nothing is found in clients without.

use countersign_testing::client::{ClientCheck, Scenario};
use countersign_testing::{Report, Verdict};

use crate::toys::client::{Client, REALM};
use crate::toys::{self, PASSWORD, USER};

fn run(fault: &'static str) -> Report<Scenario> {
    run_without(fault, &[])
}

fn run_without(fault: &'static str, scenarios: &[Scenario]) -> Report<Scenario> {
    let check = ClientCheck::new(USER, PASSWORD);
    let check = match fault.starts_with("one realm: ") {
        true => check.with_realm(REALM),
        false => check,
    };
    check.without(scenarios).run(|network| {
        let mut client = Client::new(fault, network);
        move |request| client.fetch(request)
    })
}

#[test]
fn clients_without_a_fault_pass_everything() {
    use Scenario::*;
    for (honest, not_tried) in [
        ("", &[OtherRealm][..]),
        ("one realm: none", &[QuotedRealm, TwoRealms]),
    ] {
        let report = run(honest);
        report.assert_clean();
        let skipped = |it: &&Scenario| report.verdict(**it) == Verdict::Skipped;
        let skipped = Scenario::ALL.iter().filter(skipped);
        assert!(skipped.eq(not_tried), "{report}");
    }
}

#[test]
fn each_fault_is_found_by_its_scenarios() {
    toys::each_is_found(
        include_str!("toys/clients.txt"),
        Scenario::Malformed,
        run_without,
    );
}

/// These break nearly everything.
#[test]
fn gross_faults_are_found_at_once() {
    for fault in [
        "never answers",
        "hashes names unasked",
        "does not quote uri",
        "drops qop",
        "drops the query",
        "sends Basic unasked",
    ] {
        let report = run(fault);
        assert_eq!(report.verdict(Scenario::Login), Verdict::Failed, "{report}");
    }
}
