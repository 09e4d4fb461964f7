"""Measures countersign beside its neighbours, one line a row, then counts what one request costs exactly."""

import argparse
import contextlib
import os
import shutil
import signal
import statistics
import sys
import tempfile

import certificates
import exact
import programs
import tools
from measures import MEASURES, UNSTARTED
from processes import BenchmarkError
from rows import ROWS


class Entry:
    """A contender of a row with its program and its origin."""

    def __init__(self, row, contender, folder, options):
        self.row, self.contender, self.command_line = row, contender, options
        self.options = row.options if contender.options is None else contender.options
        self.folder = folder
        self.origin = self.program = None
        os.makedirs(folder, mode=0o755)

    def start(self):
        with on_processor(1, self.command_line):
            self.origin = tools.Origin(self.folder, self.contender.setup.origin_options)
        self.start_program()

    def start_program(self):
        kind = self.command_line.kinds[self.contender.program]
        self.program = kind(self.folder, self.origin.port, self.contender.setup)
        os.makedirs(os.path.join(self.folder, "state"), mode=0o700, exist_ok=True)
        if self.row.kind in UNSTARTED:
            return
        with on_processor(0, self.command_line):
            self.program.start()

    def warm(self):
        if self.row.kind in ("requests", "latency", "calls"):
            tools.load(self.program.port, self.origin.port, max(self.contender.count // 5, 64), self.options)

    def restart(self):
        self.program.stop()
        self.start_program()

    def stop(self):
        for part in (self.program, self.origin):
            if part is not None:
                part.stop()


@contextlib.contextmanager
def on_processor(number, options):
    """What is started within runs on one processor: the measured program on the first, the tools on the second."""
    everywhere = os.sched_getaffinity(0)
    if len(everywhere) > 1 and not options.unpinned:
        os.sched_setaffinity(0, {sorted(everywhere)[number]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, everywhere)


def measure(row, folder, options):
    """The figures of each contender, round by round, and the errors of those that have none."""
    entries, figures, errors = [], {}, {}
    try:
        for index, contender in enumerate(row.contenders):
            entry = Entry(row, contender, os.path.join(folder, str(index)), options)
            entries.append(entry)
            try:
                entry.start()
                with on_processor(1, options):
                    entry.warm()
            except BenchmarkError as error:
                errors[contender.label] = str(error)
        for number in range(min(options.rounds, row.rounds)):
            shift = number % len(entries)
            for entry in entries[shift:] + entries[:shift]:
                label = entry.contender.label
                if label in errors:
                    continue
                try:
                    with on_processor(1, options):
                        figures.setdefault(label, []).append(MEASURES[row.kind](entry))
                except BenchmarkError as error:
                    errors[label] = str(error)
    finally:
        for entry in entries:
            entry.stop()
    return {label: values for label, values in figures.items() if label not in errors}, errors


def judge(target, figures):
    """What a target comes to: its text, and whether it is met."""
    ours = figures.get("ours")
    if target.of is None:
        met = statistics.median(ours) <= target.limit if ours else None
        return f"at most {target.limit:g}", met
    theirs = figures.get(target.of)
    if not ours or not theirs:
        return f"- x {target.of} (at most {target.limit:g})", None
    ratio = statistics.median(mine / other for mine, other in zip(ours, theirs))
    return f"{ratio:.{3 if target.limit < 0.1 else 2}f} x {target.of} (at most {target.limit:g})", ratio <= target.limit


def line(row, figures, errors):
    def show(label):
        return f"{statistics.median(figures[label]):.2f}" if label in figures else f"error: {errors[label]}"

    labels = [contender.label for contender in row.contenders if contender.label != "ours"]
    others = "  ".join(f"{label} {show(label)}" for label in labels)
    verdicts = [judge(target, figures) for target in row.targets]
    words = {True: "met", False: "not met", None: "not measured"}
    text = "; ".join(f"{verdict} {words[met]}" for verdict, met in verdicts) or "no target"
    return f"{row.number:<3} {row.work:<54} {row.unit:<10} ours {show('ours'):<9} {others} | {text}", verdicts


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/Benchmarks/run", description=__doc__)
    parser.add_argument("--rows", help="only these rows, by number, separated by commas")
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds of each row (default: 9)")
    parser.add_argument("--binary", help="the countersign to measure (default: a release build of this tree)")
    parser.add_argument("--ours", choices=programs.PROGRAMS, help="measure this one in our place, to see the noise")
    parser.add_argument("--exact", action="store_true", help="only the counts, against thresholds.json")
    parser.add_argument("--strict", action="store_true", help="fail when a target is not met, too")
    parser.add_argument("--unpinned", action="store_true", help="leave the choice of processors to the kernel")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder and print its name")
    parser.add_argument("--tools", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--px", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def table(options, scratch):
    chosen = options.rows.split(",") if options.rows else [row.number for row in ROWS]
    unknown = set(chosen) - {row.number for row in ROWS}
    if unknown:
        raise BenchmarkError(f"no such row: {', '.join(sorted(unknown))}")
    failed = False
    for index, row in enumerate(ROWS):
        if row.number not in chosen:
            continue
        figures, errors = measure(row, os.path.join(scratch, f"row-{index}"), options)
        text, verdicts = line(row, figures, errors)
        print(text, flush=True)
        failed = failed or bool(errors) or (options.strict and not all(met for _, met in verdicts))
    return not failed


def main():
    options = arguments()
    tools.TOOLS = options.tools
    programs.Countersign.path = options.binary and os.path.abspath(options.binary)
    programs.Px.path = options.px
    ours = programs.PROGRAMS.get(options.ours, programs.Countersign)
    options.kinds = {**programs.PROGRAMS, "ours": ours}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    scratch = tempfile.mkdtemp(prefix="countersign-bench-")
    os.chmod(scratch, 0o755)
    try:
        good = True
        certificates.make(os.path.join(scratch, "certificates"))
        if not options.exact:
            good = table(options, scratch)
        if not options.rows:
            good = exact.check(ours, scratch) and good
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        good = False
    except KeyboardInterrupt:
        good = False
    finally:
        if options.keep:
            print(f"kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    return 0 if good else 1


sys.exit(main())
