#ifndef BENCHMARK_DIGEST_H
#define BENCHMARK_DIGEST_H

#include <stdbool.h>

/// What a server that demands Digest (MD5, qop=auth) thinks of a value.
enum digest_verdict { DIGEST_ACCEPTED, DIGEST_STALE, DIGEST_REFUSED };

/// Sets the one account: all texts must outlive the program.
void digest_account(const char *user, const char *realm, const char *password);

/// Writes a challenge with a nonce never used before into `out`.
void digest_challenge(char *out, int capacity, bool stale);

/// Judges the value of an Authorization or Proxy-Authorization field [RFC 7616, 3.4.6]: the nonce must be one of ours,
/// its count higher than any before, and the response right. `target` is the request target as it was received.
enum digest_verdict digest_judge(const char *value, const char *method, const char *target);

#endif
