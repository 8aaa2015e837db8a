# SPDX-License-Identifier: Apache-2.0
"""
The scenarios that examine.py plays: which job, what its rank number `who` meets, and the truth.

What a job meets lies in its data (a text that is longer, a file that never ends), in an empty
compile cache, or is done to it from outside (a deed). Nothing that its processes show tells which.
"""

import json
import os
import random
import shutil
import signal
import time

import launchers
from examine import descendants, stat_of

BATCHES, ROWS, LENGTH = 20, 4, 17
AT = 3  # the batch that is unlike the others


class Scenario:
    """One job with one mishap; a mishap is told by overriding a method."""

    script = "pretrain.py"
    settings = {}
    ends = False  # whether the job ends by itself
    told_as_past = False  # whether it is told once it has passed
    passes = False  # whether the mishap ends by itself, and the job goes on
    first = None  # the rank that it happens to; None: drawn
    probed = True  # whether it is started under inquest run
    own_runs = False  # whether its launcher starts one for each rank
    ranks = 8
    launcher = staticmethod(launchers.torchrun)
    needs = None  # the program that the launcher needs
    hang_after = 6
    compiled = True  # whether it compiles, and so wants a warm cache
    strict = False  # whether it is also held to be on time, and to blame nobody else at any time
    truth = {}
    weaker = ()  # what else may be said, as it differs from the truth: less, and nothing wrong
    outlooks = None  # those that may be said
    tells = ()  # what must be told

    def draw_who(self, draw, ranks):
        return draw.randrange(1, ranks) if self.first is None else self.first

    def batch(self, draw, rank, number, who):
        """The batch of this number: rows of tokens, none of which is padding."""
        return [[draw.randrange(1, 128) for _ in range(LENGTH)] for _ in range(ROWS)]

    def batches(self, rank, who):
        return BATCHES

    def write_data(self, folder, who, ranks, seed):
        os.mkdir(os.path.join(folder, "shards"))
        for rank in range(ranks):
            draw = random.Random(f"{seed} {rank}")
            with open(os.path.join(folder, "shards", f"{rank}.jsonl"), "w") as file:
                for number in range(self.batches(rank, who)):
                    file.write(json.dumps(self.batch(draw, rank, number, who)) + "\n")

    def prepare(self, folder, who, ranks, warm):
        """More that the job finds; returns settings that depend on it."""
        return {}

    def arrange(self, folder, who):
        """Changes what the launcher has laid out."""

    def deed(self, play):
        """Done once the job runs, by the time of this call; returns when it is done."""

    def let_go(self):
        """Closes what the deed opened."""


# --- Compiling --------------------------------------------------------------------------------


class Healthy(Scenario):
    truth = {"class": "healthy", "family": "none", "exit": 0}


class Cold(Scenario):
    """One rank has to compile what its peers find in their caches."""

    settings = {"layers": 3}
    passes = True
    truth = {"class": "compile-skew", "family": "compile-divergence"}

    def prepare(self, folder, who, ranks, warm):
        for rank in range(ranks):
            cache = os.path.join(folder, "cache", str(rank))
            if rank == who:
                os.makedirs(cache)
            else:
                shutil.copytree(warm, cache)
        return {"cache": "cache"}


class ColdFirst(Cold):
    first = 0


class CompilersKilled(Cold):
    """
    The compilers of one rank are killed while they work, one after the other, until it gives up:
    by the first, Inductor only asks what this processor can do.
    """

    passes = False
    ends = True
    truth = {"class": "rank-death", "family": "rank-death", "cause": "child-death"}
    weaker = [Cold.truth]  # until then it compiles

    def deed(self, play):
        play.await_compiler()
        rank = play.rank_process()
        while stat_of(rank) and play.agent.poll() is None:
            for pid in descendants(rank):
                if pid != rank and play.show(pid, "comm").strip() == "cc1plus":
                    play.hit(pid, signal.SIGKILL)
            time.sleep(0.02)


