# SPDX-License-Identifier: Apache-2.0
"""
Jobs in tensor, data and pipeline parallel groups, played by the rules by which they block: a rank
hands over its operations in its own order, so many ahead of the first that is not complete; an
operation is complete once all who take part have handed it over, and have completed all before it.
One rank stops. If the dumps hold all, it must be named; nobody else may be, whatever they hold.
Where it is named, each rank that waits must be named as waiting.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

from dumps import World

INQUEST = os.environ["INQUEST"]
ROUNDS = int(os.environ.get("PLAYED_ROUNDS", 24))
# Whole; without what is complete, as may be asked for; overwritten.
THINNED = [{}, {"active_only": True}, {"keep": 12}]


class Grid:
    """Ranks of tensor, data and pipeline parallel groups, and the operations that are planned."""

    def __init__(self, world, dice):
        self.tp, self.pp, self.dp = 1, 1, 1
        while self.tp * self.pp * self.dp < 2:
            self.tp, self.pp, self.dp = (dice.choice([1, 2, 4]) for _ in range(3))
        tp, pp, dp = range(self.tp), range(self.pp), range(self.dp)
        self.job = world(len(tp) * len(pp) * len(dp))
        self.tensor = {(p, d): self.group("TP", [self.rank(t, p, d) for t in tp])
                       for p in pp for d in dp}
        self.data = [self.group("DP", [self.rank(t, p, d) for d in dp]) for t in tp for p in pp]
        self.stages = {(t, d): self.group("PP", [self.rank(t, p, d) for p in pp])
                       for t in tp for d in dp}
        self.ops = []

    def rank(self, t, p, d):
        return (p * self.dp + d) * self.tp + t

    def group(self, desc, ranks):
        return self.job.group(str(len(self.job.groups)), desc, ranks) if len(ranks) > 1 else None

    def collective(self, g):
        if g is not None:
            self.ops.append((g, self.job.groups[g]["ranks"], False))

    def pass_on(self, p, step, d):
        """To stage p from the one before it, or behind it, in that pipeline."""
        for t in range(self.tp):
            if 0 <= p - step < self.pp:
                self.ops.append((self.stages[t, d],
                                 [self.rank(t, p - step, d), self.rank(t, p, d)], True))

    def step(self, layers):
        """Forwards and backwards; layers(p, d): how often that tensor group meets there."""
        for order, step in ((range(self.pp), 1), (reversed(range(self.pp)), -1)):
            for p in order:
                for d in range(self.dp):
                    self.pass_on(p, step, d)
                    for _ in range(layers(p, d)):
                        self.collective(self.tensor[p, d])

    def reduce(self, world):
        for g in self.data:
            self.collective(g)
        if world:
            self.collective(0)


def plan(world, dice):
    """All operations in one order that no rank turns round: (group, ranks, is it a message)."""
    grid = Grid(world, dice)
    for _ in range(dice.choice([2, 5])):
        grid.step(lambda p, d: dice.choice([1, 3]))
        grid.reduce(dice.random() < .5)
    return grid.job, grid.ops


def play(job, ops, culprit, stop, ahead):
    """How far each rank came, and what is complete."""
    order = {r: [i for i, op in enumerate(ops) if r in op[1]] for r in range(job.size)}
    came = dict.fromkeys(order, 0)
    first = dict.fromkeys(order, 0)
    done = set()
    while True:
        before = len(done), sum(came.values())
        for r, own in order.items():
            limit = min(stop if r == culprit else len(own), first[r] + ahead)
            came[r] = max(came[r], min(limit, len(own)))
        for i, (_, ranks, _) in enumerate(ops):
            if i not in done and all(first[r] < came[r] and order[r][first[r]] == i
                                     for r in ranks):
                done.add(i)
                for r in ranks:
                    first[r] += 1
        if before == (len(done), sum(came.values())):
            return {r: set(own[:came[r]]) for r, own in order.items()}, done


def write(job, ops, entered, done, silent):
    """silent: a rank, and its ops that it never reports as complete."""
    for i, (g, ranks, message) in enumerate(ops):
        told = [r for r in ranks if i in done and not (silent and r == silent[0] and
                                                       i in silent[1])]
        if not message:
            job.collective(g, "all_reduce", [r for r in ranks if i in entered[r]], told)
            continue
        for side, r in zip(("send", "recv"), ranks):
            if i in entered[r]:
                job.message(g, ranks[0], ranks[1], r in told, [side])


def named_by(folder):
    run = subprocess.run([INQUEST, "diagnose", "--json", folder], capture_output=True, text=True)
    said = json.loads(run.stdout)
    return (sorted(c for v in said["verdicts"] for c in v["culprits"]),
            sorted({c for v in said["verdicts"] for c in v["victims"]}), said["verdicts"][0])


def one(seed, scratch, device):
    """How often it was judged; how often nobody was named; how often wrongly."""
    dice = random.Random(seed)
    job, ops = plan(World, dice)
    culprit = dice.randrange(job.size)
    own = [i for i, op in enumerate(ops) if culprit in op[1]]
    stop = dice.randrange(1, len(own))
    entered, done = play(job, ops, culprit, stop, dice.choice([1, 3, 8]))
    silent = (culprit, set(own[max(0, stop - dice.randrange(1, 5)):])) if device else None
    waiting = [r for r in sorted(entered) if entered[r] - done and r != culprit]
    waits = any(mine - done for mine in entered.values())
    write(job, ops, entered, done, silent)
    truth = [culprit] if waits or silent and silent[1] & done else []
    weaker = wrong = 0
    for how in THINNED:
        folder = job.write(os.path.join(scratch, "%d-%d" % (seed, len(str(how)))), **how)
        named, victims, first = named_by(folder)
        if named == truth and (device or not truth or victims == waiting):
            continue
        # Of what was left out nobody knows whether it was complete: then nobody need be named.
        if how and not named:
            weaker += not device
            continue
        print("seed %d%s %s: %d of %d, but names %s, and %s as waiting: %s" % (
            seed, ", device" if device else "", how, culprit, job.size, named, victims,
            first["headline"]))
        wrong += 1
    return weaker, wrong


def main():
    with tempfile.TemporaryDirectory() as scratch:
        counts = [one(seed, scratch, device)
                  for seed in range(ROUNDS) for device in (False, True)]
    weaker, wrong = map(sum, zip(*counts))
    print("%d jobs: of %d dumps that leave something out a host's stall was not told" % (
        2 * ROUNDS, weaker))
    return 1 if wrong or weaker > ROUNDS // 4 + 2 else 0


if __name__ == "__main__":
    sys.exit(main())
