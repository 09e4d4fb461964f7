// The load client of the benchmarks: one thread, one epoll, a bounded number of requests, each answer checked.
//
//   load --port N --target HOST:PORT --path /1k --length 1024 --connections 64 --count 20000 [modes]
//
//   --origin-form   "GET /1k", where nothing or a relay stands between; else absolute-form, as to a proxy
//   --tunnel        CONNECT first
//   --authority F   TLS within the tunnel, with a server that this authority vouches for
//   --fresh         a new connection for each request
//   --discard       bodies are thrown away in the kernel
//   --hold          one connection after the other, each kept open until standard input ends
//
// Prints one line of JSON. Anything but a 200 of the right length ends it with status 1.

#include "support.h"
#include "tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 16384, DISCARD = 64 << 20, EVENTS = 256 };

enum phase { IDLE, TUNNEL_ANSWER, HANDSHAKE, HEAD, BODY };

struct connection {
    int descriptor;
    SSL *tls; // NULL in the clear
    enum phase phase;
    bool closing; // the answer says that it is the connection's last
    size_t have;
    int64_t left; // bytes of the body to come
    int64_t began;
    char head[BUFFER + 1];
};

static struct {
    int port, connections, seconds;
    int64_t count, length;
    const char *target, *path, *authority;
    int origin_form, tunnel, fresh, discard, hold;
} options = {.connections = 1, .seconds = 60, .count = 1, .length = 1024, .path = "/1k"};

static char request[2048], tunnel_request[512], target_host[256];
static SSL_CTX *tls;
static size_t request_size, tunnel_size;
static int64_t issued, done, reconnects, *latencies;
static int poller;

static void put(struct connection *connection, const char *bytes, size_t size) {
    ssize_t sent = connection->tls != NULL ? tls_send(connection->tls, bytes, size)
                                           : send(connection->descriptor, bytes, size, MSG_NOSIGNAL);
    if (sent != (ssize_t)size) fail("load: send: %s", sent < 0 ? strerror(errno) : "short");
    connection->have = 0;
}

static void ask(struct connection *connection) {
    if (latencies != NULL) connection->began = now();
    connection->phase = HEAD;
    put(connection, request, request_size);
}

static void join(struct connection *connection) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0) fail("load: socket: %s", strerror(errno));
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) != 0)
        fail("load: connect to port %d: %s", options.port, strerror(errno));
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, connection->descriptor, &event) != 0)
        fail("load: epoll_ctl: %s", strerror(errno));
    connection->closing = false;
}

/// The next request of a connection, if there is one left to send.
static void begin(struct connection *connection) {
    connection->phase = IDLE;
    if (issued == options.count) return;
    issued++;
    if (connection->descriptor >= 0) {
        ask(connection);
        return;
    }
    join(connection);
    if (!options.tunnel) {
        ask(connection);
        return;
    }
    connection->phase = TUNNEL_ANSWER;
    put(connection, tunnel_request, tunnel_size);
}

/// Takes the handshake within a tunnel as far as it goes.
static void secure(struct connection *connection) {
    if (connection->tls == NULL) {
        fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
        connection->tls = tls_begin(tls, connection->descriptor, target_host);
        connection->phase = HANDSHAKE;
    }
    if (tls_handshake(connection->tls)) ask(connection);
    else if (errno != EAGAIN) fail("load: the handshake within the tunnel failed: %s", tls_reason());
}

static void leave(struct connection *connection) {
    if (connection->tls != NULL) tls_end(connection->tls);
    connection->tls = NULL;
    close(connection->descriptor);
    connection->descriptor = -1;
}

static void finish(struct connection *connection) {
    if (latencies != NULL) latencies[done] = now() - connection->began;
    done++;
    if (connection->closing && !options.fresh) reconnects++;
    if (options.fresh || connection->closing) leave(connection);
    if (!options.hold) begin(connection);
}

__attribute__((noreturn)) static void refuse(struct connection *connection, const char *what) {
    char *end = strstr(connection->head, "\r\n");
    fail("load: answer %lld %s: %.*s", (long long)done + 1, what, end ? (int)(end - connection->head) : 40,
         connection->head);
}

static int64_t content_length(const char *head) {
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, "Content-Length:", 15) == 0) return strtoll(line + 17, NULL, 10);
    return -1;
}

/// A head is whole: `body` points behind it.
static void judge(struct connection *connection, char *body) {
    size_t behind = connection->have - (size_t)(body - connection->head);
    body[-2] = 0;
    bool tunnel = connection->phase == TUNNEL_ANSWER;
    if (strncmp(connection->head, "HTTP/1.", 7) != 0
        || strncmp(connection->head + 8, tunnel ? " 2" : " 200", tunnel ? 2 : 4) != 0)
        refuse(connection, "has the wrong status");
    if (tunnel) {
        if (behind > 0) refuse(connection, "brought bytes into the tunnel");
        if (tls != NULL) secure(connection);
        else ask(connection);
        return;
    }
    if (content_length(connection->head) != options.length) refuse(connection, "has the wrong length");
    connection->closing = strcasestr(connection->head, "\r\nConnection: close") != NULL;
    connection->left = options.length - (int64_t)behind;
    connection->phase = BODY;
    if (connection->left < 0) refuse(connection, "is longer than it says");
    if (connection->left == 0) finish(connection);
}

static ssize_t take(struct connection *connection, char *bytes, size_t size) {
    return connection->tls != NULL ? tls_receive(connection->tls, bytes, size)
                                   : recv(connection->descriptor, bytes, size, MSG_DONTWAIT);
}

