//! Agents of ureq.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use countersign_blocking::countersign::client::{AuthCache, Policy, ServerProof};
use countersign_blocking::{Account, Auth, AuthClientLayer, LoginFailure, UreqError};
use http::Response;
use ureq::{Agent, Body, SendBody};

use crate::support::{Server, USER, echo, guard, mufasa, status, to};

fn agent(auth: &Auth) -> Agent {
    auth.agent(|config| config.proxy(None))
}

fn logged_in(server: &Server) -> Agent {
    agent(&Auth::new(&server.url(""), mufasa()).unwrap())
}

fn text(response: Result<Response<Body>, ureq::Error>) -> String {
    response.unwrap().body_mut().read_to_string().unwrap()
}

fn error(response: Result<Response<Body>, ureq::Error>) -> UreqError {
    match response.unwrap_err() {
        ureq::Error::Other(error) => *error.downcast().unwrap(),
        error => panic!("{error:?}"),
    }
}

#[test]
fn bodies_have_a_length() {
    let server = Server::guarded(echo);
    let agent = logged_in(&server);
    let url = server.url("/x?y");
    let get = agent.get(&url).call().unwrap();
    assert!(get.extensions().get::<ServerProof>().is_some());
    assert_eq!(text(Ok(get)), "GET /x?y ");
    assert_eq!(server.take_statuses(), [401, 200]);
    let mut reader = &b"Hakuna"[..];
    for (response, expected) in [
        (agent.post(&url).send("Hakuna"), "POST /x?y Hakuna"),
        (agent.post(&url).send_empty(), "POST /x?y "),
        (
            agent.put(&url).send(SendBody::from_reader(&mut reader)),
            "PUT /x?y Hakuna",
        ),
        (agent.post(&url).send_json([1]), "POST /x?y [\n  1\n]"),
        (
            agent.post(&url).send_form([("a", "b c")]),
            "POST /x?y a=b+c",
        ),
        (agent.delete(&url).call(), "DELETE /x?y "),
        (
            agent.get(&url).force_send_body().send("Hakuna"),
            "GET /x?y Hakuna",
        ),
    ] {
        assert_eq!(text(response), expected);
    }
    assert_eq!(agent.head(&url).call().unwrap().status(), 200);
    let mut types = Vec::new();
    for (asked, status) in server.take_seen() {
        assert_eq!(status, 200);
        assert!(!asked.headers().contains_key("transfer-encoding"));
        let length = asked.headers().get("content-length");
        let length = length.map_or(0, |it| it.to_str().unwrap().parse().unwrap());
        assert_eq!(length, asked.body().len());
        types.push(asked.headers().get("content-type").cloned());
    }
    assert_eq!(
        types[3].as_ref().unwrap(),
        "application/json; charset=utf-8"
    );
    assert_eq!(
        types[4].as_ref().unwrap(),
        "application/x-www-form-urlencoded"
    );
}

#[test]
fn redirects_are_answered_for_their_own_url() {
    let other = Server::guarded(echo);
    let location = other.url("/landing");
    let server = Server::guarded(move |asked| match asked.uri().path() {
        "/303" => to(303, "landing?a='b'"),
        "/307" => to(307, "/landing"),
        "/302/away" => to(302, &location),
        "/307/away" => to(307, &location),
        "/round" => to(302, "/round"),
        _ => echo(asked),
    });
    let auth = Auth::new(&server.url(""), mufasa()).unwrap();
    let agent = agent(&auth);
    for (path, expected) in [
        ("/303", "GET /landing?a=%27b%27 "),
        ("/307", "POST /landing Hakuna"),
    ] {
        let response = agent.post(server.url(path)).send("Hakuna");
        assert_eq!(text(response), expected);
    }
    let round = agent.get(server.url("/round")).call();
    assert!(
        matches!(round, Err(ureq::Error::TooManyRedirects)),
        "{round:?}"
    );
    for settings in [(10, false), (0, true)] {
        let agent = auth.agent(|config| {
            config
                .max_redirects(settings.0)
                .max_redirects_will_error(settings.1)
        });
        assert_eq!(
            agent.get(server.url("/round")).call().unwrap().status(),
            302
        );
    }
    // Without an account there, nothing is sent.
    let away = || {
        agent
            .get(server.url("/302/away"))
            .header("cookie", "a=b")
            .call()
    };
    assert!(matches!(error(away()), UreqError::Login(_)));
    let (asked, _) = other.take_seen().remove(0);
    assert!(!asked.headers().contains_key("authorization"));
    assert!(!asked.headers().contains_key("cookie"));
    // With one, for what only reads.
    auth.add_account(&other.url(""), mufasa()).unwrap();
    assert_eq!(text(away()), "GET /landing ");
    let posted = error(agent.post(server.url("/307/away")).send("Hakuna"));
    let UreqError::Login(refused) = posted else {
        panic!("{posted:?}")
    };
    assert_eq!(refused.why, LoginFailure::Redirected);
}

