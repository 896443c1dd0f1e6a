/* microhttpd PORT: a server of libmicrohttpd whose handler asks countersign. Ends with its input. */
#define _GNU_SOURCE
#include <countersign.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cs_server *server;
static char known[65]; /* In place of a store of users: the HA1 of one. */

static int find(void *context, cs_text user, int hash, char *ha1) {
    (void)context;
    if (hash != CS_SHA_256 || user.len != 6 || memcmp(user.data, "Mufasa", 6)) return 0;
    memcpy(ha1, known, 65);
    return 1;
}

/* The fields of the request. */
struct fields {
    cs_field of[64];
    size_t count;
};

static enum MHD_Result each(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    struct fields *fields = context;
    (void)kind;
    if (fields->count < 64)
        fields->of[fields->count++] = (cs_field){{name, strlen(name)}, {value, value ? strlen(value) : 0}};
    return MHD_YES;
}

/* Keeps the request-target as it was sent: libmicrohttpd decodes it before the handler sees it. */
static void *target(void *context, const char *uri, struct MHD_Connection *connection) {
    (void)context, (void)connection;
    return strdup(uri);
}

static void done(void *context, struct MHD_Connection *connection, void **uri, enum MHD_RequestTerminationCode code) {
    (void)context, (void)connection, (void)code;
    free(*uri);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **uri) {
    (void)context, (void)url, (void)version, (void)data;
    *size = 0;
    struct fields fields = {.count = 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, each, &fields);
    cs_request request = {{method, strlen(method)}, {*uri, strlen(*uri)}, {0}};
    cs_verdict *verdict = cs_server_check(server, &request, fields.of, fields.count, 0, find, NULL);
    const char *body = verdict->status == 200 ? "hello\n" : "";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(body), (void *)body, MHD_RESPMEM_PERSISTENT);
    for (size_t i = 0; i < verdict->count; i++) {
        char *name = strndup(verdict->field.data, verdict->field.len);
        char *value = strndup(verdict->values[i].data, verdict->values[i].len);
        MHD_add_response_header(response, name, value);
        free(name), free(value);
    }
    enum MHD_Result queued = MHD_queue_response(connection, verdict->status, response);
    MHD_destroy_response(response);
    cs_verdict_free(verdict);
    return queued;
}

int main(int argc, char **argv) {
    cs_error error;
    server = cs_server_new("files", "SHA-256", 10000, 0, 0, &error);
    if (argc < 2 || !server) return fprintf(stderr, "microhttpd PORT %s\n", error.text), 2;
    if (cs_server_ha1(server, "Mufasa", "Circle of Life", CS_SHA_256, known, &error) != CS_DONE) return 2;
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, atoi(argv[1]), NULL, NULL, handle, NULL,
                         MHD_OPTION_URI_LOG_CALLBACK, target, NULL, MHD_OPTION_NOTIFY_COMPLETED, done, NULL,
                         MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_END);
    if (!daemon) return perror("start"), 2;
    puts("listening"), fflush(stdout);
    while (getchar() != EOF) {}
    MHD_stop_daemon(daemon);
    cs_server_free(server);
    return 0;
}
