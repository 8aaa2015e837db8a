# SPDX-License-Identifier: Apache-2.0
"""
What the writers lose while `inquest view` follows them: four ranks on one processor, and the viewer
on another or on the same one. Stretches with and without it take turns; a pair of neighbours is one
sample. Somebody presses a key each half second, so that it looks as often as it ever does.
"""
import contextlib
import os
import signal
import statistics
import struct
import subprocess
import tempfile
import time

from figure import ROUNDS, Machine, figure
from viewer import INQUEST, Viewer

BUILT = os.environ["top_builddir"]
SRC = os.environ["srcdir"]
WRITER = os.path.join(BUILT, "bench", "view_writer")
RANKS, STRETCH = 4, float(os.environ.get("BENCH_STRETCH", 2.5))
# struct tally of view_writer.c
FINE, BUCKETS = 6, 40 << 6
TALLY = struct.Struct("=dQQ%dQ" % BUCKETS)


class Tally:
    """All ranks' counts at one moment."""

    def __init__(self, path):
        with open(path, "rb") as file:
            ranks = [TALLY.unpack(file.read(TALLY.size)) for _ in range(RANKS)]
        self.when = time.monotonic()
        self.ticks_per_ns = ranks[0][0]
        self.ops = sum(rank[1] for rank in ranks)
        self.cpu_ns = sum(rank[2] for rank in ranks)
        self.times = [sum(each) for each in zip(*(rank[3:] for rank in ranks))]


class Stretch:
    """What lies between two of them."""

    def __init__(self, begin, end, looks):
        ops = end.ops - begin.ops
        self.rate = ops / (end.when - begin.when)
        self.cpu = (end.cpu_ns - begin.cpu_ns) / ops
        self.p99 = self.at_share(begin, end, ops * 0.99)
        self.looks = looks

    @staticmethod
    def at_share(begin, end, wanted):
        seen = 0
        for bucket, (then, now) in enumerate(zip(begin.times, end.times)):
            seen += now - then
            if seen >= wanted:
                high = bucket >> FINE
                ticks = bucket if not high else ((1 << FINE) + bucket % (1 << FINE)) << (high - 1)
                return ticks / end.ticks_per_ns
        return 0


class Job:
    """Ranks of view_writer under `inquest run`, whose agent stays on the viewer's processor."""

    def __init__(self, how, writers, others):
        self.temporary = tempfile.TemporaryDirectory(prefix="inquest-bench-")
        folder = self.temporary.name
        self.tally = os.path.join(folder, "tally")
        self.env = dict(os.environ, INQUEST_DIR=os.path.join(folder, "jobs"),
                        TERM="xterm-256color", LC_ALL="C.UTF-8",
                        LD_LIBRARY_PATH=os.path.join(BUILT, "fixtures", "standin", ".libs"))
        for name in "RANK", "LOCAL_RANK", "WORLD_SIZE":
            self.env.pop(name, None)
        self.others = others
        self.run = subprocess.Popen(
            [INQUEST, "run", "--name", "writers", "--", WRITER, how, self.tally, str(RANKS),
             str(writers)], env=self.env, preexec_fn=lambda: os.sched_setaffinity(0, {others}))

    def wait(self):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.run.poll() is None:
            with contextlib.suppress(OSError, struct.error):
                if Tally(self.tally).ops > 10000:
                    return
            time.sleep(0.1)
        raise SystemExit("view_live_bench: the writers do not write")

    def view(self):
        """A viewer that follows, and has done so for a while."""
        viewer, end = Viewer(["writers"], self.env, self.others), time.monotonic() + 60
        while "LIVE" not in viewer.said:
            if time.monotonic() > end:
                raise SystemExit("view_live_bench: the viewer does not follow")
            viewer.read_for(0.5)
        viewer.read_for(2, b"j")
        return viewer

    def stretch(self, viewer, follows):
        """Without: the viewer and its helpers are stopped, as if they were not there."""
        os.killpg(viewer.pid, signal.SIGCONT if follows else signal.SIGSTOP)
        begin, used = Tally(self.tally), viewer.cpu()
        if follows:
            viewer.read_for(STRETCH, b"j")
        else:
            time.sleep(STRETCH)
        return Stretch(begin, Tally(self.tally), (viewer.cpu() - used) / STRETCH * 100)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run.send_signal(signal.SIGTERM)
        self.run.wait()
        self.temporary.cleanup()


def pairs(how, writers, others):
    """(without, with), neighbours in time; who comes first takes turns."""
    found = []
    with Job(how, writers, others) as job:
        job.wait()
        viewer = job.view()
        for turn in range(ROUNDS):
            both = {}
            for follows in (False, True) if turn % 2 else (True, False):
                both[follows] = job.stretch(viewer, follows)
            found.append((both[False], both[True]))
        os.killpg(viewer.pid, signal.SIGCONT)
        viewer.end()
    return found


def say(how, where, writers, others):
    found = pairs(how, writers, others)

    def median(of):
        return statistics.median(of(alone, viewed) for alone, viewed in found)

    figure("%s, viewer on %s: they lose" % (how, where),
           median(lambda alone, viewed: (1 - viewed.rate / alone.rate) * 100), "%", 5)
    figure("  AllReduces, all ranks, without", median(lambda alone, _: alone.rate), "/s")
    figure("  processor time of one more",
           median(lambda alone, viewed: (viewed.cpu / alone.cpu - 1) * 100), "%")
    figure("  99 % of the calls take, without", median(lambda alone, _: alone.p99), "ns")
    figure("  with", median(lambda _, viewed: viewed.p99), "ns")
    figure("  the viewer uses", median(lambda _, viewed: viewed.looks), "%")


def main():
    machine = Machine()
    cpus = sorted(os.sched_getaffinity(0))
    print("== viewer, live: %d ranks on one processor, %d pairs of %.1f s" % (
        RANKS, ROUNDS, STRETCH))
    for how in "flat-out", "busy":
        if len(cpus) > 1:
            say(how, "another", cpus[0], cpus[1])
        say(how, "the same", cpus[0], cpus[0])
    machine.say()


main()
