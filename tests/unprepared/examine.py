# SPDX-License-Identifier: Apache-2.0
"""
examine.py PROGRAM...: runs programs that know nothing of inquest, each with a fault in a drawn
rank, and examines them as tests/scenarios/examine.py does the demo's jobs. They get what they need
to know by a file or by stdin, which no judge reads.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["srcdir"], "tests/scenarios"))
from examine import Play, Wrong, base_seed, inquest, play_all  # noqa: E402

import random  # noqa: E402

programs = os.path.join(os.environ["top_builddir"], "tests/unprepared")

# Started by the shell, one process per rank: "$@" is the program and its arguments.
SHELL_RANKS = """
n=$1; shift
for rank in $(seq 0 $((n - 1))); do RANK=$rank WORLD_SIZE=$n "$@" & done
wait
"""
BARE_RANKS = """
n=$1; late=$2; shift 2
for rank in $(seq 0 $((n - 1))); do
	if [ "$rank" = "$late" ]; then load=3600; else load=0; fi
	echo $load | "$@" "$n" "$rank" &
done
wait
"""

TRUTHS = {  # program: class, and what else its verdict must say
    "threads": {"class": "host-stall", "family": "host"},
    "forked": {"class": "uneven-shard", "family": "shards", "outlook": "kill"},
    "stages": {"class": "rank-death", "family": "rank-death", "outlook": "kill"},
    "async": {"class": "collective-mismatch", "family": "program", "outlook": "kill"},
    "exchange": {"class": "early-exit", "family": "rank-death", "outlook": "kill"},
    "exchange-well": {"class": "healthy", "family": "none", "exit": 0, "culprits": []},
    "bare": {"class": "not-started", "family": "start"},
}


class Unprepared(Play):
    """A run of one of these programs; all but its start and its truth is as with the demos."""

    def draw(self, seed):
        self.prepare()
        draw = random.Random(f"{seed} {self.name}")
        ranks = self.ranks or draw.choice([4, 6, 8])
        who = draw.randrange(ranks)
        self.truth = {"scenario": self.name, "ranks": ranks, "culprits": [who],
                      "involved": [who], "cause": None, "where": None, "outlook": None,
                      "exit": 1, "look": "live", "stands_s": 4, "confine_mib": 0}
        self.truth.update(TRUTHS[self.name])
        if not self.truth["culprits"]:
            self.truth["involved"] = []
            who = -1
        self.who = who

    def command(self):
        ranks, who = str(self.truth["ranks"]), str(self.who)
        program = os.path.join(programs, self.name.split("-")[0])
        if self.name == "bare":
            return ["sh", "-c", BARE_RANKS, "sh", ranks, who, program, "id"], None
        if self.name in ("stages", "async"):
            with open(os.path.join(self.conf, "which"), "w") as file:
                file.write(who + "\n")
            return ["sh", "-c", SHELL_RANKS, "sh", ranks, program, "id",
                    os.path.join(self.conf, "which")], None
        return [program], f"{ranks} {who}\n"

    def refuse_hints(self):
        """What these programs show is what such programs show."""

    def start(self):
        words, said = self.command()
        self.log = open(os.path.join(self.folder, "agent.log"), "wb")
        self.agent = subprocess.Popen(
            [inquest, "run", "-o", self.out, "--name", "train", "--hang-after", "6", "--", *words],
            env=self.env, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log,
            cwd=self.folder)
        self.agent.stdin.write((said or "").encode())
        self.agent.stdin.close()


def main(names):
    unknown = set(names) - set(TRUTHS)
    if unknown:
        raise Wrong(f"no such program: {unknown}")
    return play_all([Unprepared(name) for name in names], base_seed())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
