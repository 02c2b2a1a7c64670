#pragma once

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/socket.h>

// libcurl sets and reads options through variadic functions and type-checking macros, neither of
// which Swift can call: one plain function a type of value.

static inline CURLcode earshot_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode earshot_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode earshot_curl_set_list(CURL *easy, CURLoption option,
                                             struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode earshot_curl_copy_body(CURL *easy, const char *bytes, curl_off_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

// A program that the client's program starts must not hold the connection open: the daemon takes
// an open connection for a client that still wants the microphone.
static inline int earshot_curl_keep_socket(void *context, curl_socket_t socket,
                                           curlsocktype purpose) {
  (void)context;
  (void)purpose;
  return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

static inline CURLcode earshot_curl_keep_from_children(CURL *easy) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, earshot_curl_keep_socket);
}

typedef size_t (*earshot_curl_write)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode earshot_curl_set_writer(CURL *easy, earshot_curl_write writer,
                                               void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, writer);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline long earshot_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline const char *earshot_curl_content_type(CURL *easy) {
  char *value = NULL;
  return curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &value) == CURLE_OK ? value : NULL;
}
