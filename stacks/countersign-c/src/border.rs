//! The functions that C calls, and the only file with `unsafe` code: what C passes is read here, and
//! handles are handed out and taken back.
//!
//! Each block relies on what the header asks of its caller: a handle is null, or one that its function
//! made, nobody freed, and no other thread uses unless it may be shared; a text has `len` bytes at
//! `data`; a string ends with a zero byte; what is written to has room.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the header says it once")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::slice::from_raw_parts;

use countersign::digest::Ha1;
use countersign::{EntityBody, Target};

use crate::client::{Request, SharedClient, Step};
use crate::flags::hash;
use crate::server::{Found, Outcome, Question, Server};
use crate::types::*;

/// More than any message has, so that a negative number is no count.
const MAX_FIELDS: usize = 65_536;

type Fields<'a> = Vec<(&'a [u8], &'a [u8])>;

/// Returns `CS_ABI_VERSION` of the library, to compare with the header that you compiled with.
#[unsafe(no_mangle)]
pub extern "C" fn cs_abi_version() -> u32 {
    CS_ABI_VERSION
}

/// A client of the origin `scheme://host:port`, or with `CS_PROXY` of a proxy. Port 0 is the default
/// port of http, https, rtsp, rtsps. Flags: `CS_PROXY`, `CS_CLEARTEXT_BASIC`, `CS_RFC2069`,
/// `CS_AUTH_INT`. Null if an argument is wrong. After `fork`, a child makes a client of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_client_new(
    scheme: *const c_char, host: *const c_char, port: u16, flags: u32, error: *mut cs_error,
) -> *mut SharedClient {
    // SAFETY: as the header asks.
    unsafe {
        let make = || {
            SharedClient::new(
                string("scheme", scheme)?,
                string("host", host)?,
                port,
                flags,
            )
        };
        boxed(make(), error)
    }
}

/// Gives the client an account. Realm null: the first that asks. For Digest alone, unless flags has
/// `CS_BASIC`. What the client has learnt is forgotten, so add accounts before the first request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_client_account(
    client: *mut SharedClient, user: *const c_char, password: *const c_char, realm: *const c_char,
    flags: u32, error: *mut cs_error,
) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        let add = || {
            let realm = (!realm.is_null())
                .then(|| string("realm", realm))
                .transpose()?;
            let (user, password) = (string("user", user)?, string("password", password)?);
            handle("client", client)?.add_account(user, password, realm, flags)
        };
        code(add(), error)
    }
}

/// Sets `answer` to the value of the field `Authorization` (or `Proxy-Authorization`) of the request;
/// its `data` is null if the request must have no such field. It lives until the next call with the
/// exchange.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_client_authorize(
    client: *mut SharedClient, exchange: *mut Request, request: *const cs_request,
    answer: *mut cs_text, error: *mut cs_error,
) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        let authorize = || {
            let answer = handle_mut("answer", answer)?;
            *answer = cs_text::default();
            let exchange = handle_mut("exchange", exchange)?;
            let (method, uri, body) = read(request)?;
            let target = Target::new(method, uri)
                .with_body(body.map_or(EntityBody::Unknown, EntityBody::Bytes));
            *answer = handle("client", client)?
                .authorize(exchange, &target)?
                .into();
            Ok(())
        };
        code(authorize(), error)
    }
}

/// Takes a response: its status, all its fields, and its body, which `auth-int` alone needs (null
/// elsewhere). Returns `CS_DONE`, `CS_RETRY`, `CS_LOGIN`, `CS_GIVE_UP`, or `CS_ERROR`: then do not
/// trust the response.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_client_received(
    client: *mut SharedClient, exchange: *mut Request, status: u16, fields: *const cs_field,
    count: usize, body: cs_text, error: *mut cs_error,
) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        let received = || {
            let (fields, body) = (all_fields(fields, count)?, known("body", body)?);
            let body = body.map_or(EntityBody::Unknown, EntityBody::Bytes);
            let exchange = handle_mut("exchange", exchange)?;
            handle("client", client)?.received(exchange, status, &fields, body)
        };
        let (next, why) = match received() {
            Ok(Step::Done) => (CS_DONE, String::new()),
            Ok(Step::Retry) => (CS_RETRY, String::new()),
            Ok(Step::Login) => (CS_LOGIN, String::new()),
            Ok(Step::GiveUp(why)) => (CS_GIVE_UP, why),
            Err(why) => (CS_ERROR, why),
        };
        tell(&why, error);
        next
    }
}

