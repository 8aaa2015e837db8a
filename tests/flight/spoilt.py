# SPDX-License-Identifier: Apache-2.0
"""
Jobs in tensor, data and pipeline parallel groups, one rank of which is spoilt: it stops, dies,
leaves a call out, or makes another one. They are played by what the ranks' own orders say, and
dumped whole, without some, each with less in it, and at different moments. Nobody but that rank
may be named above a hypothesis, and while others wait nothing is well.

`spoilt.py FIRST [LAST]` plays those seeds; SPOILT_ROUNDS says how many are played by default.
"""
import collections
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile

from dumps import BASE, World
from played import Grid

INQUEST = os.environ["INQUEST"]
ROUNDS = int(os.environ.get("SPOILT_ROUNDS", 60))
FIRST = 390  # by 407 a rank was named once whose dump was older than the others' waits
ROUND = 4 * 10**7  # ns; what is entered at one moment is complete half of that later
OPS = ["all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "broadcast"]
LESS = [{}, {"active_only": True}, {"keep": 5}, {"keep": 12}, {"statuses": False},
        {"config": False}]


# -- the program ---

class Call:
    """What one rank hands over: its part of a collective, or of a message (`side` of it)."""

    def __init__(self, group, ranks, side, name, size):
        self.group, self.ranks, self.side = group, list(ranks), side
        self.name, self.size = name, size
        self.key = None
        self.entered = self.done = None

    def like(self, **other):
        return Call(**{"group": self.group, "ranks": self.ranks, "side": self.side,
                       "name": self.name, "size": self.size, **other})


def plan(dice):
    """A job and what each rank calls: the same in all replicas, whatever stage it is of."""
    grid = Grid(lambda size: World(size, step_ns=ROUND // 2), dice)
    layers = collections.defaultdict(lambda: dice.choice([1, 3]))
    for _ in range(dice.choice([2, 5])):
        grid.step(lambda p, d: layers[p])
        grid.reduce(dice.random() < .5)
    calls = {rank: [] for rank in range(grid.job.size)}
    drawn = collections.defaultdict(lambda: (dice.choice(OPS), dice.choice([64, 1024, 4096])))
    for group, ranks, message in grid.ops:
        sides = zip(ranks, ("send", "recv")) if message else ((rank, None) for rank in ranks)
        desc = grid.job.groups[group]["desc"]
        # Both ends of a message, and all stages, draw alike: what is asked is who comes.
        kind = drawn[desc, len(calls[ranks[0]]) if not message else ranks[0] // grid.tp]
        for rank, side in sides:
            calls[rank].append(Call(group, ranks, side, *kind))
    return grid.job, calls


# -- how it is spoilt: each changes the rank's calls, and returns after how many it stops ---

def stop(job, own, dice):
    return dice.randrange(1, len(own))


def skip(job, own, dice):
    del own[dice.choice(collectives(own))]
    return len(own)


def skip_two(job, own, dice):
    at = dice.choice(collectives(own))
    del own[at:at + 2]
    return len(own)


def call_other(job, own, dice):
    at = dice.choice(collectives(own))
    own[at] = own[at].like(name=dice.choice([name for name in OPS if name != own[at].name]))
    return len(own)


def bring_less(job, own, dice):
    at = dice.choice(collectives(own))
    own[at] = own[at].like(size=own[at].size // 2 + 1)
    return len(own)


def swap(job, own, dice):
    at = dice.choice([i for i in range(1, len(own) - 1) if own[i].group != own[i + 1].group])
    own[at], own[at + 1] = own[at + 1], own[at]
    return len(own)


def send_elsewhere(job, own, dice):
    members = {i: job.groups[call.group]["ranks"] for i, call in enumerate(own) if call.side}
    at = dice.choice([i for i in members if i and len(members[i]) > 2])
    ranks = list(own[at].ranks)
    ranks[own[at].side == "send"] = dice.choice(
        [rank for rank in members[at] if rank not in ranks])
    own[at] = own[at].like(ranks=ranks)
    return len(own)


def collectives(own):
    return [i for i in range(1, len(own)) if not own[i].side]


WAYS = [stop, stop, skip, skip_two, call_other, bring_less, swap, send_elsewhere]


# -- how it is played ---

def number(calls):
    """Calls meet by their place in their group, or between two ranks."""
    counts = collections.Counter()
    for call in calls:
        what = (call.group, *call.ranks) if call.side else (call.group,)
        counts[what] += 1
        call.key = (*what, counts[what])


def meet(job, calls, head, key, parts):
    """True if all who take part have the call before them, and it is the same one."""
    members = key[1:3] if len(key) == 4 else job.groups[key[0]]["ranks"]
    return all(rank in parts and parts[rank].entered is not None and
               calls[rank][head[rank]] is parts[rank] for rank in members) and \
        len({(part.name, part.size) for part in parts.values()}) == 1


def play(job, calls, until, ahead):
    """Returns how many calls of each rank are complete; calls have their moments then."""
    parts = collections.defaultdict(dict)
    for rank, own in calls.items():
        number(own)
        for call in own:
            parts[call.key][rank] = call
    head, came = dict.fromkeys(calls, 0), dict.fromkeys(calls, 0)
    now, moved = 0, True
    while moved:
        now, moved = now + 1, False
        for rank, own in calls.items():
            most = min(until.get(rank, len(own)), head[rank] + ahead, len(own))
            for call in own[came[rank]:most]:
                call.entered, moved = now, True
            came[rank] = max(came[rank], most)
        open_keys = {calls[r][head[r]].key for r in calls if head[r] < came[r]}
        for key in sorted(open_keys):
            if meet(job, calls, head, key, parts[key]):
                moved = True
                for rank, call in parts[key].items():
                    call.done = now
                    head[rank] += 1
    return now, {rank for rank in calls if head[rank] < came[rank]}


# -- how it is dumped ---

def recorded(job, calls, rank, when):
    """The rank's dump as it was at that moment."""
    world = World(job.size)
    world.groups = [dict(group, seq=dict.fromkeys(group["ranks"], 0),
                         p2p=dict.fromkeys(group["ranks"], 0)) for group in job.groups]
    for call in calls[rank]:
        if call.entered is None or call.entered * ROUND > when:
            continue
        group = world.groups[call.group]
        done = call.done is not None and call.done * ROUND + ROUND // 2 <= when
        world.time = BASE + call.entered * ROUND
        name = call.name
        if call.side:
            here, there = (group["ranks"].index(r) for r in call.ranks)
            name = "send %d->%d" % (here, there) if call.side == "send" else \
                "recv %d<-%d" % (there, here)
        group["p2p" if call.side else "seq"][rank] += 1
        entry = world.entry(rank, call.group, name, done, [[call.size]], p2p=bool(call.side))
        if done:
            entry["time_discovered_completed_ns"] = BASE + call.done * ROUND + ROUND // 2
    return world


def write(job, calls, at, dumps):
    """dumps: by rank, when it was written, and what is left out of it."""
    os.makedirs(at)
    for rank, (when, less) in dumps.items():
        path = os.path.join(at, "nccl_trace_rank_%d" % rank)
        with open(path, "wb") as file:
            pickle.dump(recorded(job, calls, rank, when).dump(rank, **less), file, protocol=2)
        os.utime(path, ns=(BASE + when,) * 2)


def tellings(last, there, dice):
    """What is dumped of the ranks, in several ways."""
    late = last * ROUND + dice.choice([10, 60, 700]) * 10**9
    yield "whole", {rank: (late, {}) for rank in there}
    few = dice.sample(there, dice.randrange(1, len(there) + 1))
    yield "some", {rank: (late, {}) for rank in few}
    yield "less", {rank: (late, dice.choice(LESS)) for rank in there}
    yield "moments", {rank: (late if dice.random() < .7 else
                             dice.choice([late + 30 * 10**9, dice.randrange(last * ROUND + 1)]),
                             {}) for rank in there}


# -- what is said ---

def complain(said, culprit, waiting, telling):
    for verdict in said["verdicts"]:
        if verdict["confidence"] != "hypothesis" and set(verdict["culprits"]) - {culprit}:
            yield "names %s" % verdict["culprits"]
        if verdict["class"] == "healthy" and waiting and telling == "whole":
            yield "nothing is wrong"


def play_one(seed, scratch):
    """Returns how often it was judged, and how often wrongly; (0, 0): it cannot be spoilt so."""
    dice = random.Random(seed)
    way = dice.choice(WAYS)
    job, calls = plan(dice)
    culprit, dies = dice.randrange(job.size), way is stop and dice.random() < .3
    try:
        until = {culprit: way(job, calls[culprit], dice)}
    except IndexError:
        return 0, 0
    last, waiting = play(job, calls, until, dice.choice([1, 3, 8]))
    there = [rank for rank in calls if rank != culprit or not dies]
    judged = wrong = 0
    for telling, dumps in tellings(last, there, dice):
        at = os.path.join(scratch, "%d-%s" % (seed, telling))
        write(job, calls, at, dumps)
        run = subprocess.run([INQUEST, "diagnose", "--json", at], capture_output=True, text=True)
        said = json.loads(run.stdout)
        judged += 1
        for words in complain(said, culprit, waiting, telling):
            print("seed %d, %s, rank %d of %d, %s: %s: %s" % (
                seed, way.__name__, culprit, job.size, telling, words,
                [v["headline"] for v in said["verdicts"]]))
            wrong += 1
    return judged, wrong


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else FIRST
    last = int(sys.argv[2]) if len(sys.argv) > 2 else first if len(sys.argv) > 1 else \
        FIRST + ROUNDS - 1
    with tempfile.TemporaryDirectory() as scratch:
        counts = [play_one(seed, scratch) for seed in range(first, last + 1)]
    judged, wrong = map(sum, zip(*counts))
    print("%d sets of dumps, %d wrong" % (judged, wrong))
    return 1 if wrong or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
