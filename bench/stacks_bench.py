# SPDX-License-Identifier: Apache-2.0
"""Stacks of eight Python processes of 30 threads that hang, no probe in them: ours beside others'.

What attach does by intent takes longer than what is timed here: of jobs without probe it takes
three samples in 2.2 s, to tell who stands still. So the whole is timed with --samples=1, which has
no such pause, and its CPU also as it is by default. Others get the same processes, as many at once
as there are processors, in turn with ours. Medians of several runs; on a busy machine look at CPU.
A table for README comes last.
"""
import concurrent.futures
import mmap
import os
import re
import statistics
import struct
import subprocess
import sys
import sysconfig
import tempfile
import time

from figure import ROUNDS, Machine, Run, figure, has, median, runs_of

PROCESSES, THREADS = 8, 30
HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["top_builddir"]
INQUEST = os.environ["INQUEST"]
TOLD = (0, 1, 4)  # how inquest ends: nothing is wrong, a verdict, or that there is none
table = []


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


# --- Ours -----------------------------------------------------------------------------------------

def parts(pids):
    """What our parts take, and of them the CPU of a sample without names."""
    done = subprocess.run([os.path.join(BUILD, "bench", "stacks_bench"), *pids], check=True,
                          stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    for name, what, bar in (
            ("native walk alone, wall",
             "the native walk alone, %s" % done.stdout.split("\n")[0], "40 ms"),
            ("--stop=consistent, stands still, p95",
             "%d threads stand still for `--stop=consistent`, p95" % THREADS, "3 ms")):
        found = re.search(re.escape(name) + r" +([0-9.]+)", done.stdout)
        row(what, "%.1f ms" % float(found.group(1)), bar)
    return float(re.search(r"without names, one core, CPU +([0-9.]+)", done.stdout).group(1))


def ours(pids):
    """The whole command, by which others are measured."""
    runs = runs_of([INQUEST, "attach", "--samples=1", *pids], ROUNDS, TOLD)
    whole = runs_of([INQUEST, "attach", *pids], 1, TOLD)
    if not runs or not whole:
        sys.exit("inquest attach failed")
    wall, cpu, memory = (median(runs, what) for what in ("wall", "cpu", "memory"))
    figure("attach --samples=1, wall", wall, "ms", bar=250)
    figure("attach --samples=1, CPU", cpu, "ms")
    figure("attach --samples=1, its largest process", memory, "MiB")
    figure("attach, three samples in 2.2 s, CPU", median(whole, "cpu"), "ms")
    row("attach, stacks of %d processes of %d threads, with names" % (PROCESSES, THREADS),
        "%.0f ms, %.0f ms CPU" % (wall, cpu), "250 ms")


# --- Others ---------------------------------------------------------------------------------------

def everywhere(command, pids):
    """The wall's time until all processes were looked at, and the CPU of all; None: it failed."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        begun = time.monotonic()
        runs = list(pool.map(lambda pid: Run([pid if word == "PID" else word
                                              for word in command]), pids))
        wall = (time.monotonic() - begun) * 1e3
    return None if any(run.status for run in runs) else (wall, sum(run.cpu for run in runs))


def others(name, command, pids, sample=0):
    """How many times ours: attach, run in turn with theirs; or only of CPU, that of `sample`."""
    everywhere(command, pids)  # files come from a disk
    runs = []
    for _ in range(3):
        our, its = Run([INQUEST, "attach", "--samples=1", *pids]), everywhere(command, pids)
        if not its:
            print("%s: it failed: skipped" % name)
            return
        runs.append((*its, its[0] / our.wall, its[1] / (sample or our.cpu)))
    wall, cpu, wall_ratio, cpu_ratio = (statistics.median(column) for column in zip(*runs))
    figure(name + ", wall", wall, "ms", ratio=0 if sample else wall_ratio)
    figure(name + ", CPU", cpu, "ms", ratio=cpu_ratio)
    if not sample:
        row(name + ", the same processes", "%.0f ms, %.1f x; CPU %.1f x" % (
            wall, wall_ratio, cpu_ratio))


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


def compare(pids, sample):
    print("x: how many times attach --samples=1; of what gives no names, one sample without names")
    if has("eu-stack"):
        others("eu-stack -q (no names)", ["eu-stack", "-q", "-n", "0", "-p", "PID"], pids, sample)
        others("eu-stack", ["eu-stack", "-n", "0", "-p", "PID"], pids)
    else:
        print("eu-stack is not here: skipped")
    if has("gdb"):
        others("gdb -batch", ["gdb", "-batch", "-p", "PID", "-ex", "thread apply all bt"], pids)
    else:
        print("gdb is not here: skipped")
    pyspy, why = find_pyspy()
    if pyspy:
        others("py-spy dump (Python's frames only)", [pyspy, "dump", "--pid", "PID"], pids)
        others("py-spy dump --native", [pyspy, "dump", "--native", "--pid", "PID"], pids)
    else:
        print("py-spy is not here: skipped: " + why)


# --- Who is disturbed -----------------------------------------------------------------------------

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

    def end(self):
        self.child.kill()
        self.child.wait()


def disturbed(beat, name, command, rounds):
    """Prints for how long a thread stood still, and gives that and how many were woken."""
    seen = [beat.lost(lambda: Run(command)) for _ in range(rounds)]
    lost = statistics.median(lost for lost, _ in seen)
    figure("a thread stands still: " + name, lost, "ms")
    return lost, sum(woken for _, woken in seen)


def heartbeat(folder):
    """The same measure where nothing is done, and where stopping is asked for, shows its worth."""
    beat = Beat(folder)
    attach = [INQUEST, "attach", "--samples=1", str(beat.child.pid)]
    try:
        # As long as an attach takes, since a longer time holds longer ones.
        took = "%.3f" % (median(runs_of(attach, 3, TOLD), "wall") / 1e3)
        idle, _ = disturbed(beat, "nothing done", ["sleep", took], ROUNDS)
        lost, woken = disturbed(beat, "attach", attach, ROUNDS)
        figure("threads asleep that attach woke", woken, "of %d" % (THREADS * ROUNDS))
        row("threads asleep that `attach` wakes or stops", "%d of %d" % (woken, THREADS * ROUNDS),
            "0")
        row("a thread that runs stands still for `attach`; where nothing is done",
            "%.1f ms; %.1f ms" % (lost, idle))
        lost, _ = disturbed(beat, "--stop=consistent", attach + ["--stop=consistent"], ROUNDS)
        row("the same for `--stop=consistent`", "%.1f ms" % lost)
        if has("gdb"):
            lost, _ = disturbed(beat, "gdb", [
                "gdb", "-batch", "-p", str(beat.child.pid), "-ex", "thread apply all bt"], 3)
            row("the same for gdb", "%.0f ms" % lost)
    finally:
        beat.end()


def main():
    machine = Machine()
    print("== Stacks: %d processes, %d threads each, Python %s" % (
        PROCESSES, THREADS, sysconfig.get_python_version()), flush=True)
    children = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["INQUEST_DIR"] = folder
        try:
            children = [start(folder, rank) for rank in range(PROCESSES)]
            pids = [str(child.pid) for child in children]
            sample = parts(pids)
            ours(pids)
            compare(pids, sample)
        finally:
            for child in children:
                child.kill()
                child.wait()
        heartbeat(folder)
    machine.say()
    print("\n| what | measured | bar |\n|--|--|--|")
    print("\n".join(table))


main()
