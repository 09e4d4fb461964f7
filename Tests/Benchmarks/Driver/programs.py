"""The programs under measurement: what each takes to do one kind of work, with one worker and without an access log."""

import base64
import dataclasses
import os
import re
import shutil

import certificates
from processes import BenchmarkError, Process, free_port, run

USER, PASSWORD, REALM = "alice", "open-sesame", "parent"
BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@dataclasses.dataclass(frozen=True)
class Setup:
    """What a program is set up for.

    kind: forward (requests go to the origin), relay (bytes go to the origin), basic-parent, digest-parent, ntlm-parent
    (everything goes to a parent that demands a login), basic-origin (the origin demands one), https-origin (requests in the clear go
    to an origin that speaks TLS), interception (the TLS of tunnels to such an origin is opened).
    """

    kind: str = "forward"
    access_log: bool = False
    splice: bool = False
    idle_connections: int = 0

    @property
    def origin_options(self):
        certificate, key = map(certificates.path, (certificates.ORIGIN, certificates.ORIGIN_KEY))
        tls = ["--certificate", certificate, "--key", key]
        return {
            "https-origin": tls,
            "interception": tls,
            "basic-parent": ["--parent-basic", BASIC],
            "digest-parent": ["--parent-digest", f"{USER}:{REALM}:{PASSWORD}"],
            "ntlm-parent": ["--parent-ntlm", "yes"],
            "basic-origin": ["--basic", BASIC],
        }.get(self.kind, [])


