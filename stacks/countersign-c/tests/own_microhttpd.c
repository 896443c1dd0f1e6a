/* own_microhttpd PORT: the same server as examples/microhttpd.c with libmicrohttpd's own Digest, to
 * measure beside it. */
#define _GNU_SOURCE
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **uri) {
    (void)context, (void)url, (void)version, (void)data, (void)uri, (void)method;
    *size = 0;
    char *user = MHD_digest_auth_get_username(connection);
    int right = user ? MHD_digest_auth_check2(connection, "files", user, "Circle of Life", 300, MHD_DIGEST_ALG_SHA256) : MHD_NO;
    MHD_free(user);
    const char *body = right == MHD_YES ? "hello\n" : "";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(body), (void *)body, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result queued = right == MHD_YES ? MHD_queue_response(connection, 200, response)
                                              : MHD_queue_auth_fail_response2(connection, "files", "o", response,
                                                                              right == MHD_INVALID_NONCE, MHD_DIGEST_ALG_SHA256);
    MHD_destroy_response(response);
    return queued;
}

int main(int argc, char **argv) {
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, atoi(argc > 1 ? argv[1] : "0"), NULL, NULL, handle, NULL,
                         MHD_OPTION_DIGEST_AUTH_RANDOM, sizeof "0123456789abcdef", "0123456789abcdef",
                         MHD_OPTION_NONCE_NC_SIZE, 10000u, MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_END);
    if (!daemon) return 2;
    puts("listening"), fflush(stdout);
    while (getchar() != EOF) {}
    MHD_stop_daemon(daemon);
    return 0;
}
