"""How the acceptor verifies: one object a handshake, `step(token)` gives (verdict, answer, identity).

The verdict is "more" (the answer is a challenge's token), "in" or "out".
"""

import base64
import ctypes
import hashlib
import os
import re
import struct
import threading

import spnego
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from spnego._ntlm_raw.crypto import hmac_md5, ntowfv1, ntowfv2
from spnego._ntlm_raw.messages import Authenticate, AvId, NTClientChallengeV2
from spnego.channel_bindings import GssChannelBindings

NTLMSSP = b"NTLMSSP\x00"
NTLM_OID = bytes.fromhex("2b06010401823702020a")
KERBEROS_OIDS = [bytes.fromhex("2a864886f712010202"), bytes.fromhex("2a864882f712010202")]


def end_point(path):
    """The tls-server-end-point of a certificate [RFC 5929 4.1]: by the hash of its own signature, and SHA-256 for weaker."""
    with open(path, "rb") as file:
        certificate = x509.load_pem_x509_certificate(file.read())
    name = certificate.signature_hash_algorithm.name
    digest = hashlib.new("sha256" if name in ("md5", "sha1") else name, certificate.public_bytes(Encoding.DER))
    return b"tls-server-end-point:" + digest.digest()


def unbound(token):
    """Whether an NTLM AUTHENTICATE, perhaps inside SPNEGO, has no channel bindings or empty ones."""
    at = token.find(NTLMSSP)
    message = Authenticate.unpack(token[at:])
    response = message.nt_challenge_response or b""
    if len(response) <= 24:
        return True
    pairs = NTClientChallengeV2.unpack(response[16:]).av_pairs
    return pairs.get(AvId.channel_bindings, bytes(16)) == bytes(16)


def without_target_info(challenge):
    """A CHALLENGE [MS-NLMP 2.2.1.2] as old servers send it, without TargetInfo."""
    flags = struct.unpack_from("<I", challenge, 20)[0] & ~0x00800000
    length, _, offset = struct.unpack_from("<HHI", challenge, 12)
    name = challenge[offset : offset + length]
    # The fixed part ends behind the reserved bytes: no TargetInfo, no version.
    flags &= ~0x02000000
    head = challenge[:12] + struct.pack("<HHII", length, length, 32, flags)
    return head + challenge[24:32] + name


class Spnego:
    """NTLM by itself, or inside SPNEGO, by pyspnego."""

    def __init__(self, protocol, bindings):
        channel = GssChannelBindings(application_data=bindings) if bindings else None
        self.context = spnego.server(protocol=protocol, channel_bindings=channel)
        self.bindings = bindings

    def step(self, token):
        try:
            if self.bindings and NTLMSSP + b"\x03" in token and unbound(token):
                return "out", None, None
            answer = self.context.step(token)
        except Exception:
            return "out", None, None
        if self.context.complete:
            return "in", answer, self.context.client_principal
        return "more", answer, None


class OldNTLM:
    """NTLM without TargetInfo; of the answer NTProofStr is verified over what came [MS-NLMP 3.3.2], as pyspnego doesn't."""

    def __init__(self, users):
        self.context, self.users, self.challenge = spnego.server(protocol="ntlm"), users, None

    def step(self, token):
        try:
            if self.challenge is None:
                answer = without_target_info(self.context.step(token))
                self.challenge = answer[24:32]
                return "more", answer, None
            message = Authenticate.unpack(token)
            name, response = message.user_name, message.nt_challenge_response
            key = ntowfv2(name, ntowfv1(self.users[name]), message.domain_name or "")
            is_right = len(response) > 24 and hmac_md5(key, self.challenge + response[16:]) == response[:16]
        except Exception:
            return "out", None, None
        return ("in", None, name) if is_right else ("out", None, None)


class Buffer(ctypes.Structure):
    _fields_ = [("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]

    def bytes(self):
        return ctypes.string_at(self.value, self.length) if self.value else b""


class Bindings(ctypes.Structure):
    _fields_ = [
        ("initiator_type", ctypes.c_uint32),
        ("initiator", Buffer),
        ("acceptor_type", ctypes.c_uint32),
        ("acceptor", Buffer),
        ("application", Buffer),
    ]


def buffer(data):
    return Buffer(len(data), ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p))


class Kerberos:
    """SPNEGO with Kerberos inside, by the library's own acceptor and the keytab of KRB5_KTNAME."""

    library = None
    CONTINUE_NEEDED = 1
    CHANNEL_BOUND = 0x800

    def __init__(self, bindings):
        Kerberos.library = Kerberos.library or ctypes.CDLL("libgssapi_krb5.so.2")
        self.context = ctypes.c_void_p()
        self.bindings = bindings

    def step(self, token):
        gss = Kerberos.library
        minor, flags = ctypes.c_uint32(), ctypes.c_uint32()
        source, answer, name = ctypes.c_void_p(), Buffer(), Buffer()
        channel = None
        if self.bindings:
            # The address types are "none" [RFC 5056, GSS_C_AF_UNSPEC].
            channel = ctypes.byref(Bindings(0, Buffer(), 0, Buffer(), buffer(self.bindings)))
        major = gss.gss_accept_sec_context(
            ctypes.byref(minor), ctypes.byref(self.context), None, ctypes.byref(buffer(token)), channel,
            ctypes.byref(source), None, ctypes.byref(answer), ctypes.byref(flags), None, None,
        )
        token = answer.bytes()
        if major & 0xFFFF0000:
            return "out", token or None, None
        if major == Kerberos.CONTINUE_NEEDED:
            return "more", token, None
        if self.bindings and not flags.value & Kerberos.CHANNEL_BOUND:
            return "out", None, None
        gss.gss_display_name(ctypes.byref(minor), source, ctypes.byref(name), None)
        return "in", token or None, name.bytes().decode()


def negotiate(token, bindings, options):
    """The acceptor that a first Negotiate token asks for by the mechanism that it names first."""
    places = [token.find(oid) for oid in KERBEROS_OIDS if oid in token]
    other = token.find(NTLM_OID)
    if options.get("keytab") and places and (other < 0 or min(places) < other):
        return Kerberos(bindings)
    return Spnego("negotiate", bindings)


class Digest:
    """Digest [RFC 7616] with MD5 and qop auth; nonces are anybody's, their counts must rise."""

    def __init__(self, realm, users):
        self.realm, self.users, self.counts, self.lock = realm, users, {}, threading.Lock()

    def challenge(self):
        nonce = os.urandom(12).hex()
        with self.lock:
            self.counts[nonce] = 0
        return f'Digest realm="{self.realm}", nonce="{nonce}", qop="auth"'

    def identity(self, value, method):
        pairs = re.findall(r'(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))', value)
        given = {name: quoted.replace('\\"', '"').replace("\\\\", "\\") or bare for name, quoted, bare in pairs}
        password = self.users.get(given.get("username"))
        if password is None:
            return None
        with self.lock:
            last, count = self.counts.get(given.get("nonce")), int(given.get("nc", "0"), 16)
            if last is None or count <= last:
                return None
            self.counts[given["nonce"]] = count
        digest = lambda text: hashlib.md5(text.encode()).hexdigest()
        secret = digest(f"{given['username']}:{self.realm}:{password}")
        words = [secret, given["nonce"], given["nc"], given["cnonce"], "auth", digest(f"{method}:{given['uri']}")]
        return given["username"] if digest(":".join(words)) == given["response"] else None


def basic_identity(value, users):
    try:
        user, password = base64.b64decode(value.split(" ", 1)[1]).decode().split(":", 1)
    except ValueError:
        return None
    return user if users.get(user) == password else None
