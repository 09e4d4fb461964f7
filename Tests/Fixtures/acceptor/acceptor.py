"""An origin or a parent proxy that authenticates by Basic, Digest, NTLM and Negotiate, and logs each leg as a line of JSON.

    acceptor.py OPTIONS        a JSON object; `Acceptor.swift` tells what each option means
"""

import base64
import hashlib
import json
import random
import socket
import ssl
import sys
import threading

import schemes
from wire import Ended, Sum, Wire, join

HOP_BY_HOP = {
    "connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "transfer-encoding", "expect",
    "upgrade",
}


class Verdict:
    def __init__(self, kind, scheme="", leg="", token=b"", fields=(), identity=None):
        self.kind, self.scheme, self.leg, self.fields = kind, scheme, leg, list(fields)
        self.identity = identity
        self.token = hashlib.sha256(token).hexdigest()[:16] if token else ""


class Acceptor:
    def __init__(self, options):
        self.options = options
        self.is_proxy = options.get("proxy", False)
        self.status, self.challenge, self.answer = (
            (407, "Proxy-Authenticate", "proxy-authorization") if self.is_proxy
            else (401, "WWW-Authenticate", "authorization")
        )
        self.realm = options.get("realm", "acceptor")
        self.digest = schemes.Digest(self.realm, options.get("users", {}))
        self.log, self.lock, self.count = open(options["log"], "a"), threading.Lock(), 0
        self.dice = random.Random(options.get("drops", {}).get("seed", 0))
        self.bindings = None
        self.tls = None
        if tls := options.get("tls"):
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(tls["certificate"], tls["key"])
            if options.get("bindings"):
                self.bindings = schemes.end_point(tls["certificate"])

    def drops(self, place):
        with self.lock:
            return self.dice.random() < self.options.get("drops", {}).get(place, 0)

    def write(self, **entry):
        with self.lock:
            self.log.write(json.dumps(entry) + "\n")
            self.log.flush()

    def run(self):
        listener = socket.create_server(("127.0.0.1", self.options["port"]), backlog=512)
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            wire = Wire(sock)
            first, fields = wire.head()
        except (OSError, Ended):
            # Nothing was asked: no connection worth a number.
            return
        with self.lock:
            number, self.count = self.count, self.count + 1
        connection = Connection(self, wire, number)
        try:
            while connection.exchange(first, fields):
                first, fields = wire.head()
        except (OSError, Ended):
            pass
        finally:
            connection.close()


