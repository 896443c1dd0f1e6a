//! What a reverse proxy says of a client.

use std::net::{IpAddr, SocketAddr};
use std::task::{Context, Poll};

use countersign::Channel;
use http::request::Parts;
use http::{HeaderMap, Request};
use tower_layer::Layer;
use tower_service::Service;

use crate::server::client_address::ClientAddress;

/// Takes the channel and the address of the client from the fields of the reverse proxy in front:
/// `X-Forwarded-Proto` and `X-Forwarded-For`. It goes around the [`AuthLayer`](super::AuthLayer), and
/// puts a [`Channel`] and a [`ClientAddress`] into the extensions of each request.
///
/// Only the last value of each field counts, because the proxy next to this server has added it: all
/// before it may be of the client. Use the layer only if nobody can reach the server past the proxy.
///
/// The channel is encrypted if the last value is `https`, and in clear otherwise. Without an address
/// the [`Limiter`](super::Limiter) answers credentials with status 500. For nginx:
///
/// ```text
/// proxy_set_header X-Forwarded-Proto $scheme;
/// proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
/// ```
///
/// ```
/// use axum::Router;
/// use axum::routing::get;
/// use countersign::Channel;
/// use countersign::server::{Authenticator, Realm};
/// use countersign_tower::server::{AuthLayer, ForwardedLayer, Limiter, UserMap};
///
/// let realm = Realm::new("files")?.with_basic();
/// let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
/// let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
/// let login = AuthLayer::builder(auth, Channel::Cleartext, users)
///     .with_limiter(Limiter::new())
///     .build();
/// let files = Router::new().route("/", get(|| async { "hello" })).route_layer(login);
/// let app: Router = files.layer(ForwardedLayer::new());
/// # let _ = app;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ForwardedLayer {
    proxies: usize,
}

impl ForwardedLayer {
    /// The layer for one proxy.
    #[must_use]
    pub const fn new() -> Self {
        Self { proxies: 1 }
    }

    /// For several proxies in a row, each of which adds an address: the address of the client is the
    /// last but `proxies - 1`. The channel is still the last one, so the inner proxies must pass
    /// `X-Forwarded-Proto` on as it came.
    #[must_use]
    pub const fn with_proxies(self, proxies: usize) -> Self {
        Self { proxies }
    }

    /// Puts a [`Channel`] and a [`ClientAddress`] into the extensions of a request, as the layer does:
    /// for frameworks that are not made of tower services, before [`AuthLayer::check`].
    ///
    /// [`AuthLayer::check`]: super::AuthLayer::check
    pub fn apply(self, head: &mut Parts) {
        head.extensions.insert(Self::channel(&head.headers));
        let address = self.address(&head.headers);
        head.extensions.insert(ClientAddress(address));
    }

    fn channel(headers: &HeaderMap) -> Channel {
        match from_the_end(headers, "x-forwarded-proto").next() {
            Some(scheme) if scheme.eq_ignore_ascii_case("https") => Channel::Encrypted,
            _ => Channel::Cleartext,
        }
    }

    fn address(self, headers: &HeaderMap) -> Option<IpAddr> {
        let mut addresses = from_the_end(headers, "x-forwarded-for");
        let address = addresses.nth(self.proxies.saturating_sub(1))?;
        // Some proxies add the port.
        let with_port = || Some(address.parse::<SocketAddr>().ok()?.ip());
        address.parse().ok().or_else(with_port)
    }
}

impl Default for ForwardedLayer {
    fn default() -> Self {
        Self::new()
    }
}

/// The values of a field that is a list, the last first. What cannot be read is an empty value, so
/// that no value takes the place of another.
fn from_the_end<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(name).iter().rev();
    let texts = lines.map(|line| line.to_str().unwrap_or_default());
    texts.flat_map(|text| text.rsplit(',').map(str::trim))
}

impl<S> Layer<S> for ForwardedLayer {
    type Service = Forwarded<S>;

    fn layer(&self, inner: S) -> Forwarded<S> {
        Forwarded {
            inner,
            layer: *self,
        }
    }
}

/// A service that knows what a reverse proxy says of its clients, made by a [`ForwardedLayer`].
#[derive(Clone, Copy, Debug)]
pub struct Forwarded<S> {
    inner: S,
    layer: ForwardedLayer,
}

impl<S: Service<Request<B>>, B> Service<Request<B>> for Forwarded<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> S::Future {
        let (mut head, body) = request.into_parts();
        self.layer.apply(&mut head);
        self.inner.call(Request::from_parts(head, body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_one_that_the_outer_proxy_added() {
        let address = |text: &str| text.parse::<IpAddr>().ok();
        for (lines, one, two) in [
            (&[][..], "", ""),
            (&["192.0.2.1"], "192.0.2.1", ""),
            (&["198.51.100.1, 192.0.2.1"], "192.0.2.1", "198.51.100.1"),
            (&["198.51.100.1", "192.0.2.1"], "192.0.2.1", "198.51.100.1"),
            (&["192.0.2.1:4711"], "192.0.2.1", ""),
            (
                &["[2001:db8::1]:80,2001:db8::2"],
                "2001:db8::2",
                "2001:db8::1",
            ),
            (&["192.0.2.1, unknown"], "", "192.0.2.1"),
            (&["192.0.2.1,"], "", "192.0.2.1"),
            (&["192.0.2.1", "\u{e9}"], "", "192.0.2.1"),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                let line = http::HeaderValue::from_bytes(line.as_bytes()).unwrap();
                headers.append("x-forwarded-for", line);
            }
            let layer = ForwardedLayer::new();
            assert_eq!(layer.address(&headers), address(one), "{lines:?}");
            let layer = layer.with_proxies(2);
            assert_eq!(layer.address(&headers), address(two), "{lines:?}");
        }
    }

    #[tokio::test]
    async fn what_the_proxy_says_takes_the_place_of_what_is_known() {
        let seen = async |fields: &[(&'static str, &str)]| {
            let inner = tower::service_fn(|request: Request<()>| async move {
                let extensions = request.extensions();
                let address = extensions.get().map(|ClientAddress(address)| *address);
                Ok::<_, ()>((extensions.get::<Channel>().copied(), address))
            });
            let mut request = Request::new(());
            for (name, value) in fields {
                request.headers_mut().append(*name, value.parse().unwrap());
            }
            let address = IpAddr::from([192, 0, 2, 9]);
            request
                .extensions_mut()
                .insert(ClientAddress(Some(address)));
            request.extensions_mut().insert(Channel::Encrypted);
            ForwardedLayer::new()
                .layer(inner)
                .call(request)
                .await
                .unwrap()
        };
        let none = (Some(Channel::Cleartext), Some(None));
        assert_eq!(seen(&[]).await, none);
        let address = ("x-forwarded-for", "192.0.2.1");
        let expected = Some(Some(IpAddr::from([192, 0, 2, 1])));
        for (schemes, channel) in [
            (&["https"][..], Channel::Encrypted),
            (&["HTTPS"], Channel::Encrypted),
            (&["http", "https"], Channel::Encrypted),
            (&["https", "http"], Channel::Cleartext),
            (&["https,http"], Channel::Cleartext),
            (&["httpsx"], Channel::Cleartext),
        ] {
            let mut fields = vec![address];
            fields.extend(schemes.iter().map(|scheme| ("x-forwarded-proto", *scheme)));
            assert_eq!(
                seen(&fields).await,
                (Some(channel), expected),
                "{schemes:?}"
            );
        }
    }
}
