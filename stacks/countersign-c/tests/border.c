/* border PART [COUNT]: what C may do wrong, and what a peer may send. Exits 0 if all is as it must be.
 * Run under valgrind and with sanitizers: `run`. */
#define _GNU_SOURCE
#include <countersign.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char known[65];
static cs_error error;
static const cs_text none = {0};

#define MUST(what)                                                        \
    do {                                                                  \
        if (!(what)) {                                                    \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #what);        \
            fprintf(stderr, "the error: %s\n", error.text);               \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static cs_text text(const char *s) {
    cs_text t = {s, strlen(s)};
    return t;
}

static int is(cs_text t, const char *s) { return t.len == strlen(s) && !memcmp(t.data, s, t.len); }

static cs_request get(const char *uri) {
    cs_request request = {text("GET"), text(uri), text("")};
    return request;
}

static int find(void *context, cs_text user, int hash, char *ha1) {
    (void)context, (void)hash;
    if (!is(user, "Mufasa")) return 0;
    memcpy(ha1, known, 65);
    return 1;
}
static int find_fails(void *context, cs_text user, int hash, char *ha1) {
    (void)context, (void)user, (void)hash, (void)ha1;
    return -1;
}
static int find_unended(void *context, cs_text user, int hash, char *ha1) {
    (void)context, (void)user, (void)hash;
    memset(ha1, 'a', 65); /* no zero byte */
    return 1;
}
static int find_short(void *context, cs_text user, int hash, char *ha1) {
    (void)context, (void)user, (void)hash;
    strcpy(ha1, "abc");
    return 1;
}

static cs_server *server_with(const char *algorithms, uint32_t flags) {
    cs_server *server = cs_server_new("files", algorithms, 1000, 0, flags, &error);
    MUST(server && !*error.text);
    MUST(cs_server_ha1(server, "Mufasa", "Circle of Life", CS_SHA_256, known, &error) == CS_DONE);
    MUST(strlen(known) == 64);
    return server;
}

static cs_client *client_with(const char *password, uint32_t client_flags, uint32_t flags) {
    cs_client *client = cs_client_new("http", "example.com", 0, client_flags, &error);
    MUST(client);
    MUST(!password || cs_client_account(client, "Mufasa", password, NULL, flags, &error) == CS_DONE);
    return client;
}

/* The fields of a verdict, as a response has them. */
static size_t sent(const cs_verdict *verdict, cs_field *fields) {
    for (size_t i = 0; i < verdict->count; i++) fields[i] = (cs_field){verdict->field, verdict->values[i]};
    return verdict->count;
}

static const char *credentials = "authorization";

/* One request by both roles, in one thread. */
static int exchange_once(cs_client *client, cs_server *server, int *status) {
    cs_exchange *exchange = cs_exchange_new();
    cs_request request = get("/a?b");
    cs_error why;
    int next, tries = 0;
    do {
        cs_text answer;
        if (cs_client_authorize(client, exchange, &request, &answer, &why) != CS_DONE) exit(9);
        cs_field field = {text(credentials), answer}, fields[8];
        cs_verdict *verdict = cs_server_check(server, &request, &field, answer.data != NULL, 0, find, NULL);
        *status = verdict->status;
        size_t count = sent(verdict, fields);
        next = cs_client_received(client, exchange, verdict->status, fields, count, text("body"), &why);
        cs_verdict_free(verdict);
    } while (next == CS_RETRY && ++tries < 10);
    cs_exchange_free(exchange);
    return next;
}

static void logins(void) {
    int status;
    cs_server *server = server_with("SHA-256,MD5", CS_BASIC);
    cs_client *client = client_with("Circle of Life", 0, 0);
    for (int i = 0; i < 3; i++) MUST(exchange_once(client, server, &status) == CS_DONE && status == 200);
    cs_client_free(client);
    /* A wrong password. */
    client = client_with("wrong", 0, 0);
    MUST(exchange_once(client, server, &status) == CS_GIVE_UP && status == 401);
    cs_client_free(client);
    /* A person. */
    client = client_with(NULL, 0, 0);
    cs_exchange *exchange = cs_exchange_new();
    cs_request request = get("/");
    cs_text answer;
    cs_ask ask;
    cs_field fields[8];
    MUST(cs_exchange_ask(exchange, &ask) == CS_ERROR);
    MUST(cs_client_login(client, exchange, "Mufasa", "Circle of Life", 0, &error) == CS_ERROR);
    MUST(cs_client_authorize(client, exchange, &request, &answer, &error) == CS_DONE && !answer.data);
    cs_verdict *verdict = cs_server_check(server, &request, NULL, 0, 0, find, NULL);
    MUST(verdict->status == 401 && is(verdict->reason, "no-credentials") && verdict->count);
    MUST(cs_client_received(client, exchange, 401, fields, sent(verdict, fields), none, &error) == CS_LOGIN);
    MUST(cs_exchange_ask(exchange, &ask) == CS_DONE && is(ask.realm, "files") && !ask.is_again && !ask.is_basic);
    MUST(cs_client_login(client, exchange, "Mufasa", "Circle of Life", 0, &error) == CS_DONE);
    MUST(cs_client_login(client, exchange, "Mufasa", "Circle of Life", 0, &error) == CS_ERROR);
    MUST(cs_client_authorize(client, exchange, &request, &answer, &error) == CS_DONE && answer.data);
    cs_verdict_free(verdict);
    /* A store that waits; the arguments are gone by then. */
    char *copy = strndup(answer.data, answer.len), *uri = strdup("/");
    cs_field field = {text("Authorization"), text(copy)};
    request.uri = text(uri);
    verdict = cs_server_begin(server, &request, &field, 1, 0);
    memset(copy, 'x', strlen(copy)), free(copy), free(uri);
    MUST(verdict->status == 0 && is(verdict->user, "Mufasa") && verdict->hash == CS_SHA_256 && !verdict->needs_body);
    MUST(!verdict->password.data && verdict->count == 0);
    MUST(cs_verdict_decide(verdict, 1) == CS_ERROR && verdict->status == 0); /* only for Basic */
    MUST(cs_verdict_proof(verdict, none) == CS_ERROR);
    MUST(cs_verdict_verify(verdict, known, none) == CS_DONE && verdict->status == 200 && verdict->count == 1);
    MUST(is(verdict->user, "Mufasa") && is(verdict->reason, "granted"));
    MUST(cs_verdict_verify(verdict, known, none) == CS_ERROR && verdict->status == 200);
    MUST(cs_client_received(client, exchange, 200, fields, sent(verdict, fields), none, &error) == CS_DONE);
    cs_verdict_free(verdict);
    cs_exchange_free(exchange);
    cs_client_free(client);
    /* Basic by a slow hash of the caller; a verdict outlives its server. */
    field.value = text("Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl");
    request = get("/");
    verdict = cs_server_begin(server, &request, &field, 1, CS_ENCRYPTED);
    cs_server_free(server);
    MUST(verdict->status == 0 && is(verdict->password, "Circle of Life") && is(verdict->user, "Mufasa"));
    MUST(cs_verdict_decide(verdict, 0) == CS_DONE && verdict->status == 401 && verdict->is_guess);
    cs_verdict_free(verdict);
    /* A body that is read late, and a proof over the body of the response. */
    server = server_with("SHA-256", CS_AUTH_INT);
    client = client_with("Circle of Life", CS_AUTH_INT, 0);
    exchange = cs_exchange_new();
    request.method = text("POST"), request.body = text("x=1");
    MUST(cs_client_authorize(client, exchange, &request, &answer, &error) == CS_DONE);
    verdict = cs_server_check(server, &request, NULL, 0, 0, find, NULL);
    MUST(cs_client_received(client, exchange, 401, fields, sent(verdict, fields), none, &error) == CS_RETRY);
    cs_verdict_free(verdict);
    MUST(cs_client_authorize(client, exchange, &request, &answer, &error) == CS_DONE && answer.data);
    field.value = answer, request.body = none;
    verdict = cs_server_begin(server, &request, &field, 1, 0);
    MUST(verdict->status == 0 && verdict->needs_body);
    MUST(cs_verdict_verify(verdict, known, text("x=1")) == CS_DONE && verdict->status == 200);
    MUST(cs_verdict_proof(verdict, text("the answer")) == CS_DONE && verdict->count == 1);
    MUST(cs_client_received(client, exchange, 200, fields, sent(verdict, fields), text("another"), &error) == CS_ERROR);
    cs_verdict_free(verdict);
    verdict = cs_server_begin(server, &request, &field, 1, 0);
    MUST(cs_verdict_verify(verdict, known, text("x=2")) == CS_DONE && verdict->status == 401);
    cs_verdict_free(verdict);
    cs_exchange_free(exchange), cs_client_free(client), cs_server_free(server);
    /* A proxy. */
    credentials = "Proxy-Authorization";
    server = server_with("SHA-256", CS_PROXY);
    client = cs_client_new("http", "proxy.example", 3128, CS_PROXY, &error);
    MUST(client && cs_client_account(client, "Mufasa", "Circle of Life", "files", 0, &error) == CS_DONE);
    MUST(exchange_once(client, server, &status) == CS_DONE && status == 200);
    cs_client_free(client), cs_server_free(server);
    puts("logins by both roles, a person, a store that waits, Basic, auth-int, a proxy");
}

/* Every function with null, with nothing, with a megabyte, and with flags and numbers that are none. */
static void arguments(void) {
    char *mega = malloc((1 << 20) + 1);
    memset(mega, 'a', 1 << 20), mega[1 << 20] = 0;
    cs_text big = {mega, 1 << 20}, lost = {NULL, 5}, huge = {mega, (size_t)-1};
    cs_server *server = server_with("SHA-256", CS_BASIC);
    cs_client *client = client_with("Circle of Life", 0, 0);
    cs_exchange *exchange = cs_exchange_new();
    cs_request request = get("/"), odd[] = {{none, none, none}, {big, big, big}, {lost, lost, lost}, {huge, huge, huge}};
    cs_text answer, texts[] = {none, text(""), big, lost, huge};
    cs_field fields[5];
    cs_ask ask;
    MUST(cs_abi_version() == CS_ABI_VERSION);
    const char *strings[] = {NULL, "", mega, "\xff"};
    for (int i = 0; i < 4; i++) {
        const char *s = strings[i];
        MUST(!cs_client_new(s, "h", 0, 0, &error) && *error.text);
        MUST(i == 2 || !cs_client_new("http", s, 0, 0, &error));
        cs_client_free(cs_client_new("http", s, 0, 0, NULL));
        MUST(!cs_server_new(s, s, 1, 0, 0, &error) && *error.text);
        MUST(!cs_server_new("files", s, 1, 0, 0, &error) && *error.text);
        cs_server_free(cs_server_new(s, "SHA-256", 1, 0, 0, &error));
        cs_client_account(client, s, s, s, 0, &error);
        MUST(cs_client_account(NULL, s, s, s, 0, &error) == CS_ERROR);
        MUST(cs_client_login(client, exchange, s, s, 0, &error) == CS_ERROR && *error.text);
        MUST(cs_server_ha1(NULL, s, s, CS_MD5, known, &error) == CS_ERROR);
        cs_server_ha1(server, s, s, CS_SHA_512_256, known, NULL);
    }
    MUST(!cs_client_new("http", "h", 0, 1 << 30, &error) && strstr(error.text, "0x40000000"));
    MUST(!cs_client_new("http", "h", 0, CS_PROXY, &error) && strstr(error.text, "port"));
    MUST(!cs_server_new("files", "SHA-257", 1, 0, 0, &error) && strstr(error.text, "SHA-257"));
    MUST(!cs_server_new("files", "SHA-256", 0, 0, 0, &error) && strstr(error.text, "capacity"));
    MUST(!cs_server_new("files", "", 1, 0, 0, &error) && strstr(error.text, "nothing to offer"));
    MUST(cs_server_ha1(server, "u", "p", 3, known, &error) == CS_ERROR && strstr(error.text, "hash is 3"));
    MUST(cs_server_ha1(server, "u", "p", CS_MD5, NULL, &error) == CS_ERROR);
    MUST(cs_server_rekey(NULL, &error) == CS_ERROR);
    MUST(cs_exchange_ask(NULL, &ask) == CS_ERROR && cs_exchange_ask(exchange, NULL) == CS_ERROR);
    MUST(cs_client_authorize(NULL, exchange, &request, &answer, &error) == CS_ERROR);
    MUST(cs_client_authorize(client, NULL, &request, &answer, &error) == CS_ERROR);
    MUST(cs_client_authorize(client, exchange, NULL, &answer, &error) == CS_ERROR && !answer.data);
    MUST(cs_client_authorize(client, exchange, &request, NULL, &error) == CS_ERROR);
    MUST(cs_client_received(NULL, exchange, 200, NULL, 0, none, &error) == CS_ERROR);
    MUST(cs_client_received(client, NULL, 200, NULL, 0, none, &error) == CS_ERROR);
    MUST(cs_client_received(client, exchange, 401, NULL, 3, none, &error) == CS_ERROR);
    MUST(cs_client_received(client, exchange, 401, fields, (size_t)-1, none, &error) == CS_ERROR);
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) fields[j] = (cs_field){texts[(i + j) % 5], texts[j]};
        cs_exchange *other = cs_exchange_new();
        cs_client_received(client, other, i * 0x3333, fields, 5, texts[i], &error);
        cs_client_authorize(client, other, &odd[i % 4], &answer, &error);
        cs_exchange_free(other);
        for (int j = 0; j < 5; j++) {
            fields[j] = (cs_field){text("authorization"), texts[i]};
            cs_verdict *verdict = cs_server_check(server, &odd[i % 4], fields, j, j, find, NULL);
            MUST(verdict && verdict->status >= 400);
            cs_verdict_free(verdict);
            verdict = cs_server_begin(server, &request, fields, j, 0);
            MUST(verdict && verdict->status >= 400);
            MUST(cs_verdict_verify(verdict, known, texts[i]) == CS_ERROR);
            cs_verdict_free(verdict);
        }
    }
    cs_verdict *verdict = cs_server_check(NULL, &request, NULL, 0, 0, find, NULL);
    MUST(verdict->status == 500 && is(verdict->reason, "wrong-argument"));
    cs_verdict_free(verdict);
    verdict = cs_server_check(server, &request, NULL, 0, 0, NULL, NULL);
    MUST(verdict->status == 500);
    cs_verdict_free(verdict);
    verdict = cs_server_begin(server, NULL, NULL, 0, 0);
    MUST(verdict->status == 500);
    cs_verdict_free(verdict);
    verdict = cs_server_begin(server, &request, NULL, 7, 0);
    MUST(verdict->status == 500);
    cs_verdict_free(verdict);
    /* Stores that fail, or write what is no HA1. */
    fields[0] = (cs_field){text("Authorization"), text("Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl")};
    cs_find finds[] = {find_fails, find_unended, find_short};
    for (int i = 0; i < 3; i++) {
        verdict = cs_server_check(server, &request, fields, 1, CS_ENCRYPTED, finds[i], NULL);
        MUST(verdict->status == 500 && is(verdict->reason, "store-failed") && !verdict->is_guess);
        cs_verdict_free(verdict);
    }
    verdict = cs_server_begin(server, &request, fields, 1, CS_ENCRYPTED);
    MUST(cs_verdict_verify(verdict, known, lost) == CS_ERROR && verdict->status == 0);
    MUST(cs_verdict_verify(verdict, mega, none) == CS_DONE && verdict->status == 500);
    cs_verdict_free(verdict);
    MUST(cs_verdict_verify(NULL, known, none) == CS_ERROR && cs_verdict_decide(NULL, 1) == CS_ERROR);
    MUST(cs_verdict_proof(NULL, none) == CS_ERROR);
    cs_verdict_free(NULL), cs_server_free(NULL), cs_client_free(NULL), cs_exchange_free(NULL);
    cs_exchange_free(exchange), cs_client_free(client), cs_server_free(server);
    free(mega);
    puts("every function with null, nothing, a megabyte, lengths and numbers that are none");
}

