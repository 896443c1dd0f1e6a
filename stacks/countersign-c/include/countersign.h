/* countersign: HTTP Basic and Digest authentication for clients and servers, without I/O.
 *
 * - A handle is freed by the function of its name, once, and not used afterwards. Null is no handle:
 *   the call returns CS_ERROR, null, or a verdict with status 500, and frees nothing.
 * - What a function returns belongs to the handle that it came from, and lives until the next call
 *   with this handle. Nothing that you pass is kept after the call.
 * - A cs_text has a length and no zero byte at the end. A const char * is UTF-8 and ends with one.
 * - Threads may share a cs_client and a cs_server, and nothing else.
 * - An error may be null, if you do not want its text.
 * - The library allocates by itself, and ends the process where memory ends.
 */

#ifndef COUNTERSIGN_H
#define COUNTERSIGN_H

/* Made of src by cbindgen: `./run header`. */

#include <stddef.h>
#include <stdint.h>

// The request came over TLS: for `cs_server_check` and `cs_server_begin`.
#define CS_ENCRYPTED 1

// Basic, too: offered by a server on encrypted channels, allowed for an account of a client.
#define CS_BASIC 2

// Basic also over cleartext, where anybody on the way reads the password.
#define CS_CLEARTEXT_BASIC 4

// The form of RFC 2069, without `qop`: a client accepts a server that offers nothing else.
#define CS_RFC2069 8

// The role of a proxy: status 407, and the fields `Proxy-Authenticate` and so on.
#define CS_PROXY 16

// `auth-int`, which covers the body: offered by a server beside `auth`, preferred by a client.
#define CS_AUTH_INT 32

// For a server whose HTTP library has decoded the request-target, and does not show it as it came.
#define CS_DECODED 64

// The hash function MD5.
#define CS_MD5 0

// The hash function SHA-256.
#define CS_SHA_256 1

// The hash function SHA-512/256.
#define CS_SHA_512_256 2

// The version of this interface: the second number of the library's version.
#define CS_ABI_VERSION 1

// Nothing is left to do: the response is for you.
#define CS_DONE 0

// Authorize again, and send the request again.
#define CS_RETRY 1

// The response is for you, and it is a refusal: the error says why.
#define CS_GIVE_UP 2

// The server asks for a login and the client has no account: ask a person, call `cs_client_login`,
// authorize again, and send the request again.
#define CS_LOGIN 3

// The call did not do what was asked: the error says why.
#define CS_ERROR -1

// One request and the answers that it takes. One thread at a time.
typedef struct cs_exchange cs_exchange;

// A server of one realm. Threads may share it.
typedef struct cs_server cs_server;

// A client of one origin or proxy. Threads may share it.
typedef struct cs_client cs_client;

// Why a call failed: one line of text that ends with a zero byte, empty if it did not fail.
typedef struct {
  // The text.
  char text[256];
} cs_error;

// Bytes: `len` of them at `data`, without a zero byte at the end. `data` may be null, which says
// that there is no text.
typedef struct {
  // The first byte, or null.
  const char *data;
  // The number of bytes.
  size_t len;
} cs_text;

// What credentials are made for: method and request-target as they are in the request line, and the
// whole body. `body.data` is null where the body is not known, which is enough without `auth-int`.
typedef struct {
  // The method, in the case of the request line.
  cs_text method;
  // The request-target: `/path?query` for an origin.
  cs_text uri;
  // The body; null if it is not known, and not null with length 0 if there is none.
  cs_text body;
} cs_request;

// A field of a message: name and value, without the colon, whitespace around them and the line end.
typedef struct {
  // The name, in upper or lower case.
  cs_text name;
  // The value.
  cs_text value;
} cs_field;

// The login that an exchange asks for, to show to a person.
typedef struct {
  // The realm as UTF-8, without control characters. The server chose it: show the host, too.
  cs_text realm;
  // 1 if a password was refused before.
  int is_again;
  // 1 if the password is sent as it is (Basic), 0 if it is hashed (Digest).
  int is_basic;
} cs_ask;

// What the server says of a request. Everything in it belongs to it.
typedef struct {
  // 200: granted. 0: look the user up, then call `cs_verdict_verify`. Else: refuse with this status.
  uint16_t status;
  // 1 if this may be a guess of a password, for a limiter.
  int is_guess;
  // The hash function of the HA1 that `cs_verdict_verify` takes.
  int hash;
  // 1 if `cs_verdict_verify` needs the body of the request, because the response covers it.
  int needs_body;
  // The name of the user, as UTF-8; null if there is none. Do not trust it before status 200.
  cs_text user;
  // The password, if status is 0 and the credentials are Basic: for `cs_verdict_decide`.
  cs_text password;
  // The reason in a word, for the log: `granted`, `wrong-credentials`.
  cs_text reason;
  // The name of the fields to send.
  cs_text field;
  // Their values, each a field of its own.
  const cs_text *values;
  // How many there are.
  size_t count;
} cs_verdict;

// Looks a user up: writes the HA1 of `hash` into `ha1`, 32 or 64 hexadecimal digits and a zero byte,
// and returns 1; returns 0 if there is no such user, and another number if the store failed. The
// name is null if the client sent none that is text.
typedef int (*cs_find)(void *context, cs_text user, int hash, char *ha1);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns `CS_ABI_VERSION` of the library, to compare with the header that you compiled with.
uint32_t cs_abi_version(void);

