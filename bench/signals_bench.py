# SPDX-License-Identifier: Apache-2.0
"""How long a SIGTERM to `inquest run' alone takes to reach rank 1, of jobs that hang: the agent
looks once more, says what it finds, and passes it on. Beside it the same of the bare launcher. Once
the storage that bundles go to does not answer (tests/trouble/stuck.c)."""
import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from figure import ROUNDS, figure

BUILT = os.environ["top_builddir"]
TROUBLE = os.path.join(os.environ["srcdir"], "tests", "trouble")
STUCK = os.path.join(BUILT, "tests", "trouble", ".libs", "stuck.so")


def wait_for(what, holds, seconds=120):
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            sys.exit("no sign of this in %d s: %s" % (seconds, what))
        time.sleep(0.02)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def pid_of(folder, rank):
    wait_for("rank %d" % rank, lambda: read("%s/play/%d.pid" % (folder, rank)).strip())
    return int(read("%s/play/%d.pid" % (folder, rank)))


def reach(before, ranks, more):
    """Seconds from the signal to the end of rank 1, of a job in which all wait for that rank."""
    with tempfile.TemporaryDirectory(prefix="inquest-bench-") as folder, \
            tempfile.TemporaryDirectory(prefix="inquest-bench-", dir="/dev/shm") as jobs, \
            open(folder + "/log", "wb") as log:
        env = dict(os.environ, INQUEST_DIR=jobs, INQUEST_OUT=folder + "/out",
                   LD_LIBRARY_PATH=os.path.join(BUILT, "fixtures", "standin", ".libs"))
        for name in "RANK", "LOCAL_RANK", "WORLD_SIZE":
            env.pop(name, None)
        env.update({name: value.replace("{}", folder) for name, value in more.items()})
        if "STUCK" in env:
            open(env["STUCK"], "wb").close()
        job = subprocess.Popen(
            [*before, TROUBLE + "/launch.sh", folder + "/play", str(ranks), "sum", "stay:1", "sum"],
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        rank = os.pidfd_open(pid_of(folder, 1))
        pid_of(folder, ranks - 1)
        if before:
            wait_for("a verdict", lambda: "INQUEST_VERDICT" in read(folder + "/log"))
        else:
            time.sleep(2)
        begun = time.monotonic()
        job.send_signal(signal.SIGTERM)
        select.select([rank], [], [], 60)
        took = time.monotonic() - begun
        os.close(rank)
        job.wait()
        return took


def compare(name, ranks, bar, more=None):
    more = more or {}
    run = [os.environ["INQUEST"], "run", "--hang-after", "1", "--"]
    rounds = max(3, ROUNDS // 2)
    ours = statistics.median(reach(run, ranks, more) for _ in range(rounds))
    figure(name, ours * 1e3, "ms", bar)
    if not more: # the bare launcher has no storage
        bare = statistics.median(reach([], ranks, {}) for _ in range(rounds))
        figure(name + ", bare", bare * 1e3, "ms")


def main():
    print("== a signal to inquest alone")
    compare("SIGTERM to rank 1 of 8", 8, 500)
    compare("SIGTERM to rank 1 of 256", 256, 500)
    stuck = {"STUCK": "{}/stuck", "STUCK_FOLDER": "{}/out", "LD_PRELOAD": STUCK}
    compare("the same of 8, storage does not answer", 8, 500, stuck)


if __name__ == "__main__":
    main()
