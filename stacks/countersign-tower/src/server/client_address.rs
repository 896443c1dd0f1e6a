//! The address of a client.

use std::net::{IpAddr, Ipv6Addr};

use http::request::Parts;

/// The address of the client, which the [`Limiter`](super::Limiter) counts by and an
/// [`Event`](super::Event) shows. Put it into the extensions of a request, in the acceptor of
/// connections or in a layer around the [`AuthLayer`](super::AuthLayer). Behind a reverse proxy the
/// [`ForwardedLayer`](super::ForwardedLayer) does so.
///
/// `None` says that the address is not known. Then the limiter answers credentials with status 500.
/// Where addresses mean nothing, as on a Unix domain socket, put a fixed one here: then anyone who
/// can connect can lock a user out.
///
/// With the feature `axum` this is not needed where clients connect to the server themselves: axum
/// has the address in its `ConnectInfo`, if the router is served with
/// `into_make_service_with_connect_info::<SocketAddr>()`.
///
/// ```
/// use std::net::SocketAddr;
///
/// use countersign_tower::server::ClientAddress;
///
/// /// For each request of a connection from `peer`.
/// fn with_address<B>(mut request: http::Request<B>, peer: SocketAddr) -> http::Request<B> {
///     request.extensions_mut().insert(ClientAddress(Some(peer.ip())));
///     request
/// }
/// # let peer = SocketAddr::from(([192, 0, 2, 1], 3000));
/// # let request = with_address(http::Request::new(()), peer);
/// # assert!(request.extensions().get::<ClientAddress>().is_some());
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl ClientAddress {
    /// The address of the client of a request.
    pub(super) fn of(head: &Parts) -> Option<IpAddr> {
        if let Some(Self(address)) = head.extensions.get() {
            return *address;
        }
        #[cfg(feature = "axum")]
        if let Some(axum::extract::ConnectInfo(peer)) = head.extensions.get() {
            return Some(std::net::SocketAddr::ip(peer));
        }
        None
    }
}

/// The network that an address counts as: an IPv6 address by its first 64 bits, of which one client
/// usually has all addresses, and an IPv4 address written as an IPv6 one (`::ffff:192.0.2.1`) as IPv4.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !0 << 64).into(),
        address => address,
    }
}

#[cfg(all(test, feature = "axum"))]
mod tests {
    use super::*;

    /// Behind a proxy the address of the connection is of all clients.
    #[test]
    fn an_address_that_is_not_known_is_not_the_one_of_the_connection() {
        let peer = std::net::SocketAddr::from(([192, 0, 2, 1], 80));
        let (mut head, ()) = http::Request::new(()).into_parts();
        assert_eq!(ClientAddress::of(&head), None);
        head.extensions.insert(axum::extract::ConnectInfo(peer));
        assert_eq!(ClientAddress::of(&head), Some(peer.ip()));
        let client = IpAddr::from([192, 0, 2, 2]);
        for address in [Some(client), None] {
            head.extensions.insert(ClientAddress(address));
            assert_eq!(ClientAddress::of(&head), address);
        }
    }
}
