#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
play.py [--quick] SOURCES [MODEL...]: plays the models of the ring in every way they can go.

Each model must hold as it is, must really get to what its witness() says, and must fail with any
one fence, claim, guard or store of its taken out: so many mutants are made of its text, by the
table below, and each must break an assertion of some model that has the function. A line under a
comment `harmless: WORD` is exempt from the mutant of that word, for the reason that stands there.

Before that the models are compared with the code in SOURCES/src/ring: a function of the same name
must do the same operations in the same order, and an operation must have the memory order that
memory.pml plays. So who changes the one is told to look at the other.

Ends with 77 where spin or a compiler is missing, 1 where anything is not as it must be. --quick
plays the small models and one mutant of each: a fence or a claim that is taken out.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

MODELS = ["slot", "board", "shared", "lane", "pinned", "order", "mark", "fatal", "string",
          "span", "census"]
QUICK = ["slot", "shared"]

# What is taken out, how, and what to call that.
MUTATIONS = [
    (r"\bring_fence_release\(\)", "skip", "no release fence"),
    (r"\bring_fence_acquire\(\)", "skip", "no acquire fence"),
    (r"\bring_publish_word\(", "ring_store(", "published relaxed"),
    (r"\bring_load_acquire\(", "ring_load(", "loaded relaxed"),
    (r"\bring_cas\(", "relaxed_cas(", "claimed relaxed"),
    (r"\bring_cas\(", "split_cas(", "not claimed"),
    (r"\bring_cas_release\(", "relaxed_cas_release(", "not released"),
    (r"\bring_cas_release\(", "blind_cas_release(", "met relaxed"),
    (r"\bring_cas_release\(", "split_cas_release(", "not claimed"),
    (r"\bring_add\(", "split_add(", "added in two steps"),
    (r"\bring_store\([^;\n]*\)(?=[;\n])", "skip", "not stored"),
    (r"(?<!define )\bturned\(", "unturned(", "not turned"),
    (r"\bonly\((?:[^()]|\([^()]*\))*\)", "(true)", "not looked at"),
]

# The memory order of each operation of ring-cpu.h, as memory.pml plays it.
ORDERS = {
    "ring_store": ["RING_WORD_STORE"],
    "ring_load": ["RING_WORD_LOAD"],
    "ring_publish_word": ["__ATOMIC_RELEASE"],
    "ring_load_acquire": ["__ATOMIC_ACQUIRE"],
    "ring_fence_release": ["__ATOMIC_RELEASE"],
    "ring_fence_acquire": ["__ATOMIC_ACQUIRE"],
    "ring_add": ["__ATOMIC_RELAXED"],
    "ring_cas": ["__ATOMIC_ACQUIRE", "__ATOMIC_RELAXED"],
    "ring_load_acquire32": ["__ATOMIC_ACQUIRE"],
    "ring_publish_word32": ["__ATOMIC_RELEASE"],
    "ring_cas_release32": ["__ATOMIC_RELEASE", "__ATOMIC_ACQUIRE"],
}

here = os.path.dirname(os.path.abspath(__file__))
faults = 0


