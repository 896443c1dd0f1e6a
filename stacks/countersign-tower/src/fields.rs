//! Names of fields, which `http` would otherwise parse for each request.

use countersign::Challenger;
use http::header::{AUTHORIZATION, HeaderName, PROXY_AUTHORIZATION};

/// The field of a request with its credentials.
pub(crate) const fn credentials(challenger: Challenger) -> HeaderName {
    match challenger {
        Challenger::Origin => AUTHORIZATION,
        Challenger::Proxy => PROXY_AUTHORIZATION,
    }
}

/// The field of a response with the server's proof.
pub(crate) const fn info(challenger: Challenger) -> HeaderName {
    const ORIGIN: HeaderName = HeaderName::from_static("authentication-info");
    const PROXY: HeaderName = HeaderName::from_static("proxy-authentication-info");
    match challenger {
        Challenger::Origin => ORIGIN,
        Challenger::Proxy => PROXY,
    }
}
