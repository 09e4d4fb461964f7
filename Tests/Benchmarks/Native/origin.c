// The origin of the benchmarks: one thread, one epoll, answers from memory.
//
//   origin --port N [--basic VALUE] [--parent-basic VALUE | --parent-digest USER:REALM:PASSWORD | --parent-ntlm yes]
//          [--certificate FILE --key FILE]
//
//   GET /1k            1,024 bytes
//   GET /last/1k       the same, and the connection is closed
//   GET /bulk/N        N bytes by sendfile; not over TLS
//   GET /basic/...     1,024 bytes, or 401 unless Authorization is the value of --basic
//
// With a certificate it speaks TLS. With a parent option it is a proxy that answers everything itself: 407 unless
// Proxy-Authorization is right; with --parent-ntlm unless a whole handshake came on the connection, whose end isn't verified.

#include "digest.h"
#include "support.h"
#include "tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 8192, BODY = 1024, CHUNK = 1 << 20, EVENTS = 256 };

struct connection {
    int descriptor;
    SSL *tls;     // NULL in the clear
    size_t have;  // bytes of `head` that are filled
    int64_t left; // bytes of a bulk answer not sent yet
    bool waiting; // for the socket to become writable
    bool last;    // the client wants no further answer
    bool known;   // a handshake of NTLM has ended here
    char head[HEAD + 1];
};

static int poller, zeros, port;
static const char *origin_basic, *parent_basic;
static bool parent_digest, parent_ntlm;
static const char *certificate, *key;
static SSL_CTX *tls;
static char fields[256];
static char small_answer[HEAD], last_answer[HEAD];
static size_t small_size, last_size;

static void drop(struct connection *connection) {
    if (connection->tls != NULL) tls_end(connection->tls);
    close(connection->descriptor);
    free(connection);
}

/// Every answer but a bulk one is small enough for an empty socket buffer, so a short write is an error.
static bool put(struct connection *connection, const char *bytes, size_t size, int flags) {
    if (connection->tls != NULL) return tls_send(connection->tls, bytes, size) == (ssize_t)size;
    return send(connection->descriptor, bytes, size, flags | MSG_NOSIGNAL) == (ssize_t)size;
}

static bool refuse(struct connection *connection, const char *status, const char *field, const char *challenge) {
    char answer[1024];
    int size = snprintf(answer, sizeof answer, "HTTP/1.1 %s\r\n%s%s: %s\r\nContent-Length: 0\r\n\r\n", status, fields,
                        field, challenge);
    return put(connection, answer, (size_t)size, 0);
}

/// The value of a field of the head at hand, cut off by a NUL that the caller takes back through `end`, or NULL.
static char *field(char *head, const char *name, char **end) {
    size_t length = strlen(name);
    for (char *line = strchr(head, '\n'); line != NULL; line = strchr(line, '\n')) {
        line++;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':') continue;
        char *value = line + length + 1;
        value += strspn(value, " \t");
        *end = value + strcspn(value, "\r\n");
        **end = 0;
        return value;
    }
    return NULL;
}

/// A CHALLENGE_MESSAGE [MS-NLMP 2.2.1.2] of the domain CORP with target information, the same for all.
static const char ntlm_challenge[] =
    "NTLM TlRMTVNTUAACAAAACAAIADAAAAAFgomgMDEyMzQ1NjcAAAAAAAAAAFoAWgA4AAAAQwBPAFIAUAACAAgAQwBPAFIAUAABAAwAUABBAFIARQBO"
    "AFQABAASAGMAbwByAHAALgB0AGUAcwB0AAMAIABwAGEAcgBlAG4AdAAuAGMAbwByAHAALgB0AGUAcwB0AAAAAAA=";

/// The same as `admitted`, for NTLM: the connection is known once the third message came on it.
static bool admitted_ntlm(struct connection *connection, bool *alive) {
    char *end = NULL;
    char *value = field(connection->head, "Proxy-Authorization", &end);
    // The base64 of "NTLMSSP", a NUL and the first byte of the message's type.
    bool begins = value != NULL && strncasecmp(value, "NTLM TlRMTVNTUAAB", 17) == 0;
    if (value != NULL && strncasecmp(value, "NTLM TlRMTVNTUAAD", 17) == 0) connection->known = true;
    if (value != NULL) *end = '\r';
    if (begins) connection->known = false;
    if (connection->known) return true;
    *alive = refuse(connection, "407 Proxy Authentication Required", "Proxy-Authenticate",
                    begins ? ntlm_challenge : "NTLM");
    return false;
}

