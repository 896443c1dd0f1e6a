//! Squid, which is a proxy.

use countersign::digest::HashFunction;

use super::Server;
use crate::matrix::version::version;
use crate::process::{TempDir, start_with_file};
use crate::wire::{self, Canned};
use crate::{PASSWORD, REALM, USER, UTF8_PASSWORD, UTF8_USER, htdigest};

/// The passwords in the form of Apache's MD5: its helper knows no SHA-1.
const PASSWORD_APR1: &str = "$apr1$loopback$u0p5ILGdss0vwOj0yacM81";
const UTF8_PASSWORD_APR1: &str = "$apr1$loopback$Wqiq1DGv3YN1w7dgr8m4R0";

const DIGEST: &str = "auth_param digest program /usr/lib/squid/digest_file_auth -c @ROOT@/digests
auth_param digest nonce_max_count 5
auth_param digest children 1
auth_param digest realm test realm";
const BASIC: &str = "auth_param basic program /usr/lib/squid/basic_ncsa_auth @ROOT@/passwords
auth_param basic casesensitive on
auth_param basic utf8 on
auth_param basic children 1
auth_param basic realm test realm";

/// A proxy in front of a server that lets everybody in.
pub(super) fn squid(scheme: &str) -> Server {
    let program = "/usr/sbin/squid";
    let version = version(program, &["-v"]);
    let directory = TempDir::new();
    let digests = [(USER, REALM, PASSWORD), (UTF8_USER, REALM, UTF8_PASSWORD)];
    let digests = digests.map(|user| htdigest(HashFunction::Md5, user) + "\n");
    directory.write("digests", &digests.concat());
    let passwords = [(USER, PASSWORD_APR1), (UTF8_USER, UTF8_PASSWORD_APR1)];
    let passwords = passwords.map(|(user, md5)| format!("{user}:{md5}\n"));
    directory.write("passwords", &passwords.concat());
    let origin = Canned::start(|_| wire::response("200 OK", "x: y"));
    let (asking, mut options) = match scheme {
        "digest" => (DIGEST, vec![]),
        _ => (BASIC, vec!["--allow-cleartext-basic".to_owned()]),
    };
    let text = include_str!("../../../peers/squid.conf").replace("@SCHEME@", asking);
    let running = start_with_file(version.is_some(), [program, "-N -f", &text], &directory);
    let mut server = Server::of(version, (running, directory));
    let proxy = std::mem::replace(&mut server.address, origin.address);
    options.extend(["--proxy".to_owned(), proxy]);
    server.options = options;
    server
}
