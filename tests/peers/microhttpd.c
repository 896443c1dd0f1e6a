/* A server of libmicrohttpd: Digest at /md5 and /sha256, with a nonce lifetime of two seconds at
 * /short, with a realm that needs escapes at /quoted, and Basic at /basic.
 *
 * cc microhttpd.c -lmicrohttpd; a.out PORT, or nothing, to print its version. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *user = "Mufasa", *password = "Circle Of Life";

static int starts(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static enum MHD_Result digest(struct MHD_Connection *c, const char *url, struct MHD_Response *r) {
  const char *realm = starts(url, "/quoted") ? "a\"b\\c" : "test realm";
  unsigned lifetime = starts(url, "/short") ? 1 : 300;
  enum MHD_DigestAuthAlgorithm algorithm =
      starts(url, "/sha256") ? MHD_DIGEST_ALG_SHA256 : MHD_DIGEST_ALG_MD5;
  char *name = MHD_digest_auth_get_username(c);
  int result = MHD_NO;
  if (name != NULL) {
    const char *secret = strcmp(name, user) == 0 ? password : "p\xc3\xa4ssword";
    if (secret == password || strcmp(name, "J\xc3\xa4s\xc3\xb8n") == 0)
      result = MHD_digest_auth_check2(c, realm, name, secret, lifetime, algorithm);
    MHD_free(name);
  }
  if (result == MHD_YES) return MHD_queue_response(c, MHD_HTTP_OK, r);
  int is_stale = result == MHD_INVALID_NONCE;
  return MHD_queue_auth_fail_response2(c, realm, "opaque", r, is_stale, algorithm);
}

static enum MHD_Result basic(struct MHD_Connection *c, struct MHD_Response *r) {
  char *secret = NULL;
  char *name = MHD_basic_auth_get_username_password(c, &secret);
  int is_in = name && secret && strcmp(name, user) == 0 && strcmp(secret, password) == 0;
  if (name) MHD_free(name);
  if (secret) MHD_free(secret);
  if (is_in) return MHD_queue_response(c, MHD_HTTP_OK, r);
  return MHD_queue_basic_auth_fail_response(c, "test realm", r);
}

static enum MHD_Result answer(void *closure, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *body,
                              size_t *size, void **state) {
  static int seen;
  (void)closure, (void)method, (void)version, (void)body;
  if (*state == NULL) {
    *state = &seen;
    return MHD_YES;
  }
  if (*size > 0) {
    *size = 0;
    return MHD_YES;
  }
  struct MHD_Response *r =
      MHD_create_response_from_buffer(3, (void *)"ok\n", MHD_RESPMEM_PERSISTENT);
  enum MHD_Result result = starts(url, "/basic") ? basic(c, r) : digest(c, url, r);
  MHD_destroy_response(r);
  return result;
}

int main(int count, char **arguments) {
  if (count < 2) {
    puts(MHD_get_version());
    return 0;
  }
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(atoi(arguments[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR,
      (struct sockaddr *)&address, MHD_OPTION_DIGEST_AUTH_RANDOM, (size_t)8, "loopback",
      MHD_OPTION_NONCE_NC_SIZE, 300u, MHD_OPTION_END);
  if (daemon == NULL) return 1;
  for (;;) pause();
}