class Connection:
    def __init__(self, acceptor, wire, number):
        self.acceptor, self.wire, self.number, self.index = acceptor, wire, number, -1
        self.options = acceptor.options
        self.identity = self.context = None
        self.upstream = {}
        self.resets = False

    def close(self):
        self.wire.end(self.resets)
        for wire in self.upstream.values():
            wire.end()

    def offers(self):
        lines = []
        for offer in self.options["offers"]:
            value = {"Basic": f'Basic realm="{self.acceptor.realm}"'}.get(offer, offer)
            lines.append(f"{self.acceptor.challenge}: {self.acceptor.digest.challenge() if offer == 'Digest' else value}")
        return lines

    def judge(self, method, target, fields):
        """What is to be answered to a request, by its head alone."""
        options, value = self.options, fields.get(self.acceptor.answer, "")
        if not options["offers"] or any(target.startswith(prefix) for prefix in options.get("open", [])):
            return Verdict("in")
        if options.get("takes_empty") and "transfer-encoding" not in fields and int(fields.get("content-length", 0)) == 0:
            return Verdict("in")
        scheme = value.split(" ", 1)[0]
        if not value and self.identity:
            return self.admitted(target, Verdict("in", identity=self.identity))
        if not scheme or scheme not in options["offers"]:
            return Verdict("challenge", scheme, fields=self.offers())
        if scheme in ("Basic", "Digest"):
            users = options["users"]
            name = (
                schemes.basic_identity(value, users) if scheme == "Basic"
                else self.acceptor.digest.identity(value, method)
            )
            if name is None:
                return Verdict("challenge", scheme, "last", value.encode(), self.offers())
            return self.admitted(target, Verdict("in", scheme, "last", value.encode(), identity=name))
        return self.step(target, scheme, base64.b64decode(value.split(" ", 1)[1]))

    def step(self, target, scheme, token):
        """One leg of a handshake that belongs to this connection."""
        bindings = self.acceptor.bindings
        is_first = schemes.NTLMSSP + b"\x01" in token
        if self.context is None or is_first:
            self.identity = None
            if scheme == "Negotiate":
                self.context = schemes.negotiate(token, bindings, self.options)
            elif self.options.get("target_info", True):
                self.context = schemes.Spnego("ntlm", bindings)
            else:
                self.context = schemes.OldNTLM(self.options["users"])
        kind, answer, name = self.context.step(token)
        back = f" {base64.b64encode(answer).decode()}" if answer else ""
        leg = "first" if is_first else "last"
        if kind == "more":
            return Verdict("more", scheme, leg, token, [f"{self.acceptor.challenge}: {scheme}{back}"])
        self.context = None
        if kind == "out":
            return Verdict("challenge", scheme, leg, token, self.offers())
        if self.options.get("persists", True):
            self.identity = name
        fields = [f"{self.acceptor.challenge}: {scheme}{back}"] if back and scheme == "Negotiate" else []
        if "persistent_auth" in self.options and scheme == "Negotiate":
            fields.append(f"Persistent-Auth: {self.options['persistent_auth']}")
        return self.admitted(target, Verdict("in", scheme, leg, token, fields, name))

    def admitted(self, target, verdict):
        """A known client may still be refused, by policy."""
        if any(mark in target for mark in self.options.get("refused", [])):
            return Verdict("challenge", verdict.scheme, verdict.leg, fields=self.offers(), identity=verdict.identity)
        return verdict

    def exchange(self, first, fields):
        """Serves one request; whether another may follow. Who reads the log sees that its line is still to come."""
        self.acceptor.write(open=1)
        try:
            return self.exchange_once(first, fields)
        finally:
            self.acceptor.write(open=-1)

    def exchange_once(self, first, fields):
        options = self.options
        self.index += 1
        if self.index and self.identity and self.acceptor.drops("before"):
            return False
        method, target, version = first.split(" ")
        had = self.identity
        verdict = self.judge(method, target, fields)
        has_body = fields.get("transfer-encoding") or int(fields.get("content-length", 0)) > 0
        if has_body and verdict.kind != "in" and options.get("resets_bodies"):
            self.log(method, target, fields, verdict, Sum(), 0)
            self.resets = True
            return False
        expects, mode = "expect" in fields, options.get("expect", "refuse")
        total = Sum()
        is_early = verdict.kind != "in" and ((expects and mode == "refuse") or options.get("early"))
        if not is_early:
            if expects and mode != "ignore":
                self.wire.send("HTTP/1.1 100 Continue\r\n\r\n")
            if verdict.kind != "in" or not self.acceptor.is_proxy or method == "CONNECT":
                self.wire.body(fields, total.take)
        goes_on = self.keeps(version, fields, verdict)
        status = self.reply(method, target, fields, verdict, total, goes_on)
        if is_early and goes_on:
            self.wire.body(fields, total.take)
        self.log(method, target, fields, verdict, total, status, had)
        return goes_on and status not in (0, 101) and not (method == "CONNECT" and status == 200)

    def log(self, method, target, fields, verdict, total, status, had=None):
        self.acceptor.write(
            connection=self.number, index=self.index, method=method, target=target, scheme=verdict.scheme,
            leg=verdict.leg, token=verdict.token, body=total.count, sum=total.sum, status=status,
            identity=verdict.identity or "", had=had or "", fields=fields if self.options.get("fields", True) else {},
        )

    def keeps(self, version, fields, verdict):
        options = self.options
        if verdict.kind != "in" and options.get("closes") == "each":
            return False
        if verdict.kind == "challenge" and options.get("closes") == "first":
            return False
        if verdict.kind == "more" and options.get("closes") == "more":
            return False
        if verdict.kind == "in" and options.get("closes") == "success":
            return False
        if "closes_after" in options and self.index + 1 >= options["closes_after"]:
            return False
        if options.get("version", "HTTP/1.1") == "HTTP/1.0":
            asked = [fields.get(name, "").lower() for name in options.get("keep_alive_by", ["connection"])]
            return "keep-alive" in asked
        return "close" not in fields.get("connection", "").lower() and version == "HTTP/1.1"

    def reply(self, method, target, fields, verdict, total, goes_on):
        acceptor, options = self.acceptor, self.options
        if verdict.kind != "in":
            body = b"x" * options.get("challenge_body", 12)
            self.respond(acceptor.status, verdict.fields, body, goes_on, method)
            if verdict.kind == "more" and acceptor.drops("between"):
                return 0
            return acceptor.status
        if acceptor.is_proxy:
            status = self.connect(target, verdict) if method == "CONNECT" else (
                self.forward(method, target, fields, verdict, total, goes_on)
            )
        else:
            status = self.serve(method, target, fields, verdict, total, goes_on)
        return 0 if acceptor.drops("after") else status

    def respond(self, status, fields, body, goes_on, method):
        options = self.options
        lines = [f"{options.get('version', 'HTTP/1.1')} {status} Accepted"] + fields + [f"Content-Length: {len(body)}"]
        if self.acceptor.is_proxy and options.get("session_based", True):
            lines.append("Proxy-Support: Session-Based-Authentication")
        if not goes_on and not options.get("silent"):
            lines.append("Connection: close")
        elif options.get("version") == "HTTP/1.0" and goes_on:
            lines += ["Connection: keep-alive"] + (["Proxy-Connection: keep-alive"] if self.acceptor.is_proxy else [])
        if method == "HEAD" and not options.get("head_body"):
            body = b""
        self.wire.send("\r\n".join(lines) + "\r\n\r\n", body)

    def serve(self, method, target, fields, verdict, total, goes_on):
        identity = verdict.identity or ""
        told = verdict.fields + [f"X-Identity: {identity}", f"X-Connection: {self.number}", f"X-Body: {total.count}"]
        if fields.get("upgrade", "").lower() == "websocket":
            key = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
            lines = ["HTTP/1.1 101 Switching", "Upgrade: websocket", "Connection: Upgrade"] + told
            self.wire.send("\r\n".join(lines + [f"Sec-WebSocket-Accept: {accept}"]) + "\r\n\r\n")
            while part := self.wire.rest or self.wire.socket.recv(1 << 16):
                self.wire.rest = b""
                self.wire.socket.sendall(part)
            return 101
        if target.startswith("/denied/"):
            self.respond(403, told, b"no", goes_on, method)
            return 403
        self.respond(200, told, f"{identity}\n".encode(), goes_on, method)
        return 200

    def connect(self, target, verdict):
        far = Wire(socket.create_connection(("127.0.0.1", int(target.rsplit(":", 1)[1]))))
        lines = ["HTTP/1.1 200 Connected", f"X-Parent-Identity: {verdict.identity or ''}"] + verdict.fields
        self.wire.send("\r\n".join(lines) + "\r\n\r\n")
        back = threading.Thread(target=join, args=(far, self.wire), daemon=True)
        back.start()
        join(self.wire, far)
        back.join()
        far.end()
        return 200

    def forward(self, method, target, fields, verdict, total, goes_on):
        authority, path = target.removeprefix("http://").split("/", 1)
        far = self.upstream.get(authority)
        if far is None:
            far = Wire(socket.create_connection(("127.0.0.1", int(authority.rsplit(":", 1)[1]))))
            self.upstream[authority] = far
        lines = [f"{method} /{path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in fields.items() if name not in HOP_BY_HOP]
        if fields.get("upgrade"):
            lines += ["Connection: Upgrade", f"Upgrade: {fields['upgrade']}"]
        is_chunked = "transfer-encoding" in fields
        far.send("\r\n".join(lines + (["Transfer-Encoding: chunked"] if is_chunked else [])) + "\r\n\r\n")

        def take(part):
            total.take(part)
            if part:
                far.socket.sendall(b"%x\r\n%b\r\n" % (len(part), bytes(part)) if is_chunked else part)

        self.wire.body(fields, take)
        if is_chunked:
            far.send("0\r\n\r\n")
        return self.back(far, authority, method, verdict, goes_on)

    def back(self, far, authority, method, verdict, goes_on):
        """Passes a response on."""
        first, fields = far.head()
        status = int(first.split(" ")[1])
        lines = [f"{self.options.get('version', 'HTTP/1.1')} {status} Forwarded"]
        # One challenge a field is as good as many, but joined by commas NTLM is hard to read.
        lines += [f"{name}: {value}" for name, value in fields.items() if name not in HOP_BY_HOP]
        lines += verdict.fields + [f"X-Parent-Identity: {verdict.identity or ''}"]
        lines += [f"X-Parent-Connection: {self.number}"]
        if self.options.get("session_based", True):
            lines.append("Proxy-Support: Session-Based-Authentication")
        if not goes_on and not self.options.get("silent"):
            lines.append("Connection: close")
        elif self.options.get("version") == "HTTP/1.0":
            lines += ["Connection: keep-alive", "Proxy-Connection: keep-alive"]
        if "close" in fields.get("connection", ""):
            del self.upstream[authority]
        self.wire.send("\r\n".join(lines) + "\r\n\r\n")
        if method != "HEAD" and status not in (204, 304):
            far.exactly(int(fields.get("content-length", 0)), self.wire.socket.sendall)
        return status


if __name__ == "__main__":
    Acceptor(json.loads(sys.argv[1])).run()
