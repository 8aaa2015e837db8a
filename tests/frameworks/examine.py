# SPDX-License-Identifier: Apache-2.0
"""
examine.py [--bare] [--unprobed] CASE...: plays jobs of frameworks that train, each with a real
mishap in a drawn rank (cases.py), and examines them as tests/torch/examine.py does PyTorch's own.

The frameworks come from the environment in $INQUEST_FRAMEWORKS, else from the one that
`quickstart frameworks` makes. Exit 77: there is none.
"""

import hashlib
import importlib.util
import os
import shutil
import signal
import sys
import threading
import time

source = os.environ["srcdir"]
place = os.environ.get("INQUEST_FRAMEWORKS") or os.path.join(
    os.environ["top_builddir"], "frameworks")
os.environ["INQUEST_TORCH"] = place
sys.path[:0] = [os.path.join(source, "tests", folder) for folder in ("scenarios", "torch")]


def torch_examine():
    """Both are called examine.py; the one of scenarios goes by that name."""
    path = os.path.join(source, "tests/torch/examine.py")
    spec = importlib.util.spec_from_file_location("torch_examine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


plays = torch_examine()

import cases  # noqa: E402
import launchers  # noqa: E402
from examine import Wrong, descendants, stat_of  # noqa: E402

PATIENCE_S = 30
STARTING_S = 600  # imports of whole frameworks, where others work, too


def build_extensions(folder):
    plays.play_once(cases.CASES["deepspeed-healthy"](), TORCH_EXTENSIONS_DIR=folder,
                    CCACHE_DISABLE="1")


def extensions():
    """All that DeepSpeed builds for its jobs. A job has a copy, since its locks outlive its end."""
    with open(os.path.join(source, "tests/frameworks/packages"), "rb") as file:
        digest = hashlib.sha256(place.encode() + file.read())
    return plays.made_once("extensions-" + digest.hexdigest()[:12], build_extensions)


class Framework:
    """
    Stands before a play: who does not end when he is told to (Lightning notes SIGTERM, and acts
    between two batches) is killed after a while, as every scheduler does it.
    """

    def job(self):
        """Ray's driver is known to whoever started it, and its workers are not."""
        if self.scenario.probed:
            return str(self.agent.pid)
        rank = super().job()
        if f"[rank {self.who}] step 1 " not in self.said():
            raise Wrong("no step yet: whoever looks now finds a job that comes up")
        return str(self.agent.pid) if self.scenario.script == cases.Ray.script else rank

    def draw(self, seed):
        """What DeepSpeed builds is built already, but where that is the mishap."""
        super().draw(seed)
        built = os.path.join(self.folder, "extensions")
        if self.scenario.script == cases.DeepSpeed.script and not self.scenario.passes:
            shutil.copytree(extensions(), built)
        self.env.update(TORCH_EXTENSIONS_DIR=built, CCACHE_DISABLE="1")

    def wait_for_truth(self):
        """Nobody is asked while the job still comes up, nor before its hang is as old as a hang."""
        if not self.scenario.passes:
            self.await_step()
            self.await_true("a hang", self.stands)
        super().wait_for_truth()

    def stands(self):
        quiet = time.monotonic() - max(self.deeds_at or 0, self.heard.last_word())
        return not self.truth["exit"] or quiet >= self.scenario.hang_after

    def well_from(self):
        """What is said before the first steps is of how the job comes up, whatever comes later."""
        if self.scenario.passes:
            return 0
        return min((when for when, line in list(self.heard.lines)
                    if line.startswith(f"[rank {self.who}] step 1 ")), default=float("inf"))

    def end(self):
        if self.agent and self.agent.poll() is None:
            started = {pid: stat_of(pid) for pid in descendants(self.agent.pid)}
            threading.Timer(PATIENCE_S, self.kill, (started,)).start()
        super().end()

    def kill(self, started):
        for pid, stat in started.items():
            if pid != self.agent.pid and stat and stat == stat_of(pid):
                self.hit(pid, signal.SIGKILL)


class Probed(Framework, plays.PlainPlay):
    """One that is read in each way that there is."""


class Unprobed(Framework, plays.UnprobedPlay):
    """The same with nothing of ours in it."""


def play_of(name, unprobed):
    return Unprobed(name) if unprobed else Probed(name)


def main(arguments):
    if not os.path.exists(os.path.join(place, "bin/accelerate")):
        print(f"no frameworks in {place}; ./quickstart frameworks puts them there")
        return 77
    launchers.run = launchers.python  # which is asked for instead of torchrun
    plays.SCENARIOS = cases.CASES
    plays.play_of = play_of
    plays.jobs = os.path.join(source, "tests/frameworks/jobs")
    plays.STARTING_S = STARTING_S
    return plays.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
