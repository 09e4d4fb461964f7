"""Processes of the benchmark: started, measured and ended by their ids."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import time


class BenchmarkError(Exception):
    """A program or a measurement that failed, in one line."""


def free_port():
    """A free loopback port below those that the kernel gives to outgoing connections."""
    for _ in range(200):
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise BenchmarkError("no free port")


def descendants(root):
    """The ids of a process and of all that it started, as far as they live."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                with open(f"/proc/{entry}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry))
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        waiting += children.get(process, [])
    return found


def processor_seconds(processes):
    """User and system time of processes, all their threads included, to the nanosecond.

    The kernel's clock of another process: clock_getcpuclockid(3) makes its number like this.
    """
    total = 0.0
    for process in processes:
        with contextlib.suppress(OSError):
            total += time.clock_gettime((~process << 3) | 2)
    return total


def resident_kib(processes):
    total = 0
    for process in processes:
        with contextlib.suppress(OSError), open(f"/proc/{process}/status") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    return total


def without_proxies(environment):
    """Proxy settings of the caller's would lead a program away from the origin."""
    return {name: value for name, value in environment.items() if not name.lower().endswith("_proxy")}


class Process:
    """A started program; its output goes to a file."""

    def __init__(self, command, folder, environment=None, name=None):
        self.name = name or os.path.basename(command[0])
        self.output = os.path.join(folder, f"{self.name}.out")
        try:
            with open(self.output, "wb") as output:
                self.child = subprocess.Popen(
                    command,
                    cwd=folder,
                    env={**without_proxies(os.environ), **(environment or {})},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
        except OSError as error:
            raise BenchmarkError(f"{self.name}: {error.strerror}: {command[0]}") from error

    @property
    def processes(self):
        return descendants(self.child.pid)

    def wait_for_port(self, port, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.child.poll() is not None:
                raise BenchmarkError(f"{self.name} ended with {self.child.returncode}: {self.last_words()}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.02)
        raise BenchmarkError(f"{self.name} did not listen within {seconds} s: {self.last_words()}")

    def last_words(self):
        with open(self.output, errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        return " / ".join(lines[-3:])[:300] or "no output"

    def stop(self, patience=3):
        """Ends the program by its id, and what it leaves behind by theirs."""
        family = self.processes
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(patience)
        ended = self.child.poll() is not None
        stray = [process for process in family[1:] if orphaned(process)] if ended else self.processes
        for process in stray:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(patience)


def orphaned(process):
    """Whether a process that was a descendant has lost its parent (so that its id wasn't given to another one)."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1]) == 1
    return False


def run(command, seconds, **options):
    """Runs a tool to its end and gives its output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, **options)
    except subprocess.TimeoutExpired as error:
        raise BenchmarkError(f"{os.path.basename(command[0])}: no end within {seconds} s") from error
    except OSError as error:
        raise BenchmarkError(f"{os.path.basename(command[0])}: {error.strerror}") from error
    if done.returncode != 0:
        raise BenchmarkError((done.stderr or done.stdout).strip()[:300] or f"{command[0]} ended with {done.returncode}")
    return done.stdout
