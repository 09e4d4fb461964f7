"""HTTP/1.1 on a blocking socket, for a peer that is asked by one program only."""

import socket
import struct
import zlib


class Ended(Exception):
    pass


class Wire:
    def __init__(self, sock):
        self.socket, self.rest = sock, b""

    def fill(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise Ended()
        self.rest += part

    def head(self):
        """The first line and the fields of a message, names in lower case; several of one name are joined by commas."""
        while b"\r\n\r\n" not in self.rest:
            self.fill()
        text, self.rest = self.rest.split(b"\r\n\r\n", 1)
        first, *lines = text.decode("latin-1").split("\r\n")
        fields = {}
        for line in lines:
            name, value = line.split(":", 1)
            name, value = name.lower(), value.strip()
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
        return first, fields

    def line(self):
        while b"\r\n" not in self.rest:
            self.fill()
        text, self.rest = self.rest.split(b"\r\n", 1)
        return text

    def exactly(self, count, take):
        """Hands `count` bytes to `take` in parts."""
        part, self.rest = self.rest[:count], self.rest[count:]
        take(part)
        count -= len(part)
        space = bytearray(min(count, 1 << 20))
        while count > 0:
            size = self.socket.recv_into(space, min(count, len(space)))
            if size == 0:
                raise Ended()
            take(memoryview(space)[:size])
            count -= size

    def body(self, fields, take):
        """Hands a request's body to `take`, without its framing."""
        if fields.get("transfer-encoding", "").lower() == "chunked":
            while size := int(self.line().split(b";")[0], 16):
                self.exactly(size, take)
                self.line()
            while self.line():
                pass
        else:
            self.exactly(int(fields.get("content-length", 0)), take)

    def send(self, text, body=b""):
        self.socket.sendall(text.encode("latin-1") + body)

    def end(self, reset=False):
        try:
            if reset:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


class Sum:
    """How many bytes of a body came, and their Adler-32."""

    def __init__(self):
        self.count, self.sum = 0, 1

    def take(self, part):
        self.count += len(part)
        self.sum = zlib.adler32(part, self.sum)


def join(near, far):
    """Copies what comes from `near`, and what was read of it already, to `far` up to its end."""
    try:
        if near.rest:
            far.socket.sendall(near.rest)
            near.rest = b""
        while part := near.socket.recv(1 << 16):
            far.socket.sendall(part)
        far.socket.shutdown(socket.SHUT_WR)
    except OSError:
        pass