/// Fills in the login that the exchange asks for, after `CS_LOGIN`, and after `CS_GIVE_UP` where a
/// password was refused. The realm lives until the next call with the exchange.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_exchange_ask(exchange: *const Request, ask: *mut cs_ask) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        let asks = exchange.as_ref().and_then(|exchange| exchange.ask.as_ref());
        let (Some(question), Some(ask)) = (asks, ask.as_mut()) else {
            return CS_ERROR;
        };
        *ask = cs_ask {
            realm: question.realm.as_str().into(),
            is_again: question.is_again.into(),
            is_basic: question.is_basic.into(),
        };
        CS_DONE
    }
}

/// Logs a person in, as the exchange asks. Flags: `CS_BASIC`, if the password may be sent as it is.
/// Afterwards, authorize and send the request again: in the same exchange after `CS_LOGIN`, in a new
/// one after `CS_GIVE_UP`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_client_login(
    client: *mut SharedClient, exchange: *mut Request, user: *const c_char,
    password: *const c_char, flags: u32, error: *mut cs_error,
) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        let log_in = || {
            let (user, password) = (string("user", user)?, string("password", password)?);
            let exchange = handle_mut("exchange", exchange)?;
            handle("client", client)?.log_in(exchange, user, password, flags)
        };
        code(log_in(), error)
    }
}

/// Frees a client. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_client_free(client: *mut SharedClient) {
    // SAFETY: as the header asks.
    unsafe { free(client) }
}

/// An exchange for one request.
#[unsafe(no_mangle)]
pub extern "C" fn cs_exchange_new() -> *mut Request {
    Box::into_raw(Box::<Request>::default())
}

/// Frees an exchange. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_exchange_free(exchange: *mut Request) {
    // SAFETY: as the header asks.
    unsafe { free(exchange) }
}

/// A server of one realm. Algorithms, best first: `"SHA-256,MD5"`. Capacity: how many nonces are
/// remembered at once, 48 bytes each. Lifetime of a nonce in seconds; 0 is 300. Flags: `CS_BASIC`,
/// `CS_CLEARTEXT_BASIC`, `CS_PROXY`, `CS_AUTH_INT`, `CS_DECODED`. Null if an argument is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_server_new(
    realm: *const c_char, algorithms: *const c_char, capacity: usize, lifetime: u32, flags: u32,
    error: *mut cs_error,
) -> *mut Server {
    // SAFETY: as the header asks.
    unsafe {
        let make = || {
            let (realm, algorithms) = (string("realm", realm)?, string("algorithms", algorithms)?);
            Server::new(realm, algorithms, capacity, lifetime, flags)
        };
        boxed(make(), error)
    }
}

/// After `fork`, in the child: makes the server one of its own. Without it each process grants a
/// captured request once. Nonces from before are stale.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_server_rekey(server: *const Server, error: *mut cs_error) -> c_int {
    // SAFETY: as the header asks.
    unsafe { code(handle("server", server).and_then(Server::rekey), error) }
}

/// Writes what a server stores in place of a password, as 32 or 64 hexadecimal digits and a zero
/// byte, into `ha1`, which has room for 65 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_server_ha1(
    server: *const Server, user: *const c_char, password: *const c_char, hash: c_int,
    ha1: *mut c_char, error: *mut cs_error,
) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        let make = || {
            let ha1 = handle_mut("ha1", ha1)?;
            let (user, password) = (string("user", user)?, string("password", password)?);
            let made = handle("server", server)?.ha1(user, password, hash)?;
            let hex = made.as_hex().as_bytes();
            let ha1: *mut c_char = ha1;
            ha1.copy_from_nonoverlapping(hex.as_ptr().cast(), hex.len());
            ha1.add(hex.len()).write(0);
            Ok(())
        };
        code(make(), error)
    }
}

