"""How each kind of row is measured: a running contender in, one figure out."""

import os
import signal
import statistics
import subprocess
import time

from processes import BenchmarkError, processor_seconds, resident_kib
from rows import BULK_BYTES
from tools import load, load_command, start_time

SETTLE = 0.04  # seconds for a program to finish what the last answer left to do, such as closing


def processor_time(entry, count):
    """Seconds of processor time that `count` units of work take."""
    processes = entry.program.process.processes
    time.sleep(SETTLE)
    before = processor_seconds(processes)
    load(entry.program.port, entry.origin.port, count, entry.options)
    time.sleep(SETTLE)
    return processor_seconds(processes) - before


def requests(entry):
    count = entry.contender.count
    return processor_time(entry, count) / count * 1e6


def bulk(entry):
    count = entry.contender.count
    return processor_time(entry, count) / (count * BULK_BYTES / (1 << 30))


def latency(entry):
    return load(entry.program.port, entry.origin.port, entry.contender.count, entry.options)["p50_us"]


def resident(entry):
    entry.restart()
    load(entry.program.port, entry.origin.port, 1, entry.options)
    time.sleep(0.3)
    return resident_kib(entry.program.process.processes) / 1024


def idle(entry):
    """Memory for each connection that has had one answer and waits."""
    entry.restart()
    count = entry.contender.count
    load(entry.program.port, entry.origin.port, 1, entry.options)
    time.sleep(0.3)
    before = resident_kib(entry.program.process.processes)
    command = load_command(entry.program.port, entry.origin.port, 1, ["--connections", str(count), "--hold"])
    pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    with subprocess.Popen(command, text=True, **pipes) as client:
        client.stdout.readline()
        time.sleep(0.3)
        after = resident_kib(entry.program.process.processes)
        _, complaint = client.communicate(timeout=30)
    if client.returncode != 0:
        raise BenchmarkError(complaint.strip())
    return (after - before) / count


def start(entry):
    return statistics.median(start_time(entry.program) for _ in range(entry.contender.count))


def system_calls(entry, count):
    """Calls of all threads of the program while the load client runs, counted by strace."""
    summary = os.path.join(entry.program.folder, "calls")
    attach = [option for process in entry.program.process.processes for option in ("-p", str(process))]
    command = ["strace", "-c", "-f", "-o", summary, *attach]
    try:
        tracer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise BenchmarkError("strace is not installed") from error
    try:
        tracer.stderr.readline()  # "strace: Process N attached"
        time.sleep(0.2)
        load(entry.program.port, entry.origin.port, count, entry.options)
    finally:
        tracer.send_signal(signal.SIGINT)
        _, complaint = tracer.communicate(timeout=20)
    with open(summary) as file:
        for line in file:
            if line.rstrip().endswith(" total"):
                return int(line.split()[3])
    raise BenchmarkError(f"strace: no summary: {complaint.strip()[:200]}")


def calls(entry):
    """Two runs that differ only in their number of requests: what connections and the clock cost falls out."""
    few = entry.contender.count // 6
    return (system_calls(entry, entry.contender.count) - system_calls(entry, few)) / (entry.contender.count - few)


MEASURES = {
    "requests": requests,
    "bulk": bulk,
    "latency": latency,
    "resident": resident,
    "idle": idle,
    "start": start,
    "calls": calls,
}
UNSTARTED = {"start"}  # kinds that start the program themselves
