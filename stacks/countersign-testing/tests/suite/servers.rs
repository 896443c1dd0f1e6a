//! Faults of servers are found, and nothing is found in servers without.

use countersign_testing::countersign::Channel;
use countersign_testing::server::{Scenario, ServerCheck};
use countersign_testing::{Clock, Report, Verdict};

use crate::toys::server::{LIFETIME_SECS, Server};
use crate::toys::{PASSWORD, USER};

fn run(fault: &'static str) -> Report<Scenario> {
    let clock = Clock::new();
    let mut server = Server::new(fault, &clock);
    let channel = match server.offers_basic() {
        true => Channel::Encrypted,
        false => Channel::Cleartext,
    };
    ServerCheck::new(USER, PASSWORD)
        .with_clock(&clock, LIFETIME_SECS)
        .with_timing(&clock)
        .with_channel(channel)
        .run(|request| server.serve(&request))
}

#[test]
fn servers_without_a_fault_pass_what_they_offer() {
    use Scenario::*;
    for (honest, not_offered) in [
        ("", &[][..]),
        ("plain", &[ChallengeOrder, AuthInt, TamperedBody, Userhash]),
        ("in order", &[]),
        ("no info", &[ServerProof]),
        ("Basic: as it should be", &[CleartextBasic]),
    ] {
        let report = run(honest);
        report.assert_clean();
        let skipped = |it: &&Scenario| report.verdict(**it) == Verdict::Skipped;
        let skipped = Scenario::ALL.iter().filter(skipped);
        let is_about_md5 = |it: &&Scenario| cfg!(not(feature = "md5")) && **it == ChallengeOrder;
        let skipped: Vec<_> = skipped.filter(|it| !is_about_md5(it)).collect();
        let expected: Vec<_> = not_offered.iter().filter(|it| !is_about_md5(it)).collect();
        assert_eq!(skipped, expected, "{honest}: {report}");
    }
}

/// Each fault with the scenarios that find it: these and no others, so that a scenario tells
/// what is wrong.
#[test]
fn each_fault_is_found_by_its_scenarios() {
    use Scenario::*;
    let faults: &[(&str, &[Scenario])] = &[
        ("lets everybody in", &[Challenge, LoginRemembered]),
        ("quotes the algorithm", &[Form]),
        #[cfg(feature = "md5")]
        ("offers MD5 first", &[ChallengeOrder]),
        ("offers Basic in the clear", &[CleartextBasic, Basic]),
        ("takes Basic unoffered", &[Basic]),
        ("remembers a login", &[LoginRemembered]),
        ("makes up nextnonce", &[SecondRequest]),
        ("proves itself with the method", &[ServerProof]),
        // Passwords and names.
        ("always says stale", &[WrongPassword, StaleForWrongPassword]),
        ("proves itself in refusals", &[WrongPassword]),
        (
            "compares once per nonce",
            &[WrongPassword, StaleForWrongPassword],
        ),
        ("unknown users have an empty password", &[EmptyPassword]),
        ("unknown users have an empty hash", &[EmptyPassword]),
        ("tells unknown users by status", &[UnknownUser]),
        ("tells unknown users in text", &[UnknownUser]),
        ("tells unknown users by a field", &[UnknownUser]),
        ("tells unknown users by realm", &[UnknownUser]),
        ("takes its time for unknown users", &[UserTiming]),
        ("ignores the name", &[OtherName]),
        (
            "Basic: compares the start",
            &[WrongPassword, EmptyPassword, Basic, Malformed],
        ),
        (
            "Basic: compares eight letters",
            &[WrongPassword, UnknownUser, UserTiming, Basic],
        ),
        ("Basic: compares without case", &[WrongPassword, Basic]),
        ("Basic: trims passwords", &[WrongPassword, Basic]),
        ("Basic: takes any name", &[UnknownUser, Basic, Malformed]),
        (
            "Basic: unknown users have an empty password",
            &[EmptyPassword, Malformed],
        ),
        // Counts.
        (
            "remembers nothing",
            &[Replay, ReplayRespelled, CountRepeated, OldCounts],
        ),
        ("remembers responses", &[CountRepeated]),
        (
            "remembers the digits as they came",
            &[ReplayRespelled, CountRepeated],
        ),
        ("remembers counts by name", &[ReplayRespelled]),
        ("remembers counts by cnonce", &[CountRepeated]),
        ("remembers the last count", &[OldCounts]),
        ("remembers the last two", &[OldCounts]),
        ("remembers thirty-two", &[OldCounts]),
        ("forgets counts at a jump", &[OldCounts]),
        ("forgets count 0", &[CountRepeated]),
        ("reads counts as decimal", &[OldCounts]),
        ("wants counts in order", &[CountJumped]),
        (
            "counts before it compares",
            &[CountOfWrongAnswer, StaleForWrongPassword],
        ),
        // What a response covers.
        ("ignores uri", &[OtherUri]),
        ("compares the path", &[OtherUri]),
        ("compares uri without case", &[OtherUri]),
        ("takes a longer uri", &[OtherUri]),
        ("takes a shorter uri", &[OtherUri]),
        ("ignores the method", &[OtherMethod, AuthInt]),
        ("takes HEAD for GET", &[OtherMethod]),
        ("takes POST for GET", &[OtherMethod, AuthInt]),
        ("compares methods without case", &[OtherMethod]),
        ("ignores the realm", &[OtherRealm]),
        ("compares the realm without case", &[OtherRealm]),
        ("takes every algorithm", &[OtherAlgorithm]),
        #[cfg(feature = "md5")]
        ("no algorithm is MD5", &[OtherAlgorithm]),
        #[cfg(feature = "md5")]
        ("length is the algorithm", &[OtherAlgorithm]),
        ("takes auth-int unoffered", &[OtherQop]),
        ("takes every qop", &[OtherQop]),
        ("needs no qop", &[QopDropped]),
        ("ignores the body", &[TamperedBody]),
        ("compares the digits that came", &[AlteredResponse]),
        ("compares eight digits", &[AlteredResponse]),
        ("takes more digits", &[AlteredResponse]),
        // How credentials are written.
        ("knows no hashed names", &[Userhash]),
        ("wants the scheme as written", &[OtherSpelling]),
        ("ignores the scheme", &[OtherScheme]),
        ("needs no realm", &[MissingParameter]),
        ("takes the last of two", &[RepeatedParameter]),
        ("takes the first of two", &[RepeatedParameter]),
        ("reads the first field", &[TwoCredentials]),
        ("reads the first credentials", &[TwoCredentials]),
        ("panics on odd names", &[Malformed]),
        ("fails on noise", &[TwoCredentials, Malformed]),
        // Nonces.
        ("takes every nonce", &[ForeignNonce]),
        ("never says stale", &[StaleNonce]),
        ("never expires", &[StaleNonce]),
        ("says stale before it compares", &[StaleForWrongPassword]),
    ];
    let mut wrong = Vec::new();
    for (fault, expected) in faults {
        let report = run(fault);
        if report.failed() != *expected {
            wrong.push(format!("{fault}: {:?}\n{report}", report.failed()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// These break nearly everything.
#[test]
fn gross_faults_are_found() {
    for (fault, scenario) in [
        ("one nonce for all", Scenario::NonceRepeated),
        ("challenges without a challenge", Scenario::Challenge),
        ("panics on noise", Scenario::Malformed),
    ] {
        let report = run(fault);
        assert!(report.failed().contains(&scenario), "{report}");
    }
}
