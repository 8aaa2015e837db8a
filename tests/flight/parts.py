# SPDX-License-Identifier: Apache-2.0
"""
All-to-alls in which each rank gives each other one another amount: dumps list the tensors, or what
all of them are together. Where it is known that amounts agree, that is said; where they do not, the
rank is named that sees them otherwise.
"""
import json
import subprocess
import sys
import tempfile

from dumps import World
from faults import INQUEST, judged

SIZE = 4
failed = 0


def gives(giver, taker):
    return 10 * (1 + giver) + taker


def job(awaits, single=False):
    """Each is in its fourth one, in which it awaits from a giver what awaits(giver, taker) says."""
    world = World(SIZE)
    for _ in range(3):
        world.collective(0, "all_to_all", sizes=tensors(gives, single, True),
                         out=tensors(gives, single, False))
    world.collective(0, "all_to_all", done=False, sizes=tensors(gives, single, True),
                     out=tensors(awaits, single, False))
    return world


def tensors(amount, single, given):
    parts = {me: [amount(me, other) if given else amount(other, me) for other in range(SIZE)]
             for me in range(SIZE)}
    return {me: ((sum(own),),) if single else [(n,) for n in own] for me, own in parts.items()}


def expect(what, world, kind, culprits, says=(), never=()):
    global failed
    with tempfile.TemporaryDirectory() as at:
        said = judged(world.write(at))
        page = subprocess.run([INQUEST, "diagnose", at], capture_output=True, text=True).stdout
    first = said["verdicts"][0]
    text = " ".join((json.dumps(said) + page).split())
    wrong = [] if first["class"] == kind else [first["headline"]]
    if first["culprits"] != culprits:
        wrong.append("names %s" % first["culprits"])
    wrong += ["does not say: " + words for words in says if words not in text]
    wrong += ["says: " + words for words in never if words in text]
    for line in wrong:
        print("%s: %s" % (what, line))
    failed += bool(wrong)


def main():
    unsaid = ["equal arguments", "same arguments"]
    expect("one awaits more", job(lambda a, b: gives(a, b) + (b == 2)), "uneven-shard", [2],
           ["gives rank 2 48 B in AlltoAll; that one awaits 52 B"])
    expect("one pair", job(lambda a, b: gives(a, b) + (a == 1 and b == 3)), "uneven-shard", [])
    expect("all agree", job(gives), "transport-stall", [], ["each with amounts of its own"], unsaid)
    expect("only together", job(gives, single=True), "transport-stall", [],
           ["each with amounts of its own"], unsaid)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
