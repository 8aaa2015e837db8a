# SPDX-License-Identifier: Apache-2.0
"""
The Python door's figures, printed as those of bench/figure.h. Starts are timed in pairs, one with
the door and one without, in turns which is first: the processor's time of each, which stands still
while others have it; the median of their differences is shown, and its quartiles. Costs inside are
taken from short rounds, with and without in turns too.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

PROBE = os.path.join(os.environ["top_builddir"], ".libs", "libinquest-probe.so")
STARTS = int(os.environ.get("BENCH_ROUNDS", 60))
INSIDE = r"""
import sys, threading, time
inquest = next((f for f in sys.meta_path if "_inquest" in repr(f)), None)
class Object: pass
def bare(a): return a
def cost(call, n=20000):
    best = []
    for _ in range(9):
        loop = range(n); start = time.perf_counter_ns()
        for _ in loop: call()
        best.append((time.perf_counter_ns() - start) / n)
    return min(best)
audit, frame, nothing = sys.audit, sys._getframe, lambda: None
calls = {"nothing": nothing, "id": lambda: id(5), "_getframe": lambda: frame(),
         "audit other": lambda: audit("other.event", 5),
         "audit step": lambda: audit("inquest.step", 5), "call": lambda: bare(1)}
if inquest:
    begin, end, kind, step = inquest.span_begin, inquest.span_end, inquest.INPUT, inquest.step
    watched = inquest.around(bare, lambda p, k: None, lambda t, r, e: None)
    calls.update(step=lambda: step(5), around=lambda: watched(1),
                 span=lambda: (begin(kind, "batch"), end(kind, "batch")))
base = cost(nothing)
for name, call in calls.items():
    if name != "nothing": print(name, cost(call) - base, sep="=")
"""


def world(job, door):
    env = dict(os.environ, INQUEST_DIR=os.path.dirname(job), INQUEST_JOB_DIR=job)
    return dict(env, LD_PRELOAD=PROBE, INQUEST_PYTHON="on" if door else "off")


def start(code, env):
    argv = [sys.executable, "-I", "-S", "-c", code]
    used = os.wait4(os.posix_spawn(sys.executable, argv, env), 0)[2]
    return (used.ru_utime + used.ru_stime) * 1e3


def pairs(code, job):
    """Milliseconds that the door adds to a start, pair by pair; and the starts without it."""
    on, off = world(job, True), world(job, False)
    added, without = [], []
    for i in range(STARTS):
        first = start(code, on if i % 2 else off)
        second = start(code, off if i % 2 else on)
        added.append(first - second if i % 2 else second - first)
        without.append(second if i % 2 else first)
    return added, without


def figure(name, median, unit, bar=None, more=""):
    held = "" if bar is None else "  <= %.2f  %s" % (bar, "ok" if median <= bar else "OVER")
    print("%-40s %9.2f  %-9s %9s%s%s" % (name, median, unit, "", held, more), flush=True)


def inside(job, door):
    ran = subprocess.run(
        [sys.executable, "-c", INSIDE], env=world(job, door), stdout=subprocess.PIPE, check=True
    )
    return dict(line.split("=") for line in ran.stdout.decode().splitlines())


def main():
    folder = tempfile.mkdtemp(prefix="inquest-bench.")
    job = os.path.join(folder, "job")
    os.mkdir(job, 0o700)
    name = "python %d.%d, " % sys.version_info[:2]
    try:
        for what, code in ("start", "pass"), ("start, threading imported", "import threading"):
            added, without = pairs(code, job)
            low, _, high = statistics.quantiles(added, n=4)
            spread = "  (%.2f..%.2f, on %.1f)" % (low, high, statistics.median(without))
            figure(name + what, statistics.median(added), "ms more", 1.0, spread)
        rounds = [(inside(job, True), inside(job, False)) for _ in range(5)]
        on, off = (
            {key: statistics.median(float(r[i][key]) for r in rounds) for key in rounds[0][i]}
            for i in (0, 1)
        )
        for key, what, bar in ("id", "id()", 60), ("_getframe", "sys._getframe()", 110), (
            "audit other", "an event that is not ours", 65), (
            "call", "a plain call", 5):  # fmt: skip
            figure(name + what, on[key] - off[key], "ns more", bar, "  (on %.0f)" % off[key])
        for key, what, bar in ("audit step", "step by sys.audit", 300), (
            "step", "step by the shim", 150), ("span", "span, both ends", 2000), (
            "around", "a call with around()", 2000):  # fmt: skip
            figure(name + what, on[key], "ns", bar)
    finally:
        shutil.rmtree(folder)


main()
