#ifndef BENCHMARK_TLS_H
#define BENCHMARK_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <sys/types.h>

/// What servers that show this certificate share.
SSL_CTX *tls_server(const char *certificate, const char *key);

/// What clients that trust this authority only share; none of them resumes a session.
SSL_CTX *tls_client(const char *authority);

/// A connection over a socket that doesn't block; a client's server must be for `name`, a server gives NULL.
SSL *tls_begin(SSL_CTX *context, int descriptor, const char *name);

/// Whether a client's handshake is done; false with errno EAGAIN while it is under way.
bool tls_handshake(SSL *connection);

/// As recv: 0 at the end, -1 with errno EAGAIN where nothing is there yet. A server's handshake is done on the way.
ssize_t tls_receive(SSL *connection, void *bytes, size_t size);

/// As send, of little enough for an empty socket buffer.
ssize_t tls_send(SSL *connection, const void *bytes, size_t size);

/// Why the last call failed.
const char *tls_reason(void);

/// Says goodbye and frees it; the socket stays the caller's.
void tls_end(SSL *connection);

#endif
