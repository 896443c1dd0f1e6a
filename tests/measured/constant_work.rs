//! How many instructions a check takes: as many for a user who does not exist as for a wrong
//! password, however long names and passwords are, and as many for a response or a nonce that is
//! nearly right as for one that is not.
//!
//! Where there is no valgrind the test says so and checks nothing.

use std::hint::black_box;
use std::iter;

use countersign::Target;
use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::Attempt;

use crate::callgrind;
use crate::support::basic_header;
use crate::support::digest::hex_len;
use crate::support::server::{Answer, REALM, Service, realm};

/// How many inputs are counted together: to tell the counts of each call apart takes longer than
/// the calls.
const BATCH: usize = 10;

/// Whether all is measured. Without optimisation it takes ten times as long, and the ends of each
/// range do.
const IN_FULL: bool = !cfg!(debug_assertions);

/// How many batches of each case that differs in contents; of one that differs in lengths it is one.
const BATCHES: usize = if IN_FULL { 10 } else { 2 };

/// Lengths of user names, and of stored passwords: from less than one block of a hash function to
/// several. The longest of both and the realm come to the 360 bytes that `verify_password` has as
/// its limit.
const NAMES: &[usize] = if IN_FULL {
    &[1, 6, 18, 40, 90]
} else {
    &[1, 90]
};
#[cfg(feature = "md5")]
const SHORT_PASSWORDS: &[usize] = if IN_FULL { &[1, 7, 18, 24] } else { &[1, 24] };
const PASSWORDS: &[usize] = if IN_FULL {
    &[1, 7, 18, 24, 100, 360 - 90 - REALM.len()]
} else {
    &[1, 360 - 90 - REALM.len()]
};

/// By how much one may differ from another.
const TOLERANCE: f64 = 0.01;

#[inline(never)]
fn measured_begin(service: &Service, header: &str, target: &Target<'_>) {
    black_box(service.begin(header, target).is_ok());
}

#[inline(never)]
fn measured_verify(attempt: Attempt<'_>, ha1: Option<&Ha1>) -> bool {
    attempt.verify(ha1).is_ok()
}

#[inline(never)]
fn measured_password(attempt: Attempt<'_>, user: Option<(&str, &str)>) -> bool {
    attempt.verify_password(user, as_stored).is_ok()
}

/// No closure: its name would begin with that of the function around it, and callgrind would stop
/// to count where `verify_password` begins, which has it in its own name.
fn as_stored<'s>(user: &'s (&str, &str)) -> (&'s str, &'s str) {
    *user
}

#[inline(never)]
fn measured_refusal(service: &Service, header: &str, target: &Target<'_>, ha1: Option<&Ha1>) {
    let attempt = service.begin(header, target).unwrap();
    black_box(attempt.verify(ha1).unwrap_err().challenges.len());
}

/// What must cost the same.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Check {
    Nonce,
    /// The whole of a refusal by the server that a program keeps.
    Refusal,
    Digest(Algorithm),
    DigestByPassword(Algorithm),
    Basic,
    BasicByPassword,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// All of it: the response, the password, the MAC of the nonce.
    Wrong,
    WrongInTheFirstDigit,
    WrongInTheLastDigit,
    UnknownUser,
    /// The store has an HA1, but of another hash.
    OtherHash,
    Right,
}

impl Check {
    const fn algorithm(self) -> Algorithm {
        match self {
            Self::Digest(algorithm) | Self::DigestByPassword(algorithm) => algorithm,
            _ => Algorithm::SHA_256,
        }
    }
}

/// Inputs that differ in nothing that may change the work.
#[derive(Clone, Copy, Debug)]
struct Case {
    kind: Kind,
    /// Lengths in bytes: of the name, which is claimed as it is stored, and of the stored password.
    name: usize,
    password: usize,
    batches: usize,
}

