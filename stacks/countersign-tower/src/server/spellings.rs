//! The spellings of a field name.

use http::HeaderMap;
use http::header::{CONNECTION, HeaderName, HeaderValue};

/// Removes a field from a request in every spelling that the next server may take for it, before
/// you tell that server the user in this field.
///
/// CGI, WSGI, FastCGI and PHP make one variable of `X-User`, `X_User` and `X.User`, so a client could
/// name another user by one of these. The name is also removed from `Connection`, by which a client
/// can have the field removed on its way.
///
/// ```
/// use countersign_tower::server::{Identity, UserMap, remove_spellings};
/// use http::{HeaderName, HeaderValue, Request};
///
/// const USER: HeaderName = HeaderName::from_static("x-user");
///
/// /// For each request that is forwarded, also of open routes.
/// fn tell_user<B>(request: &mut Request<B>) -> Result<(), http::header::InvalidHeaderValue> {
///     remove_spellings(request.headers_mut(), &USER);
///     if let Some(identity) = request.extensions().get::<Identity<UserMap>>() {
///         let name = HeaderValue::from_bytes(identity.account().as_bytes())?;
///         request.headers_mut().insert(USER, name);
///     }
///     Ok(())
/// }
/// # let mut request = Request::get("/").header("x_user", "admin").body(()).unwrap();
/// # tell_user(&mut request)?;
/// # assert!(request.headers().is_empty());
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
pub fn remove_spellings(headers: &mut HeaderMap, name: &HeaderName) {
    let name = name.as_str().as_bytes();
    let is_name = |other: &HeaderName| is_spelling(name, other.as_str().as_bytes());
    let spellings: Vec<_> = headers.keys().filter(|it| is_name(it)).cloned().collect();
    for spelling in spellings {
        headers.remove(spelling);
    }
    let options: Vec<_> = headers.get_all(CONNECTION).iter().cloned().collect();
    headers.remove(CONNECTION);
    for value in options {
        let options = value.as_bytes().split(|&byte| byte == b',');
        let options = options.map(<[u8]>::trim_ascii);
        let kept: Vec<_> = options.filter(|it| !is_spelling(name, it)).collect();
        // Does not fail: all of it was in a field.
        if let Ok(value) = HeaderValue::from_bytes(&kept.join(&b", "[..]))
            && !kept.is_empty()
        {
            headers.append(CONNECTION, value);
        }
    }
}

/// Compares letters without case, digits, and all other characters as equal.
fn is_spelling(name: &[u8], other: &[u8]) -> bool {
    let fold = |byte: &u8| match byte.is_ascii_alphanumeric() {
        true => byte.to_ascii_lowercase(),
        false => b'-',
    };
    name.iter().map(fold).eq(other.iter().map(fold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_and_no_other_name() {
        const KEPT: [&str; 4] = ["x-users", "xuser", "x-user-", "x--user"];
        let mut headers = HeaderMap::new();
        let name = HeaderName::from_static("x-user");
        let spelled = ["x-user", "x_user", "x.user", "x~user", "x!user"];
        for field in spelled.into_iter().chain(KEPT) {
            headers.append(field, HeaderValue::from_static("admin"));
            headers.append(field, HeaderValue::from_static("root"));
        }
        for value in ["close, X_User,upgrade", "x-user"] {
            headers.append(CONNECTION, HeaderValue::from_static(value));
        }
        remove_spellings(&mut headers, &name);
        assert_eq!(headers.keys_len(), KEPT.len() + 1);
        for field in KEPT {
            assert_eq!(headers.get_all(field).iter().count(), 2, "{field}");
        }
        let options: Vec<_> = headers.get_all(CONNECTION).iter().collect();
        assert_eq!(options, ["close, upgrade"]);
    }
}
