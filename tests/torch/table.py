# SPDX-License-Identifier: Apache-2.0
"""
table.py LOG...: a table of what was said of each job of check-torch in each of four ways, from the
lines in the logs of its tests (ways.py). Exit 1 if anything of that is wrong.
"""

import sys

WAYS = ("log", "attach", "bundle", "unprobed")


def read(paths):
    """
    What was said, by case, then by way; what was said later stands. To whom it happens is drawn
    anew for each play: the truths of a case are told side by side.
    """
    cases = {}
    for path in paths:
        with open(path, errors="replace") as file:
            for line in file:
                if line.startswith("= "):
                    case, truth, way, *rest = line[2:].rstrip("\n").split(" | ")
                    truths, said = cases.setdefault(case, ([], {}))
                    said[way] = " ".join(rest)
                    if truth.strip() not in truths:
                        truths.append(truth.strip())
    return cases


def main(paths):
    cases = read(path for path in paths if path)
    print("| case | truth | log line | attach | bundle | unprobed attach |\n|--|--|--|--|--|--|")
    for case, (truths, said) in cases.items():
        told = [said.get(way, "") for way in WAYS]
        print("| " + " | ".join([case, " / ".join(truths)] + told) + " |")
    marks = [words.rsplit(" ", 1)[-1] for _, said in cases.values() for words in said.values()]
    counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in ("ok", "less", "WRONG"))
    print(f"{len(cases)} jobs: {counts}")
    return "WRONG" in marks


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