class CompilersStopped(Cold):
    """They do not die, they only go no further."""

    passes = False
    truth = {"class": "compile-stuck", "family": "compile-divergence"}
    weaker = [Cold.truth]  # until then it compiles

    def deed(self, play):
        play.await_compiler()
        for pid in play.helpers():
            play.hit(pid, signal.SIGSTOP)


class KilledCompiling(Cold):
    """The rank itself is killed while it compiles; torchrun soon ends the others."""

    passes = False
    ends = True
    truth = {"class": "rank-death", "family": "rank-death", "cause": "killed"}
    weaker = [Cold.truth]  # until then it compiles

    def deed(self, play):
        play.await_compiler()
        play.hit(play.rank_process(), signal.SIGKILL)


class Recompile(Scenario):
    """
    A text of another length comes to one rank, whose graph does not fit it. A graph that a fast
    machine compiles in less time than a hang takes would be none: so it is a long one.
    """

    settings = {"layers": 1, "in_a_row": 12}
    passes = True
    truth = {"class": "compile-skew", "family": "compile-divergence"}

    def batch(self, draw, rank, number, who):
        length = LENGTH
        if rank == who and number == AT:
            length += draw.randrange(1, 400)
        return [[draw.randrange(1, 128) for _ in range(length)] for _ in range(ROWS)]


class Branch(Scenario):
    """
    One rank's graph has an operation that the others' have not. No cache has that graph: as long as
    it compiles, that is what the others wait for.
    """

    script = "monitored.py"
    truth = {"class": "graph-divergence", "family": "compile-divergence"}
    weaker = [{"class": "compile-skew"}]

    def prepare(self, folder, who, ranks, warm):
        return {"reporters": [who]}


# --- Shards -----------------------------------------------------------------------------------


class Skipped(Scenario):
    """A batch of one rank has nothing left in it, and is passed over."""

    script = "finetune.py"
    truth = {"class": "empty-shard", "family": "shards"}

    def batch(self, draw, rank, number, who):
        return [] if rank == who and number == AT else super().batch(draw, rank, number, who)


class NoRows(Skipped):
    """
    The same, where the batch goes through the model as one of 0 rows; no cache has a graph for it,
    and as long as that compiles, the others wait for that.
    """

    script = "weighted.py"
    weaker = [{"class": "compile-skew", "family": "compile-divergence"}]
    settings = {"mode": "ddp", "length": LENGTH}


class Fewer(Scenario):
    """One rank's stream has one batch fewer."""

    script = "stream.py"
    settings = {"rounds": 1}
    truth = {"class": "uneven-shard", "family": "shards"}

    def batches(self, rank, who):
        return BATCHES - (rank == who)


# --- Deaths -----------------------------------------------------------------------------------


class BadRecord(Scenario):
    """An exception, and then an end that does not come."""

    script = "records.py"
    truth = {"class": "rank-death", "family": "rank-death", "cause": "exception"}

    def batch(self, draw, rank, number, who):
        rows = super().batch(draw, rank, number, who)
        if rank == who and number == AT:
            rows[1][2] = 999
        return rows


class Exit(Scenario):
    """os._exit(0), as its tokens are used up before those of the others."""

    script = "budget.py"
    settings = {"budget": AT * ROWS * LENGTH}
    ends = True
    truth = {"class": "early-exit", "family": "rank-death"}

    def batch(self, draw, rank, number, who):
        rows = super().batch(draw, rank, number, who)
        return rows if rank == who else [row[:9] + [0] * 8 for row in rows]


class LoaderKilled(Scenario):
    """The process that loads the batches of one rank is killed."""

    settings = {"workers": 1, "rounds": 1}
    ends = True
    truth = {"class": "rank-death", "family": "rank-death", "cause": "child-death"}

    def batches(self, rank, who):
        return 4000

    def deed(self, play):
        play.await_step()
        for pid in play.helpers():
            play.hit(pid, signal.SIGKILL)