def fault(text):
    global faults
    faults += 1
    print("FAIL: " + text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# --- The models' text ------------------------------------------------------------------------

def flatten(name):
    """A model with what it includes, but for memory.pml, which is never changed."""
    def include(match):
        if match.group(1) == "memory.pml":
            return match.group(0)
        return flatten(match.group(1))
    return re.sub(r'^#include "(.*)"$', include, read(os.path.join(here, name)), flags=re.M)


def units(text):
    """Each inline, macro and process: its name, where it begins and ends."""
    pattern = r"^(?:inline|(?:active )?proctype) (\w+)\(.*?^}|^#define (\w+)[^\n]*(?:\\\n[^\n]*)*"
    return [(m.group(1) or m.group(2), m.start(), m.end())
            for m in re.finditer(pattern, text, flags=re.M | re.S)]


def used_units(text):
    """Those that a process of the model gets to."""
    found = units(text)
    todo = [text[a:b] for name, a, b in found if text[a:b].startswith(("active", "proctype"))]
    names = set()
    while todo:
        words = set(re.findall(r"\w+", todo.pop()))
        for name, a, b in found:
            if name in words and name not in names:
                names.add(name)
                todo.append(text[a:b])
    return [(name, a, b) for name, a, b in found if name in names]


def is_harmless(text, at, kind):
    line = text.rfind("\n", 0, at)
    before = text[text.rfind("\n", 0, line) + 1:line]
    return "harmless: " + kind in before


def mutants(text):
    """What is taken out where, and the model without it."""
    for name, begin, end in used_units(text):
        if name in ("CALLER", "only", "witness"):
            continue
        for pattern, instead, words in MUTATIONS:
            for n, m in enumerate(re.finditer(pattern, text[begin:end]), 1):
                a, b = begin + m.start(), begin + m.end()
                if is_harmless(text, a, instead.rstrip("(")):
                    continue
                what = "%s: %s: %s (%d)" % (name, m.group(0).rstrip("("), words, n)
                yield what, text[:a] + instead + text[b:]


# --- Playing ---------------------------------------------------------------------------------

def run(folder, *command):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        sys.exit("FAIL: %s: %s" % (" ".join(command), done.stdout))


def play(text, *defines, optimized=True):
    """Plays all of it: None where it holds, or the assertion that did not; and how many states."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(here, "memory.pml"), folder)
        with open(os.path.join(folder, "model.pml"), "w", encoding="utf-8") as file:
            file.write(text)
        run(folder, "spin", *defines, "-a", "model.pml")
        run(folder, *os.environ.get("CC", "cc").split(), "-O1" if optimized else "-O0", "-w",
            "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=4096", "-DMEMLIM=4096", "-o", "pan", "pan.c")
        out = subprocess.run(["./pan", "-E", "-m1000000", "-w20"], cwd=folder,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout
    states = re.search(r"(\d+) states, stored", out)
    states = int(states.group(1)) if states else 0
    failed = re.search(r"assertion violated (.*) \(at depth", out)
    if failed:
        if ".last+1)<" in failed.group(1):
            sys.exit("FAIL: a place gets more values than the model's DEPTH")
        return failed.group(1), states
    if "errors: 0" not in out or re.search(r"not completed|too small|memory limit", out):
        sys.exit("FAIL: not played to its end: " + out)
    return None, states


def play_model(name, caught, quick):
    text = flatten(name + ".pml")
    failed, states = play(text, optimized=not quick)
    if failed:
        fault("%s does not hold: %s" % (name, failed))
        return
    if not quick and play(text, "-DWITNESS")[0] is None:
        fault("%s never gets to its witness: it proves nothing" % name)
    print("%s: holds, %d states" % (name, states), flush=True)
    for what, mutant in mutants(text):
        if caught.get(what):
            continue
        if quick and "fence" not in what and "claimed" not in what:
            continue
        caught[what] = play(mutant, optimized=not quick)[0] is not None and name
        if caught[what]:
            print("  %s: caught" % what, flush=True)
        if quick:
            break


# --- The models against the code -------------------------------------------------------------

def operations(body, unplayed=()):
    """The operations of a function in their order; of the same ones in a row, one."""
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    body = re.sub(r"__atomic_signal_fence", "", body)
    result = []
    for word in re.findall(r"\b((?:ring|census)_\w+?|__atomic_\w+?)(?:32)?\s*\(", body):
        if word not in unplayed and result[-1:] != [word]:
            result.append(word)
    return result


def functions(text):
    pattern = r"^(?:[A-Za-z][\w ]*?[ *])((?:ring|census)_\w+)\([^;{]*?\)\n\{\n(.*?)^\}"
    return {m.group(1): m.group(2) for m in re.finditer(pattern, text, flags=re.M | re.S)}


def compare(sources):
    ring = os.path.join(sources, "src", "ring")
    code = {}
    for name in ("ring-write.h", "ring-group.h", "ring-span.h", "ring-read.h", "ring-read.c",
                 "census-write.h", "census-read.c"):
        code.update(functions(read(os.path.join(ring, name))))
    compared = set()
    for name in MODELS + ["writer", "claim", "board-read"]:
        text = read(os.path.join(here, name + ".pml"))
        unplayed = [word for line in re.findall(r"Not played: ([^.:]*)", text)
                    for word in re.findall(r"(?:ring|census)_\w+", line)] + ["ring_meta"]
        for m in re.finditer(r"^inline (\w+)\(.*?\)\n\{\n(.*?)^}", text, flags=re.M | re.S):
            if m.group(1) not in code:
                continue
            compared.add(m.group(1))
            theirs = operations(code[m.group(1)], unplayed)
            ours = operations(m.group(2))
            if ours != theirs:
                fault("%s.pml plays %s as %s; the code does %s" %
                      (name, m.group(1), " ".join(ours), " ".join(theirs)))
    cpu = functions(read(os.path.join(ring, "ring-cpu.h")))
    for name, orders in ORDERS.items():
        found = re.findall(r"__ATOMIC_\w+|RING_WORD_\w+", cpu.get(name, ""))
        if found != orders:
            fault("memory.pml plays %s as %s; the code does %s" % (name, orders, found))
    if len(compared) < 12:
        fault("only %s were compared with the code" % sorted(compared))
    print("as in the code: " + " ".join(sorted(compared)), flush=True)


def main(args):
    quick = "--quick" in args
    args = [arg for arg in args if arg != "--quick"]
    compare(args[0])
    if faults:
        sys.exit(1)
    for tool in ("spin", os.environ.get("CC", "cc").split()[0]):
        if not shutil.which(tool):
            print("SKIP: no %s, which plays the models (Debian: spin)" % tool)
            sys.exit(77)
    caught = {}
    for name in args[1:] or (QUICK if quick else MODELS):
        play_model(name, caught, quick)
    for what, by in caught.items():
        if not by:
            fault("nothing notices: " + what)
    print("%d mutants, %d caught" % (len(caught), sum(map(bool, caught.values()))))
    sys.exit(1 if faults else 0)


main(sys.argv[1:])
