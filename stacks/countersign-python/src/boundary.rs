//! Values as Python passes them.

use std::fmt::Display;

use countersign::FieldValue;
use countersign::client::Endpoint;
use countersign::digest::{Algorithm, HashFunction};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

/// `bytes`, or a `str` in ISO-8859-1: both are how libraries give header values.
pub(crate) struct Octets(pub(crate) Vec<u8>);

impl<'a, 'py> FromPyObject<'a, 'py> for Octets {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self(bytes.as_bytes().to_vec()));
        }
        let Ok(text) = object.cast::<PyString>() else {
            let found = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "expected bytes or str, not {found}"
            )));
        };
        // Text from outside may hold surrogates, which have no UTF-8.
        let text = text.to_cow().map_err(|_| not_latin1())?;
        if text.is_ascii() {
            return Ok(Self(text.as_bytes().to_vec()));
        }
        let bytes: Option<Vec<u8>> = text
            .chars()
            .map(|c| u8::try_from(u32::from(c)).ok())
            .collect();
        bytes.map(Self).ok_or_else(not_latin1)
    }
}

fn not_latin1() -> PyErr {
    PyValueError::new_err("expected bytes, or a str with characters up to U+00FF")
}

/// The values of a field: a list or tuple of them, one alone, or `None`.
pub(crate) struct Values(pub(crate) Vec<Vec<u8>>);

impl<'a, 'py> FromPyObject<'a, 'py> for Values {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Self(Vec::new()));
        }
        if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyString>() {
            return Ok(Self(vec![object.extract::<Octets>()?.0]));
        }
        let values: PyResult<Vec<Vec<u8>>> = object
            .try_iter()?
            .map(|value| Ok(value?.extract::<Octets>()?.0))
            .collect();
        values.map(Self)
    }
}

/// `False`, `"https"` or `"anywhere"`.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Basic {
    Never,
    Https,
    Anywhere,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Basic {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let found = match object.cast::<PyBool>() {
            Ok(is_on) if !is_on.is_true() => return Ok(Self::Never),
            Ok(_) => "True".to_owned(),
            Err(_) => object.extract::<String>().unwrap_or_default(),
        };
        match &*found {
            "https" => Ok(Self::Https),
            "anywhere" => Ok(Self::Anywhere),
            _ => Err(PyValueError::new_err(
                "basic: expected False, \"https\" or \"anywhere\"",
            )),
        }
    }
}

/// The origin and the request-target of a URL.
pub(crate) struct Url {
    pub(crate) endpoint: Endpoint,
    pub(crate) target: String,
}

impl Url {
    /// Parses an absolute URL. Userinfo and the fragment are not sent, and dropped.
    pub(crate) fn parse(url: &str) -> PyResult<Self> {
        // A URL may hold a password, so no message shows it.
        let wrong = |why: &str| {
            PyValueError::new_err(format!(
                "expected a URL such as http://host:8080/path, {why}"
            ))
        };
        let (scheme, rest) = url
            .split_once("://")
            .ok_or_else(|| wrong("found none with a scheme and \"://\""))?;
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let authority = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
        let colon = authority
            .rfind(':')
            .filter(|colon| !authority.get(*colon..).unwrap_or_default().contains(']'));
        let (host, port) = match colon.and_then(|colon| authority.split_at_checked(colon)) {
            Some((host, port)) => (host, port.get(1..).unwrap_or_default()),
            None => (authority, ""),
        };
        let port = match port {
            "" => None,
            _ => Some(
                port.parse::<u16>()
                    .map_err(|_| wrong("found a port that is not 0 to 65535"))?,
            ),
        };
        let endpoint =
            Endpoint::origin(scheme, host, port).map_err(|why| wrong(&why.to_string()))?;
        let target = match target.as_bytes().first() {
            None => "/".to_owned(),
            // What follows the path of the root, which the URL may omit.
            Some(b'?') => format!("/{target}"),
            Some(_) => target.to_owned(),
        };
        Ok(Self { endpoint, target })
    }
}

/// An origin as Python shows it: without the default port.
pub(crate) fn origin_text(endpoint: &Endpoint) -> String {
    let (scheme, host) = (endpoint.scheme(), endpoint.host());
    match Endpoint::origin(scheme, host, None) {
        Ok(default) if default.port() == endpoint.port() => format!("{scheme}://{host}"),
        _ => format!("{scheme}://{host}:{}", endpoint.port()),
    }
}

/// Parses the name of an algorithm.
pub(crate) fn algorithm(name: &str) -> PyResult<Algorithm> {
    name.parse().map_err(|_| {
        let known: Vec<&str> = Algorithm::ALL.iter().map(|it| it.as_str()).collect();
        PyValueError::new_err(format!("expected an algorithm of {}", known.join(", ")))
    })
}

/// The name of a hash function, which is that of its algorithm without `-sess`.
pub(crate) fn hash_name(hash: HashFunction) -> &'static str {
    let mut all = Algorithm::ALL.iter();
    let named = all.find(|it| it.hash_function() == hash && !it.is_sess());
    named.map_or("", |it| it.as_str())
}

/// A header value as a `str` in ISO-8859-1.
pub(crate) fn latin1(value: &FieldValue) -> String {
    let bytes: &[u8] = value.as_ref();
    match std::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => text.to_owned(),
        _ => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// An exception of a class of Python, with the text of an error.
pub(crate) fn error<T: PyTypeInfo>(why: impl Display) -> PyErr {
    PyErr::new::<T, _>(why.to_string())
}

/// An exception of a class that `countersign_http._errors` defines.
pub(crate) fn own_error(py: Python<'_>, class: &str, why: impl Display) -> PyErr {
    let made = py
        .import("countersign_http._errors")
        .and_then(|module| module.getattr(class)?.call1((why.to_string(),)));
    made.map_or_else(|failed| failed, PyErr::from_value)
}
