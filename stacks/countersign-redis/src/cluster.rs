//! Which node of a Redis Cluster has the keys.

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ConnectionAddr, RedisError, RedisResult};

/// The primary that has `key`, by the word of the first node that answers, from the node at `first` on.
pub(crate) async fn owner(nodes: &[Client], first: usize, key: &str) -> RedisResult<Client> {
    let mut failed = None;
    let count = nodes.len().max(1);
    for node in nodes.iter().cycle().skip(first % count).take(nodes.len()) {
        match ask(node, key).await {
            Ok(client) => return Ok(client),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| invalid("no node of the cluster was named")))
}

async fn ask(node: &Client, key: &str) -> RedisResult<Client> {
    let mut to = connect(node).await?;
    // A replica names its primary.
    let Err(error) = Cmd::get(key).exec_async(&mut to).await else {
        return Ok(node.clone());
    };
    match error.redirect_node() {
        Some((address, _)) => at(node, address),
        None => Err(error),
    }
}

/// The client of another node, which is reached as this node is.
fn at(node: &Client, address: &str) -> RedisResult<Client> {
    let info = node.get_connection_info().clone();
    let parts = address.rsplit_once(':');
    let (host, port) = parts.ok_or_else(|| invalid("an address without a port"))?;
    let port = port
        .parse()
        .map_err(|_| invalid("a port that is no number"))?;
    // A node that does not know its name sends none.
    let host = |own| {
        if host.is_empty() {
            own
        } else {
            host.to_owned()
        }
    };
    let address = match info.addr().clone() {
        ConnectionAddr::Tcp(own, _) => ConnectionAddr::Tcp(host(own), port),
        ConnectionAddr::TcpTls {
            host: own,
            insecure,
            tls_params,
            ..
        } => ConnectionAddr::TcpTls {
            host: host(own),
            port,
            insecure,
            tls_params,
        },
        _ => return Err(invalid("a node of a cluster that is not reached by TCP")),
    };
    Client::open(info.set_addr(address))
}

fn invalid(what: &'static str) -> RedisError {
    (redis::ErrorKind::InvalidClientConfig, what).into()
}

/// Sets no time limit: the request has one.
pub(crate) async fn connect(to: &Client) -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(None)
        .set_response_timeout(None);
    to.get_multiplexed_async_connection_with_config(&config)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_node_is_reached_as_this_node_is() {
        let node = Client::open("redis://site:secret@10.0.0.1:7000/").unwrap();
        for (address, host, port) in [
            ("10.0.0.2:7001", "10.0.0.2", 7001),
            ("2001:db8::1:7001", "2001:db8::1", 7001),
            (":7001", "10.0.0.1", 7001),
        ] {
            let other = at(&node, address).unwrap();
            let info = other.get_connection_info();
            assert_eq!(*info.addr(), ConnectionAddr::Tcp(host.to_owned(), port));
            assert_eq!(info.redis_settings().username(), Some("site"));
        }
        for address in ["10.0.0.2", "10.0.0.2:x"] {
            assert!(at(&node, address).is_err());
        }
    }
}
