# SPDX-License-Identifier: Apache-2.0
"""For benchmarks in Python: figures as figure.h prints them, times of programs, others' share."""
import math
import os
import resource
import statistics
import time

ROUNDS = int(os.environ.get("BENCH_ROUNDS", 11))


def figure(name, median, unit, bar=0, ratio=0):
    """A ratio here says how many times ours it is; the bar is for the median."""
    line = "%-40s %9.2f  %-9s" % (name, median, unit)
    line += " %7.1f x" % ratio if ratio else " %9s" % ""
    if bar:
        line += "  <= %.2f  %s" % (bar, "ok" if median <= bar else "OVER")
    print(line, flush=True)


def growth(points):
    """The power by which a cost grows with a size: the slope of (size, cost) in logarithms."""
    sizes = [math.log(size) for size, _ in points]
    costs = [math.log(cost) for _, cost in points]
    size, cost = statistics.mean(sizes), statistics.mean(costs)
    return (sum((s - size) * (c - cost) for s, c in zip(sizes, costs)) /
            sum((s - size) ** 2 for s in sizes))


class Run:
    """One run of a program without output: wall and CPU in ms, its children's too, its status, and
    the MiB of memory that the largest of its processes had."""

    def __init__(self, command):
        quiet = os.open(os.devnull, os.O_RDWR)
        begun = time.monotonic()
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, quiet, fd) for fd in range(3)])
        _, status, used = os.wait4(pid, 0)
        self.wall = (time.monotonic() - begun) * 1e3
        self.cpu = (used.ru_utime + used.ru_stime) * 1e3
        self.memory = used.ru_maxrss / 1024
        self.status = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
        os.close(quiet)


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def runs_of(command, rounds, fine=(0,)):
    """Several runs, after one that may read files from a disk; None where one has failed."""
    runs = [Run(command) for _ in range(rounds + 1)][1:]
    return runs if all(run.status in fine for run in runs) else None


def has(program):
    return any(os.access(os.path.join(folder, program), os.X_OK)
               for folder in os.environ["PATH"].split(os.pathsep))


class Machine:
    """Who had the processors while a benchmark ran: it, or others?"""

    def __init__(self):
        self.begun = self.look()

    @staticmethod
    def look():
        with open("/proc/stat") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        idle = ticks[3] + ticks[4]
        own = 0
        for who in resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN:
            used = resource.getrusage(who)
            own += used.ru_utime + used.ru_stime
        return sum(ticks) / os.sysconf("SC_CLK_TCK"), idle / os.sysconf("SC_CLK_TCK"), own

    def say(self):
        """Once all that was started has ended."""
        total, idle, own = (now - then for now, then in zip(self.look(), self.begun))
        others = max(total - idle - own, 0) / max(total, 0.01) * 100
        print("others used %.0f %% of the %d processors meanwhile%s" % (
            others, os.cpu_count(), ": look at CPU, the wall's times are theirs too"
            if others >= 10 else ""), flush=True)