static uint64_t seed = 88172645463325252u;
static uint32_t chance(uint32_t below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % below;
}

/* A copy in memory of just that size, with some bytes changed, added, doubled or cut off. */
static cs_text mutated(cs_text value) {
    size_t len = value.len;
    char *to = malloc(len * 2 + 8);
    memcpy(to, value.data, len);
    for (uint32_t n = 1 + chance(4); n--;) {
        size_t at = len ? chance(len) : 0;
        static const char odd[] = "\",=\\ \t\0\x80\xff%';";
        switch (len ? chance(5) : 1) {
        case 0: to[at] = (char)chance(256); break;
        case 1: memmove(to + at + 1, to + at, len - at), to[at] = odd[chance(sizeof odd - 1)], len++; break;
        case 2: memmove(to + at, to + at + 1, len - at - 1), len--; break;
        case 3: len = at; break;
        default: to[at] = odd[chance(sizeof odd - 1)]; break;
        }
    }
    char *exact = malloc(len ? len : 1);
    memcpy(exact, to, len);
    free(to);
    return (cs_text){exact, len};
}

static void mutations(int count) {
    cs_server *server = server_with("SHA-256,MD5", CS_BASIC | CS_AUTH_INT);
    cs_client *client = client_with("Circle of Life", 0, CS_BASIC);
    cs_request request = get("/a?b");
    int granted = 0, asked = 0, status;
    MUST(exchange_once(client, server, &status) == CS_DONE);
    for (int i = 0; i < count; i++) {
        cs_exchange *exchange = cs_exchange_new();
        cs_text answer;
        MUST(cs_client_authorize(client, exchange, &request, &answer, &error) == CS_DONE);
        cs_text base = answer.data ? answer : text("Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl");
        cs_field field = {text("Authorization"), mutated(i % 3 ? base : text("Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl"))};
        cs_verdict *verdict = cs_server_check(server, &request, &field, 1, i % 2, find, NULL);
        MUST(verdict->status == 200 || verdict->status == 400 || verdict->status == 401);
        granted += verdict->status == 200;
        cs_verdict *begun = cs_server_begin(server, &request, &field, 1, i % 2);
        if (!begun->status) MUST(cs_verdict_verify(begun, known, text("x")) == CS_DONE);
        free((char *)field.value.data);
        cs_verdict_free(begun);
        cs_field fields[8];
        size_t n = sent(verdict, fields);
        for (size_t j = 0; j < n; j++) fields[j].value = mutated(fields[j].value);
        int next = cs_client_received(client, exchange, i % 4 ? 401 : 200, fields, n, none, &error);
        MUST(next >= CS_ERROR && next <= CS_GIVE_UP);
        asked += next == CS_RETRY;
        if (next == CS_RETRY) cs_client_authorize(client, exchange, &request, &answer, &error);
        for (size_t j = 0; j < n; j++) free((char *)fields[j].value.data);
        cs_verdict_free(verdict), cs_exchange_free(exchange);
        if (i % 50 == 49) { /* one that knows nothing, as its peers were hostile */
            cs_client_free(client), client = client_with("Circle of Life", 0, CS_BASIC);
            exchange_once(client, server, &status);
        }
    }
    cs_client_free(client), cs_server_free(server);
    MUST(asked > 0);
    printf("%d mutated messages in each role: %d granted, %d answered\n", count, granted, asked);
}

