# SPDX-License-Identifier: Apache-2.0
"""Jobs that no torchrun starts, or several, and what goes wrong until all ranks have met."""

import os
import signal

import launchers
from scenarios import BadRecord, Frozen, Late, LateStep, Scenario


class Start(Scenario):
    """These compile nothing."""

    compiled = False
    strict = True
    ranks = 4
    settings = {"mode": "plain", "layers": 1}


class LoopLate(Start, Late):
    """A rank has not come as far as its peers: they wait for it where they meet."""

    launcher = staticmethod(launchers.loop)


class LoopLateFirst(LoopLate):
    """The first rank is whom the others ask where to meet."""

    first = 0


class UnprobedLoopLate(LoopLate):
    """Stacks tell where it stands; that it is on its way to the others may stay untold."""

    probed = False
    weaker = [{"class": "host-stall", "family": "host"}]


class UnprobedLoopLateFirst(LoopLateFirst):
    probed = False
    weaker = UnprobedLoopLate.weaker


class LoopPort(Start):
    """One rank looks for the others elsewhere."""

    script = "fetch.py"
    launcher = staticmethod(launchers.loop)
    truth = {"class": "not-started", "family": "start", "cause": "address"}

    def arrange(self, folder, who):
        with open(os.path.join(folder, "ports")) as file:
            ports = file.read().split()
        ports[who] = str(launchers.free_port())
        with open(os.path.join(folder, "ports"), "w") as file:
            file.write("\n".join(ports) + "\n")


class LoopPortFirst(LoopPort):
    """It is the one that should be found."""

    first = 0


class UnprobedLoopPort(LoopPort):
    """
    Its environment tells, for whom may read it. Stacks alone tell that all are on their way to each
    other, and whoever says no more than that blames nobody.
    """

    probed = False
    weaker = [{"class": "inconclusive", "family": "none", "cause": None, "culprits": [], "exit": 4}]


class SpawnBadRecord(Start, BadRecord):
    """An exception that spawn has caught, and then an end that does not come."""

    script = "spawned.py"
    launcher = staticmethod(launchers.spawn)
    settings = dict(Start.settings, script="records")
    tells = ["ValueError", "token 999 of 128"]


class SpawnRaise(SpawnBadRecord):
    """It does come, and spawn makes an end of all."""

    settings = dict(SpawnBadRecord.settings, sends_logs=False)
    ends = True


class SpawnLateStep(Start, LateStep):
    script = "spawned.py"
    launcher = staticmethod(launchers.spawn)
    settings = dict(Start.settings, script="fetch")


class UnprobedSpawnLateStep(SpawnLateStep):
    probed = False


class SpawnLate(Start, Late):
    script = "spawned.py"
    launcher = staticmethod(launchers.spawn)
    settings = dict(Start.settings, script="fetch")


class SpawnFrozen(Start, Frozen):
    script = "spawned.py"
    launcher = staticmethod(launchers.spawn)
    settings = dict(Start.settings, script="pretrain")


class MpirunLate(Start, Late):
    """Which rank a task of MPI is, it says itself when it joins: before, it is one that stands."""

    launcher = staticmethod(launchers.mpirun)
    needs = "mpirun"
    weaker = UnprobedLoopLate.weaker


class UnprobedMpirunLate(MpirunLate):
    probed = False


class MpirunLateStep(Start, LateStep):
    launcher = staticmethod(launchers.mpirun)
    needs = "mpirun"


class SrunLate(Start, Late):
    """
    Each launcher has the number of its node, and so has all that it starts: in no rank's place is a
    launcher one of the ranks.
    """

    launcher = staticmethod(launchers.srun)


class SrunLateStep(Start, LateStep):
    launcher = staticmethod(launchers.srun)


class UnprobedSrunLateStep(SrunLateStep):
    probed = False


class SrunKilled(Start):
    """A rank is killed; both launchers end the others."""

    script = "pretrain.py"
    launcher = staticmethod(launchers.srun)
    ends = True
    truth = {"class": "rank-death", "family": "rank-death", "cause": "killed"}

    def deed(self, play):
        play.await_step()
        play.hit(play.rank_process(), signal.SIGKILL)


class EachOwnRun(LoopLate):
    """Each rank has an inquest run of its own; all of them are one job."""

    own_runs = True
    launcher = staticmethod(launchers.own_runs(launchers.loop))


class EachOwnRunStep(MpirunLateStep):
    """The same under mpirun, and later."""

    own_runs = True
    launcher = staticmethod(launchers.own_runs(launchers.mpirun))


SCENARIOS = {
    "each-own-run": EachOwnRun,
    "each-own-run-step": EachOwnRunStep,
    "loop-late": LoopLate,
    "loop-late-first": LoopLateFirst,
    "loop-port": LoopPort,
    "loop-port-first": LoopPortFirst,
    "spawn-raise": SpawnRaise,
    "spawn-bad-record": SpawnBadRecord,
    "spawn-late": SpawnLate,
    "spawn-late-step": SpawnLateStep,
    "spawn-frozen": SpawnFrozen,
    "mpirun-late": MpirunLate,
    "mpirun-late-step": MpirunLateStep,
    "srun-late": SrunLate,
    "srun-late-step": SrunLateStep,
    "srun-killed": SrunKilled,
    "unprobed-loop-late": UnprobedLoopLate,
    "unprobed-loop-late-first": UnprobedLoopLateFirst,
    "unprobed-loop-port": UnprobedLoopPort,
    "unprobed-spawn-late-step": UnprobedSpawnLateStep,
    "unprobed-mpirun-late": UnprobedMpirunLate,
    "unprobed-srun-late-step": UnprobedSrunLateStep,
}
