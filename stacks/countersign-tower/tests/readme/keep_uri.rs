use axum::extract::Request;
use countersign_tower::server::ClientUri;

/// For `tower::util::MapRequestLayer`, around the layer that changes the URI.
fn keep_uri(mut request: Request) -> Request {
    let uri = ClientUri::from(request.uri().clone());
    request.extensions_mut().insert(uri);
    request
}
