# SPDX-License-Identifier: Apache-2.0
"""Stacks of eight Python processes of 30 threads that hang, no probe in them: ours beside others'.

What attach does by intent takes longer than what is timed here: of jobs without probe it takes
three samples in 2.2 s, to tell who stands still. So the whole is timed with --samples=1, which has
no such pause, and its CPU also as it is by default. Others get the same processes, as many at once
as there are processors. Medians of several runs; on a busy machine look at CPU. A table for README
comes last.
"""
import concurrent.futures
import mmap
import os
import statistics
import struct
import subprocess
import sys
import sysconfig
import tempfile
import time

PROCESSES, THREADS = 8, 30
ROUNDS = int(os.environ.get("BENCH_ROUNDS", 11))
HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["top_builddir"]
INQUEST = os.environ["INQUEST"]
table = []


def figure(name, median, unit, bar=0, ratio=0):
    """As figure.h prints it."""
    line = "%-40s %9.2f  %-9s" % (name, median, unit)
    line += " %7.1f x" % ratio if ratio else " %9s" % ""
    if bar:
        line += "  <= %.2f  %s" % (bar, "ok" if median <= bar else "OVER")
    print(line, flush=True)


def row(what, measured, bar=""):
    table.append("| %s | %s | %s |" % (what, measured, bar))


def start(folder, rank, *more):
    env = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(PROCESSES), LOCAL_RANK=str(rank),
               MASTER_ADDR="localhost", MASTER_PORT="29399")
    with open(os.path.join(folder, "log.%d" % rank), "w") as log:
        child = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "stacks_job.py"), str(THREADS), *more],
            env=env, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
    if child.stdout.readline() != b"ready\n":
        sys.exit("a process of the job has not begun to hang")
    return child


def timed(command):
    """Wall and CPU of one run in ms, its children's too; None where it failed."""
    quiet = os.open(os.devnull, os.O_RDWR)
    begun = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, quiet, fd) for fd in range(3)])
    _, status, used = os.wait4(pid, 0)
    wall = time.monotonic() - begun
    os.close(quiet)
    fine = (0, 1, 4) if command[0] == INQUEST else (0,)  # 1 is a verdict, 4 that there is none
    if not os.WIFEXITED(status) or os.WEXITSTATUS(status) not in fine:
        return None
    return wall * 1e3, (used.ru_utime + used.ru_stime) * 1e3


def medians(runs):
    return tuple(statistics.median(column) for column in zip(*runs))


def ours(pids, *options):
    runs = [timed([INQUEST, "attach", *options, *pids]) for _ in range(ROUNDS + 1)]
    # The first run may have to read files from a disk.
    if None in runs:
        sys.exit("inquest attach failed")
    return medians(runs[1:])


