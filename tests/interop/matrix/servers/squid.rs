//! Squid, which is a proxy.

use countersign::digest::{Ha1, HashFunction};

use super::Server;
use crate::matrix::version::version;
use crate::process::{TempDir, command, start_server};
use crate::wire::{self, Canned};
use crate::{PASSWORD, REALM, USER, UTF8_PASSWORD, UTF8_USER};

/// The passwords in the form of Apache's MD5.
const PASSWORD_APR1: &str = "$apr1$loopback$u0p5ILGdss0vwOj0yacM81";
const UTF8_PASSWORD_APR1: &str = "$apr1$loopback$Wqiq1DGv3YN1w7dgr8m4R0";

/// A proxy in front of a server that lets everybody in.
pub(super) fn squid(scheme: &str) -> Server {
    let version = version("/usr/sbin/squid", &["-v"]);
    let directory = TempDir::new();
    let root = directory.path().display();
    let line = |user, password| {
        let ha1 = Ha1::new(HashFunction::Md5, user, REALM, password);
        format!("{user}:{REALM}:{}\n", ha1.as_hex())
    };
    let digests = line(USER, PASSWORD) + &line(UTF8_USER, UTF8_PASSWORD);
    directory.write("digests", &digests);
    // Its helper knows no SHA-1.
    let md5 = [(USER, PASSWORD_APR1), (UTF8_USER, UTF8_PASSWORD_APR1)];
    let passwords = md5.map(|(user, md5)| format!("{user}:{md5}\n"));
    directory.write("passwords", &passwords.concat());
    let helper = match scheme {
        "digest" => format!(
            "/usr/lib/squid/digest_file_auth -c {root}/digests\n\
             auth_param digest nonce_max_count 5"
        ),
        _ => format!(
            "/usr/lib/squid/basic_ncsa_auth {root}/passwords\n\
             auth_param basic casesensitive on\nauth_param basic utf8 on"
        ),
    };
    let running = start_server(version.is_some(), |port| {
        directory.write(
            "squid.conf",
            &format!(
                "http_port 127.0.0.1:{port}\nauth_param {scheme} program {helper}\n\
                 auth_param {scheme} children 1\nauth_param {scheme} realm {REALM}\n\
                 acl known proxy_auth REQUIRED\nhttp_access allow known\n\
                 http_access deny all\ncache deny all\ncache_mem 8 MB\naccess_log none\n\
                 cache_log /dev/null\ncache_store_log none\npid_filename none\n\
                 coredump_dir {root}\nshutdown_lifetime 0 seconds\npinger_enable off\n\
                 netdb_filename none\nvisible_hostname test\n"
            ),
        );
        let mut squid = command("/usr/sbin/squid");
        squid.args(["-N", "-f", &format!("{root}/squid.conf")]);
        squid
    });
    let origin = Canned::start(|_| wire::response("200 OK", "x: y"));
    let mut server = Server::of(version, (running, directory));
    let proxy = std::mem::replace(&mut server.address, origin.address);
    server.options = vec!["--proxy".to_owned(), proxy];
    if scheme == "basic" {
        server.options.push("--allow-cleartext-basic".to_owned());
    }
    server
}
