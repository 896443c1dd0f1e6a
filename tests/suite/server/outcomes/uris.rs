//! Which `uri` parameter passes for which request-target.

use countersign::Target;
use countersign::server::{Reason, UriCheck};

use crate::support::server::{Service, Why, realm};

#[test]
fn each_difference_has_its_check() {
    use UriCheck::{
        DangerousUnchecked as Unchecked, Decoded, Exact, Normalized, PathAndQuery, Shortened,
        UncheckedQuery,
    };
    const CHECKS: [UriCheck; 7] = [
        Exact,
        PathAndQuery,
        Normalized,
        Decoded,
        Shortened,
        UncheckedQuery,
        Unchecked,
    ];
    for (target, uri, strictest) in [
        ("*", "*", Exact),
        ("example.com:443", "example.com:443", Exact),
        ("/a?b=c", "http://h/a?b=c", PathAndQuery),
        ("/", "https://h", PathAndQuery),
        ("http://one/a", "http://two/a", Unchecked),
        ("http://one/a", "HTTP://ONE/a", PathAndQuery),
        ("/%61?b=c", "/a?b=c", Normalized),
        ("/a%2fb", "/a%2Fb", Normalized),
        ("/a?b=c", "/a", UncheckedQuery),
        ("/a", "/a?b=c", Unchecked),
        ("/a%2Fb", "/a/b", Unchecked),
        ("/a", "/b", Unchecked),
        ("/a", "", Unchecked),
        ("http://h", "/", PathAndQuery),
        ("http://h?x", "?x", PathAndQuery),
        ("/%7euser/%41", "/~user/A", Normalized),
        ("/a%3Bb%20c?x=%2B", "/a;b c?x=+", Decoded),
        ("/a%C3%A9", "/a\u{e9}", Decoded),
        ("/a%3Fb", "/a?b", Unchecked),
        ("/a%23b", "/a#b", Unchecked),
        ("/a%252Fb", "/a%2Fb", Unchecked),
        ("/a%5Cb", "/a\\b", Unchecked),
        ("/a%26b%3D", "/a&b=", Decoded),
        ("/a?q=a&role=x", "/a?q=a%26role%3Dx", Unchecked),
        ("/a?q=%3D", "/a?q==", Unchecked),
        ("/a%3B?x=1", "/a;", UncheckedQuery),
        ("/a%25", "/a%", Unchecked),
        // requests, niquests; Finder.
        ("/p1;p2?fmt=json", "/p1?fmt=json", Shortened),
        ("/artist;name=x", "/artist", Shortened),
        ("/dav/folder/", "/dav/folder", Shortened),
        ("/dav/;name=x", "/dav/", Shortened),
        ("/dav/;name=x", "/dav", Unchecked),
        ("/;name=x", "/", Shortened),
        ("/p;q/r;s?a=%5B0%5D", "/p;q/r?a=[0]", Shortened),
        ("/p;q/r", "/p/r", Unchecked),
        ("/p1;p2?fmt=json", "/p1", Unchecked),
        ("/artist", "/artist;name=x", Unchecked),
        ("/dav/folder//", "/dav/folder", Unchecked),
        ("/dav/folder", "/dav", Unchecked),
        ("/", "", Normalized),
        ("/?a=1", "?a=1", Normalized),
        ("?a=1", "http://h/?a=1", Normalized),
        ("http://h?x", "/?x", Normalized),
        ("/?a=1", "", UncheckedQuery),
        ("/;p", "", Shortened),
        ("/a?b", "?b", Unchecked),
        ("//", "", Shortened),
        ("/a", "/A", Unchecked),
        ("http://a/x", "https://a/x", Unchecked),
        ("/a%2%46b", "/a%2Fb", Unchecked),
        ("/a://b/c", "/c", Unchecked),
        ("://h/c", "/c", Unchecked),
        ("http://h#x", "/", Unchecked),
        ("/%4", "/%4", Exact),
    ] {
        for check in CHECKS {
            let service = Service::new(realm().with_uri_check(check));
            let mut answer = service.answer();
            answer.uri = uri.to_owned();
            let header = answer.header();
            let outcome = service
                .grant(&header, &Target::new("GET", target))
                .map(drop);
            let expected = match strictest <= check {
                true => Ok(()),
                false => Err(Reason::UriMismatch),
            };
            assert_eq!(outcome.why(), expected, "{check:?}: {uri} for {target}");
        }
    }
    assert_eq!(UriCheck::default(), Exact);
    // Escapes are none of the uri's.
    let service = Service::new(realm());
    let mut answer = service.answer();
    answer.uri = r#"/a"b\c"#.to_owned();
    assert_eq!(service.take(&answer), Ok(()));
}

/// curl gives a proxy the path where the request line has the absolute URI. A proxy that wants to
/// be sure of the host can insist on it.
#[test]
fn a_proxy_takes_the_path_unless_it_is_told_otherwise() {
    let proxy = || realm().for_proxy();
    for (realm, takes_path) in [
        (proxy(), true),
        (realm().with_uri_check(UriCheck::Exact).for_proxy(), true),
        (proxy().with_uri_check(UriCheck::Exact), false),
        (realm(), false),
    ] {
        let service = Service::new(realm);
        let mut answer = service.answer();
        answer.uri = "/a".to_owned();
        let header = answer.header();
        let target = Target::new("GET", "http://example.com/a");
        assert_eq!(service.grant(&header, &target).is_ok(), takes_path);
    }
}
