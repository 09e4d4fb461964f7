"""The rows of the table: what work is done, by whom, and what is hoped for."""

import dataclasses

from certificates import PROXY_AUTHORITY
from programs import Setup


@dataclasses.dataclass(frozen=True)
class Contender:
    """A program in a row; `count` is its units of work in one round, so that slow ones don't hold up the others."""

    label: str
    count: int
    setup: Setup = Setup()
    options: tuple = None  # of the load client, in place of the row's

    @property
    def program(self):
        return self.label.split()[0]


@dataclasses.dataclass(frozen=True)
class Target:
    limit: float
    of: str = None  # the contender whose figure the limit is a multiple of; None: the limit is the figure itself


@dataclasses.dataclass(frozen=True)
class Row:
    number: str
    work: str
    unit: str
    kind: str  # how it is measured: a key of measures.MEASURES
    contenders: tuple
    targets: tuple = ()
    options: tuple = ()  # of the load client
    rounds: int = 99  # at most; for what hardly varies


KEPT = ("--connections", "64")
FRESH = ("--connections", "64", "--fresh")
BULK_BYTES = 256 << 20
BULK = ("--connections", "4", "--path", f"/bulk/{BULK_BYTES}", "--length", str(BULK_BYTES), "--discard")
IDLE_CONNECTIONS = 3000

LOGGED = Setup(access_log=True)
BASIC_PARENT, DIGEST_PARENT, NTLM_PARENT = Setup("basic-parent"), Setup("digest-parent"), Setup("ntlm-parent")
BASIC_ORIGIN = Setup("basic-origin")
HTTPS_ORIGIN, INTERCEPTION = Setup("https-origin"), Setup("interception")
OPENED = ("--tunnel", "--authority", PROXY_AUTHORITY)
RELAY, RELAY_SPLICE = Setup("relay"), Setup("relay", splice=True)
IDLE = Setup(idle_connections=IDLE_CONNECTIONS)

