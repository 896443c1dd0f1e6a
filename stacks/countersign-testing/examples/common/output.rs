//! Reports for people and for programs.

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;

use countersign_testing::{Report, Verdict};
use serde_json::json;

/// Status of a run that could not be made, or not to its end.
pub(crate) const NOT_RUN: u8 = 2;

/// Where a report goes besides the terminal.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) json: Option<String>,
    pub(crate) junit: Option<String>,
}

/// Prints and writes a report: 0 if all scenarios passed, 1 if one failed, 3 if one passed with a
/// note, and 2 if some were not run for want of time.
pub(crate) fn finish<S: Display>(
    report: &Report<S>,
    files: &Files,
) -> Result<ExitCode, Box<dyn Error>> {
    println!("{report}");
    if let Some(file) = &files.json {
        std::fs::write(file, json(report))?;
    }
    if let Some(file) = &files.junit {
        std::fs::write(file, junit(report))?;
    }
    let is_late = report
        .findings()
        .iter()
        .any(|it| it.actual == "the time is over");
    Ok(match (report.is_clean(), report.notes().next().is_none()) {
        (false, _) => ExitCode::FAILURE,
        (true, _) if is_late => ExitCode::from(NOT_RUN),
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(3),
    })
}

fn json<S: Display>(report: &Report<S>) -> String {
    let findings = report.findings().iter().map(|it| {
        json!({
            "scenario": it.scenario.to_string(),
            "verdict": it.verdict.to_string().to_lowercase(),
            "expected": it.expected,
            "actual": it.actual,
            "seconds": it.took.as_secs_f64(),
            "messages": it.messages,
        })
    });
    let findings: Vec<_> = findings.collect();
    format!("{:#}\n", json!({ "findings": findings }))
}

fn junit<S: Display>(report: &Report<S>) -> String {
    let count = |verdict| {
        let all = report.findings().iter();
        all.filter(|it| it.verdict == verdict).count()
    };
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"countersign-testing\" \
         tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        report.findings().len(),
        count(Verdict::Failed),
        count(Verdict::Skipped),
    );
    for it in report.findings() {
        let name = escaped(&it.scenario.to_string());
        let (expected, actual) = (escaped(it.expected), escaped(&it.actual));
        let seconds = it.took.as_secs_f64();
        let inner = match it.verdict {
            Verdict::Passed => String::new(),
            Verdict::Noted => format!("<system-out>{actual}; better: {expected}</system-out>"),
            Verdict::Skipped => format!("<skipped message=\"{actual}\"/>"),
            Verdict::Failed => {
                let messages = escaped(&it.messages.join("\n"));
                format!("<failure message=\"{actual}\">expected: {expected}\n{messages}</failure>")
            }
        };
        text += &format!("  <testcase name=\"{name}\" time=\"{seconds:.3}\">{inner}</testcase>\n");
    }
    text + "</testsuite>\n"
}

/// The text in XML, without control characters, which XML can not have.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '"' => escaped += "&quot;",
            '\n' => escaped += "&#10;",
            _ if letter.is_control() => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}