/// Checks a request with all its fields. Flags: `CS_ENCRYPTED`. Status 200: granted; else refuse with
/// this status. In both cases send the fields of the verdict. Never null: an argument that is wrong
/// is status 500.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_server_check(
    server: *const Server, request: *const cs_request, fields: *const cs_field, count: usize,
    flags: u32, find: cs_find, context: *mut c_void,
) -> *mut cs_verdict {
    // SAFETY: as the header asks.
    unsafe {
        let check = || {
            let find = find.ok_or("find is null")?;
            let (server, fields) = (handle("server", server)?, all_fields(fields, count)?);
            server.check(&question(request, &fields, flags)?, |user, hash| {
                let mut ha1: [c_char; 65] = [0; 65];
                match find(context, user.into(), hash, ha1.as_mut_ptr()) {
                    0 => Found::Nobody,
                    1 => found(hash, ha1.as_ptr()),
                    _ => Found::Failed,
                }
            })
        };
        hand_out(check().map(State::Decided))
    }
}

/// Begins a check that ends later, for stores that wait: status 0 until `cs_verdict_verify` or
/// `cs_verdict_decide`. Without credentials of use it is decided at once. The arguments are copied.
/// Never null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_server_begin(
    server: *const Server, request: *const cs_request, fields: *const cs_field, count: usize,
    flags: u32,
) -> *mut cs_verdict {
    // SAFETY: as the header asks.
    unsafe {
        let begin = || {
            let (server, fields) = (handle("server", server)?, all_fields(fields, count)?);
            Ok(match server.begin(&question(request, &fields, flags)?)? {
                Ok(pending) => State::Pending(Box::new(pending)),
                Err(outcome) => State::Decided(outcome),
            })
        };
        hand_out(begin())
    }
}

/// Frees a server. Verdicts that it made live on. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_server_free(server: *mut Server) {
    // SAFETY: as the header asks.
    unsafe { free(server) }
}

/// Decides a request that was begun, by the HA1 of the user as hexadecimal digits; null if there is
/// no such user. The body of the request, if `needs_body` says so; null elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_verdict_verify(
    verdict: *mut cs_verdict, ha1: *const c_char, body: cs_text,
) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        settle(verdict, |state| match state {
            State::Pending(pending) => {
                let found = match ha1.is_null() {
                    true => Found::Nobody,
                    false => found(pending.hash, ha1),
                };
                *state = State::Decided(pending.verify(found, known("body", body).ok()?));
                Some(())
            }
            State::Decided(_) => None,
        })
    }
}

/// Decides a request with Basic that was begun, by your own check of user and password, such as a
/// slow hash. For Digest it is an error: nothing is decided.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_verdict_decide(verdict: *mut cs_verdict, is_right: c_int) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        settle(verdict, |state| match state {
            State::Pending(pending) if pending.basic.is_some() => {
                *state = State::Decided(pending.decide(is_right == 1));
                Some(())
            }
            _ => None,
        })
    }
}

/// Makes the proof of a grant anew over the body of the response, which `auth-int` covers. Call it
/// before you send the fields of the verdict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_verdict_proof(verdict: *mut cs_verdict, body: cs_text) -> c_int {
    // SAFETY: as the header asks.
    unsafe {
        settle(verdict, |state| match state {
            State::Decided(outcome) => {
                let body = known("body", body).ok()?.unwrap_or_default();
                let proof = outcome
                    .receipt
                    .as_ref()?
                    .authentication_info(EntityBody::Bytes(body));
                outcome.values = proof.into_iter().collect();
                Some(())
            }
            State::Pending(_) => None,
        })
    }
}

/// Frees a verdict. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_verdict_free(verdict: *mut cs_verdict) {
    // SAFETY: as the header asks.
    unsafe { free(verdict.cast::<Verdict>()) }
}

fn hand_out(state: Result<State, String>) -> *mut cs_verdict {
    let state = state.unwrap_or_else(|_| State::Decided(Outcome::failed("wrong-argument")));
    // The part that C sees is the first field.
    Box::into_raw(Verdict::new(state)).cast()
}

/// Changes the state of a verdict, unless it is one in which the call has no meaning.
unsafe fn settle(verdict: *mut cs_verdict, change: impl FnOnce(&mut State) -> Option<()>) -> c_int {
    // SAFETY: `hand_out` made it.
    let Some(verdict) = (unsafe { verdict.cast::<Verdict>().as_mut() }) else {
        return CS_ERROR;
    };
    match change(&mut verdict.state) {
        Some(()) => verdict.show(),
        None => return CS_ERROR,
    }
    CS_DONE
}

unsafe fn found(number: c_int, ha1: *const c_char) -> Found {
    let read = |hash| {
        // SAFETY: no byte after the zero byte is read, and 65 at most.
        let bytes = (0..65).map(|at| unsafe { ha1.add(at).read() }.cast_unsigned());
        let hex: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
        Ha1::from_hex(hash, str::from_utf8(&hex).ok()?).ok()
    };
    let ha1 = hash(number).ok().and_then(read);
    ha1.map_or(Found::Failed, Found::Ha1)
}