struct shared {
    cs_client *client;
    cs_server *server;
    int count;
};
static void *work(void *context) {
    struct shared *shared = context;
    for (int i = 0; i < shared->count; i++) {
        int status;
        if (exchange_once(shared->client, shared->server, &status) != CS_DONE || status != 200) return "failed";
    }
    return NULL;
}
static void threads(int count) {
    struct shared shared = {client_with("Circle of Life", 0, 0), server_with("SHA-256", 0), count};
    pthread_t all[8];
    for (int i = 0; i < 8; i++) MUST(!pthread_create(&all[i], NULL, work, &shared));
    for (int i = 0; i < 8; i++) {
        void *failed;
        MUST(!pthread_join(all[i], &failed));
        MUST(!failed);
    }
    cs_client_free(shared.client), cs_server_free(shared.server);
    printf("8 threads, %d requests each, one client and one server\n", count);
}

/* One answer, sent to two processes of one fork. */
static void forks(void) {
    for (int rekeys = 0; rekeys < 2; rekeys++) {
        cs_server *server = server_with("SHA-256", 0);
        cs_client *client = client_with("Circle of Life", 0, 0);
        cs_exchange *exchange = cs_exchange_new();
        cs_request request = get("/");
        cs_text answer;
        cs_field fields[8];
        MUST(cs_client_authorize(client, exchange, &request, &answer, &error) == CS_DONE);
        cs_verdict *verdict = cs_server_check(server, &request, NULL, 0, 0, find, NULL);
        MUST(cs_client_received(client, exchange, 401, fields, sent(verdict, fields), none, &error) == CS_RETRY);
        MUST(cs_client_authorize(client, exchange, &request, &answer, &error) == CS_DONE);
        cs_verdict_free(verdict);
        int granted = 0;
        for (int child = 0; child < 2; child++) {
            pid_t pid = fork();
            if (!pid) {
                if (rekeys && cs_server_rekey(server, NULL) != CS_DONE) _exit(2);
                cs_field field = {text("Authorization"), answer};
                verdict = cs_server_check(server, &request, &field, 1, 0, find, NULL);
                _exit(verdict->status == 200 ? 1 : is(verdict->reason, "nonce-foreign") ? 0 : 2);
            }
            int status;
            MUST(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) < 2);
            granted += WEXITSTATUS(status);
        }
        MUST(granted == (rekeys ? 0 : 2)); /* as the header says */
        cs_exchange_free(exchange), cs_client_free(client), cs_server_free(server);
    }
    puts("fork: both children grant a request; after cs_server_rekey none does");
}

