# SPDX-License-Identifier: Apache-2.0
"""
Bundles of the nodes of very large jobs (many_bundles.c; rings, stacks and samples of sixteen ranks
in each) to the verdict: CPU and wall's time of `inquest diagnose', memory, and by which power both
grow with the ranks. The one that still compiles has to be named each time. BENCH_MANY says how many
ranks the largest of them has.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["srcdir"], "bench"))
from figure import figure, growth, Run  # noqa: E402

RECORDED = os.path.join(os.environ["srcdir"], "fixtures/recorded/compile-skew-64")
MAKE = os.path.join(os.environ["top_builddir"], "bench/many_bundles")


def measure(ranks):
    """The best of three diagnoses, and the least memory: what was read before is in memory."""
    folder = tempfile.mkdtemp()
    try:
        subprocess.run([MAKE, str(ranks), RECORDED, folder], check=True)
        command = [os.environ["INQUEST"], "diagnose", "--json", "--max-memory=8G", folder]
        said = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
        verdict = said["verdicts"][0]
        if (verdict["class"], verdict["culprits"]) != ("compile-skew", [0]) or \
                len(verdict["victims"]) != ranks - 1:
            sys.exit("bundles_bench: says %s of %s" % (verdict["class"], verdict["culprits"]))
        return min((Run(command) for _ in range(3)), key=lambda run: run.wall)
    finally:
        shutil.rmtree(folder)


def main():
    most = int(os.environ.get("BENCH_MANY", 16384))
    times, memories = [], []
    for ranks in most // 16, most // 4, most:
        run = measure(ranks)
        times.append((ranks, run.cpu))
        memories.append((ranks, run.memory))
        full = ranks == 16384
        figure("bundles, %d ranks on %d nodes" % (ranks, ranks // 16), run.wall / 1e3, "s",
               6 if full else 0)
        figure("  of it CPU", run.cpu / 1e3, "s")
        figure("  memory", run.memory / 1024, "GiB", 2 if full else 0)
    figure("  time grows with the ranks by the power of", growth(times), "", 1.1)
    figure("  memory grows with the ranks by the power of", growth(memories), "", 1.1)


main()
