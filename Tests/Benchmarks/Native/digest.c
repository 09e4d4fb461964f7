#include "digest.h"

#include "support.h"

#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

/// One program run is bounded: a proxy that is challenged for each request needs a nonce for each.
enum { NONCES = 1 << 20, VALUE = 256 };

static const char *account_user, *account_realm;
static char account_hash[33];
static uint32_t counts[NONCES];
static uint32_t issued;

static void md5(const char *text, char hex[33]) {
    unsigned char digest[16];
    if (EVP_Digest(text, strlen(text), digest, NULL, EVP_md5(), NULL) != 1) fail("origin: no MD5");
    for (int index = 0; index < 16; index++) sprintf(hex + 2 * index, "%02x", digest[index]);
}

/// A nonce tells its own place in `counts`; the rest makes it look like one.
static uint32_t tag(uint32_t index) {
    return index * 2654435761u ^ 0x5bd1e995u;
}

void digest_account(const char *user, const char *realm, const char *password) {
    char text[512];
    snprintf(text, sizeof text, "%s:%s:%s", user, realm, password);
    account_user = user;
    account_realm = realm;
    md5(text, account_hash);
}

void digest_challenge(char *out, int capacity, bool stale) {
    if (issued == NONCES) fail("origin: out of nonces");
    snprintf(out, (size_t)capacity, "Digest realm=\"%s\", nonce=\"%08x%08x\", qop=\"auth\", algorithm=MD5%s",
             account_realm, issued, tag(issued), stale ? ", stale=true" : "");
    issued++;
}

/// Copies the value of a parameter, unquoted, or returns false.
static bool parameter(const char *value, const char *name, char out[VALUE]) {
    size_t length = strlen(name);
    for (const char *at = value; *at != 0;) {
        at += strspn(at, " \t,");
        bool found = strncasecmp(at, name, length) == 0 && at[length] == '=';
        at += strcspn(at, "=,");
        if (*at != '=') continue;
        bool quoted = *++at == '"';
        if (quoted) at++;
        size_t size = strcspn(at, quoted ? "\"" : ", \t");
        if (found && size < VALUE) {
            memcpy(out, at, size);
            out[size] = 0;
            return true;
        }
        at += size + (quoted && at[size] == '"' ? 1 : 0);
    }
    return false;
}

/// libcurl names only the path in `uri`; what it signs must still be what was asked for.
static bool names(const char *uri, const char *target) {
    size_t uri_length = strlen(uri), length = strlen(target);
    return uri_length > 0 && uri_length <= length && strcmp(target + length - uri_length, uri) == 0;
}

enum digest_verdict digest_judge(const char *value, const char *method, const char *target) {
    char user[VALUE], realm[VALUE], nonce[VALUE], uri[VALUE], qop[VALUE], count[VALUE], client[VALUE], response[VALUE];
    if (strncasecmp(value, "Digest ", 7) != 0) return DIGEST_REFUSED;
    value += 7;
    if (!parameter(value, "username", user) || !parameter(value, "realm", realm) || !parameter(value, "nonce", nonce)
        || !parameter(value, "uri", uri) || !parameter(value, "qop", qop) || !parameter(value, "nc", count)
        || !parameter(value, "cnonce", client) || !parameter(value, "response", response))
        return DIGEST_REFUSED;
    if (strcmp(user, account_user) != 0 || strcmp(realm, account_realm) != 0 || strcmp(qop, "auth") != 0)
        return DIGEST_REFUSED;
    if (!names(uri, target) || strlen(count) != 8) return DIGEST_REFUSED;

    uint32_t index, rest;
    if (sscanf(nonce, "%8x%8x", &index, &rest) != 2 || index >= issued || rest != tag(index)) return DIGEST_STALE;

    char text[6 * VALUE], request_hash[33], expected[33];
    snprintf(text, sizeof text, "%s:%s", method, uri);
    md5(text, request_hash);
    snprintf(text, sizeof text, "%s:%s:%s:%s:%s:%s", account_hash, nonce, count, client, qop, request_hash);
    md5(text, expected);
    if (strcasecmp(expected, response) != 0) return DIGEST_REFUSED;

    uint32_t number = (uint32_t)strtoul(count, NULL, 16);
    if (number <= counts[index]) return DIGEST_STALE;
    counts[index] = number;
    return DIGEST_ACCEPTED;
}