// A client of the origin `scheme://host:port`, or with `CS_PROXY` of a proxy. Port 0 is the default
// port of http, https, rtsp, rtsps. Flags: `CS_PROXY`, `CS_CLEARTEXT_BASIC`, `CS_RFC2069`,
// `CS_AUTH_INT`. Null if an argument is wrong. After `fork`, a child makes a client of its own.
cs_client *cs_client_new(const char *scheme,
                         const char *host,
                         uint16_t port,
                         uint32_t flags,
                         cs_error *error);

// Gives the client an account. Realm null: the first that asks. For Digest alone, unless flags has
// `CS_BASIC`. What the client has learnt is forgotten, so add accounts before the first request.
int cs_client_account(cs_client *client,
                      const char *user,
                      const char *password,
                      const char *realm,
                      uint32_t flags,
                      cs_error *error);

// Sets `answer` to the value of the field `Authorization` (or `Proxy-Authorization`) of the request;
// its `data` is null if the request must have no such field. It lives until the next call with the
// exchange.
int cs_client_authorize(cs_client *client,
                        cs_exchange *exchange,
                        const cs_request *request,
                        cs_text *answer,
                        cs_error *error);

// Takes a response: its status, all its fields, and its body, which `auth-int` alone needs (null
// elsewhere). Returns `CS_DONE`, `CS_RETRY`, `CS_LOGIN`, `CS_GIVE_UP`, or `CS_ERROR`: then do not
// trust the response.
int cs_client_received(cs_client *client,
                       cs_exchange *exchange,
                       uint16_t status,
                       const cs_field *fields,
                       size_t count,
                       cs_text body,
                       cs_error *error);

// Fills in the login that the exchange asks for, after `CS_LOGIN`, and after `CS_GIVE_UP` where a
// password was refused. The realm lives until the next call with the exchange.
int cs_exchange_ask(const cs_exchange *exchange, cs_ask *ask);

// Logs a person in, as the exchange asks. Flags: `CS_BASIC`, if the password may be sent as it is.
// Afterwards, authorize and send the request again: in the same exchange after `CS_LOGIN`, in a new
// one after `CS_GIVE_UP`.
int cs_client_login(cs_client *client,
                    cs_exchange *exchange,
                    const char *user,
                    const char *password,
                    uint32_t flags,
                    cs_error *error);

// Frees a client. Null is ignored.
void cs_client_free(cs_client *client);

// An exchange for one request.
cs_exchange *cs_exchange_new(void);

// Frees an exchange. Null is ignored.
void cs_exchange_free(cs_exchange *exchange);

// A server of one realm. Algorithms, best first: `"SHA-256,MD5"`. Capacity: how many nonces are
// remembered at once, 48 bytes each. Lifetime of a nonce in seconds; 0 is 300. Flags: `CS_BASIC`,
// `CS_CLEARTEXT_BASIC`, `CS_PROXY`, `CS_AUTH_INT`, `CS_DECODED`. Null if an argument is wrong.
cs_server *cs_server_new(const char *realm,
                         const char *algorithms,
                         size_t capacity,
                         uint32_t lifetime,
                         uint32_t flags,
                         cs_error *error);

// After `fork`, in the child: makes the server one of its own. Without it each process grants a
// captured request once. Nonces from before are stale.
int cs_server_rekey(const cs_server *server, cs_error *error);

// Writes what a server stores in place of a password, as 32 or 64 hexadecimal digits and a zero
// byte, into `ha1`, which has room for 65 bytes.
int cs_server_ha1(const cs_server *server,
                  const char *user,
                  const char *password,
                  int hash,
                  char *ha1,
                  cs_error *error);

// Checks a request with all its fields. Flags: `CS_ENCRYPTED`. Status 200: granted; else refuse with
// this status. In both cases send the fields of the verdict. Never null: an argument that is wrong
// is status 500.
cs_verdict *cs_server_check(const cs_server *server,
                            const cs_request *request,
                            const cs_field *fields,
                            size_t count,
                            uint32_t flags,
                            cs_find find,
                            void *context);

// Begins a check that ends later, for stores that wait: status 0 until `cs_verdict_verify` or
// `cs_verdict_decide`. Without credentials of use it is decided at once. The arguments are copied.
// Never null.
cs_verdict *cs_server_begin(const cs_server *server,
                            const cs_request *request,
                            const cs_field *fields,
                            size_t count,
                            uint32_t flags);

// Frees a server. Verdicts that it made live on. Null is ignored.
void cs_server_free(cs_server *server);

// Decides a request that was begun, by the HA1 of the user as hexadecimal digits; null if there is
// no such user. The body of the request, if `needs_body` says so; null elsewhere.
int cs_verdict_verify(cs_verdict *verdict, const char *ha1, cs_text body);

// Decides a request with Basic that was begun, by your own check of user and password, such as a
// slow hash. For Digest it is an error: nothing is decided.
int cs_verdict_decide(cs_verdict *verdict, int is_right);

// Makes the proof of a grant anew over the body of the response, which `auth-int` covers. Call it
// before you send the fields of the verdict.
int cs_verdict_proof(cs_verdict *verdict, cs_text body);

// Frees a verdict. Null is ignored.
void cs_verdict_free(cs_verdict *verdict);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* COUNTERSIGN_H */
