/* own_curl URL USER PASSWORD COUNT: what examples/curl.c does, with libcurl's own Digest. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

static size_t on_body(char *data, size_t size, size_t n, void *context) {
    (void)data, (void)context;
    return size * n;
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    CURL *curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_URL, argv[1]);
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_DIGEST);
    curl_easy_setopt(curl, CURLOPT_USERNAME, argv[2]);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, argv[3]);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    int wrong = 0;
    for (int i = 0; i < atoi(argv[4]); i++) {
        long status = 0;
        if (curl_easy_perform(curl)) return 3;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        wrong += status != 200;
    }
    printf("%d not 200\n", wrong);
    curl_easy_cleanup(curl);
    return wrong != 0;
}
