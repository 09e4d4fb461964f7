"""The certificates of the rows with TLS, made anew by each run: P-256 keys, all of them."""

import os

from processes import run

FOLDER = ""  # where they are, set by `make`


def path(name):
    return os.path.join(FOLDER, name)


AUTHORITY = "authority.pem"  # vouches for the origin
ORIGIN, ORIGIN_KEY = "origin.pem", "origin.key"
PROXY_AUTHORITY, PROXY_AUTHORITY_KEY = "proxy.pem", "proxy.key"  # mints the leafs of intercepted hosts
PROXY_AUTHORITY_BOTH = "proxy-both.pem"  # certificate and key in one file


def make(folder):
    """Makes them in `folder`."""
    global FOLDER
    FOLDER = folder
    os.makedirs(folder, mode=0o755)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]

    def request(*arguments):
        run(["openssl", "req", *arguments], 20, cwd=folder)

    for name in ("authority", "proxy"):
        files = ["-keyout", f"{name}.key", "-out", f"{name}.pem"]
        request("-x509", *key, *files, "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    request(*key, "-keyout", ORIGIN_KEY, "-out", "origin.csr", "-subj", "/CN=origin")
    with open(path("origin.ext"), "w") as file:
        file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        file.write("extendedKeyUsage=serverAuth\nauthorityKeyIdentifier=keyid\n")
    signing = ["-CA", AUTHORITY, "-CAkey", "authority.key", "-days", "30", "-extfile", "origin.ext"]
    run(["openssl", "x509", "-req", "-in", "origin.csr", *signing, "-out", ORIGIN], 20, cwd=folder)
    with open(path(PROXY_AUTHORITY_BOTH), "w") as both:
        for name in (PROXY_AUTHORITY, PROXY_AUTHORITY_KEY):
            with open(path(name)) as part:
                both.write(part.read())
    os.chmod(path(PROXY_AUTHORITY_BOTH), 0o644)  # squid reads it as its own user
