use axum::extract::Request;
use http::header::AUTHORIZATION;

/// For `axum::middleware::map_request`, around the `AuthLayer` of the route `/log-out`.
async fn log_out(mut request: Request) -> Request {
    request.headers_mut().remove(AUTHORIZATION);
    request
}