#[test]
fn errors() {
    let server = Server::guarded(|_| status(404));
    let lies = Account::new(USER.0, "Circle of Lies");
    let auth = Auth::new(&server.url(""), lies).unwrap();
    let agent = agent(&auth);
    let refused = error(agent.get(server.url("/")).call());
    let address = server.address;
    assert_eq!(
        refused.to_string(),
        format!("wrong user name or password for http://{address}, realm \"files\"")
    );
    let UreqError::WrongCredentials(mut refused) = refused else {
        panic!("{refused:?}")
    };
    let body = refused.response.body_mut().read_to_string().unwrap();
    assert_eq!(body, "who are you?");
    auth.log_in(&agent, &server.url("/")).unwrap_err();

    let agent = logged_in(&server);
    let got = agent.get(server.url("/")).call();
    assert!(matches!(got, Err(ureq::Error::StatusCode(404))), "{got:?}");
    let own = agent
        .get(server.url("/"))
        .header("authorization", "Bearer x");
    assert!(matches!(own.call(), Err(ureq::Error::StatusCode(401))));
    let quiet = Auth::new(&server.url(""), mufasa()).unwrap();
    let quiet = quiet.agent(|config| config.http_status_as_error(false));
    assert_eq!(quiet.get(server.url("/")).call().unwrap().status(), 404);
    for user in ["Zazu:Hornbill", "Zazu"] {
        server.take_seen();
        let url = format!("http://{user}@{address}/");
        assert!(matches!(error(agent.get(url).call()), UreqError::Userinfo));
        assert!(server.take_seen().is_empty());
    }
}

#[test]
fn a_login_ahead() {
    let server = Server::guarded(|asked| match asked.uri().path() {
        "/busy" => status(429),
        "/round" => to(302, "/round"),
        _ => status(404),
    });
    let auth = Auth::new(&server.url(""), mufasa()).unwrap();
    let agent = agent(&auth);
    assert!(auth.log_in(&agent, &server.url("/gone")).unwrap());
    assert!(!auth.log_in(&agent, &server.url("/busy")).unwrap());
    auth.log_in(&agent, &server.url("/round")).unwrap_err();
    let open = Server::start(echo);
    assert!(!auth.log_in(&agent, &open.url("/")).unwrap());
    auth.log_in(&agent, "no url").unwrap_err();
    server.take_seen();
    agent.put(server.url("/x")).send("Hakuna").unwrap_err();
    assert_eq!(server.take_statuses(), [404]);
}

/// Fifty threads, all of which are asked before one is answered.
#[test]
fn threads_share_one_login() {
    for (password, sent) in [(USER.1, 50), ("Circle of Lies", 1)] {
        let (guard, all) = (guard("files"), Arc::new(Barrier::new(50)));
        let asked = AtomicUsize::new(0);
        let server = Server::start(move |request| {
            if asked.fetch_add(1, Ordering::Relaxed) < 50 {
                all.wait();
            }
            guard(request).unwrap_or_else(|| echo(request))
        });
        let account = Account::new(USER.0, password);
        let agent = agent(&Auth::new(&server.url(""), account).unwrap());
        let threads = (0..50).map(|n| {
            let (agent, url) = (agent.clone(), server.url(&format!("/{n}")));
            thread::spawn(move || agent.get(url).call().is_ok())
        });
        let threads: Vec<_> = threads.collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), password == USER.1);
        }
        let seen = server.take_seen();
        let answers = seen
            .iter()
            .filter(|(it, _)| it.headers().contains_key("authorization"));
        assert_eq!(answers.count(), sent);
    }
}

/// The server closes the connection after its challenge, and does not say so.
#[test]
fn a_connection_that_is_closed_after_the_challenge() {
    let guard = guard("files");
    let server = Server::start(move |asked| match guard(asked) {
        Some(mut refusal) => {
            refusal
                .headers_mut()
                .insert("x-close", "1".parse().unwrap());
            refusal
        }
        None => echo(asked),
    });
    for _ in 0..20 {
        let response = logged_in(&server).put(server.url("/x")).send("Hakuna");
        assert_eq!(text(response), "PUT /x Hakuna");
    }
}

/// Each connection, and each body of a 401, has the limits of the agent or of the request.
#[test]
fn limits_of_time() {
    let guard = guard("files");
    let answers = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&answers);
    let server = Server::start(move |asked| match guard(asked) {
        // Its body does not come.
        Some(mut refusal) if asked.uri().path() == "/stalls" => {
            refusal
                .headers_mut()
                .insert("content-length", "9999".parse().unwrap());
            refusal
        }
        Some(refusal) => refusal,
        None if asked.uri().path() == "/slow" => {
            count.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_secs(600));
            status(200)
        }
        None => echo(asked),
    });
    let auth = Auth::new(&server.url(""), mufasa()).unwrap();
    let limit = Some(Duration::from_millis(300));
    let by_agent = auth.agent(|config| config.timeout_global(limit));
    assert_eq!(
        text(by_agent.get(server.url("/stalls")).call()),
        "GET /stalls "
    );
    for got in [
        by_agent.get(server.url("/slow")).call(),
        agent(&auth)
            .get(server.url("/slow"))
            .config()
            .timeout_global(limit)
            .build()
            .call(),
    ] {
        assert!(matches!(got, Err(ureq::Error::Timeout(_))), "{got:?}");
    }
    // Not sent once more.
    assert_eq!(answers.load(Ordering::Relaxed), 2);
}

#[test]
fn a_policy() {
    let server = Server::start(|asked| {
        let mut response = status(401);
        let is_answered = asked.headers().contains_key("authorization");
        if is_answered {
            return status(200);
        }
        let basic = "Basic realm=\"files\"".parse().unwrap();
        response.headers_mut().insert("www-authenticate", basic);
        response
    });
    let policy = Policy::new().with_cleartext_basic();
    let cache = AuthCache::new(9, policy, &mut getrandom::SysRng).unwrap();
    let auth = Auth::from(AuthClientLayer::new(cache));
    auth.add_account(&server.url(""), mufasa().with_basic())
        .unwrap();
    assert_eq!(
        agent(&auth).get(server.url("/")).call().unwrap().status(),
        200
    );
    let got = error(logged_in(&server).get(server.url("/")).call());
    assert!(got.to_string().contains("Basic realm=\"files\""), "{got}");
}
