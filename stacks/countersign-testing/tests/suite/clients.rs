//! Faults of clients are found, and nothing is found in clients without.

use countersign_testing::client::{ClientCheck, Scenario};
use countersign_testing::{Finding, Report, Verdict};

use crate::toys::client::{Client, Fault};
use crate::toys::{PASSWORD, USER};

fn run(fault: Fault) -> Report<Scenario> {
    ClientCheck::new(USER, PASSWORD).run(|network| {
        let mut client = Client::new(fault, network);
        move |request| client.fetch(request)
    })
}

#[test]
fn a_toy_without_a_fault_passes_everything() {
    let report = run(Fault::None);
    report.assert_clean();
    let not_passed = |finding: &&Finding<Scenario>| finding.verdict != Verdict::Passed;
    // It has one password for all realms.
    let others = report.findings().iter().filter(not_passed);
    let others: Vec<_> = others.map(|finding| finding.scenario).collect();
    assert_eq!(others, [Scenario::OtherRealm], "{report}");
}

/// Each fault with the scenarios that find it: these and no others, so that a scenario tells
/// what is wrong.
#[test]
fn each_fault_is_found_by_its_scenarios() {
    use Scenario::*;
    let faults: &[(Fault, &[Scenario])] = &[
        (Fault::RepeatsCounts, &[SecondRequest]),
        (Fault::QuotesQop, &[Form]),
        (Fault::WritesShortCounts, &[Form]),
        (Fault::HashesEscapes, &[QuotedRealm]),
        (Fault::DropsOpaque, &[Opaque, NoOpaque]),
        (Fault::UnescapesOpaque, &[Opaque]),
        (Fault::InventsOpaque, &[NoOpaque]),
        (Fault::ForgetsSessionKey, &[EachAlgorithm]),
        (Fault::TakesUnknownForSha256, &[UnknownAlgorithm]),
        (Fault::AnswersEveryQop, &[UnknownAlgorithm]),
        (Fault::SendsQopUnasked, &[Rfc2069]),
        (Fault::ForgetsBody, &[AuthInt]),
        (Fault::TakesTheFirst, &[StrongestLast]),
        (Fault::TakesTheLast, &[StrongestFirst]),
        (Fault::TakesMd5, &[StrongestFirst, StrongestLast]),
        (Fault::ReadsFirstFieldUpToComma, &[OneField]),
        (Fault::SendsBasicInTheClear, &[CleartextBasic]),
        (Fault::DowngradesToBasic, &[Downgrade]),
        (Fault::IgnoresStale, &[StaleNonce]),
        (Fault::IgnoresNextNonce, &[NextNonce]),
        (Fault::RepeatsCnonces, &[FreshCnonce]),
        (Fault::BelievesAnyProof, &[WrongProof]),
        (Fault::RetriesForEver, &[Refusals, StaleForever]),
        (Fault::RetriesStaleForEver, &[StaleForever]),
        (
            Fault::AnswersWithoutChallenge,
            &[UnknownAlgorithm, NoChallenge],
        ),
        (Fault::PanicsOnNoise, &[Malformed]),
    ];
    let mut wrong = Vec::new();
    let is_about_md5 = |fault| {
        matches!(
            fault,
            Fault::TakesTheFirst | Fault::TakesTheLast | Fault::TakesMd5
        )
    };
    for (fault, expected) in faults {
        if is_about_md5(*fault) && cfg!(not(feature = "md5")) {
            continue;
        }
        let report = run(*fault);
        if report.failed() != *expected {
            wrong.push(format!("{fault:?}: {:?}\n{report}", report.failed()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// These break nearly everything.
#[test]
fn gross_faults_are_found_at_once() {
    for fault in [Fault::NeverAnswers, Fault::DropsQop, Fault::ForgetsQuery] {
        let report = run(fault);
        assert_eq!(report.verdict(Scenario::Login), Verdict::Failed, "{report}");
    }
}
