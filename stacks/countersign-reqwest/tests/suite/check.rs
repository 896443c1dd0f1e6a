//! The scenarios of countersign-testing, over sockets.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::Response;
use axum::routing::any;
use countersign_reqwest::Error;
use countersign_testing::Verdict;
use countersign_testing::client::{ClientCheck, Network, Scenario};
use tokio::runtime::Runtime;

use crate::support::{Server, USER, client_for, mufasa};

/// The network of the present scenario.
type Present = Arc<Mutex<Option<Network>>>;

async fn serve(present: Present) -> Server {
    let answer = move |request: Request| {
        let present = Arc::clone(&present);
        async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, 1 << 22).await.unwrap().to_vec();
            let network = present.lock().unwrap().clone().unwrap();
            let response: Response<Vec<u8>> = network.send(Request::from_parts(head, body));
            response.map(Body::from)
        }
    };
    Server::start(Router::new().fallback(any(answer))).await
}

#[test]
fn nothing_is_found() {
    let runtime = Runtime::new().unwrap();
    let present = Present::default();
    let server = runtime.block_on(serve(Arc::clone(&present)));
    let url = server.url("/dir/index.html?a=b");
    let check = ClientCheck::new(USER.0, USER.1)
        .with_uri(&url)
        .with_realm("lions");
    let report = check.run(|network| {
        *present.lock().unwrap() = Some(network);
        // A client of its own: what the last one has in its pool is of another scenario.
        let client = client_for(&url, mufasa().for_realm("lions"));
        let runtime = &runtime;
        move |request: http::Request<Vec<u8>>| -> Result<Response<()>, Error> {
            let request = request.try_into().map_err(Error::Send)?;
            let response = match runtime.block_on(client.execute(request)) {
                Ok(response) => response,
                Err(Error::WrongCredentials(refused) | Error::Login(refused)) => refused.response,
                Err(error) => return Err(error),
            };
            let status = Response::builder().status(response.status());
            Ok(status.body(()).unwrap())
        }
    });
    assert_eq!(report.failed(), [], "{report}");
    for scenario in [Scenario::Login, Scenario::AuthInt, Scenario::OtherRealm] {
        assert_eq!(report.verdict(scenario), Verdict::Passed);
    }
}