/// What is measured, in this order. All cases of a group must take the same work.
fn plan() -> Vec<(Check, Vec<Case>)> {
    use Kind::{OtherHash, Right, UnknownUser, Wrong, WrongInTheFirstDigit, WrongInTheLastDigit};
    const DIGITS: &[Kind] = &[Wrong, WrongInTheFirstDigit, WrongInTheLastDigit];
    const NONCES: &[Kind] = &[Wrong, WrongInTheFirstDigit, WrongInTheLastDigit, Right];
    const STORED: &[Kind] = &[Wrong, UnknownUser, OtherHash];
    const USERS: &[Kind] = &[Wrong, UnknownUser];
    const SHA_256: Algorithm = Algorithm::SHA_256;
    let case = |kind, name, password, batches| Case {
        kind,
        name,
        password,
        batches,
    };
    let mut plan: Vec<(Check, Vec<Case>)> = Vec::new();
    for (check, kinds) in [
        (Check::Nonce, NONCES),
        (Check::Digest(SHA_256), DIGITS),
        (Check::Digest(SHA_256), STORED),
        (Check::Basic, STORED),
        (Check::Refusal, STORED),
        (Check::Digest(Algorithm::SHA_512_256_SESS), DIGITS),
        (Check::Digest(Algorithm::SHA_512_256_SESS), STORED),
        #[cfg(feature = "md5")]
        (Check::Digest(Algorithm::MD5), DIGITS),
        #[cfg(feature = "md5")]
        (Check::Digest(Algorithm::MD5), STORED),
        (Check::Basic, USERS),
        (Check::DigestByPassword(SHA_256), USERS),
        (Check::BasicByPassword, USERS),
    ] {
        let cases = kinds.iter().map(|kind| case(*kind, 7, 18, BATCHES));
        plan.push((check, cases.collect()));
    }
    // Here the work of the caller, who found the HA1, is not measured.
    for check in [Check::Digest(SHA_256), Check::Basic] {
        plan.extend(NAMES.iter().map(|&name| {
            let kinds = [UnknownUser, Wrong, OtherHash];
            (check, kinds.map(|kind| case(kind, name, 18, 1)).to_vec())
        }));
    }
    // The blocks of MD5 cost so little that for passwords of several blocks the calls they are handed
    // over in show: up to 1.9 % of the whole, but less than half a block.
    for (check, passwords) in [
        (Check::DigestByPassword(SHA_256), PASSWORDS),
        (Check::DigestByPassword(Algorithm::SHA_512_256), PASSWORDS),
        #[cfg(feature = "md5")]
        (Check::DigestByPassword(Algorithm::MD5), SHORT_PASSWORDS),
        (Check::BasicByPassword, PASSWORDS),
    ] {
        plan.extend(NAMES.iter().map(|&name| {
            let wrong = passwords
                .iter()
                .map(|&password| case(Wrong, name, password, 1));
            let cases = iter::once(case(UnknownUser, name, 18, 1)).chain(wrong);
            (check, cases.collect())
        }));
    }
    plan
}

#[test]
fn equal_instructions_whatever_is_wrong() {
    let Some(counts) = callgrind::count("constant_work::worker") else {
        return;
    };
    let counts = &mut counts.into_iter();
    let mut wrong = Vec::new();
    for (check, cases) in plan() {
        let mut reference = None;
        for case in cases {
            let batches: Vec<u64> = counts.take(case.batches).collect();
            assert_eq!(batches.len(), case.batches, "{check:?}, {case:?}");
            let each = |count: Option<&u64>| *count.unwrap() as f64 / BATCH as f64;
            let [least, most] = [each(batches.iter().min()), each(batches.iter().max())];
            let reference = *reference.get_or_insert(least);
            let off = [least, most].map(|count| count / reference - 1.0);
            let [low, high] = off.map(|off| off * 100.0);
            let name = format!("{check:?}, {case:?}");
            println!("{name:110} {least:9.1} to {most:9.1} ({low:+.2} % to {high:+.2} %)");
            if off.iter().any(|off| off.abs() > TOLERANCE) {
                wrong.push(name);
            }
        }
    }
    assert_eq!(counts.next(), None);
    assert!(wrong.is_empty(), "too far off: {wrong:?}");
}

