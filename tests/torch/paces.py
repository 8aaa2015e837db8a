# SPDX-License-Identifier: Apache-2.0
"""Jobs that take their time and are well, and one that was not."""

import os
import time

from scenarios import AT
from starts import Start


class Slow(Start):
    """Nobody is ever to blame: neither where somebody asks, nor in the log."""

    script = "paced.py"
    hang_after = 10
    well_until = 3  # the step that the job must reach
    truth = {"class": "healthy", "family": "none", "exit": 0}
    weaker = [{"class": "slow", "family": "none"}]


class SlowSteps(Slow):
    """Ten seconds between steps."""

    settings = dict(Start.settings, pace=10)


class SlowOnce(Slow):
    """One step of one rank takes nine seconds."""

    settings = dict(Start.settings, pace=1)
    well_until = 14

    def prepare(self, folder, who, ranks, warm):
        return {"work": {f"{who} 6": 9}}


class SlowSave(Slow):
    """The first rank writes for 17 s, each record of it on disk before the next one."""

    first = 0
    settings = dict(Start.settings, pace=1)
    well_until = 14

    def prepare(self, folder, who, ranks, warm):
        return {"save": {"0 6": 17}}


class Recovers(Start):
    """One rank was late once, and since then comes on time: that is past."""

    script = "paced.py"
    settings = dict(Start.settings, pace=0.3)
    hang_after = 6
    passes = True
    told_as_past = True
    late_s = 20
    truth = {"class": "host-stall", "family": "host"}

    def prepare(self, folder, who, ranks, warm):
        os.mkdir(os.path.join(folder, "incoming"))
        os.mkfifo(os.path.join(folder, "incoming", f"{who}.{AT}"))
        return {}

    def deed(self, play):
        path = os.path.join(play.folder, "incoming", f"{play.who}.{AT}")
        play.await_true("its peers", lambda: f"[rank {play.who}] step {AT - 1} " in play.said())
        self.pipe = os.open(path, os.O_RDWR)
        play.deeds_at = time.monotonic()
        play.after(self.late_s, self.let_go)

    def let_go(self):
        if self.pipe is not None:
            os.close(self.pipe)
            self.pipe = None


SCENARIOS = {
    "slow-steps": SlowSteps,
    "slow-once": SlowOnce,
    "slow-save": SlowSave,
    "recovers": Recovers,
}