/* Not to be done: a handle that was freed. valgrind and AddressSanitizer tell. */
static void freed(void) {
    cs_exchange *exchange = cs_exchange_new();
    cs_ask ask;
    cs_exchange_free(exchange);
    printf("%d\n", cs_exchange_ask(exchange, &ask));
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
static void bench(int count) {
    cs_server *server = server_with("SHA-256", 0);
    cs_client *client = client_with("Circle of Life", 0, 0);
    cs_request request = get("/a.txt");
    double answers = 0, checks = 0, proofs = 0;
    int status;
    exchange_once(client, server, &status);
    for (int i = 0; i < count; i++) {
        cs_exchange *exchange = cs_exchange_new();
        cs_text answer;
        double a = now();
        cs_client_authorize(client, exchange, &request, &answer, NULL);
        double b = now();
        cs_field field = {text("authorization"), answer}, fields[8];
        cs_verdict *verdict = cs_server_check(server, &request, &field, 1, 0, find, NULL);
        double c = now();
        MUST(verdict->status == 200);
        MUST(cs_client_received(client, exchange, 200, fields, sent(verdict, fields), none, NULL) == CS_DONE);
        double d = now();
        answers += b - a, checks += c - b, proofs += d - c;
        cs_verdict_free(verdict), cs_exchange_free(exchange);
    }
    double t = now();
    for (int i = 0; i < count; i++) now();
    double clock = (now() - t) / count;
    printf("answer %.0f ns, check and proof %.0f ns, proof checked %.0f ns\n", answers / count - clock,
           checks / count - clock, proofs / count - clock);
    cs_client_free(client), cs_server_free(server);
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : 100;
    if (!strcmp(part, "logins")) logins();
    else if (!strcmp(part, "arguments")) arguments();
    else if (!strcmp(part, "mutations")) mutations(count);
    else if (!strcmp(part, "threads")) threads(count);
    else if (!strcmp(part, "forks")) forks();
    else if (!strcmp(part, "freed")) freed();
    else if (!strcmp(part, "bench")) bench(count);
    else return fputs("border logins|arguments|mutations|threads|forks|freed|bench [COUNT]\n", stderr), 2;
    return 0;
}