/// One receive for each readiness, so that the client stays cheap.
static void proceed(struct connection *connection) {
    if (connection->phase == HANDSHAKE) return secure(connection);
    bool discard = connection->phase == BODY && options.discard;
    size_t offset = connection->phase == BODY ? 0 : connection->have;
    ssize_t size = discard ? recv(connection->descriptor, NULL, DISCARD, MSG_TRUNC | MSG_DONTWAIT)
                           : take(connection, connection->head + offset, BUFFER - offset);
    if (size < 0 && errno == EAGAIN) return;
    if (size < 0) fail("load: receive: %s", strerror(errno));
    if (connection->phase == IDLE && size == 0 && done == options.count) return leave(connection);
    if (size == 0)
        fail("load: the connection was closed %s", connection->phase == IDLE ? "while idle" : "within an answer");
    if (connection->phase == IDLE) fail("load: bytes came unasked");
    if (connection->phase == BODY) {
        connection->left -= size;
        if (connection->left < 0) fail("load: answer %lld is longer than it says", (long long)done + 1);
        if (connection->left == 0) finish(connection);
        return;
    }
    connection->have += (size_t)size;
    connection->head[connection->have] = 0;
    char *end = strstr(connection->head, "\r\n\r\n");
    if (end != NULL) judge(connection, end + 4);
    else if (connection->have == BUFFER) refuse(connection, "has a head that never ends");
}

static void wait_for(int64_t answers, int64_t deadline) {
    struct epoll_event events[EVENTS];
    while (done < answers) {
        int ready = epoll_wait(poller, events, EVENTS, 1000);
        if (now() > deadline)
            fail("load: %lld of %lld answers in %d s", (long long)done, (long long)options.count, options.seconds);
        for (int index = 0; index < ready; index++) proceed(events[index].data.ptr);
    }
}

static int ascending(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void report(int64_t elapsed) {
    printf("{\"requests\": %lld, \"reconnects\": %lld, \"seconds\": %.6f", (long long)done, (long long)reconnects,
           (double)elapsed / 1e9);
    if (latencies != NULL) {
        qsort(latencies, (size_t)done, sizeof *latencies, ascending);
        printf(", \"p50_us\": %.2f", (double)latencies[done / 2] / 1e3);
    }
    puts("}");
    fflush(stdout);
}

/// Keeps the connections until the standard input ends; none may be closed meanwhile.
static void hold(struct connection *connections) {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
    for (int index = 0; index < options.connections; index++)
        if (recv(connections[index].descriptor, &byte, 1, MSG_DONTWAIT | MSG_PEEK) >= 0 || errno != EAGAIN)
            fail("load: connection %d did not stay open", index);
}

static void read_options(int count, char **values) {
    static const struct option names[] = {
        {"port", required_argument, NULL, 'p'},
        {"target", required_argument, NULL, 't'},
        {"authority", required_argument, NULL, 'a'},
        {"path", required_argument, NULL, 'u'},
        {"length", required_argument, NULL, 'l'},
        {"connections", required_argument, NULL, 'c'},
        {"count", required_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 's'},
        {"origin-form", no_argument, &options.origin_form, 1},
        {"tunnel", no_argument, &options.tunnel, 1},
        {"fresh", no_argument, &options.fresh, 1},
        {"discard", no_argument, &options.discard, 1},
        {"hold", no_argument, &options.hold, 1},
        {NULL, 0, NULL, 0},
    };
    for (int name; (name = getopt_long(count, values, "", names, NULL)) != -1;) {
        switch (name) {
            case 0: break;
            case 'p': options.port = atoi(optarg); break;
            case 't': options.target = optarg; break;
            case 'a': options.authority = optarg; break;
            case 'u': options.path = optarg; break;
            case 'l': options.length = atoll(optarg); break;
            case 'c': options.connections = atoi(optarg); break;
            case 'n': options.count = atoll(optarg); break;
            case 's': options.seconds = atoi(optarg); break;
            default: exit(1);
        }
    }
    if (options.port == 0 || options.target == NULL || options.connections < 1 || options.count < 1)
        fail("load: --port, --target");
    if (options.authority != NULL && (!options.tunnel || options.discard))
        fail("load: --authority goes with --tunnel, and not with --discard");
}

static void write_requests(void) {
    bool origin_form = options.origin_form || options.tunnel;
    request_size = (size_t)snprintf(
        request, sizeof request, "GET %s%s%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: load\r\nAccept: */*\r\n\r\n",
        origin_form ? "" : "http://", origin_form ? "" : options.target, options.path, options.target);
    tunnel_size = (size_t)snprintf(tunnel_request, sizeof tunnel_request, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n",
                                   options.target, options.target);
}

int main(int count, char **values) {
    read_options(count, values);
    write_requests();
    if (options.authority != NULL) {
        tls = tls_client(options.authority);
        snprintf(target_host, sizeof target_host, "%.*s", (int)strcspn(options.target, ":"), options.target);
    }
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct connection *connections = calloc((size_t)options.connections, sizeof *connections);
    if (options.connections == 1) latencies = calloc((size_t)options.count, sizeof *latencies);
    if (connections == NULL || poller < 0) fail("load: no memory");
    if (options.hold) options.count = options.connections;

    int64_t start = now(), deadline = start + (int64_t)options.seconds * 1000000000;
    for (int index = 0; index < options.connections; index++) {
        connections[index].descriptor = -1;
        begin(&connections[index]);
        if (options.hold) wait_for(index + 1, deadline);
    }
    wait_for(options.count, deadline);
    report(now() - start);
    if (options.hold) hold(connections);
}
