#include "tls.h"

#include "support.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>

const char *tls_reason(void) {
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason != NULL ? reason : strerror(errno);
}

__attribute__((noreturn)) static void fail_with_reason(const char *what) {
    fail("tls: %s: %s", what, tls_reason());
}

static SSL_CTX *context(const SSL_METHOD *method) {
    SSL_CTX *made = SSL_CTX_new(method);
    if (made == NULL) fail_with_reason("context");
    SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
    SSL_CTX_set_mode(made, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(made, 1);
    return made;
}

SSL_CTX *tls_server(const char *certificate, const char *key) {
    SSL_CTX *made = context(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(made, certificate) != 1) fail_with_reason(certificate);
    if (SSL_CTX_use_PrivateKey_file(made, key, SSL_FILETYPE_PEM) != 1) fail_with_reason(key);
    return made;
}

SSL_CTX *tls_client(const char *authority) {
    SSL_CTX *made = context(TLS_client_method());
    if (SSL_CTX_load_verify_file(made, authority) != 1) fail_with_reason(authority);
    SSL_CTX_set_verify(made, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
    return made;
}

SSL *tls_begin(SSL_CTX *context, int descriptor, const char *name) {
    SSL *made = SSL_new(context);
    if (made == NULL || SSL_set_fd(made, descriptor) != 1) fail_with_reason("connection");
    if (name == NULL) {
        SSL_set_accept_state(made);
        return made;
    }
    SSL_set_connect_state(made);
    if (SSL_set_tlsext_host_name(made, name) != 1 || SSL_set1_host(made, name) != 1) fail_with_reason(name);
    return made;
}

/// Sets errno for a call that gave no bytes: 0 at the end, -1 to wait or give up.
static ssize_t outcome(SSL *connection, int status) {
    int code = errno;
    switch (SSL_get_error(connection, status)) {
        case SSL_ERROR_ZERO_RETURN: return 0;
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE: errno = EAGAIN; return -1;
        case SSL_ERROR_SYSCALL: errno = code ? code : ECONNRESET; return -1;
        default: errno = EPROTO; return -1;
    }
}

bool tls_handshake(SSL *connection) {
    ERR_clear_error();
    int status = SSL_do_handshake(connection);
    return status == 1 || outcome(connection, status) > 0;
}

ssize_t tls_receive(SSL *connection, void *bytes, size_t size) {
    size_t have = 0;
    while (have < size) {
        ERR_clear_error();
        int count = SSL_read(connection, (char *)bytes + have, (int)(size - have));
        if (count <= 0) return have > 0 ? (ssize_t)have : outcome(connection, count);
        have += (size_t)count;
        if (!SSL_has_pending(connection)) break;
    }
    return (ssize_t)have;
}

ssize_t tls_send(SSL *connection, const void *bytes, size_t size) {
    ERR_clear_error();
    int count = SSL_write(connection, bytes, (int)size);
    return count > 0 ? count : outcome(connection, count);
}

void tls_end(SSL *connection) {
    ERR_clear_error();
    SSL_shutdown(connection);
    SSL_free(connection);
}
