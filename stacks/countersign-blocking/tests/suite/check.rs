//! The scenarios of countersign-testing, without sockets.

use std::convert::Infallible;

use countersign_blocking::{Auth, Error};
use countersign_testing::client::{ClientCheck, Network};
use http::{Request, Response};

use crate::support::{USER, mufasa};

const URL: &str = "http://camera.local/dir/index.html?a=b";

type Got = Response<Vec<u8>>;

#[test]
fn nothing_is_found() {
    let check = ClientCheck::new(USER.0, USER.1);
    let check = check.with_uri(URL).with_realm("lions");
    let report = check.run(|network: Network| {
        let auth = Auth::new(URL, mufasa().for_realm("lions")).unwrap();
        move |request: Request<Vec<u8>>| -> Result<Got, Error<Infallible, Got>> {
            let sent = auth.send_by(
                request,
                |request| Ok(network.send(request.map(<[u8]>::to_vec))),
                |response: &Got| (response.status(), response.headers()),
            );
            match sent {
                Err(Error::WrongCredentials(refused) | Error::Login(refused)) => {
                    Ok(refused.response)
                }
                sent => sent,
            }
        }
    });
    report.assert_clean();
}