# --- Hosts ------------------------------------------------------------------------------------


class Pipe(Scenario):
    """One rank reads from, or writes to, something that takes its time."""

    truth = {"class": "host-stall", "family": "host"}
    pipe = None

    def let_go(self):
        if self.pipe is not None:
            os.close(self.pipe)
            self.pipe = None


class Saving(Pipe):
    """The first rank's checkpoint goes to something that takes 1 KiB a second."""

    script = "saving.py"
    first = 0
    settings = {"save_every": AT, "save_to": "latest.pt"}
    truth = dict(Pipe.truth, where="checkpoint")

    def prepare(self, folder, who, ranks, warm):
        os.mkfifo(os.path.join(folder, "latest.pt"))
        return {}

    def deed(self, play):
        self.pipe = os.open(os.path.join(play.folder, "latest.pt"), os.O_RDONLY | os.O_NONBLOCK)
        play.every_second(lambda: self.read_some())

    def read_some(self):
        try:
            os.read(self.pipe, 1024)
        except BlockingIOError:
            pass


class Late(Pipe):
    """Something that one rank needs before it joins the others does not come."""

    script = "fetch.py"
    folder = "incoming"
    truth = {"class": "not-started", "family": "start"}

    def prepare(self, folder, who, ranks, warm):
        os.mkdir(os.path.join(folder, self.folder))
        os.mkfifo(os.path.join(folder, self.folder, str(who)))
        return {}

    def deed(self, play):
        path = os.path.join(play.folder, self.folder, str(play.who))
        self.pipe = os.open(path, os.O_RDWR)


class LateFirst(Late):
    first = 0


class LateStep(Late):
    """The same, after it joined them and before its first operation."""

    folder = "previous"
    truth = Pipe.truth


class LateStepFirst(LateStep):
    first = 0


class HeldInC(Scenario):
    """A C function that keeps Python's lock does not come back."""

    script = "remote.py"
    truth = {"class": "host-stall", "family": "host", "where": "gil"}

    def batch(self, draw, rank, number, who):
        rows = super().batch(draw, rank, number, who)
        return {"again_in": 3600, "rows": rows} if rank == who and number == AT else rows


class Frozen(Scenario):
    """SIGSTOP."""

    truth = {"class": "host-stall", "family": "host", "where": "frozen"}

    def deed(self, play):
        play.await_step()
        play.hit(play.rank_process(), signal.SIGSTOP)


# --- Nothing of ours in the job ----------------------------------------------------------------


class UnprobedRecompile(Recompile):
    """Its stacks alone tell that it compiles."""

    probed = False


class UnprobedLateStep(LateStep):
    probed = False
    truth = dict(LateStep.truth, where="user-code")


class UnprobedHeldInC(HeldInC):
    probed = False


class UnprobedSaving(Saving):
    probed = False


SCENARIOS = {
    "healthy": Healthy,
    "cold": Cold,
    "cold-first": ColdFirst,
    "compilers-killed": CompilersKilled,
    "compilers-stopped": CompilersStopped,
    "killed-compiling": KilledCompiling,
    "recompile": Recompile,
    "branch": Branch,
    "skipped": Skipped,
    "no-rows": NoRows,
    "fewer": Fewer,
    "bad-record": BadRecord,
    "exit": Exit,
    "loader-killed": LoaderKilled,
    "saving": Saving,
    "late": Late,
    "late-first": LateFirst,
    "late-step": LateStep,
    "late-step-first": LateStepFirst,
    "held-in-c": HeldInC,
    "frozen": Frozen,
    "unprobed-recompile": UnprobedRecompile,
    "unprobed-late-step": UnprobedLateStep,
    "unprobed-held-in-c": UnprobedHeldInC,
    "unprobed-saving": UnprobedSaving,
}
