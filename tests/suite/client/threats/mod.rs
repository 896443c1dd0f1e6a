//! What went wrong in other clients, a test each, named after the advisory, the commit or the
//! issue.
//!
//! These concern servers alone and are not looked at here: CVE-2026-48005, CVE-2026-73636,
//! CVE-2026-73637, CVE-2026-33006, CVE-2018-1312, CVE-2019-0217, CVE-2016-2161, CVE-2020-35452 and
//! 6db0a188 (httpd); 3c2c49fd, CVE-2011-1184, CVE-2011-5062, CVE-2011-5063, CVE-2011-5064,
//! CVE-2012-5885, CVE-2012-5886, CVE-2012-5887, CVE-2026-43512, CVE-2010-1157 and dd9c744d
//! (Tomcat); CVE-2023-46847, CVE-2020-11945 and CVE-2019-18679 (Squid); CVE-2011-4362, 0e749c1c and
//! 3bc0bc2f (lighttpd); CVE-2026-3099 (libsoup); counts read as decimal (libmicrohttpd #2061,
//! gevorg/http-auth#94, sems#556, vertx-web#1256) or never counted (mongoose-os#454); nonces and
//! request-targets never compared (EnergyMe-Home#222, Twisted#3453); RFC 2069 let in where a qop
//! was offered; line breaks in a server's own parameters (meziantou#2724).

mod challenges;
mod injection;
mod origins;
