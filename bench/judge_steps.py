# SPDX-License-Identifier: Apache-2.0
"""How the judge's work grows with the ranks, in instructions, which no cache and no other user of
the machine changes. Valgrind counts those within each part of judge_bench.c."""
import os
import re
import subprocess

import figure

SIZES = (1024, 16384)
PARTS = (("bench_sealed", "sealed", []), ("bench_judged", "judged", []),
         ("bench_judged", "judged, all dead", ["dead"]),
         ("bench_told", "told, as JSON and text", []))
BAR = 1.1


def steps(part, ranks, how):
    """The instructions within a function of judge_bench, of one job."""
    said = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=" + part, os.environ["top_builddir"] + "/bench/judge_bench", str(ranks),
         *how],
        stderr=subprocess.PIPE, text=True, check=True).stderr
    return int(re.search(r"Collected : (\d+)", said)[1])


def main():
    print("== Judge, in instructions")
    if not figure.has("valgrind"):
        print("not counted: valgrind is not here, `./quickstart bench` brings it")
        return
    for part, name, how in PARTS:
        points = [(ranks, steps(part, ranks, how)) for ranks in SIZES]
        figure.figure("%d ranks: %s" % (SIZES[-1], name), points[-1][1] / 1e6, "million")
        figure.figure("%s: grows by the power of" % name, figure.growth(points), "", BAR)


main()
