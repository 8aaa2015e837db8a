# SPDX-License-Identifier: Apache-2.0
"""
Jobs of frameworks: how each is started, what one of its ranks meets, and the truth.

A case is FRAMEWORK-MISHAP. A mishap is the same in all frameworks; where one of them makes
something else of it, that stands in OTHERWISE.
"""

import os
import signal

import launchers
from examine import descendants
from scenarios import AT, BATCHES, ROWS, LENGTH, Scenario

binaries = os.path.dirname(launchers.python)


def torchrun(folder, ranks, script):
    return [launchers.python, "-m", "torch.distributed.run", f"--nproc_per_node={ranks}", script]


def accelerate(folder, ranks, script):
    return [os.path.join(binaries, "accelerate"), "launch", "--multi_gpu",
            f"--num_processes={ranks}", "--num_machines=1", "--mixed_precision=no",
            "--dynamo_backend=no", f"--main_process_port={launchers.free_port()}", script]


def deepspeed(folder, ranks, script):
    return [os.path.join(binaries, "deepspeed"), "--num_gpus", str(ranks), "--master_port",
            str(launchers.free_port()), script]


# --- What a rank meets ------------------------------------------------------------------------


class Mishap(Scenario):
    """These compile nothing. Each batch is an object, with its rows in it."""

    compiled = False
    ranks = 3
    said = {}  # what the batch of number AT says of the rank that it happens to

    def batch(self, draw, rank, number, who):
        rows = [[draw.randrange(1, 128) for _ in range(LENGTH)] for _ in range(ROWS)]
        return dict(self.said if rank == who and number == AT else {}, rows=rows)


class Healthy(Mishap):
    truth = {"class": "healthy", "family": "none", "exit": 0}


class Late(Mishap):
    """A rank sleeps in its own code, where it reads a batch."""

    said = {"again_in": 3600}
    truth = {"class": "host-stall", "family": "host"}


class Raise(Mishap):
    """An exception in the middle of training, and a thread of its own that lets no end come."""

    settings = {"sends_metrics": True}
    truth = {"class": "rank-death", "family": "rank-death", "cause": "exception"}

    def batch(self, draw, rank, number, who):
        made = super().batch(draw, rank, number, who)
        if rank == who and number == AT:
            made["rows"][1][2] = 999
        return made


class RaiseEnds(Raise):
    """The same, and it ends the process, and so the job."""

    settings = {}
    ends = True


class Kill(Mishap):
    ends = True
    truth = {"class": "rank-death", "family": "rank-death", "cause": "killed"}

    def deed(self, play):
        play.await_step()
        play.hit(play.rank_process(), signal.SIGKILL)


class Fewer(Mishap):
    """A rank leaves its loop before the others do, and waits for them at what comes behind it."""

    said = {"last": 1}
    truth = {"class": "collective-mismatch", "family": "program"}


MISHAPS = {"healthy": Healthy, "late": Late, "raise": Raise, "raise-ends": RaiseEnds,
           "kill": Kill, "fewer": Fewer}


# --- In which framework -----------------------------------------------------------------------


class Accelerate:
    script = "accelerated.py"
    launcher = staticmethod(accelerate)


class Lightning:
    script = "lit.py"
    launcher = staticmethod(launchers.spawn)


class Transformers:
    script = "trained.py"
    launcher = staticmethod(torchrun)


class Ray:
    script = "rayed.py"
    launcher = staticmethod(launchers.spawn)


class DeepSpeed:
    script = "sped.py"
    launcher = staticmethod(deepspeed)


FRAMEWORKS = {"accelerate": Accelerate, "lightning": Lightning, "transformers": Transformers,
              "ray": Ray, "deepspeed": DeepSpeed}

# Ray catches what a worker raises, and ends the others.
NEVER = ["ray-raise"]

# What a framework makes of a mishap. Lightning: whose own fit() is over waits for nobody.
# DeepSpeed: its barrier and its reductions are of two groups, and so in no one order.
OTHERWISE = {
    "deepspeed-fewer": {"truth": {"class": "order-inversion", "family": "program"}},
    "lightning-fewer": {"ends": True, "truth": {"class": "early-exit", "family": "rank-death"}},
}


class Build(DeepSpeed, Mishap):
    """An extension that nobody has built: the rank that is first does, and the others wait."""

    passes = True
    hang_after = 3
    truth = {"class": "compile-skew", "family": "compile-divergence"}

    def deed(self, play):
        play.await_true("a build", lambda: self.find_builder(play))

    def find_builder(self, play):
        for rank, pid in play.heard.joined().items():
            if any(play.show(child, "comm").strip() == "ninja" for child in descendants(pid)):
                play.who = rank
                play.truth.update(culprits=[rank], involved=[rank])
                return True
        return False


CASES = {"deepspeed-build": Build}
for framework, how in FRAMEWORKS.items():
    for mishap, what in MISHAPS.items():
        case = f"{framework}-{mishap}"
        if case not in NEVER:
            CASES[case] = type(case, (how, what), OTHERWISE.get(case, {}))
