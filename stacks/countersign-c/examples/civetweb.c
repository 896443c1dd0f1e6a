/* civetweb PORT: a server of civetweb that asks countersign before each request. Ends with its input. */
#include <civetweb.h>
#include <countersign.h>
#include <stdio.h>
#include <string.h>

static cs_server *server;
static char known[65]; /* In place of a store of users: the HA1 of one. */

static int find(void *context, cs_text user, int hash, char *ha1) {
    (void)context;
    if (hash != CS_SHA_256 || user.len != 6 || memcmp(user.data, "Mufasa", 6)) return 0;
    memcpy(ha1, known, 65);
    return 1;
}

static int handle(struct mg_connection *connection) {
    const struct mg_request_info *info = mg_get_request_info(connection);
    cs_field fields[64];
    size_t count = 0;
    for (int i = 0; i < info->num_headers && count < 64; i++) {
        const char *name = info->http_headers[i].name, *value = info->http_headers[i].value;
        fields[count++] = (cs_field){{name, strlen(name)}, {value, strlen(value)}};
    }
    /* civetweb decodes the path, and not the query: therefore CS_DECODED. */
    char uri[4096];
    const char *query = info->query_string;
    int len = snprintf(uri, sizeof uri, "%s%s%s", info->request_uri, query ? "?" : "", query ? query : "");
    if (len >= (int)sizeof uri) return mg_send_http_error(connection, 414, "%s", ""), 414;
    cs_request request = {{info->request_method, strlen(info->request_method)}, {uri, len}, {0}};
    int flags = info->is_ssl ? CS_ENCRYPTED : 0;
    cs_verdict *verdict = cs_server_check(server, &request, fields, count, flags, find, NULL);
    int status = verdict->status;
    const char *body = status == 200 ? "hello\n" : "";
    mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\nConnection: close\r\n", status,
              mg_get_response_code_text(connection, status), strlen(body));
    for (size_t i = 0; i < verdict->count; i++)
        mg_printf(connection, "%.*s: %.*s\r\n", (int)verdict->field.len, verdict->field.data,
                  (int)verdict->values[i].len, verdict->values[i].data);
    mg_printf(connection, "\r\n%s", body);
    cs_verdict_free(verdict);
    return status;
}

int main(int argc, char **argv) {
    cs_error error;
    server = cs_server_new("files", "SHA-256", 10000, 0, CS_DECODED, &error);
    if (argc < 2 || !server) return fprintf(stderr, "civetweb PORT %s\n", error.text), 2;
    if (cs_server_ha1(server, "Mufasa", "Circle of Life", CS_SHA_256, known, &error) != CS_DONE) return 2;
    char port[32];
    snprintf(port, sizeof port, "127.0.0.1:%s", argv[1]);
    const char *options[] = {"listening_ports", port, "num_threads", "2", NULL};
    struct mg_callbacks callbacks = {.begin_request = handle};
    mg_init_library(0);
    struct mg_context *context = mg_start(&callbacks, NULL, options);
    if (!context) return fputs("civetweb did not start\n", stderr), 2;
    puts("listening"), fflush(stdout);
    while (getchar() != EOF) {}
    mg_stop(context);
    mg_exit_library();
    cs_server_free(server);
    return 0;
}
