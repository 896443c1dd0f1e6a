//! The way in.

use std::future::Future;

use countersign_tower::client::Credentials;
use reqwest::{RequestBuilder, Response};

use crate::auth::Auth;
use crate::error::Error;

/// Sends requests with a login.
pub trait SendWith {
    /// Like [`RequestBuilder::send`], and answers when the server or a proxy asks for a login.
    ///
    /// # Errors
    ///
    /// [`Error`]. In difference to `send`, a 401 is one.
    fn send_with<C: Credentials>(
        self,
        auth: &Auth<C>,
    ) -> impl Future<Output = Result<Response, Error>> + Send;
}

impl SendWith for RequestBuilder {
    async fn send_with<C: Credentials>(self, auth: &Auth<C>) -> Result<Response, Error> {
        let (client, request) = self.build_split();
        auth.execute(&client, request.map_err(Error::Reqwest)?)
            .await
    }
}
