//! Which version of a peer is installed.

use crate::process::{command, is_runnable, run};

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
    let is_version = |word: &&str| {
        let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits = number.find(|c: char| !c.is_ascii_digit());
        digits.is_some_and(|end| end > 0 && number[end..].starts_with('.'))
    };
    let missing = text.contains("not found") || text.contains("Cannot find module");
    let word = text
        .split_whitespace()
        .find(is_version)
        .filter(|_| !missing)?;
    let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = number.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    Some(number[..end.unwrap_or(number.len())].to_owned())
}

/// The version of a package of Node.
pub(super) fn node_package(name: &str) -> Option<String> {
    let find = format!(
        "const {{ readFileSync }} = require('fs');\
         const path = require.resolve('{name}').split('/{name}/')[0];\
         console.log(JSON.parse(readFileSync(path + '/{name}/package.json')).version)"
    );
    let is_there = is_runnable("node", &["-e", &find]);
    is_there.then(|| version("node", &["-e", &find])).flatten()
}
