// libmicrohttpd with Digest and Basic, on loopback: microhttpd PORT.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USER "Mufasa"
#define PASSWORD "Circle of Life"
#define REALM "files"

static enum MHD_Result basic(struct MHD_Connection *connection, struct MHD_Response *page) {
    char *password = NULL;
    char *user = MHD_basic_auth_get_username_password(connection, &password);
    int known = user && password && !strcmp(user, USER) && !strcmp(password, PASSWORD);
    if (user) MHD_free(user);
    if (password) MHD_free(password);
    return known ? MHD_queue_response(connection, MHD_HTTP_OK, page)
                 : MHD_queue_basic_auth_fail_response(connection, REALM, page);
}

static enum MHD_Result digest(struct MHD_Connection *connection, struct MHD_Response *page) {
    const enum MHD_DigestAuthAlgorithm sha = MHD_DIGEST_ALG_SHA256;
    char *user = MHD_digest_auth_get_username(connection);
    int result = MHD_NO;
    if (user && !strcmp(user, USER))
        result = MHD_digest_auth_check2(connection, REALM, USER, PASSWORD, 300, sha);
    if (user) MHD_free(user);
    if (result == MHD_YES) return MHD_queue_response(connection, MHD_HTTP_OK, page);
    int stale = result == MHD_INVALID_NONCE;
    return MHD_queue_auth_fail_response2(connection, REALM, "opaque", page, stale, sha);
}

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *body,
                             size_t *body_length, void **state) {
    static int begun;
    (void)context, (void)method, (void)version, (void)body;
    if (!*state) return *state = &begun, MHD_YES;
    if (*body_length) return *body_length = 0, MHD_YES;
    struct MHD_Response *page =
        MHD_create_response_from_buffer(6, (void *)"hello\n", MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result = strncmp(url, "/basic", 6) ? digest(connection, page)
                                                       : basic(connection, page);
    MHD_destroy_response(page);
    return result;
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    const char random[] = "a565c27146791cfb";
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(atoi(arguments[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, serve, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_DIGEST_AUTH_RANDOM, sizeof random - 1, random, MHD_OPTION_NONCE_NC_SIZE, 300u,
        MHD_OPTION_END);
    if (!daemon) return 1;
    for (;;) pause();
}
