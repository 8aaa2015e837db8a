# SPDX-License-Identifier: Apache-2.0
"""
nodes.py SCENARIO...: a job on two nodes, each with its own agent and its own bundle.

The nodes are two host names (and boot times that lie far apart) on this machine. What each node's
bundle says alone may be weak, but it never names a rank that has no part in it (law 3); what both
say together, in either order, is the truth.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time

from examine import ENDING_S, PATIENCE_S, Play, Wrong, base_seed, descendants, inquest, \
    play_all, scenarios

NODES = ("node-a", "node-b")
HOURS_APART = 30


def on_node(number, *words):
    """The command that runs words on a node; None where no such thing can be had."""
    seconds = str(number * HOURS_APART * 3600)
    return ["unshare", "--uts", "--time", "--boottime", seconds, "--monotonic", seconds, "--fork",
            "--kill-child", "sh", "-c", 'hostname "$0" && exec "$@"', NODES[number], *words]


def can_be_played():
    return shutil.which("unshare") and \
        subprocess.run(on_node(1, "true"), capture_output=True).returncode == 0


class TwoNodes(Play):
    """As Play; attach and the agent exist twice."""

    def start(self):
        self.agents, self.environments = [], []
        self.log = open(os.path.join(self.folder, "agent.log"), "wb")
        for number, node in enumerate(NODES):
            out, jobs = (os.path.join(self.folder, f"{what}-{node}") for what in ("out", "jobs"))
            os.mkdir(out)
            os.mkdir(jobs, 0o700)
            env = dict(self.env, INQUEST_DIR=jobs, NNODES=str(len(NODES)), NODE_RANK=str(number))
            self.environments.append(env)
            self.agents.append(subprocess.Popen(
                on_node(number, inquest, "run", "-o", out, "--name", "train", "--hang-after", "6",
                        "--", os.path.join(scenarios, "launch"),
                        os.path.join(self.conf, "job.conf")),
                env=env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                cwd=self.folder))

    def gather(self):
        """A bundle of each node, made now."""
        bundles = []
        for number, env in enumerate(self.environments):
            bundles.append(os.path.join(self.folder, f"{NODES[number]}.inq"))
            done = subprocess.run(on_node(number, inquest, "attach", "train", "--json", "-o",
                                          bundles[-1]), env=env, capture_output=True, timeout=60)
            if done.returncode not in (0, 1, 3, 4):
                raise Wrong(f"attach gave {done.returncode}: {done.stderr!r}")
        return [bundle for bundle in bundles if os.path.exists(bundle)]

    def look_at_both(self, bundles):
        judged = self.judge("diagnose", *bundles, "--json")
        if not judged:
            return "nothing was said"
        self.refuse_accusation(judged[1])
        if self.ask("diagnose", *bundles[::-1], "--json") != \
                self.ask("diagnose", *bundles, "--json"):
            raise Wrong("the order of the bundles makes a difference")
        if judged[1]["losses"]:
            return f"of two whole bundles something is lost: {judged[1]['losses']}"
        return self.difference(*judged)

    def run(self):
        self.start()
        deadline, last = time.monotonic() + PATIENCE_S, ""
        while time.monotonic() < deadline:
            time.sleep(1)
            bundles = self.gather()
            for bundle in bundles:
                judged = self.judge("diagnose", bundle, "--json")
                if judged:
                    self.refuse_accusation(judged[1])
            last = self.look_at_both(bundles)
            if not last:
                return
        raise Wrong(f"the truth was not found: {last}")

    def end(self):
        """Tells what runs beneath unshare to end, then makes it."""
        for agent in getattr(self, "agents", []):
            for pid in descendants(agent.pid)[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
        for agent in getattr(self, "agents", []):
            try:
                agent.wait(ENDING_S)
            except subprocess.TimeoutExpired:
                agent.kill()
                agent.wait()


if __name__ == "__main__":
    if not can_be_played():
        print("no second host name and boot time can be had here (unshare)")
        sys.exit(77)
    sys.exit(play_all([TwoNodes(name) for name in sys.argv[1:]], base_seed()))