unsafe fn question<'a>(
    request: *const cs_request, fields: &'a Fields<'a>, flags: u32,
) -> Result<Question<'a>, String> {
    // SAFETY: a request of C.
    let (method, uri, body) = unsafe { read(request)? };
    Ok(Question {
        method,
        uri,
        body,
        fields,
        flags,
    })
}

type Read<'a> = (&'a [u8], &'a [u8], Option<&'a [u8]>);

unsafe fn read<'a>(request: *const cs_request) -> Result<Read<'a>, String> {
    // SAFETY: a request of C, of three texts.
    unsafe {
        let request = handle("request", request)?;
        let (method, uri) = (text("method", request.method)?, text("uri", request.uri)?);
        Ok((method, uri, known("body", request.body)?))
    }
}

unsafe fn all_fields<'a>(fields: *const cs_field, count: usize) -> Result<Fields<'a>, String> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if fields.is_null() || count > MAX_FIELDS {
        return Err(format!("fields is null, or count is too large: {count}"));
    }
    // SAFETY: `count` fields of C, each of two texts.
    let fields = unsafe { from_raw_parts(fields, count) }.iter();
    fields
        // SAFETY: texts of C.
        .map(|field| unsafe { Ok((text("name", field.name)?, text("value", field.value)?)) })
        .collect()
}

/// Reads a text; none is an empty one.
unsafe fn text<'a>(name: &str, text: cs_text) -> Result<&'a [u8], String> {
    // SAFETY: a text of C.
    Ok(unsafe { known(name, text)? }.unwrap_or_default())
}

/// Reads a text that may be none.
unsafe fn known<'a>(name: &str, text: cs_text) -> Result<Option<&'a [u8]>, String> {
    match (text.data.is_null(), text.len) {
        (true, 0) => Ok(None),
        (true, len) => Err(format!("{name} is null, and its length is {len}")),
        (false, len) if isize::try_from(len).is_err() => {
            Err(format!("{name} has the length {len}"))
        }
        // SAFETY: `len` bytes of C.
        (false, len) => Ok(Some(unsafe { from_raw_parts(text.data.cast(), len) })),
    }
}

unsafe fn string<'a>(name: &str, string: *const c_char) -> Result<&'a str, String> {
    if string.is_null() {
        return Err(format!("{name} is null"));
    }
    // SAFETY: a string of C.
    let string = unsafe { CStr::from_ptr(string) }.to_str();
    string.map_err(|_| format!("{name} is not UTF-8"))
}

unsafe fn handle<'a, T>(name: &str, handle: *const T) -> Result<&'a T, String> {
    // SAFETY: a handle of C.
    unsafe { handle.as_ref() }.ok_or_else(|| format!("{name} is null"))
}

unsafe fn handle_mut<'a, T>(name: &str, handle: *mut T) -> Result<&'a mut T, String> {
    // SAFETY: a handle of C that one thread uses at a time.
    unsafe { handle.as_mut() }.ok_or_else(|| format!("{name} is null"))
}

unsafe fn boxed<T>(made: Result<T, String>, error: *mut cs_error) -> *mut T {
    // SAFETY: an error of C.
    match unsafe { taken(made, error) } {
        Some(made) => Box::into_raw(Box::new(made)),
        None => null_mut(),
    }
}

unsafe fn code(done: Result<(), String>, error: *mut cs_error) -> c_int {
    // SAFETY: an error of C.
    match unsafe { taken(done, error) } {
        Some(()) => CS_DONE,
        None => CS_ERROR,
    }
}

unsafe fn taken<T>(done: Result<T, String>, error: *mut cs_error) -> Option<T> {
    let why = done.as_ref().err().map_or("", String::as_str);
    // SAFETY: an error of C.
    unsafe { tell(why, error) };
    done.ok()
}

/// Writes why a call failed, cut to what there is room for.
unsafe fn tell(why: &str, error: *mut cs_error) {
    // SAFETY: an error of C, or null.
    if let Some(error) = unsafe { error.as_mut() } {
        error.set(why);
    }
}

unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: made by `Box::into_raw`, and freed once.
        drop(unsafe { Box::from_raw(handle) });
    }
}
