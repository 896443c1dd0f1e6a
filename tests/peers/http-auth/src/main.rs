//! Sends a request to each URL again and again; prints the statuses.
//!
//! `http-auth-client SCHEME "URL ..." USER PASSWORD METHOD BODY COUNT`

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;

use http_auth::{PasswordClient, PasswordParams};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let [urls, user, password, method, body, count] = &arguments[..] else {
        return Err("arguments".into());
    };
    let mut client: Option<PasswordClient> = None;
    for _ in 0..count.parse()? {
        for url in urls.split(' ') {
            let rest = url.strip_prefix("http://").ok_or("no http:")?;
            let (host, uri) = rest.split_at(rest.find('/').ok_or("no path")?);
            let mut answer = |client: &mut PasswordClient| {
                let (username, body) = (user, Some(body.as_bytes()));
                client.respond(&PasswordParams {
                    username,
                    password,
                    uri,
                    method,
                    body,
                })
            };
            // Once more after a refusal, if it has new challenges for an old answer, or the first.
            let mut is_new = false;
            loop {
                let field = client.as_mut().map(&mut answer).transpose()?;
                let field = field.map(|value| format!("authorization: {value}\r\n"));
                let rest = format!(
                    "{}host: {host}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                    field.unwrap_or_default(),
                    body.len(),
                );
                let mut stream = TcpStream::connect(host)?;
                write!(stream, "{method} {uri} HTTP/1.1\r\n{rest}")?;
                let mut response = String::new();
                stream.read_to_string(&mut response)?;
                let status = response.split(' ').nth(1).ok_or("no status")?;
                if status != "401" || is_new {
                    println!("{status}");
                    break;
                }
                let fields = response.lines().filter_map(|line| line.split_once(": "));
                let challenges = fields.filter(|(name, _)| *name == "www-authenticate");
                let challenges: Vec<_> = challenges.map(|(_, value)| value).collect();
                client = Some(PasswordClient::try_from(challenges.join(", ").as_str())?);
                is_new = true;
            }
        }
    }
    Ok(())
}
