/* curl URL-WITHOUT-PATH TARGET USER PASSWORD [COUNT]: GET by libcurl, which sends the field by
 * CURLOPT_HTTPHEADER. Its own Digest (CURLOPT_HTTPAUTH) stays off. */
#define _GNU_SOURCE
#include <countersign.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fields of the response. */
struct fields {
    cs_field of[64];
    size_t count;
};

static size_t on_header(char *line, size_t size, size_t n, void *context) {
    struct fields *fields = context;
    char *colon = memchr(line, ':', n);
    if (n > 5 && !memcmp(line, "HTTP/", 5)) fields->count = 0; /* after 100 Continue */
    if (colon && fields->count < 64) {
        char *value = colon + 1, *end = line + n;
        while (value < end && *value == ' ') value++;
        while (end > value && strchr("\r\n ", end[-1])) end--;
        char *copy = strndup(line, end - line); /* libcurl takes its buffer back */
        fields->of[fields->count++] =
            (cs_field){{copy, colon - line}, {copy + (value - line), end - value}};
    }
    return size * n;
}

static size_t on_body(char *data, size_t size, size_t n, void *context) {
    (void)data, (void)context;
    return size * n;
}

int main(int argc, char **argv) {
    char scheme[8], host[256], url[1024];
    int port;
    if (argc < 5 || sscanf(argv[1], "%7[a-z]://%255[^:/]:%d", scheme, host, &port) != 3)
        return fputs("curl SCHEME://HOST:PORT TARGET USER PASSWORD [COUNT]\n", stderr), 2;
    snprintf(url, sizeof url, "%s%s", argv[1], argv[2]);
    cs_error error;
    cs_client *client = cs_client_new(scheme, host, port, 0, &error);
    if (!client || cs_client_account(client, argv[3], argv[4], NULL, 0, &error) != CS_DONE)
        return fprintf(stderr, "%s\n", error.text), 2;
    CURL *curl = curl_easy_init();
    struct fields fields = {.count = 0};
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L); /* what is signed is what is sent */
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &fields);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    int failed = 0;
    for (int i = 0; i < (argc > 5 ? atoi(argv[5]) : 1); i++) {
        cs_request request = {{"GET", 3}, {argv[2], strlen(argv[2])}, {"", 0}};
        cs_exchange *exchange = cs_exchange_new();
        long status = 0;
        int next, requests = 0;
        do {
            cs_text answer;
            if (cs_client_authorize(client, exchange, &request, &answer, &error) != CS_DONE)
                return fprintf(stderr, "%s\n", error.text), 2;
            char *line = NULL;
            if (answer.data && asprintf(&line, "Authorization: %.*s", (int)answer.len, answer.data) < 0) return 2;
            struct curl_slist *list = curl_slist_append(NULL, line ? line : "Authorization:");
            curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
            CURLcode code = curl_easy_perform(curl);
            curl_slist_free_all(list);
            free(line);
            if (code) return fprintf(stderr, "%s\n", curl_easy_strerror(code)), 2;
            curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
            requests++;
            next = cs_client_received(client, exchange, status, fields.of, fields.count, (cs_text){0}, &error);
            while (fields.count) free((char *)fields.of[--fields.count].name.data);
        } while (next == CS_RETRY);
        printf("%ld after %d requests %s\n", status, requests, error.text);
        failed |= next != CS_DONE || status != 200;
        cs_exchange_free(exchange);
    }
    curl_easy_cleanup(curl);
    cs_client_free(client);
    return failed;
}
