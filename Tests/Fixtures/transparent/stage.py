"""A machine of its own, in namespaces, whose user 65534 finds every TCP connection redirected to the proxy.

Run by `unshare --net --mount`; the argument is a JSON object, and so is what it prints: what each client got, and what
each server was sent. Nothing leaves the namespace, which has a loopback interface and no other.
"""
import base64, json, os, socket, ssl, subprocess, sys, threading, time

plan = json.loads(sys.argv[1])
USER, PORT = 65534, 9327
SITE, OTHER, SIX = "10.99.0.1", "10.99.0.9", "fd99::1"
seen = []


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        print(json.dumps({"skipped": f"{' '.join(command)}: {result.stderr.strip()}"}))
        sys.exit(0)


def set_up():
    hosts = os.path.join(plan["folder"], "hosts")
    with open(hosts, "w") as file:
        file.write(f"127.0.0.1 localhost\n{SITE} site.test plain.test\n{SIX} six.test\n{OTHER} other.test\n")
    run("mount", "--make-rprivate", "/")
    run("mount", "--bind", hosts, "/etc/hosts")
    run("ip", "link", "set", "lo", "up")
    for address in (SITE + "/32", OTHER + "/32", SIX + "/128"):
        run("ip", "addr", "add", address, "dev", "lo", *(["nodad"] if ":" in address else []))
    for program in ("iptables", "ip6tables"):
        run(program, "-t", "nat", "-A", "OUTPUT", "-m", "owner", "--uid-owner", str(USER), "-p", "tcp",
            "-j", "REDIRECT", "--to-ports", str(PORT))


def read_head(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(4096)
        if not part:
            return None
        data += part
    lines = data.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    raw = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    return lines[0], fields, raw.get("Authorization")


def serve_http(name, connection):
    while True:
        head = read_head(connection)
        if head is None:
            return
        line, fields, authorization = head
        seen.append({"server": name, "line": line, "host": fields.get("host"), "authorization": authorization})
        body = f"{name} {fields.get('host')}".encode()
        status = b"200 OK" if authorization else b"401 No\r\nWWW-Authenticate: Basic realm=\"r\""
        connection.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))


def serve_mail(name, connection):
    connection.sendall(b"220 ready\r\n")
    line = connection.recv(100)
    seen.append({"server": name, "line": line.decode("latin-1").strip(), "host": None, "authorization": None})
    connection.sendall(b"got " + line)
    connection.close()


def serve_echo(name, connection):
    data = connection.recv(100)
    connection.sendall(b"echo " + data)
    connection.close()