/// Whether a parent's demand is met; if not, the refusal was sent or `*alive` is false.
static bool admitted(struct connection *connection, const char *method, const char *target, bool *alive) {
    char *end = NULL, challenge[512];
    char *value = field(connection->head, "Proxy-Authorization", &end);
    enum digest_verdict verdict = DIGEST_REFUSED;
    if (value != NULL) {
        if (parent_digest) verdict = digest_judge(value, method, target);
        else if (strcmp(value, parent_basic) == 0) verdict = DIGEST_ACCEPTED;
        *end = '\r';
    }
    if (verdict == DIGEST_ACCEPTED) return true;
    if (parent_digest) digest_challenge(challenge, sizeof challenge, verdict == DIGEST_STALE);
    *alive = refuse(connection, "407 Proxy Authentication Required", "Proxy-Authenticate",
                    parent_digest ? challenge : "Basic realm=\"parent\"");
    return false;
}

/// Sends what the socket takes of a bulk answer and asks to be told when it takes more.
static bool pour(struct connection *connection) {
    while (connection->left > 0) {
        off_t offset = 0;
        size_t size = connection->left < CHUNK ? (size_t)connection->left : CHUNK;
        ssize_t sent = sendfile(connection->descriptor, zeros, &offset, size);
        if (sent < 0 && errno != EAGAIN) return false;
        if (sent < 0) break;
        connection->left -= sent;
    }
    bool waiting = connection->left > 0;
    if (waiting != connection->waiting) {
        struct epoll_event event = {.events = waiting ? EPOLLOUT : EPOLLIN, .data.ptr = connection};
        if (epoll_ctl(poller, EPOLL_CTL_MOD, connection->descriptor, &event) != 0)
            fail("origin: epoll_ctl: %s", strerror(errno));
        connection->waiting = waiting;
    }
    return true;
}

static bool answer_bulk(struct connection *connection, int64_t length) {
    char head[512];
    int size =
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%sContent-Length: %lld\r\n\r\n", fields, (long long)length);
    connection->left = length;
    return put(connection, head, (size_t)size, MSG_MORE) && pour(connection);
}

/// Answers the request whose head stands, ended by a NUL, in the buffer.
static bool answer(struct connection *connection) {
    char method[16], target[1024], *end = NULL;
    if (sscanf(connection->head, "%15s %1023s HTTP/1.", method, target) != 2) return false;
    const char *path = target;
    if (strncasecmp(target, "http://", 7) == 0) {
        path = strchr(target + 7, '/');
        if (path == NULL) path = "/";
    }
    char *option = field(connection->head, "Connection", &end);
    connection->last = option != NULL && strcasecmp(option, "close") == 0;
    if (option != NULL) *end = '\r';

    bool alive = true;
    if (parent_ntlm && !admitted_ntlm(connection, &alive)) return alive;
    if ((parent_digest || parent_basic != NULL) && !admitted(connection, method, target, &alive)) return alive;
    if (strncmp(path, "/basic/", 7) == 0) {
        char *value = field(connection->head, "Authorization", &end);
        if (origin_basic == NULL || value == NULL || strcmp(value, origin_basic) != 0)
            return refuse(connection, "401 Unauthorized", "WWW-Authenticate", "Basic realm=\"origin\"");
        return put(connection, small_answer, small_size, 0);
    }
    if (strncmp(path, "/bulk/", 6) == 0 && connection->tls == NULL)
        return answer_bulk(connection, strtoll(path + 6, NULL, 10));
    if (strcmp(path, "/1k") == 0) return put(connection, small_answer, small_size, 0);
    if (strcmp(path, "/last/1k") == 0) {
        connection->last = true;
        return put(connection, last_answer, last_size, 0);
    }
    return refuse(connection, "404 Not Found", "X-Target", path);
}

