//! Requests that are being built.

use std::fmt;
use std::time::Duration;

use countersign_tower::client::Credentials;
use http::{HeaderMap, HeaderName, HeaderValue, Version};
use reqwest::{Body, Request, Response};

use crate::client::Client;
use crate::error::Error;

/// Like [`reqwest::RequestBuilder`], and [`send`](Self::send) logs in.
#[must_use = "nothing happens until it is sent"]
pub struct RequestBuilder<C = ()> {
    client: Client<C>,
    inner: reqwest::Result<reqwest::RequestBuilder>,
}

macro_rules! forward {
    ($($(#[$meta:meta])* $name:ident($value:ident: $type:ty);)+) => {
        $(
            #[doc = concat!("See [`reqwest::RequestBuilder::", stringify!($name), "`].")]
            $(#[$meta])*
            pub fn $name(self, $value: $type) -> Self {
                self.map(|inner| inner.$name($value))
            }
        )+
    };
}

impl<C> RequestBuilder<C> {
    pub(crate) const fn new(
        client: Client<C>,
        inner: reqwest::Result<reqwest::RequestBuilder>,
    ) -> Self {
        Self { client, inner }
    }

    /// Changes it by what reqwest has for that.
    pub fn map(
        self,
        change: impl FnOnce(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
    ) -> Self {
        Self {
            client: self.client,
            inner: self.inner.map(change),
        }
    }

    /// See [`reqwest::RequestBuilder::header`].
    pub fn header<K, V>(self, key: K, value: V) -> Self
    where
        HeaderName: TryFrom<K>,
        <HeaderName as TryFrom<K>>::Error: Into<http::Error>,
        HeaderValue: TryFrom<V>,
        <HeaderValue as TryFrom<V>>::Error: Into<http::Error>,
    {
        self.map(|inner| inner.header(key, value))
    }

    forward! {
        headers(headers: HeaderMap);
        body(body: impl Into<Body>);
        timeout(timeout: Duration);
        version(version: Version);
        bearer_auth(token: impl fmt::Display);
        #[cfg(feature = "json")]
        #[cfg_attr(docsrs, doc(cfg(feature = "json")))]
        json(json: &(impl serde::Serialize + ?Sized));
        #[cfg(feature = "form")]
        #[cfg_attr(docsrs, doc(cfg(feature = "form")))]
        form(form: &(impl serde::Serialize + ?Sized));
        #[cfg(feature = "query")]
        #[cfg_attr(docsrs, doc(cfg(feature = "query")))]
        query(query: &(impl serde::Serialize + ?Sized));
        #[cfg(feature = "multipart")]
        #[cfg_attr(docsrs, doc(cfg(feature = "multipart")))]
        multipart(form: reqwest::multipart::Form);
    }

    /// The request, for [`Client::execute`].
    ///
    /// # Errors
    ///
    /// reqwest's, for example because the URL is none.
    pub fn build(self) -> reqwest::Result<Request> {
        self.inner?.build()
    }
}

impl<C: Credentials> RequestBuilder<C> {
    /// Sends the request, answers when the server or a proxy asks for a login, and follows
    /// redirects.
    ///
    /// # Errors
    ///
    /// [`Error`]. In difference to reqwest, a 401 is one.
    pub async fn send(self) -> Result<Response, Error> {
        let Self { client, inner } = self;
        let request = inner.and_then(|inner| inner.build()).map_err(Error::Send)?;
        client.execute(request).await
    }
}

impl<C> fmt::Debug for RequestBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestBuilder").field(&self.inner).finish()
    }
}