/// Does all of it once; the other test runs this one in callgrind.
#[test]
fn worker() {
    for (check, cases) in plan() {
        let algorithm = check.algorithm();
        let server = realm().with_algorithms(&[algorithm]).with_basic();
        let service = Service::new(server);
        for case in cases {
            for number in 0..case.batches * BATCH {
                measure(&service, check, case, number);
                if (number + 1) % BATCH == 0 {
                    callgrind::batch_is_over(number);
                }
            }
        }
    }
}

/// Text of this length, another for each number up to ten at least.
fn text(length: usize, number: usize) -> String {
    let digits = format!("{number:03}");
    digits.chars().rev().cycle().take(length).collect()
}

fn measure(service: &Service, check: Check, case: Case, number: usize) {
    let kind = case.kind;
    let password = text(case.password, number);
    let mut answer = Answer {
        algorithm: check.algorithm(),
        user: text(case.name, number),
        password: password.clone(),
        ..service.answer()
    };
    let nonce = check == Check::Nonce;
    match kind {
        // Of the time and the salt nothing is secret.
        Kind::Wrong if nonce => answer.nonce.replace_range(20.., "AAAAAAAAAAAAAAAAAAAA"),
        Kind::WrongInTheFirstDigit if nonce => spoil(&mut answer.nonce, 20),
        Kind::WrongInTheLastDigit if nonce => spoil(&mut answer.nonce, 39),
        // Of one length, because that is the client's choice, and no secret.
        Kind::Wrong | Kind::UnknownUser => answer.password = format!("wrong password {number:03}"),
        _ => {}
    }
    let mut header = match check {
        Check::Basic | Check::BasicByPassword => basic_header(&answer.user, &answer.password),
        _ => answer.header(),
    };
    // The response is last, before a quote.
    let end = header.len() - 1;
    match kind {
        Kind::WrongInTheFirstDigit if !nonce => {
            spoil(&mut header, end - hex_len(answer.algorithm.hash_function()));
        }
        Kind::WrongInTheLastDigit if !nonce => spoil(&mut header, end - 1),
        _ => {}
    }
    let target = answer.target();
    let begin = || service.begin(&header, &target).unwrap();
    let known = kind != Kind::UnknownUser;
    let verified = match check {
        Check::Nonce => return measured_begin(service, &header, &target),
        Check::Digest(_) | Check::Basic | Check::Refusal => {
            let hash = match (kind, answer.algorithm.hash_function()) {
                (Kind::OtherHash, HashFunction::Sha256) => HashFunction::Sha512_256,
                (Kind::OtherHash, _) => HashFunction::Sha256,
                (_, hash) => hash,
            };
            let stored = Ha1::new(hash, &answer.user, REALM, &password);
            let stored = Some(&stored).filter(|_| known);
            if check == Check::Refusal {
                return measured_refusal(service, &header, &target, stored);
            }
            // Before each measured call the same one, not counted: the memory that it frees is at hand
            // then, and the allocator has the same work in each case.
            drop(begin().verify(stored));
            measured_verify(begin(), stored)
        }
        Check::DigestByPassword(_) | Check::BasicByPassword => {
            let user = (answer.user.as_str(), &*password);
            let user = Some(user).filter(|_| known);
            drop(begin().verify_password(user, as_stored));
            measured_password(begin(), user)
        }
    };
    assert_eq!(verified, kind == Kind::Right, "{check:?}, {case:?}");
}

/// Changes one digit of hex or base64.
fn spoil(digits: &mut String, at: usize) {
    let is_one = digits[at..].starts_with('1');
    digits.replace_range(at..=at, if is_one { "2" } else { "1" });
}
