# SPDX-License-Identifier: Apache-2.0
"""
Dumps that real jobs would leave, written with their truth: what class it is, who may be named above
a guess, and how sure anybody may be of it.
"""
import json
import os
import pickle
import subprocess
import tempfile

from dumps import World

INQUEST = os.environ["INQUEST"]
SURE = ["unknown", "hypothesis", "supported", "established"]
SETS = []


def truth(name, classes, may=(), named=None, most="established", says=()):
    """
    classes: what it may be called, " or " between; may: who may be named above a hypothesis; named:
    all who are named, where that is sure; most: how sure one may be.
    """
    def add(make):
        SETS.append((name, classes.split(" or "), set(may), named, most, says, make))
        return make
    return add


def but(size, *missing):
    return [r for r in range(size) if r not in missing]


def steps(world, many=5, group=0):
    """Data parallel: three buckets a step."""
    for _ in range(many):
        for bucket in range(3):
            world.collective(group, "all_reduce", sizes=((1000 + bucket,),))
    return world


def stands(world, who, group=0):
    """All but one come to the next operation."""
    ranks = [r for r in world.groups[group]["ranks"] if r != who]
    world.collective(group, "all_reduce", ranks=ranks, done=False)
    return world


def late(who=3, size=8):
    return stands(steps(World(size)), who)


def write_each(world, at, change, name="nccl_trace_rank_%d"):
    """Writes each rank's dump as changed by change(rank, dump)."""
    for rank in range(world.size):
        dump = world.dump(rank)
        change(rank, dump)
        with open(os.path.join(at, name % rank), "wb") as file:
            pickle.dump(dump, file, protocol=2)


def judge(make):
    with tempfile.TemporaryDirectory() as at:
        make(at)
        run = subprocess.run([INQUEST, "diagnose", "--json", at], capture_output=True, text=True)
    said = json.loads(run.stdout)
    return said, json.dumps(said)


def complain(said, text, classes, may, named, most, says):
    """Yields what is said otherwise than is true, or surer than anybody can be."""
    verdicts = said["verdicts"]
    first = verdicts[0] if verdicts else {"class": "too early", "confidence": "unknown"}
    all_named = sorted({c for v in verdicts for c in v["culprits"]})
    firm = {c for v in verdicts for c in v["culprits"] if SURE.index(v["confidence"]) > 1}
    if first["class"] not in classes:
        yield "%s, not %s" % (first["class"], " or ".join(classes))
    if firm - may:
        yield "names %s" % sorted(firm)
    if named is not None and all_named != sorted(named):
        yield "names %s, not %s" % (all_named, named)
    if SURE.index(first["confidence"]) > SURE.index(most):
        yield first["confidence"]
    yield from ("does not say: " + words for words in says if words not in text)


def play(words):
    """Plays all sets, or those with a word in the name; returns how many were judged wrongly."""
    failed = 0
    for name, classes, may, named, most, says, make in SETS:
        if words and not any(word in name for word in words):
            continue
        said, text = judge(make)
        wrong = list(complain(said, text, classes, may, named, most, says))
        for line in wrong:
            print("%s: %s" % (name, line))
        if wrong:
            print("   %s" % [v["headline"] for v in said["verdicts"]])
        failed += bool(wrong)
    return failed