/// Serves what the buffer holds, one head after the other. Requests have no bodies here.
static bool serve(struct connection *connection) {
    while (connection->left == 0 && connection->have > 0) {
        connection->head[connection->have] = 0;
        char *end = strstr(connection->head, "\r\n\r\n");
        if (end == NULL) return connection->have < HEAD;
        size_t size = (size_t)(end - connection->head) + 4;
        end[2] = 0;
        if (!answer(connection)) return false;
        connection->have -= size;
        memmove(connection->head, connection->head + size, connection->have);
        if (connection->last && connection->left == 0) return false;
    }
    return true;
}

static bool proceed(struct connection *connection) {
    if (connection->waiting) {
        if (!pour(connection)) return false;
        if (connection->left > 0) return true;
        return !connection->last && serve(connection);
    }
    char *end = connection->head + connection->have;
    size_t room = HEAD - connection->have;
    ssize_t size = connection->tls != NULL ? tls_receive(connection->tls, end, room)
                                           : recv(connection->descriptor, end, room, 0);
    if (size <= 0) return size < 0 && errno == EAGAIN;
    connection->have += (size_t)size;
    return serve(connection);
}

static void take(int listener) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
    if (descriptor < 0) return;
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) fail("origin: out of memory");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection->descriptor = descriptor;
    if (tls != NULL) connection->tls = tls_begin(tls, descriptor, NULL);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("origin: epoll_ctl: %s", strerror(errno));
}

static int listening(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0)
        fail("origin: listen: %s", strerror(errno));
    return listener;
}

static void read_options(int count, char **values) {
    for (int index = 1; index + 1 < count; index += 2) {
        char *value = values[index + 1];
        if (strcmp(values[index], "--port") == 0) port = atoi(value);
        else if (strcmp(values[index], "--basic") == 0) origin_basic = value;
        else if (strcmp(values[index], "--parent-basic") == 0) parent_basic = value;
        else if (strcmp(values[index], "--parent-ntlm") == 0) parent_ntlm = true;
        else if (strcmp(values[index], "--certificate") == 0) certificate = value;
        else if (strcmp(values[index], "--key") == 0) key = value;
        else if (strcmp(values[index], "--parent-digest") == 0) {
            char *user = strsep(&value, ":"), *realm = strsep(&value, ":");
            if (value == NULL) fail("origin: --parent-digest USER:REALM:PASSWORD");
            digest_account(user, realm, value);
            parent_digest = true;
        } else fail("origin: unknown option %s", values[index]);
    }
}

static size_t write_answer(char *answer, const char *option) {
    int head =
        snprintf(answer, HEAD, "HTTP/1.1 200 OK\r\n%s%sContent-Length: %d\r\n\r\n", fields, option, BODY);
    memset(answer + head, 'x', BODY);
    return (size_t)head + BODY;
}

static void prepare(void) {
    time_t seconds = time(NULL);
    char date[64];
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime(&seconds));
    snprintf(fields, sizeof fields,
             "Date: %s\r\nServer: origin\r\nContent-Type: application/octet-stream\r\nCache-Control: no-store\r\n%s",
             // cntlm takes an answer for its connection's last unless both say otherwise.
             date, parent_ntlm ? "Connection: keep-alive\r\nProxy-Connection: keep-alive\r\n" : "");
    small_size = write_answer(small_answer, "");
    last_size = write_answer(last_answer, "Connection: close\r\n");
    if (certificate != NULL) tls = tls_server(certificate, key);
    zeros = memfd_create("zeros", MFD_CLOEXEC);
    if (zeros < 0 || ftruncate(zeros, CHUNK) != 0) fail("origin: memfd: %s", strerror(errno));
}

int main(int count, char **values) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    read_options(count, values);
    prepare();
    poller = epoll_create1(EPOLL_CLOEXEC);
    int listener = listening();
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
    if (epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) != 0) fail("origin: epoll_ctl: %s", strerror(errno));
    for (;;) {
        int ready = epoll_wait(poller, events, EVENTS, -1);
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (connection == NULL) take(listener);
            else if (!proceed(connection)) drop(connection);
        }
    }
}
