"""A name server over UDP and TCP that does what its zone says: nameserver.py PORT ZONE LOG

ZONE is a JSON file, read again at each question. It has an object for each name:

  a, aaaa     addresses; a list of lists gives one list to each question in turn, the last one from then on
  cname       the name that it is an alias of
  ttl         seconds; 60 unless given
  delay       seconds before an answer, or an object of seconds by type (a, aaaa)
  lose        the number of datagrams of each type that are lost
  truncate    whether an answer by UDP is cut, so that TCP has to be asked
  rcode       the response code, such as 2 (SERVFAIL)
  no_name     the type for which the name is said not to exist
  silent      true, or the type that is never answered

A name that isn't there doesn't exist (NXDOMAIN). LOG gets a line a question: udp|tcp TYPE NAME
"""

import json
import ipaddress
import socket
import struct
import sys
import threading
import time
from collections import Counter

port, zone_path, log_path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
lock = threading.Lock()
asked = Counter()
TYPES = {1: "a", 28: "aaaa"}


def name_at(message, offset):
    labels = []
    while message[offset]:
        length = message[offset]
        labels.append(message[offset + 1 : offset + 1 + length].decode("ascii"))
        offset += length + 1
    return ".".join(labels).lower(), offset + 1


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


def record(name, kind, ttl, data):
    return encoded(name) + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


def addresses(entry, kind, turn):
    found = entry.get(TYPES.get(kind, ""), [])
    if found and isinstance(found[0], list):
        found = found[min(turn, len(found) - 1)]
    return [ipaddress.ip_address(text).packed for text in found]


def answers(zone, name, kind, turn):
    """The records of a name and its aliases, or None where it doesn't exist."""
    records = []
    for _ in range(8):
        entry = zone.get(name)
        if entry is None:
            return records or None
        ttl = entry.get("ttl", 60)
        if "cname" not in entry:
            return records + [record(name, kind, ttl, data) for data in addresses(entry, kind, turn)]
        records.append(record(name, 5, ttl, encoded(entry["cname"])))
        name = entry["cname"]
    return records


def respond(message, by):
    """The response to a question and the seconds to wait before it; None where there is none."""
    name, end = name_at(message, 12)
    kind = struct.unpack("!H", message[end : end + 2])[0]
    word = TYPES.get(kind, str(kind))
    with lock:
        turn = asked[name, kind]
        asked[name, kind] += 1
        with open(log_path, "a") as log:
            log.write(f"{by} {word} {name}\n")
    with open(zone_path) as file:
        zone = json.load(file)
    entry = zone.get(name, {})
    if entry.get("silent") in (True, word) or (by == "udp" and turn < entry.get("lose", 0)):
        return None
    found = answers(zone, name, kind, turn)
    code = entry.get("rcode", 3 if found is None or entry.get("no_name") == word else 0)
    found = found or []
    is_cut = by == "udp" and entry.get("truncate", False)
    if is_cut or code:
        found = []
    flags = 0x8580 | (0x0200 if is_cut else 0) | code
    delay = entry.get("delay", 0)
    if isinstance(delay, dict):
        delay = delay.get(word, 0)
    head = message[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0)
    return head + message[12 : end + 4] + b"".join(found), delay


def answer_datagram(server, message, client):
    result = respond(message, "udp")
    if result:
        time.sleep(result[1])
        server.sendto(result[0], client)


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            return None
        data += piece
    return data


def answer_connection(connection):
    with connection:
        while head := exactly(connection, 2):
            message = exactly(connection, struct.unpack("!H", head)[0])
            result = respond(message, "tcp") if message else None
            if not result:
                return
            time.sleep(result[1])
            connection.sendall(struct.pack("!H", len(result[0])) + result[0])


def accept(server):
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer_connection, args=(connection,), daemon=True).start()


datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind(("127.0.0.1", port))
listener = socket.create_server(("127.0.0.1", port))
threading.Thread(target=accept, args=(listener,), daemon=True).start()
while True:
    message, client = datagrams.recvfrom(4096)
    threading.Thread(target=answer_datagram, args=(datagrams, message, client), daemon=True).start()
