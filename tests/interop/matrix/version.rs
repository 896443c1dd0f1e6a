//! Which version of a peer is installed.

use super::script;
use crate::process::{command, run};

/// What a program says of its version: the first word with a digit and a dot, without what is
/// around the number. `None` if it cannot be run.
pub(super) fn version(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = command("sh");
    // sh, so that a program that is not there is no panic.
    command
        .args(["-c", "exec \"$0\" \"$@\"", program])
        .args(arguments);
    let output = run(&mut command);
    // What a wrapper complains of comes second.
    let text = output.stdout + "\n" + &output.stderr;
    number(&text).filter(|_| !text.contains("not found"))
}

fn number(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits = number.find(|c: char| !c.is_ascii_digit());
        digits.is_some_and(|end| end > 0 && number[end..].starts_with('.'))
    };
    let word = text.split_whitespace().find(is_version)?;
    let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = number.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    Some(number[..end.unwrap_or(number.len())].to_owned())
}

/// The same of a script of `tests/peers`, which prints it if it is given nothing more, and fails if
/// what it drives is not there.
pub(super) fn version_by_script(run: &str) -> Option<String> {
    let output = script(run).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let version = number(&String::from_utf8_lossy(&text));
    version.filter(|_| output.status.success())
}
