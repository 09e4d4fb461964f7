"""What can be counted exactly for one request, against the limits of thresholds.json."""

import contextlib
import glob
import json
import os
import struct
import types

from measures import system_calls
from processes import BenchmarkError, run
from programs import Setup
from tools import Origin, load, tool

OPERATIONS = {"plain": Setup(), "digest": Setup("digest-parent"), "https": Setup("https-origin")}
THRESHOLDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "thresholds.json")


@contextlib.contextmanager
def running(kind, folder, setup, options, prefix=(), environment=None):
    """A program and its origin, for the time of a `with`."""
    os.makedirs(os.path.join(folder, "state"), mode=0o700)
    os.chmod(folder, 0o755)
    origin = Origin(folder, setup.origin_options)
    program = kind(folder, origin.port, setup)
    surroundings = {**program.environment(), **(environment or {})}
    program.environment = lambda: surroundings
    try:
        program.start(prefix)
        yield types.SimpleNamespace(program=program, origin=origin, options=options)
    finally:
        program.stop()
        origin.stop()


def difference(entry, few, many, count):
    """What one request costs: two runs that differ only in their number of requests, after one that warms up.

    So what connections cost, and what is done at start, falls out.
    """

    def run_load(requests):
        load(entry.program.port, entry.origin.port, requests, entry.options, seconds=300)

    run_load(few)
    before = count()
    run_load(few)
    between = count()
    run_load(many)
    return ((count() - between) - (between - before)) / (many - few)


def allocations(kind, folder, setup):
    """Heap allocations, to the hundredth: what the clock does once a second is no request's."""
    path = os.path.join(folder, "allocations")
    environment = {"LD_PRELOAD": tool("allocations.so"), "COUNTERSIGN_ALLOCATIONS": path}

    def count():
        with open(path, "rb") as file:
            return struct.unpack("Q", file.read(8))[0]

    with running(kind, folder, setup, ("--connections", "16"), environment=environment) as entry:
        if not os.path.exists(path):
            raise BenchmarkError("the program did not load the counter: is it linked statically?")
        return round(difference(entry, 1000, 21000, count), 2)


def instructions(kind, folder, setup):
    """Instructions under callgrind, on one connection."""
    total = 0

    with running(kind, folder, setup, (), ["valgrind", "--tool=callgrind", "-q"]) as entry:
        process = entry.program.process.child.pid

        def count():
            """The sum of all dumps so far; a dump sets callgrind's own count to zero."""
            nonlocal total
            run(["callgrind_control", "--dump", str(process)], 60)
            dumps = glob.glob(os.path.join(folder, f"callgrind.out.{process}.*"))
            newest = max(dumps, key=lambda path: int(path.rpartition(".")[2]))
            with open(newest) as file:
                total += next(int(line.split()[1]) for line in file if line.startswith("totals:"))
            return total

        figure = round(difference(entry, 200, 1200, count))
    if figure <= 0:
        raise BenchmarkError("callgrind counted nothing: another process did the work")
    return figure


def calls(kind, folder, setup):
    """System calls on one connection, where each readiness is waited for: four of data and two of waiting."""
    with running(kind, folder, setup, ()) as entry:
        load(entry.program.port, entry.origin.port, 1000, ())
        few, many = 500, 4500
        return round((system_calls(entry, many) - system_calls(entry, few)) / (many - few), 2)


COUNTS = {"allocations": allocations, "instructions": instructions, "calls": calls}


def check(kind, scratch):
    """Prints a line for each count and says whether all are within their limits."""
    with open(THRESHOLDS) as file:
        thresholds = json.load(file)
    good = True
    for operation, setup in OPERATIONS.items():
        for name, count in COUNTS.items():
            limit = thresholds[operation][name]
            try:
                figure = count(kind, os.path.join(scratch, f"{operation}-{name}"), setup)
            except BenchmarkError as error:
                print(f"{operation:<8} {name:<13} error: {error}", flush=True)
                good = False
                continue
            verdict = "met" if figure <= limit["limit"] else f"exceeded; the limit's reason: {limit['why']}"
            print(f"{operation:<8} {name:<13} {figure:>10} (at most {limit['limit']}) {verdict}", flush=True)
            good = good and figure <= limit["limit"]
    return good
