/* client HOST PORT TARGET USER PASSWORD [COUNT]: GET over plain sockets. */
#define _GNU_SOURCE
#include <countersign.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static cs_text text(const char *s) {
    cs_text t = {s, strlen(s)};
    return t;
}

/* In place of your HTTP library: sends one request, reads the response until the connection ends, and
 * returns its status, or -1. */
static int talk(char **argv, cs_text answer, char *buffer, size_t room) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *info;
    if (getaddrinfo(argv[1], argv[2], &hints, &info)) return -1;
    int s = socket(info->ai_family, SOCK_STREAM, 0);
    int failed = connect(s, info->ai_addr, info->ai_addrlen);
    freeaddrinfo(info);
    char *request;
    int n = asprintf(&request, "GET %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n%s%.*s%s\r\n", argv[3], argv[1],
                     argv[2], answer.data ? "Authorization: " : "", (int)answer.len, answer.data ? answer.data : "",
                     answer.data ? "\r\n" : "");
    failed |= write(s, request, n) != n;
    free(request);
    size_t used = 0;
    for (ssize_t got; !failed && used + 1 < room && (got = read(s, buffer + used, room - 1 - used)) > 0;) used += got;
    buffer[used] = 0;
    close(s);
    return used > 12 ? atoi(buffer + 9) : -1;
}

/* Finds the fields of a response. */
static size_t fields_of(char *buffer, cs_field *fields, size_t room) {
    size_t n = 0;
    char *line = strstr(buffer, "\r\n");
    for (char *end; line && (end = strstr(line += 2, "\r\n")) && end != line && n < room; line = end) {
        char *colon = memchr(line, ':', end - line);
        if (!colon) continue;
        char *value = colon + 1;
        while (value < end && *value == ' ') value++;
        fields[n++] = (cs_field){{line, colon - line}, {value, end - value}};
    }
    return n;
}

int main(int argc, char **argv) {
    if (argc < 6) return fputs("client HOST PORT TARGET USER PASSWORD [COUNT]\n", stderr), 2;
    cs_error error;
    cs_client *client = cs_client_new("http", argv[1], atoi(argv[2]), 0, &error);
    if (!client || cs_client_account(client, argv[4], argv[5], NULL, 0, &error) != CS_DONE)
        return fprintf(stderr, "%s\n", error.text), 2;
    static char buffer[65536];
    int failed = 0;
    for (int i = 0; i < (argc > 6 ? atoi(argv[6]) : 1); i++) {
        cs_request request = {text("GET"), text(argv[3]), text("")};
        cs_exchange *exchange = cs_exchange_new();
        int status, next, requests = 0;
        do {
            cs_text answer;
            cs_field fields[100];
            if (cs_client_authorize(client, exchange, &request, &answer, &error) != CS_DONE)
                return fprintf(stderr, "%s\n", error.text), 2;
            if ((status = talk(argv, answer, buffer, sizeof buffer)) < 0) return perror("talk"), 2;
            requests++;
            size_t count = fields_of(buffer, fields, 100);
            next = cs_client_received(client, exchange, status, fields, count, (cs_text){0}, &error);
        } while (next == CS_RETRY);
        printf("%d after %d requests %s\n", status, requests, error.text);
        failed |= next != CS_DONE || status != 200;
        cs_exchange_free(exchange);
    }
    cs_client_free(client);
    return failed;
}
