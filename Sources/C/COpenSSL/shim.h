#pragma once
// The low-level digests are deprecated in favour of EVP, which allocates at each message: see Crypto/MessageDigest.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/md5.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