def everywhere(command, pids):
    """The wall's time until all processes were looked at, and the CPU of all."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        begun = time.monotonic()
        runs = list(pool.map(lambda pid: timed([pid if word == "PID" else word
                                                for word in command]), pids))
        wall = (time.monotonic() - begun) * 1e3
    return None if None in runs else (wall, sum(cpu for _, cpu in runs))


def others(name, command, pids, our, rounds):
    runs = [everywhere(command, pids) for _ in range(rounds)]
    if None in runs:
        print("%s: it failed: skipped" % name)
        return
    wall, cpu = medians(runs)
    figure(name + ", wall", wall, "ms", ratio=wall / our[0])
    figure(name + ", CPU", cpu, "ms", ratio=cpu / our[1])
    row(name + ", the same processes", "%.0f ms, %.1f x" % (wall, wall / our[0]))


def has(program):
    return any(os.access(os.path.join(folder, program), os.X_OK)
               for folder in os.environ["PATH"].split(os.pathsep))


def find_pyspy():
    """INQUEST_PYSPY, or what pip gives into a private environment; else None and why not."""
    given = os.environ.get("INQUEST_PYSPY")
    if given:
        return given, ""
    if has("py-spy"):
        return "py-spy", ""
    home = os.path.join(BUILD, "bench", "py-spy")
    program = os.path.join(home, "bin", "py-spy")
    for command in ([sys.executable, "-m", "venv", home],
                    [os.path.join(home, "bin", "pip"), "--quiet", "--disable-pip-version-check",
                     "--retries", "0", "--timeout", "10", "install", "--only-binary", ":all:",
                     "py-spy"]):
        if os.access(program, os.X_OK):
            break
        try:
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, str(error)
        if done.returncode:
            return None, (done.stderr.strip().splitlines() or ["%s failed" % command[-1]])[-1]
    return program, ""


def compare(pids, our):
    if has("eu-stack"):
        others("eu-stack -q (no names)", ["eu-stack", "-q", "-n", "0", "-p", "PID"], pids, our, 3)
        others("eu-stack", ["eu-stack", "-n", "0", "-p", "PID"], pids, our, 2)
    else:
        print("eu-stack is not here: skipped")
    if has("gdb"):
        others("gdb -batch", ["gdb", "-batch", "-p", "PID", "-ex", "thread apply all bt"], pids,
               our, 2)
    else:
        print("gdb is not here: skipped")
    pyspy, why = find_pyspy()
    if pyspy:
        others("py-spy dump", [pyspy, "dump", "--pid", "PID"], pids, our, 3)
        others("py-spy dump --native", [pyspy, "dump", "--native", "--pid", "PID"], pids, our, 2)
    else:
        print("py-spy is not here: skipped: " + why)


def run_counts(pid):
    counts = {}
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, tid)) as file:
            counts[tid] = int(file.read().split()[2])
    return counts


class Beat:
    """A job of one, with a thread that sees whether it stands still."""

    def __init__(self, folder):
        name = os.path.join(folder, "beat")
        with open(name, "wb") as file:
            file.write(bytes(16))
        with open(name, "r+b") as file:
            self.seen = mmap.mmap(file.fileno(), 16)
        self.child = start(folder, 0, name)

    def lost(self, do):
        """For how long it stood still, in ms, while something was done; and who was woken."""
        before = run_counts(self.child.pid)
        struct.pack_into("d", self.seen, 0, 0.0)
        do()
        lost = struct.unpack_from("d", self.seen, 0)[0] * 1e3
        after = run_counts(self.child.pid)
        woken = sum(before[tid] != after.get(tid) for tid in before)
        return lost, max(woken - 1, 0)  # it runs itself


def heartbeat(folder):
    """The same measure where nothing is done, and where stopping is asked for, shows its worth."""
    beat = Beat(folder)
    attach = [INQUEST, "attach", "--samples=1", str(beat.child.pid)]

    def several(command):
        return [beat.lost(lambda: timed(command)) for _ in range(ROUNDS)]

    # As long as an attach takes, since a longer time holds longer ones.
    took = "%.3f" % (max(timed(attach)[0] for _ in range(3)) / 1e3)
    try:
        for name, command in (
                ("nothing is done", ["sleep", took]),
                ("attach (--stop=never)", attach),
                ("--stop=consistent", attach + ["--stop=consistent"]),
                ("gdb -batch", ["gdb", "-batch", "-p", str(beat.child.pid), "-ex",
                                "thread apply all bt"])):
            if not has(command[0]) and command[0] != INQUEST:
                continue
            seen = several(command) if command[0] != "gdb" else [beat.lost(lambda: timed(command))]
            lost = statistics.median(lost for lost, _ in seen)
            woken = sum(woken for _, woken in seen)
            figure("stands still: " + name.split(" (")[0], lost, "ms")
            if command == attach:
                figure("threads asleep that attach woke", woken, "of %d" % (
                    THREADS * ROUNDS), bar=0)
                row("threads asleep that `attach` wakes or stops", "%d of %d" % (
                    woken, THREADS * ROUNDS), "0")
            elif "consistent" in name:
                row("a thread stands still for `--stop=consistent`, inside a process of %d"
                    % THREADS, "%.1f ms" % lost)
            elif "gdb" in name:
                row("a thread stands still for gdb", "%.0f ms" % lost)
    finally:
        beat.child.kill()
        beat.child.wait()


def main():
    print("== Stacks: %d processes, %d threads each, Python %s" % (
        PROCESSES, THREADS, sysconfig.get_python_version()), flush=True)
    children = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["INQUEST_DIR"] = folder
        try:
            children = [start(folder, rank) for rank in range(PROCESSES)]
            pids = [str(child.pid) for child in children]
            subprocess.run([os.path.join(BUILD, "bench", "stacks_bench"), *pids], check=True)
            our = ours(pids, "--samples=1")
            figure("attach --samples=1, wall", our[0], "ms", bar=250)
            figure("attach --samples=1, CPU", our[1], "ms", bar=250)
            row("attach, stacks of 8 processes of 30 threads, with names",
                "%.0f ms, %.0f ms CPU" % our, "250")
            whole = medians([timed([INQUEST, "attach", *pids]) for _ in range(2)])
            figure("attach, three samples in 2.2 s, CPU", whole[1], "ms")
            compare(pids, our)
        finally:
            for child in children:
                child.kill()
                child.wait()
        heartbeat(folder)
    print("\n| what | measured | bar |\n|--|--|--|")
    print("\n".join(table))


main()
