//! The channel on which clients reach a server.
use countersign::wire::basic_credentials;
use countersign::{Challenger, Channel};
use hyper::StatusCode;

use crate::Error;
use crate::program::Program;
use crate::visitor::send;

const ENCRYPTED: &str = "encrypted";

/// The channel by the words after a server's address: `encrypted` if clients reach it by TLS only, or
/// none if it is in clear. The address does not tell: a server behind a reverse proxy listens on
/// loopback, and its clients may reach that proxy in clear. Only who starts it knows.
pub fn channel(words: &[String]) -> Result<Channel, Error> {
    match words {
        [] => Ok(Channel::Cleartext),
        [word] if word == ENCRYPTED => Ok(Channel::Encrypted),
        _ => Err(format!("{words:?}: not `{ENCRYPTED}`").into()),
    }
}

/// Starts this program as a server, by its arguments, and again with `encrypted` after them: only then
/// may it offer and take Basic.
pub async fn check_channel(
    args: &[&str],
    path: &str,
    (name, password): (&str, &str),
) -> Result<(), Error> {
    let program = std::env::current_exe()?;
    let encrypted = [args, &[ENCRYPTED]].concat();
    let field = basic_credentials(name, password)?;
    for (args, is_offered) in [(args, false), (&encrypted, true)] {
        let server = Program::start(&program, args)?;
        let address = server.address.parse()?;
        let bare = send(address, "GET", path, None, "").await?;
        let challenges = bare.headers().get_all(Challenger::Origin.challenge_field());
        let offers = challenges
            .iter()
            .any(|value| value.as_bytes().starts_with(b"Basic"));
        let field = Some((Challenger::Origin.credentials_field(), &field));
        let status = send(address, "GET", path, field, "").await?.status();
        println!("{args:?}: Basic offered: {offers}, and answered with {status}");
        assert_eq!(offers, is_offered, "{args:?}");
        assert_eq!(status == StatusCode::OK, is_offered, "{args:?}");
    }
    Ok(())
}