def listen(name, address, port, serve, tls=None):
    listener = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET)

    def one(connection):
        try:
            if tls:
                connection = tls.wrap_socket(connection, server_side=True)
            serve(name, connection)
        except (OSError, ssl.SSLError):
            pass

    def accept():
        while True:
            threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def as_user(body):
    """What `body` returns when the redirected user runs it, or the kind of its failure."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
        try:
            result = body()
        except ssl.SSLError as error:
            result = f"tls: {error.reason}"
        except ConnectionResetError:
            result = "reset"
        except OSError as error:
            result = f"{type(error).__name__}: {error}"
        os.write(writer, json.dumps(result).encode())
        os._exit(0)
    os.close(writer)
    data = b""
    while part := os.read(reader, 65536):
        data += part
    os.close(reader)
    os.waitpid(child, 0)
    return json.loads(data)


def connect(address, port):
    return socket.create_connection((address, port), timeout=10)


def response(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(4096)
        if not part:
            return "closed" if not data else data.decode("latin-1")
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            while len(body) < int(line.split(b":")[1]):
                body += connection.recv(4096)
    return head.split(b" ")[1].decode() + " " + body.decode("latin-1")


def ask(address, port, *requests):
    def body():
        with connect(address, port) as connection:
            results = []
            for request in requests:
                connection.sendall(request.replace("\n", "\r\n").encode("latin-1"))
                results.append(response(connection))
            return results
    return as_user(body)


def get(host, path="/"):
    return f"GET {path} HTTP/1.1\nHost: {host}\n\n"


def secure(address, port, name, anchors, *requests):
    def body():
        context = ssl.create_default_context(cafile=anchors)
        context.check_hostname = name is not None
        with connect(address, port) as plain, context.wrap_socket(plain, server_hostname=name) as connection:
            results = []
            for request in requests:
                connection.sendall(request.replace("\n", "\r\n").encode("latin-1"))
                results.append(response(connection))
            return results
    return as_user(body)


def exchange(address, port, data):
    def body():
        with connect(address, port) as connection:
            first = connection.recv(100) if data is None else b""
            connection.sendall(data or b"hello\r\n")
            return (first + connection.recv(100)).decode("latin-1")
    return as_user(body)


def curl(*arguments):
    return subprocess.run(
        ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "curl", "-s", "--max-time", "10",
         *arguments], capture_output=True, text=True).stdout


def clients():
    own, theirs = plan["own"], plan["theirs"]
    return {
        "named": ask(SITE, 80, get("site.test"), get("SITE.test.:80", "/again")),
        "curl": curl("http://site.test/curl"),
        "curl6": curl("http://six.test/six"),
        "doubtful": ask(SITE, 80, get("other.test")),
        "mixed": ask(SITE, 80, get("site.test"), get("other.test"), get("site.test")),
        "unknown": ask(SITE, 80, get("nowhere.invalid")),
        "address": ask(SITE, 80, get(SITE)),
        "otherAddress": ask(SITE, 80, get(OTHER)),
        "nameless": ask(SITE, 80, "GET / HTTP/1.0\n\n"),
        "otherPort": ask(SITE, 80, get("site.test:81")),
        "absolute": ask(SITE, 80, "GET http://site.test/ HTTP/1.1\nHost: other.test\n\n"),
        "userinfo": ask(SITE, 80, "GET http://a:b@site.test/ HTTP/1.1\nHost: site.test\n\n"),
        "connect": ask(SITE, 80, "CONNECT site.test:80 HTTP/1.1\nHost: site.test\n\n"),
        "opened": secure(SITE, 443, "site.test", own, get("site.test"), get("site.test:443", "/again")),
        "openedCurl": curl("--cacert", own, "https://site.test/curl"),
        "inner": secure(SITE, 443, "site.test", own, get("other.test")),
        "openedDoubtful": secure(SITE, 443, "other.test", own, get("other.test")),
        "tunnelled": secure(SITE, 443, "plain.test", theirs, get("plain.test")),
        "nameless TLS": secure(SITE, 443, None, theirs, get("whatever.test")),
        "mail": exchange(SITE, 2525, None),
        "binary": exchange(SITE, 7777, b"\x01\x02\x03"),
        "refused": exchange(SITE, 7778, b"\x01\x02\x03"),
        "direct": ask("127.0.0.1", PORT, get("site.test")),
    }


def main():
    set_up()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(plan["certificate"], plan["key"])
    listen("site", SITE, 80, serve_http)
    listen("six", SIX, 80, serve_http)
    listen("other", OTHER, 80, serve_http)
    listen("secure", SITE, 443, serve_http, tls)
    listen("mail", SITE, 2525, serve_mail)
    listen("echo", SITE, 7777, serve_echo)
    log = open(os.path.join(plan["folder"], "log"), "w")
    proxy = subprocess.Popen(plan["proxy"], stdout=log, stderr=log)
    try:
        for _ in range(200):
            time.sleep(0.05)
            if "listening on 127.0.0.1" in open(log.name).read() and ":%d" % PORT in open(log.name).read():
                break
        time.sleep(0.1)
        results = clients()
        # Root isn't redirected.
        try:
            with connect("127.0.0.1", PORT) as connection:
                results["unredirected"] = "bytes" if connection.recv(10) else "closed"
        except ConnectionResetError:
            results["unredirected"] = "reset"
    finally:
        proxy.terminate()
        proxy.wait(20)
    print(json.dumps({"results": results, "seen": seen, "log": open(log.name).read()}))


main()
