use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::StatusCode;
use http::header::{HeaderValue, WWW_AUTHENTICATE};

/// For `axum::middleware::from_fn`, around the `AuthLayer`.
async fn no_prompt(request: Request, next: Next) -> Response {
    let of_script = HeaderValue::from_static("XMLHttpRequest");
    let is_script = request.headers().get("x-requested-with") == Some(&of_script);
    let mut response = next.run(request).await;
    // To this one a browser answers without asking its user: the nonce has expired.
    let is_stale = |value: &HeaderValue| value.to_str().is_ok_and(|it| it.contains("stale=true"));
    let mut challenges = response.headers().get_all(WWW_AUTHENTICATE).iter();
    if is_script && response.status() == StatusCode::UNAUTHORIZED && !challenges.any(is_stale) {
        *response.status_mut() = StatusCode::FORBIDDEN;
        response.headers_mut().remove(WWW_AUTHENTICATE);
    }
    response
}
