/* rtsp HOST PORT URL USER PASSWORD: DESCRIBE of a camera. In RTSP the request-target is a whole URL, and
 * all requests use one connection. */
#define _GNU_SOURCE
#include <countersign.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static cs_text text(const char *s) {
    cs_text t = {s, strlen(s)};
    return t;
}

int main(int argc, char **argv) {
    if (argc < 6) return fputs("rtsp HOST PORT URL USER PASSWORD\n", stderr), 2;
    cs_error error;
    cs_client *client = cs_client_new("rtsp", argv[1], atoi(argv[2]), CS_RFC2069, &error);
    if (!client || cs_client_account(client, argv[4], argv[5], NULL, 0, &error) != CS_DONE)
        return fprintf(stderr, "%s\n", error.text), 2;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *info;
    if (getaddrinfo(argv[1], argv[2], &hints, &info)) return 2;
    int s = socket(info->ai_family, SOCK_STREAM, 0);
    if (connect(s, info->ai_addr, info->ai_addrlen)) return perror("connect"), 2;
    freeaddrinfo(info);
    FILE *in = fdopen(s, "r");
    cs_request request = {text("DESCRIBE"), text(argv[3]), text("")};
    cs_exchange *exchange = cs_exchange_new();
    int status, next, sequence = 0;
    do {
        cs_text answer;
        if (cs_client_authorize(client, exchange, &request, &answer, &error) != CS_DONE)
            return fprintf(stderr, "%s\n", error.text), 2;
        dprintf(s, "DESCRIBE %s RTSP/1.0\r\nCSeq: %d\r\n%s%.*s%s\r\n", argv[3], ++sequence,
                answer.data ? "Authorization: " : "", (int)answer.len, answer.data ? answer.data : "",
                answer.data ? "\r\n" : "");
        char lines[64][1024];
        cs_field fields[64];
        size_t count = 0, length = 0;
        if (!fgets(lines[0], sizeof lines[0], in)) return fputs("the connection ended\n", stderr), 2;
        status = strlen(lines[0]) > 9 ? atoi(lines[0] + 9) : 0;
        while (count < 64 && fgets(lines[count], sizeof lines[count], in) && *lines[count] != '\r') {
            char *colon = strchr(lines[count], ':');
            if (!colon) continue;
            char *value = colon + 1 + strspn(colon + 1, " ");
            fields[count] = (cs_field){{lines[count], colon - lines[count]}, {value, strcspn(value, "\r\n")}};
            if (!strncasecmp(lines[count], "Content-Length:", 15)) length = atoi(value);
            count++;
        }
        while (length-- > 0 && fgetc(in) != EOF) {}
        next = cs_client_received(client, exchange, status, fields, count, (cs_text){0}, &error);
    } while (next == CS_RETRY);
    printf("%d after %d requests %s\n", status, sequence, error.text);
    fclose(in);
    cs_exchange_free(exchange);
    cs_client_free(client);
    return next != CS_DONE || status != 200;
}
