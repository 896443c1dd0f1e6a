//! What the toy server lets in without credentials.

use http::{Method, Request};

pub(super) fn is_open(fault: &str, request: &Request<Vec<u8>>) -> bool {
    let (method, path) = (request.method(), request.uri().path());
    let query = request.uri().query();
    match fault {
        "lets everybody in" => true,
        "HEAD is open" => method == Method::HEAD,
        "OPTIONS is open" => method == Method::OPTIONS,
        "DELETE is open" => method == Method::DELETE,
        "unknown methods are open" => method.as_str() == "UNKNOWN",
        "methods in lower case are open" => method.as_str() == "get",
        "all but GET and POST is open" => ![Method::GET, Method::POST].contains(method),
        "the path without a query is open" => query.is_none(),
        "other queries are open" => query == Some("x"),
        "parameters of the path are open" => path.contains(';'),
        "a slash more is open" => path.ends_with('/'),
        "two slashes are open" => path.starts_with("//"),
        "dot segments are open" => path.contains("/./") || path.contains("/../"),
        "escapes are open" => path.contains('%'),
        "paths in capitals are open" => path.starts_with("/DIR"),
        _ => false,
    }
}