ROWS = (
    Row(
        "1", "plain request, kept alive, 1 KiB, 64 connections", "CPU µs", "requests",
        (
            Contender("ours", 15000),
            Contender("nginx", 15000),
            Contender("haproxy", 15000),
            Contender("trafficserver", 8000),
            Contender("squid", 4000),
            Contender("px", 400),
        ),
        (Target(0.90, "nginx"),),
        KEPT,
    ),
    Row(
        "1", "the same with the access log on", "CPU µs", "requests",
        (Contender("ours", 15000, LOGGED), Contender("nginx", 15000, LOGGED), Contender("squid", 4000, LOGGED)),
        (),
        KEPT,
    ),
    Row(
        "1b", "the same, latency unloaded, p50", "µs", "latency",
        (Contender("ours", 4000), Contender("nginx", 4000), Contender("haproxy", 4000), Contender("squid", 2000)),
        (Target(1.0, "nginx"),),
    ),
    Row(
        "2", "plain request, new client connection each", "CPU µs", "requests",
        (Contender("ours", 5000), Contender("nginx", 5000), Contender("haproxy", 5000), Contender("squid", 1500)),
        (Target(1.0, "nginx"),),
        FRESH,
    ),
    Row(
        "3", "download", "CPU s/GiB", "bulk",
        (
            Contender("ours", 4),
            Contender("haproxy splice", 4, Setup(splice=True)),
            Contender("haproxy", 4),
            Contender("nginx", 4),
            Contender("squid", 4),
        ),
        (Target(0.6, "haproxy splice"),),
        BULK,
    ),
    Row(
        "4", "CONNECT tunnel in bulk", "CPU s/GiB", "bulk",
        (
            Contender("ours", 4),
            Contender("squid", 4),
            Contender("px", 4),
            Contender("haproxy TCP splice", 4, RELAY_SPLICE, (*BULK, "--origin-form")),
        ),
        (Target(0.4, "squid"),),
        (*BULK, "--tunnel"),
    ),
    Row(
        "4b", "CONNECT, one GET, close", "CPU µs", "requests",
        (
            Contender("ours", 2500),
            Contender("trafficserver", 2500),
            Contender("haproxy TCP", 2500, RELAY, (*FRESH, "--origin-form")),
            Contender("squid", 1500),
        ),
        (Target(0.75, "trafficserver"),),
        (*FRESH, "--tunnel"),
    ),
    Row(
        "4d", "small requests in standing tunnels", "CPU µs", "requests",
        (Contender("ours", 15000), Contender("squid", 15000), Contender("px", 15000)),
        (Target(0.9, "squid"),),
        (*KEPT, "--tunnel"),
    ),
    Row(
        "5", "idle, resident", "MiB", "resident",
        (Contender("ours", 1), Contender("nginx", 1), Contender("haproxy", 1), Contender("squid", 1)),
        (Target(14),),
        rounds=3,
    ),
    Row(
        "5", f"each of {IDLE_CONNECTIONS:,} idle connections", "KiB", "idle",
        tuple(Contender(label, IDLE_CONNECTIONS, IDLE) for label in ("ours", "nginx", "haproxy", "squid")),
        (Target(2),),
        rounds=3,
    ),
    Row(
        "6", "parent with Basic 407", "CPU µs", "requests",
        (
            Contender("ours", 15000, BASIC_PARENT),
            Contender("nginx fixed field", 15000, BASIC_PARENT),
            Contender("squid", 4000, BASIC_PARENT),
            Contender("px", 400, BASIC_PARENT),
        ),
        (Target(1.0, "nginx fixed field"),),
        KEPT,
    ),
    Row(
        "6b", "parent with Digest 407", "CPU µs", "requests",
        (Contender("ours", 15000, DIGEST_PARENT), Contender("px", 400, DIGEST_PARENT), Contender("ours plain", 15000)),
        (Target(0.03, "px"), Target(1.35, "ours plain")),
        KEPT,
    ),
    Row(
        "6c", "parent with NTLM 407", "CPU µs", "requests",
        (Contender("ours", 15000, NTLM_PARENT), Contender("cntlm", 400, NTLM_PARENT)),
        (Target(0.02, "cntlm"),),
        KEPT,
    ),
    Row(
        "6c", "the same, new client connection each", "CPU µs", "requests",
        (Contender("ours", 5000, NTLM_PARENT), Contender("cntlm", 400, NTLM_PARENT)),
        (),
        FRESH,
    ),
    Row(
        "6d", "origin with Basic 401", "CPU µs", "requests",
        (
            Contender("ours", 15000, BASIC_ORIGIN),
            Contender("nginx fixed field", 15000, BASIC_ORIGIN),
            Contender("haproxy fixed field", 15000, BASIC_ORIGIN),
            Contender("squid", 4000, BASIC_ORIGIN),
        ),
        (Target(1.0, "nginx fixed field"),),
        (*KEPT, "--path", "/basic/1k"),
    ),
    Row(
        "7", "http in, https out, kept alive", "CPU µs", "requests",
        (
            Contender("ours", 15000, HTTPS_ORIGIN),
            Contender("nginx", 15000, HTTPS_ORIGIN),
            Contender("haproxy", 15000, HTTPS_ORIGIN),
            Contender("squid", 4000, HTTPS_ORIGIN),
        ),
        (Target(1.0, "nginx"),),
        KEPT,
    ),
    Row(
        "7b", "interception, kept alive", "CPU µs", "requests",
        (Contender("ours", 15000, INTERCEPTION), Contender("squid", 4000, INTERCEPTION)),
        (Target(0.45, "squid"),),
        (*KEPT, *OPENED),
    ),
    Row(
        "7c", "interception: CONNECT, handshakes both sides, one GET", "CPU µs", "requests",
        (Contender("ours", 1500, INTERCEPTION), Contender("squid", 500, INTERCEPTION)),
        (Target(0.3, "squid"),),
        (*FRESH, *OPENED, "--path", "/last/1k"),
    ),
    Row(
        "8", "start to first answered request", "ms", "start",
        (Contender("ours", 3), Contender("nginx", 3), Contender("haproxy", 3), Contender("squid", 1)),
        (Target(1.0, "nginx"),),
    ),
    Row(
        "9", "system calls for a kept-alive request, 64 connections", "calls", "calls",
        (Contender("ours", 6000), Contender("haproxy", 6000), Contender("nginx", 6000)),
        (Target(4.1),),
        KEPT,
        rounds=3,
    ),
)
