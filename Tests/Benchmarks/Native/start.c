// How long a program takes from its start to its first answer, in milliseconds.
//
//   start PORT HOST:PORT PROGRAM ARGUMENT...
//
// Starts the program, asks for http://HOST:PORT/1k through 127.0.0.1:PORT until it is answered, ends it and prints the
// time.

#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t limit = 20000000000;

static pid_t launch(char **command) {
    pid_t child = fork();
    if (child < 0) fail("start: fork: %s", strerror(errno));
    if (child > 0) return child;
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execvp(command[0], command);
    _exit(127);
}

/// Asks the program to end, and makes it if it doesn't within two seconds.
static void end(pid_t child) {
    kill(child, SIGTERM);
    for (int tries = 0; tries < 400; tries++) {
        if (waitpid(child, NULL, WNOHANG) != 0) return;
        usleep(5000);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/// A connection, or -1 while nobody listens.
static int dial(uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

int main(int count, char **values) {
    if (count < 4) fail("start: PORT HOST:PORT PROGRAM ARGUMENT...");
    char request[512], answer[64] = "";
    int size = snprintf(request, sizeof request, "GET http://%s/1k HTTP/1.1\r\nHost: %s\r\n\r\n", values[2], values[2]);

    int64_t began = now(), deadline = began + limit;
    pid_t child = launch(values + 3);
    int descriptor = -1;
    while ((descriptor = dial((uint16_t)atoi(values[1]))) < 0 && now() < deadline) {
        if (waitpid(child, NULL, WNOHANG) != 0) fail("start: %s ended", values[3]);
        usleep(50);
    }
    struct timeval patience = {.tv_sec = 10};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool answered = send(descriptor, request, (size_t)size, MSG_NOSIGNAL) == size
                    && recv(descriptor, answer, sizeof answer - 1, 0) >= 12 && strncmp(answer + 8, " 200", 4) == 0;
    int64_t elapsed = now() - began;
    end(child);
    if (!answered) fail("start: %s gave no 200: %.20s", values[3], answer);
    printf("{\"ms\": %.3f}\n", (double)elapsed / 1e6);
}
