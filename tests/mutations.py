#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each story fails without what it tells of: plays tests/mutations.tsv (make check-mutations).

    mutations.py SOURCE FOLDER [FINDING | STORY | TEST]...

A row is: finding, test, story, file, a line of that file as it is, the line with which the finding
is back, and, for a test that is a script, words that its log then has. For each row the line is
replaced in a copy of the tree under FOLDER, the test is built and run there, and must fail, with
the story among those that failed. A line that is not there exactly once, or does not compile when
replaced, is stale: the row is to be written anew. Spaces at a line's begin do not count. A test
that fails without any mutation shows nothing, so each is run once as it is.
"""

import collections
import filecmp
import os
import shutil
import subprocess
import sys

Row = collections.namedtuple("Row", "finding test story file old new words")
DEADLINE_S = 200
LEFT_OUT = (".git", "inquest-out", "__pycache__", "autom4te.cache", ".deps", ".libs")


def read_rows(path):
    rows = []
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            cells = line.rstrip("\n").split("\t")
            if len(cells) not in (6, 7):
                sys.exit(f"{path}:{number}: not six or seven columns")
            rows.append(Row(*(cells + [""])[:7]))
    return rows


def is_left_out(folder, name, ours):
    path = os.path.join(folder, name)
    return name in LEFT_OUT or path == ours or os.path.exists(os.path.join(path, "config.status"))


def copy_tree(source, copy):
    """What differs is copied and is new to make, so that a copy left in the middle is mended."""
    ours = os.path.dirname(copy)
    for folder, folders, files in os.walk(source):
        inner = os.path.relpath(folder, source)
        folders[:] = [name for name in folders if not is_left_out(folder, name, ours)]
        os.makedirs(os.path.join(copy, inner), exist_ok=True)
        for name in files:
            here, there = os.path.join(folder, name), os.path.join(copy, inner, name)
            if not os.path.lexists(there):
                shutil.copy2(here, there, follow_symlinks=False)
            elif not os.path.islink(here) and not filecmp.cmp(here, there, shallow=False):
                shutil.copy(here, there)


class Workshop:
    """A copy of the tree with a build of its own, in which lines are replaced."""

    def __init__(self, source, folder):
        self.tree = os.path.join(folder, "tree")
        self.built = os.path.join(folder, "built")
        self.jobs = os.environ.get("INQUEST_MUTATION_JOBS", "2")
        os.makedirs(self.built, exist_ok=True)
        copy_tree(source, self.tree)
        self.fine = {}
        self.helpers = None
        self.environment = dict(os.environ, srcdir=self.tree, top_builddir=self.built,
                                INQUEST=os.path.join(self.built, "inquest"))
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
            self.environment.pop(name, None)
        if shutil.which("ccache"):  # what is put back compiles at once
            self.environment.setdefault("CC", "ccache gcc")
            self.environment.setdefault("CXX", "ccache g++")
        if not os.path.exists(os.path.join(self.built, "Makefile")):
            self.call([os.path.join("..", "tree", "configure"), "-q"], "configure")
        self.call(["make", "-s", f"-j{self.jobs}", "all"], "make all")

    def call(self, command, what):
        done = self.run(command)
        if done.returncode:
            print(done.stdout[-4000:])
            sys.exit(f"{what} failed")

    def run(self, command):
        return subprocess.run(command, cwd=self.built, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, errors="replace", check=False)

    def wanted(self, test):
        """What make is to build for a test: a script may want any helper that is no unit test."""
        if test.endswith("_test"):
            return ["tests/run-one", test]
        if self.helpers is None:
            rule = "helpers:\n\t@echo $(check_PROGRAMS) $(check_DATA) $(check_LTLIBRARIES)\n"
            with open(os.path.join(self.built, "helpers.mk"), "w", encoding="utf-8") as out:
                out.write("include Makefile\n" + rule)
            names = self.run(["make", "-s", "-f", "helpers.mk", "helpers"]).stdout.split()
            self.helpers = [name for name in names if not name.startswith("tests/unit/")]
        return ["all-am"] + self.helpers

    def build(self, test):
        return self.run(["make", "-s", f"-j{self.jobs}"] + self.wanted(test))

    def play(self, test):
        path = os.path.join(self.built if test.endswith("_test") else self.tree, test)
        run_one = os.path.join(self.built, "tests", "run-one")
        environment = dict(self.environment, TEST_TIMEOUT=str(DEADLINE_S))
        environment.setdefault("CC", "cc")
        environment.setdefault("STOPS_PATIENCE", "5")  # for each thing that does not come
        return subprocess.run([run_one, path], cwd=self.built, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, errors="replace", check=False)

    def passes(self, test):
        """True where the test passes as it is; 77 is a test that skips."""
        if test not in self.fine:
            built = self.build(test)
            self.fine[test] = built.returncode or self.play(test).returncode
        return self.fine[test]

    def judge(self, row):
        """Says how a row went: "caught", or why not."""
        as_it_is = self.passes(row.test)
        if as_it_is:
            return "skipped" if as_it_is == 77 else "stale: the test fails as it is"
        path = os.path.join(self.tree, row.file)
        if not os.path.exists(path):
            return f"stale: there is no {row.file}"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        at = [i for i, line in enumerate(lines) if line.strip() == row.old.strip()]
        if len(at) != 1:
            return f"stale: the line is there {len(at)} times"
        line = lines[at[0]]
        lines[at[0]] = line[:len(line) - len(line.lstrip())] + row.new.strip()
        try:
            write(path, "\n".join(lines))
            built = self.build(row.test)
            if built.returncode:
                print(built.stdout[-1500:])
                return "stale: does not compile"
            done = self.play(row.test)
        finally:
            write(path, text)
        if not done.returncode:
            return "missed: the test passes"
        if row.test.endswith("_test"):
            named = [line for line in done.stdout.split("\n")
                     if line.startswith("[  FAILED  ]") and row.story in line.split()]
        else:
            named = done.returncode not in (77, 99) and row.words in done.stdout
        if not named:
            print(done.stdout[-1500:])
            return f"missed: others fail (status {done.returncode})"
        return "caught"


def without_row(source, rows):
    """The stories of findings.tsv of which nobody has seen that they fail."""
    have = {(row.finding, row.test, row.story) for row in rows}
    with open(os.path.join(source, "tests", "findings.tsv"), encoding="utf-8") as table:
        stories = [tuple(line.rstrip("\n").split("\t")) for line in table]
    return [(finding, test, story) for finding, _, test, story in stories
            if (finding, test, story) not in have]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, folder, only = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    rows = read_rows(os.path.join(source, "tests", "mutations.tsv"))
    for story in without_row(source, rows) if not only else []:
        print("no row:  " + " ".join(story))
    rows = [row for row in rows if not only or set(only) & {row.finding, row.test, row.story}]
    if not rows:
        sys.exit(f"no row is of {' '.join(only)}")
    workshop = Workshop(os.path.abspath(source), folder)
    counts = collections.Counter()
    for row in rows:
        how = workshop.judge(row)
        counts[how.split(":")[0]] += 1
        print(f"{how:<8} {row.finding} {row.test} {row.story}", flush=True)
    print(f"{counts['caught']} caught, {counts['missed']} missed, {counts['stale']} stale, "
          f"{counts['skipped']} skipped")
    sys.exit(1 if counts["missed"] + counts["stale"] else 0)


if __name__ == "__main__":
    main()
