"""The suite's own tools: the origin, the load client and the start watch, as compiled by `run`."""

import json
import os

import certificates
from processes import BenchmarkError, Process, free_port, run

TOOLS = ""  # the folder of the compiled tools, set by the command line


def tool(name):
    return os.path.join(TOOLS, name)


class Origin:
    """An origin, or a parent, on a port of its own."""

    def __init__(self, folder, options):
        self.port = free_port()
        self.process = Process([tool("origin"), "--port", str(self.port), *options], folder)
        self.process.wait_for_port(self.port)

    def stop(self):
        self.process.stop()


def load_command(port, origin, count, options):
    # squid takes an address for no name of a certificate.
    host = "localhost" if "--authority" in options else "127.0.0.1"
    command = [tool("load"), "--port", str(port), "--target", f"{host}:{origin}", "--count", str(count)]
    # What follows --authority is one of the run's certificates.
    return command + [
        certificates.path(option) if before == "--authority" else option
        for before, option in zip((None, *options), options)
    ]


def load(port, origin, count, options, seconds=60):
    """Runs the load client: every answer was a 200 of the right length, or this throws."""
    result = json.loads(run([*load_command(port, origin, count, options), "--seconds", str(seconds)], seconds + 10))
    if result["reconnects"] > 0:
        raise BenchmarkError(f"load: {result['reconnects']} connections were not kept alive")
    return result


def start_time(program):
    """Milliseconds from the start of a program to its first answer."""
    command = program.command()
    os.makedirs(os.path.join(program.folder, "state"), mode=0o700, exist_ok=True)
    watch = [tool("start"), str(program.port), f"127.0.0.1:{program.origin}"]
    return json.loads(run([*watch, *command], 30, cwd=program.folder))["ms"]