class Program:
    """A program that has its own folder and port; `origin` is the port of the origin or parent behind it."""

    binary = None

    def __init__(self, folder, origin, setup):
        self.folder, self.origin, self.setup = folder, origin, setup
        self.port = free_port()
        self.process = None

    @classmethod
    def installed(cls):
        path = shutil.which(cls.binary, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
        if path is None:
            raise BenchmarkError(f"{cls.binary} is not installed")
        return path

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def command(self):
        """Writes the configuration and gives the command line."""
        raise NotImplementedError

    def environment(self):
        return {}

    def start(self, prefix=()):
        name = type(self).__name__.lower()
        self.process = Process([*prefix, *self.command()], self.folder, self.environment(), name)
        self.process.wait_for_port(self.port, seconds=120 if prefix else 20)  # valgrind starts slowly

    def stop(self):
        if self.process is not None:
            self.process.stop()

    def refuse(self):
        raise BenchmarkError(f"{type(self).__name__.lower()} has no setup for {self.setup.kind}")


class Countersign(Program):
    path = None  # set by the command line

    def command(self):
        if not os.access(self.path, os.X_OK):
            raise BenchmarkError(f"{self.path} is not there: swift build -c release --static-swift-stdlib")
        lines = [
            "version: 1",
            f'listeners: [{{ address: "127.0.0.1:{self.port}" }}]',
            f"log: {{ access: {'true' if self.setup.access_log else 'false'} }}",
            "state: state",
        ]
        if self.setup.kind in ("https-origin", "interception"):
            anchors = f"anchors: {{ file: {certificates.path(certificates.AUTHORITY)} }}"
            lines.append(f"trust: [{{ host: [127.0.0.1, localhost], {anchors} }}]")
        if self.setup.kind == "https-origin":
            lines.append(f'routes: [{{ host: 127.0.0.1, upgrade: "https:{self.origin}" }}]')
        if self.setup.kind == "interception":
            certificate, key = map(certificates.path, (certificates.PROXY_AUTHORITY, certificates.PROXY_AUTHORITY_KEY))
            authority = f"{{ certificate: {certificate}, private_key: {{ file: {key} }} }}"
            lines.append(f"interception: {{ authority: {authority}, hosts: [localhost] }}")
        if self.setup.kind in ("basic-parent", "digest-parent", "ntlm-parent", "basic-origin"):
            lines.append(f"credentials: {{ alice: {{ username: {USER}, password: {{ value: {PASSWORD} }} }} }}")
        if self.setup.kind in ("basic-parent", "digest-parent", "ntlm-parent"):
            cleartext = ", cleartext: [basic]" if self.setup.kind == "basic-parent" else ""
            lines.append(f'proxies: {{ parent: {{ url: "http://127.0.0.1:{self.origin}", use: alice{cleartext} }} }}')
            lines.append('routes: [{ host: "*", via: parent }]')
        if self.setup.kind == "basic-origin":
            space = f"{{ host: 127.0.0.1, port: {self.origin}, protocol: http }}"
            lines.append(f"rules: [{{ space: {space}, use: alice, cleartext: [basic] }}]")
        return [self.path, "run", "--config", self.write("countersign.yaml", "\n".join(lines) + "\n"), "--workers", "1"]


class Nginx(Program):
    binary = "nginx"

    def command(self):
        login = {
            "forward": "",
            "basic-parent": f'proxy_set_header Proxy-Authorization "{BASIC}";',
            "basic-origin": f'proxy_set_header Authorization "{BASIC}";',
            "https-origin": f"""
                proxy_ssl_protocols TLSv1.3; proxy_ssl_name localhost; proxy_ssl_verify on;
                proxy_ssl_trusted_certificate {certificates.path(certificates.AUTHORITY)};""",
        }
        if self.setup.kind not in login:
            self.refuse()
        log = f"{self.folder}/access.log" if self.setup.access_log else "off"
        scheme = "https" if self.setup.kind == "https-origin" else "http"
        config = f"""
            daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log {self.folder}/error.log error;
            worker_rlimit_nofile 16384;
            events {{ worker_connections {max(2048, 2 * self.setup.idle_connections)}; }}
            http {{
                access_log {log};
                client_body_temp_path {self.folder}/1; proxy_temp_path {self.folder}/2;
                fastcgi_temp_path {self.folder}/3; uwsgi_temp_path {self.folder}/4; scgi_temp_path {self.folder}/5;
                keepalive_requests 100000000; keepalive_timeout 300s; proxy_max_temp_file_size 0;
                upstream origin {{ server 127.0.0.1:{self.origin}; keepalive 128; keepalive_requests 100000000; }}
                server {{
                    listen 127.0.0.1:{self.port} backlog=4096;
                    location / {{
                        proxy_pass {scheme}://origin; proxy_http_version 1.1; proxy_set_header Connection "";
                        {login[self.setup.kind]}
                    }}
                }}
            }}"""
        return [self.installed(), "-c", self.write("nginx.conf", config), "-p", self.folder]


class Haproxy(Program):
    binary = "haproxy"

    def command(self):
        if self.setup.kind not in ("forward", "relay", "basic-origin", "https-origin"):
            self.refuse()
        mode = "tcp" if self.setup.kind == "relay" else "http"
        lines = ["global", "    nbthread 1", "    maxconn 9000" if self.setup.idle_connections else "    maxconn 2000"]
        if not self.setup.splice:
            lines.append("    nosplice")
        lines += ["defaults", f"    mode {mode}", "    timeout connect 5s"]
        lines += ["    timeout client 300s", "    timeout server 300s"]
        if self.setup.splice:
            lines.append("    option splice-response")
        if mode == "http":
            lines.append("    http-reuse always")
        server = f"    server origin 127.0.0.1:{self.origin}"
        if self.setup.kind == "https-origin":
            server += f" ssl verify required verifyhost localhost ca-file {certificates.path(certificates.AUTHORITY)}"
        lines += ["listen proxy", f"    bind 127.0.0.1:{self.port}", server]
        if self.setup.kind == "basic-origin":
            lines.append(f'    http-request set-header Authorization "{BASIC}"')
        return [self.installed(), "-db", "-f", self.write("haproxy.cfg", "\n".join(lines) + "\n")]


class Squid(Program):
    binary = "squid"
    minting = "/usr/lib/squid/security_file_certgen"  # of the package squid-openssl, in squid's place

    @staticmethod
    def authority(option):
        return f"{option}={certificates.path(certificates.AUTHORITY)}"

    def bump(self):
        """Options of a port whose tunnels are opened, and the store of leafs that it needs."""
        if not os.access(self.minting, os.X_OK):
            raise BenchmarkError("squid can't open TLS: it is not of the package squid-openssl")
        run([self.minting, "-c", "-s", f"{self.folder}/leafs", "-M", "4MB"], 20)
        for parent, folders, files in os.walk(f"{self.folder}/leafs"):
            for name in (".", *folders, *files):
                os.chmod(os.path.join(parent, name), 0o777)
        certificate = certificates.path(certificates.PROXY_AUTHORITY_BOTH)
        return f"ssl-bump tls-cert={certificate} generate-host-certificates=on dynamic_cert_mem_cache_size=4MB"

    def command(self):
        os.chmod(self.folder, 0o777)
        peer = f"cache_peer 127.0.0.1 parent {self.origin} 0 no-query default"
        through_peer = {
            "forward": None,
            "basic-parent": f"{peer} login={USER}:{PASSWORD}",
            "basic-origin": f"{peer} originserver login={USER}:{PASSWORD}",
            "https-origin": f"{peer} originserver tls {self.authority('tls-cafile')} ssldomain=localhost",
            "interception": None,
        }
        if self.setup.kind not in through_peer:
            self.refuse()
        lines = [
            f"http_port 127.0.0.1:{self.port} {self.bump() if self.setup.kind == 'interception' else ''}",
            "http_access allow all",
            "cache deny all",
            "cache_mem 8 MB",
            f"access_log {f'stdio:{self.folder}/access.log' if self.setup.access_log else 'none'}",
            f"cache_log {self.folder}/cache.log",
            f"pid_filename {self.folder}/squid.pid",
            f"coredump_dir {self.folder}",
            "pinger_enable off",
            "shutdown_lifetime 0 seconds",
            "max_filedescriptors 16384",
            "client_idle_pconn_timeout 5 minutes",
        ]
        if through_peer[self.setup.kind]:
            lines += [through_peer[self.setup.kind], "never_direct allow all"]
        if self.setup.kind == "interception":
            # Behind the client's first bytes, so that the leaf is made after the origin's.
            lines += ["acl first at_step SslBump1", "ssl_bump peek first", "ssl_bump bump all", f"tls_outgoing_options {self.authority('cafile')}"]
            lines.append(f"sslcrtd_program {self.minting} -s {self.folder}/leafs -M 4MB")
        path = self.write("squid.conf", "\n".join(lines) + "\n")
        os.chmod(path, 0o644)
        return [self.installed(), "-N", "-f", path]


class Trafficserver(Program):
    binary = "traffic_server"

    records = """
        CONFIG proxy.config.exec_thread.autoconfig INT 0
        CONFIG proxy.config.exec_thread.limit INT 1
        CONFIG proxy.config.accept_threads INT 0
        CONFIG proxy.config.task_threads INT 1
        CONFIG proxy.config.exec_thread.affinity INT 0
        CONFIG proxy.config.http.cache.http INT 0
        CONFIG proxy.config.http.connect_ports STRING *
        CONFIG proxy.config.http.keep_alive_no_activity_timeout_in INT 300
        CONFIG proxy.config.log.logging_enabled INT 0
        CONFIG proxy.config.url_remap.remap_required INT 0
        CONFIG proxy.config.reverse_proxy.enabled INT 0
        CONFIG proxy.config.admin.user_id STRING #-1
    """

    def command(self):
        if self.setup.kind != "forward":
            self.refuse()
        for name in ("configuration", "log", "run", "cache"):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        records = re.sub(r"(?m)^\s+", "", self.records)
        records += f"CONFIG proxy.config.http.server_ports STRING {self.port}:ip-in=127.0.0.1\n"
        self.write("configuration/records.config", records)
        self.write("configuration/storage.config", "cache 16M\n")
        allow = "{ apply: in, ip_addrs: 127.0.0.0/8, action: allow, methods: ALL }"
        self.write("configuration/ip_allow.yaml", f"ip_allow: [{allow}]\n")
        layout = {
            "prefix": self.folder,
            "exec_prefix": self.folder,
            "localstatedir": self.folder,
            "sysconfdir": f"{self.folder}/configuration",
            "logdir": f"{self.folder}/log",
            "runtimedir": f"{self.folder}/run",
            "cachedir": f"{self.folder}/cache",
            "datadir": f"{self.folder}/cache",
            "bindir": "/usr/bin",
            "sbindir": "/usr/bin",
            "libdir": "/usr/lib",
            "libexecdir": "/usr/lib/trafficserver/modules",
        }
        text = "".join(f"{name}: {path}\n" for name, path in layout.items())
        self.write("runroot.yaml", text)
        return [self.installed(), f"--run-root={self.folder}/runroot.yaml"]


class Px(Program):
    path = None  # the virtual environment's px, set by the command line

    @classmethod
    def installed(cls):
        if cls.path is None or not os.access(cls.path, os.X_OK):
            raise BenchmarkError("px is not installed (PyPI px-proxy)")
        return cls.path

    def environment(self):
        return {"HOME": self.folder, "PX_PASSWORD": PASSWORD}

    def command(self):
        command = [self.installed(), f"--port={self.port}", "--listen=127.0.0.1", "--workers=1", "--idle=300"]
        if self.setup.kind in ("basic-parent", "digest-parent"):
            method = self.setup.kind.partition("-")[0].upper()
            command += [f"--proxy=127.0.0.1:{self.origin}", f"--auth={method}", f"--username={USER}"]
        elif self.setup.kind != "forward":
            self.refuse()
        return command


class Cntlm(Program):
    binary = "cntlm"

    def command(self):
        if self.setup.kind != "ntlm-parent":
            self.refuse()
        lines = [
            f"Username {USER}",
            "Domain CORP",
            f"Password {PASSWORD}",
            f"Proxy 127.0.0.1:{self.origin}",
            f"Listen 127.0.0.1:{self.port}",
            "Auth NTLMv2",
        ]
        return [self.installed(), "-f", "-c", self.write("cntlm.conf", "\n".join(lines) + "\n")]


PROGRAMS = {
    "nginx": Nginx,
    "haproxy": Haproxy,
    "squid": Squid,
    "trafficserver": Trafficserver,
    "px": Px,
    "cntlm": Cntlm,
}
