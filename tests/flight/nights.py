# SPDX-License-Identifier: Apache-2.0
"""
The jobs of spoilt.py beside logs, as torch 2.7, torchrun and srun write them: watchdogs of ranks
that wait give up, these ranks abort, and their launcher ends the others, the one that they wait for
included. Where the dumps alone name a rank, they name it beside their log, too. Nobody else is
named above a hypothesis, whatever lies there: a log of another run, in which another rank died, is
left out if its times tell that, and that is said; if they may tell it, nobody is named by it, nor
by one without any time that tells of a rank with a dump. Times of files that cannot be true tell
nothing. Where a rank that died left no dump, dumps and log together say no less than the log alone.

`nights.py FIRST [LAST]` plays those seeds; NIGHTS_ROUNDS says how many are played by default.
"""
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from dumps import BASE, World
from spoilt import OPS, ROUND, WAYS, plan, play, write

INQUEST = os.environ["INQUEST"]
ROUNDS = int(os.environ.get("NIGHTS_ROUNDS", 60))
FIRST = 62  # by it ranks that waited were once named as well, by 65, 94 and 99 nobody
ALSO = [449, 480,  # by these ranks were once named that died in another run
        1060]  # by this one, whom the culprit took for its peer
SECOND = 10**9
TYPES = dict(zip(OPS, ("ALLREDUCE", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE", "BROADCAST")))
ECHOES = ["torch.distributed.DistBackendError: NCCL communicator was aborted on rank %d.",
          "RuntimeError: Connection reset by peer (rank %d)", "KeyboardInterrupt"]


def first_waits(calls):
    """Of each rank the first op that is not complete: its group, number and type."""
    waits = {}
    for rank, own in calls.items():
        seen = collections.Counter()
        for call in own:
            if call.entered is None:
                break
            seen[call.group, bool(call.side)] += 1
            if call.done is None:
                waits[rank] = (call.group, seen[call.group, bool(call.side)],
                               call.side.upper() if call.side else TYPES[call.name])
                break
    return waits


class Log:
    """A job's log: where its ranks are, how lines are marked, who ends whom."""

    def __init__(self, size, when, dice):
        self.when, self.size, self.dice = when, size, dice
        self.local = dice.choice([n for n in (1, 2, 4, 8) if n <= size])
        self.launcher = dice.choice(["torchrun", "torchrun", "srun", None])
        self.mark = dice.choice(["[rank%d]:", "[rank%d]:", "[default%d]:", ""])
        self.numbered = self.launcher == "srun" and dice.random() < .5
        self.lines = ["step %d" % step for step in range(3)]

    def stamp(self, form="%m%d %H:%M:%S"):
        return time.strftime(form, time.gmtime(self.when))

    def c10_stamp(self):
        """c10 writes the month without a zero before it."""
        return self.stamp().lstrip("0")

    def add(self, rank, words):
        before = self.mark % (rank % self.local if "default" in self.mark else rank) \
            if self.mark else ""
        number = "%d: " % rank if self.numbered else ""
        self.lines += ["%s%s%s" % (number, before, each) for each in words]

    def give_up(self, rank, seat, wait):
        caught = "[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, " \
            "OpType=%s, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600042 " \
            "milliseconds before timing out." % (seat, wait[1], wait[2])
        at = "[E%s.218 ProcessGroupNCCL.cpp:629] " % self.c10_stamp()
        self.add(rank, [
            at + caught, at + "To avoid data inconsistency, we are taking the entire process "
            "down.", "terminate called after throwing an instance of 'c10::DistBackendError'",
            "  what():  " + caught])

    def raise_(self, rank, error):
        self.add(rank, [" Traceback (most recent call last):",
                        '   File "/w/train.py", line 88, in <module>', " " + error])

    def report(self, ends):
        """torchrun's, of the node of the first that failed; all others of it are told to end."""
        node = ends[0][0] // self.local * self.local
        ends = [end for end in ends if end[0] // self.local * self.local == node]
        rest = [r for r in range(node, min(node + self.local, self.size))
                if r not in dict(ends)]
        self.lines += ["W%s 99 api.py:897] Sending process %d closing signal SIGTERM" % (
            self.stamp(), 5000 + rank) for rank in rest]
        entries = ["  time      : %s\n  host      : m%d\n  rank      : %d (local_rank: %d)\n"
                   "  exitcode  : %d (pid: %d)\n  error_file: <N/A>" % (
                       self.stamp("%Y-%m-%d_%H:%M:%S"), node, rank, rank % self.local, code,
                       5000 + rank) for rank, code in ends + [(rank, -15) for rank in rest]]
        self.lines += ["train.py FAILED", "Failures:"]
        for number, entry in enumerate(entries[1:], 1):
            self.lines += ["[%d]:" % number, entry]
        self.lines += ["Root Cause (first observed failure):", "[0]:", entries[0], "=" * 60]

    def end(self, ends):
        if self.launcher == "torchrun" and ends:
            self.report(ends)
        for rank, code in ends if self.launcher == "srun" else []:
            self.lines.append("srun: error: m%d: task %d: %s" % (
                rank // self.local, rank, "Aborted (core dumped)" if code == -6 else "Killed"))

    def write(self, path, written):
        with open(path, "w") as file:
            file.write("\n".join(self.lines) + "\n")
        os.utime(path, (written, written))


def log_of(job, calls, culprit, end, when, dice):
    """end: how the culprit ends, a status; None: as the launcher ends it."""
    log = Log(job.size, when, dice)
    waits = first_waits(calls)
    victims = [rank for rank in waits if rank != culprit]
    dice.shuffle(victims)
    victims = victims[:dice.randrange(len(victims) + 1)]
    if end == 1:
        log.raise_(culprit, "ValueError: no rows")
    for rank in victims:
        log.give_up(rank, job.groups[waits[rank][0]]["ranks"].index(rank), waits[rank])
    for rank in victims[:2] if dice.random() < .4 else []:
        error = dice.choice(ECHOES)
        log.raise_(rank, error % rank if "%" in error else error)
    first = [] if end is None else [(culprit, end)]
    log.end(first + [(rank, -6) for rank in victims[:3]])
    return log


def diagnose(at):
    run = subprocess.run([INQUEST, "diagnose", "--json", at], capture_output=True, text=True)
    return json.loads(run.stdout)


def named(said):
    return {c for v in said["verdicts"] if v["confidence"] in ("established", "supported")
            for c in v["culprits"]}


def is_less(alone, said):
    """True if the dumps alone name one rank, and this says less of it."""
    return len(named(alone)) == 1 and not named(alone) <= named(said)


class Night:
    def __init__(self, seed, scratch):
        self.dice, self.dates = random.Random(seed), {}
        self.at = os.path.join(scratch, str(seed))
        self.job, self.calls = plan(self.dice)
        self.way = self.dice.choice(WAYS)
        self.culprit = self.dice.randrange(self.job.size)
        self.dies = self.way.__name__ == "stop" and self.dice.random() < .4
        until = {self.culprit: self.way(self.job, self.calls[self.culprit], self.dice)}
        self.last = play(self.job, self.calls, until, self.dice.choice([1, 3, 8]))[0]
        self.ended = (BASE + self.last * ROUND) // SECOND

    def dumps(self):
        late = self.last * ROUND + self.dice.choice([10, 60, 605]) * SECOND
        there = [r for r in self.calls if r != self.culprit or not self.dies]
        write(self.job, self.calls, self.at, {rank: (late, {}) for rank in there})
        return diagnose(self.at)

    def log_tells(self):
        """True if its own log names any rank, without which it is none."""
        with open(os.path.join(self.at, "train.log")) as file:
            return re.search(r"\[rank|\[default|exitcode|srun: error", file.read())

    def own_log(self):
        end = self.dice.choice([-9, 1]) if self.dies else None
        log = log_of(self.job, self.calls, self.culprit, end, self.ended + 600, self.dice)
        log.write(os.path.join(self.at, "train.log"), self.ended + 615)

    def date_anew(self):
        """As who unpacks an archive whose times are of another zone, or none at all."""
        zone = self.dice.choice([-9, -2]) if self.dice.random() < .7 else None
        for name in os.listdir(self.at):
            path = os.path.join(self.at, name)
            when = 315532800 if zone is None else os.stat(path).st_mtime + 3600 * zone
            self.dates[path] = os.stat(path).st_mtime_ns
            os.utime(path, (when, when))

    def date_back(self):
        for path, when in self.dates.items():
            os.utime(path, ns=(when, when))

    def other_log(self):
        """
        Of a run before, in which another rank was killed, or after it. Returns false if its times
        leave that in doubt: it was copied, and tells of ends after its last line with a time.
        """
        other = self.dice.choice([r for r in range(self.job.size) if r != self.culprit])
        days = self.dice.choice([-40, -2, 2, 40])
        hours = self.dice.choice([-.2, -3]) if self.dice.random() < .5 else 24 * days
        when = self.ended + int(3600 * hours)
        log = log_of(self.job, self.calls, other, self.dice.choice([-9, 1]), when, self.dice)
        log.mark = "[rank%d]:"
        log.lines.insert(0, "[I%s.1 TCPStore.cpp:274] ready" % log.c10_stamp())
        log.raise_(other, "ValueError: of another run")
        copied = -24 * 3600 > hours * 3600 and self.dice.random() < .5
        told = copied and self.dice.random() < .5
        log.lines += ["[I%s.1 TCPStore.cpp:300] over" % log.c10_stamp()] if told else []
        log.write(os.path.join(self.at, "other.log"), self.ended + 700 if copied else when + 20)
        return not copied or told

    def timeless_log(self):
        """Of another run, in which another rank died, copied: none of its lines has a time."""
        other = self.dice.choice([r for r in range(self.job.size) if r != self.culprit])
        log = log_of(self.job, self.calls, other, 1, self.ended, self.dice)
        log.mark, log.lines = "[rank%d]:", ["step 3"]
        log.raise_(other, "ValueError: of another run")
        log.lines.append("srun: error: m0: task %d: Exited with exit code 1" % other)
        log.write(os.path.join(self.at, "copied.log"), self.ended + 700)

    def log_alone(self):
        """What its own log tells without the dumps."""
        with tempfile.TemporaryDirectory() as apart:
            shutil.copy2(os.path.join(self.at, "train.log"), apart)
            return diagnose(apart)

    def old_start(self):
        """Its own log, of which only the first line has a time: of two days before the end."""
        log = log_of(self.job, self.calls, self.culprit, 1, self.ended - 48 * 3600, self.dice)
        log.lines = ["[W%s.2 run.py:792] Setting OMP_NUM_THREADS" % log.stamp(), "step 3"]
        log.mark = "[rank%d]:"
        log.raise_(self.culprit, "ValueError: no rows")
        log.lines.append("srun: error: m0: task %d: Exited with exit code 1" % self.culprit)
        log.write(os.path.join(self.at, "own.log"), self.ended + 615)

    def judge(self):
        """Yields what is wrong."""
        alone = self.dumps()
        self.own_log()
        beside = diagnose(self.at)
        if named(beside) - {self.culprit}:
            yield "beside its log names %s" % named(beside)
        if is_less(alone, beside):
            yield "beside its log says less than %s" % named(alone)
        if self.dies and self.log_tells() and is_less(self.log_alone(), beside):
            yield "its log and dumps say less than its log alone"
        self.date_anew()
        anew = diagnose(self.at)
        if named(anew) != named(beside) or "train.log is left out" in str(anew["losses"]):
            yield "names %s where files have the times of an archive" % named(anew)
        self.date_back()
        os.unlink(os.path.join(self.at, "train.log"))
        sure = self.other_log()
        other = diagnose(self.at)
        if named(other) - {self.culprit}:
            yield "beside another log names %s" % named(other)
        if sure and other["verdicts"] != alone["verdicts"]:
            yield "beside another log says %s" % named(other)
        if sure and "other.log is left out: it " not in str(other["losses"]):
            yield "does not say that a log is left out"
        os.unlink(os.path.join(self.at, "other.log"))
        self.timeless_log()
        copied = diagnose(self.at)
        if named(copied) - {self.culprit} or is_less(alone, copied):
            yield "beside a copied log without any time names %s" % named(copied)
        os.unlink(os.path.join(self.at, "copied.log"))
        if self.way.__name__ == "stop":
            yield from self.judge_start(alone)

    def judge_start(self, alone):
        self.old_start()
        start = diagnose(self.at)
        if named(start) - {self.culprit} or is_less(alone, start):
            yield "beside its log without times names %s" % named(start)
        if "own.log is left out" in str(start["losses"]):
            yield "leaves out its log without times"


def long_steps(scratch):
    """
    Rank 3 dies while all compute for minutes, as between two steps; the others call their next
    operation then, and wait. Its own log was last written when it died. Yields what is wrong.
    """
    job = World(4, step_ns=240 * SECOND)
    for _ in range(5):
        job.collective(0, "all_reduce")
    died = job.time // SECOND + 60
    job.collective(0, "all_reduce", ranks=[0, 1, 2], done=False)
    at = job.write(os.path.join(scratch, "long"), without=[3])
    with open(os.path.join(at, "rank3.log"), "w") as file:
        file.write("[rank3]: Traceback (most recent call last):\n"
                   '[rank3]:   File "/w/train.py", line 88, in <module>\n'
                   "[rank3]: ValueError: no rows\n")
    os.utime(os.path.join(at, "rank3.log"), (died, died))
    said = diagnose(at)
    if said["verdicts"][0]["culprits"] != [3]:
        yield "of long steps: names %s: %s" % (named(said), said["losses"])


def long_hang(scratch):
    """
    Rank 3 is killed, and a watchdog of 30 hours ends the others, which leave their dumps then. Of
    the log only the end is there. Yields what is wrong.
    """
    job = World(4)
    for _ in range(5):
        job.collective(0, "all_reduce")
    job.collective(0, "all_reduce", ranks=[0, 1, 2], done=False)
    at = job.write(os.path.join(scratch, "hang"), without=[3])
    over = job.time // SECOND + 30 * 3600
    for name in os.listdir(at):
        os.utime(os.path.join(at, name), (over, over))
    log = Log(4, over, random.Random(1))
    log.local, log.mark, log.launcher, log.lines = 4, "[rank%d]:", "torchrun", []
    for rank in range(3):
        log.give_up(rank, rank, (0, 6, "ALLREDUCE"))
    log.end([(3, -9)])
    log.write(os.path.join(at, "tail.log"), over + 5)
    said = diagnose(at)
    if said["verdicts"][0]["culprits"] != [3] or "is left out" in str(said["losses"]):
        yield "of a long hang: names %s: %s" % (named(said), said["losses"])


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else FIRST
    last = int(sys.argv[2]) if len(sys.argv) > 2 else first if len(sys.argv) > 1 else \
        FIRST + ROUNDS - 1
    judged = wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in [*range(first, last + 1), *(ALSO if len(sys.argv) == 1 else [])]:
            try:
                night = Night(seed, scratch)
            except IndexError:
                continue  # it cannot be spoilt so
            judged += 6
            for words in night.judge():
                print("seed %d, %s, rank %d of %d: %s" % (
                    seed, night.way.__name__, night.culprit, night.job.size, words))
                wrong += 1
        for words in [*long_steps(scratch), *long_hang(scratch)]:
            print(words)
            wrong += 1
    print("%d times judged, %d wrong" % (judged, wrong))
    return 1 if wrong or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
