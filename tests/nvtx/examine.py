# SPDX-License-Identifier: Apache-2.0
"""
examine.py CASE...: ranks that take NCCL's functions by dlsym, so that only their NVTX ranges tell
of them, each case with a fault in a drawn rank; examined as tests/scenarios/examine.py does it.
"""

import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["srcdir"], "tests/scenarios"))
from examine import Play, Wrong, base_seed, inquest, play_all  # noqa: E402

build = os.environ["top_builddir"]
client = os.path.join(build, "tests/nvtx/client")
plugin = os.path.join(build, "tests/nvtx/plugin")
ranged = os.path.join(build, "fixtures/nvtxnccl/.libs/libncclnvtx.so")

# "$@" are the words; by turns the ranks of a mixed job take the wrappers, and only the ranges.
RANKS = """
n=$1; way=$2; lib=$3; client=$4; shift 4
export WORLD_SIZE=$n
for RANK in $(seq 0 $((n - 1))); do
	export RANK
	if [ "$way" = plugin ]; then
		"$lib" "$@" &
	elif [ "$way" = mixed ] && [ $((RANK % 2)) -eq 0 ]; then
		LD_PRELOAD="$LD_PRELOAD:$lib" "$client" - . "$@" &
	else
		"$client" "$lib" . "$@" &
	fi
done
wait
"""

# W is the drawn rank; what its peers do not do with it they wait for.
CASES = {  # case: what its ranks do, and the truth
    "missing": ("init reduce gather sync W:stay reduce sync stay",
                {"class": "host-stall", "family": "host"}),
    "first": ("init W:stay reduce sync stay", {"class": "host-stall", "family": "host"}),
    "skew": ("init W:compile reduce sync stay",
             {"class": "compile-skew", "family": "compile-divergence", "outlook": "wait"}),
    "zero": ("init reduce sync W:zero !W:gather W:reduce sync stay",
             {"class": "empty-shard", "family": "shards", "outlook": "kill"}),
    "uneven": ("init reduce sync W:more !W:reduce sync stay",
               {"class": "uneven-shard", "family": "shards", "outlook": "kill"}),
    "mismatch": ("init reduce sync W:gather !W:reduce sync stay",
                 {"class": "collective-mismatch", "family": "program", "outlook": "kill"}),
    "leaver": ("init reduce sync W:leave reduce sync stay",
               {"class": "early-exit", "family": "rank-death", "outlook": "kill"}),
    "grouped": ("init-in-group group sync W:stay group sync stay",
                {"class": "host-stall", "family": "host"}),
    "child": ("init reduce split sync W:stay child sync stay",
              {"class": "host-stall", "family": "host"}),
    "mixed": ("init reduce gather sync W:stay reduce sync stay",
              {"class": "host-stall", "family": "host"}),
    "mixed-zero": ("init reduce sync W:zero !W:gather W:reduce sync stay",
                   {"class": "empty-shard", "family": "shards", "outlook": "kill"}),
    "well": ("init reduce gather sync stay",
             {"class": "healthy", "family": "none", "exit": 0, "culprits": []}),
    "unborn": ("W:stay init reduce sync stay", {"class": "not-started", "family": "start"}),
    "early-skew": ("W:compile init reduce sync stay",
                   {"class": "compile-skew", "family": "compile-divergence", "outlook": "wait"}),
    # Here by NCCL's profiler: of the op that all are in, one GPU never began the kernel.
    "kernel": ("5 coll coll W:unbegun !W:stuck sync",
               {"class": "gpu-stall", "family": "device", "where": None}),
    "kernel-4": ("4 coll coll W:unbegun !W:stuck sync",
                 {"class": "gpu-stall", "family": "device", "where": None}),
    "old": ("init reduce gather sync W:stay reduce sync stay",
            {"class": "host-stall", "family": "host"}),
}


class Ranged(Play):
    """A run of one of these; all but its start and its truth is as with the demos."""

    def draw(self, seed):
        self.prepare()
        draw = random.Random(f"{seed} {self.name}")
        ranks = self.ranks or draw.choice([4, 6, 8, 8])
        # Rank 0 gives the id: where it is late, the others are not in NCCL at all.
        who = draw.randrange(1 if CASES[self.name][0].startswith("W") else 0, ranks)
        self.truth = {"scenario": self.name, "ranks": ranks, "culprits": [who],
                      "involved": [who], "cause": None, "where": None, "outlook": None,
                      "exit": 1, "look": "live", "stands_s": 4, "confine_mib": 0}
        self.truth.update(CASES[self.name][1])
        if not self.truth["culprits"]:
            self.truth["involved"] = []
        self.words = [word.replace("W:", f"{who}:") for word in CASES[self.name][0].split()]
        if self.name.startswith("kernel"):
            self.env["INQUEST_PROFILER"] = "kernel"
        if self.name == "old":
            self.env["NVTXNCCL_OLD"] = "1"

    def refuse_hints(self):
        """What these programs show is what such programs show."""

    def start(self):
        way, lib = "ranged", ranged
        if self.name.startswith("mixed"):
            way = "mixed"
        elif self.name.startswith("kernel"):
            way, lib = "plugin", plugin
        self.log = open(os.path.join(self.folder, "agent.log"), "wb")
        self.agent = subprocess.Popen(
            [inquest, "run", "-o", self.out, "--name", "train", "--hang-after", "6", "--", "sh",
             "-c", RANKS, "sh", str(self.truth["ranks"]), way, lib, client, *self.words],
            env=self.env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            cwd=self.folder)


def main(names):
    unknown = set(names) - set(CASES)
    if unknown:
        raise Wrong(f"no such case: {unknown}")
    return play_all([Ranged(name) for name in names or CASES], base_seed())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
