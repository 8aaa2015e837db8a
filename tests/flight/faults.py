# SPDX-License-Identifier: Apache-2.0
"""
Jobs of several kinds of parallelism in which one rank errs: it leaves an operation out, makes one
too many, another one, one of another amount, or two in the wrong order; or it stops. They are
played by the rules by which they block (played.py), and judged by their dumps: whole, thinned, of
some ranks. Nobody but that rank may be named above a hypothesis, and nothing may be called healthy
while somebody waits. Of whole dumps the rank must be named in half of the jobs, and operations in
the wrong order must be called that.

    faults.py			plays FAULTS_ROUNDS jobs, from seed FAULTS_FROM on; prints how
				often a rank was named, by fault and by what there was of dumps
    faults.py SEED FOLDER	plays the one of that seed, and leaves its dumps there
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

from dumps import World
from played import Grid, plan

INQUEST = os.environ["INQUEST"]
ROUNDS = int(os.environ.get("FAULTS_ROUNDS", 40))
FROM = int(os.environ.get("FAULTS_FROM", 0))

# group: which; ranks: of a message, sender and receiver; kind; amount: elements of a rank's part.
Op = collections.namedtuple("Op", "group ranks message kind amount")
KINDS = ["all_reduce", "_all_gather_base", "_reduce_scatter_base", "broadcast"]


def plan_alike(world, dice):
    """As played.plan(), but one program drives all ranks of a stage."""
    grid = Grid(world, dice)
    layers = [dice.choice([1, 2, 3]) for _ in range(grid.pp)]
    for _ in range(dice.choice([2, 4, 6])):
        for _ in range(dice.choice([1, 2])):
            grid.step(lambda p, d: layers[p])
        grid.reduce(dice.random() < .5)
    return grid.job, grid.ops


def furnish(job, ops, alike, dice):
    """
    Kinds and amounts: each group repeats a short pattern, as layers do; that of all groups that are
    called so, or, where nothing is alike, one of its own.
    """
    patterns = {}
    turns = collections.Counter()
    out = []
    for group, ranks, message in ops:
        if message:
            out.append(Op(group, tuple(ranks), True, "message", 64))
            continue
        whose = job.groups[group]["desc"] if alike else group
        if whose not in patterns:
            kinds = dice.choice([KINDS[:1], KINDS[1:3], KINDS])
            patterns[whose] = [(dice.choice(kinds), dice.choice([256, 256, 1024]))
                               for _ in range(dice.choice([1, 2, 4]))]
        kind, amount = patterns[whose][turns[group] % len(patterns[whose])]
        turns[group] += 1
        out.append(Op(group, tuple(ranks), False, kind, amount))
    return out


def leave_out(own, at, dice):
    return own[:at] + own[at + 1:]


def add(own, at, dice):
    return own[:at] + [own[at]] + own[at:]


def add_other(own, at, dice):
    op = own[at]
    if op.message:
        return None
    return own[:at] + [op._replace(kind=dice.choice(KINDS), amount=512)] + own[at:]


def another_kind(own, at, dice):
    op = own[at]
    if op.message:
        return None
    return own[:at] + [op._replace(kind=dice.choice([k for k in KINDS if k != op.kind]))] + \
        own[at + 1:]


def another_amount(own, at, dice):
    op = own[at]
    return own[:at] + [op._replace(amount=op.amount - 8)] + own[at + 1:]


def turn_round(own, at, dice):
    if at + 1 >= len(own) or own[at].group == own[at + 1].group or \
            own[at].message or own[at + 1].message:
        return None
    return own[:at] + [own[at + 1], own[at]] + own[at + 2:]


def stop(own, at, dice):
    return own[:at]


FAULTS = [leave_out, add, add_other, another_kind, another_amount, turn_round, stop]


def play(lists, ahead, streams):
    """
    How many of its operations each rank has handed over, and which are complete, by rank.
    streams: operations of several groups pass each other on the device; else they are in one order.
    """
    came = dict.fromkeys(lists, 0)
    done = {r: set() for r in lists}

    def lane(op):
        return (op.group, frozenset(op.ranks) if op.message else None) if streams else None

    def heads(r):
        seen = set()
        for i, op in enumerate(lists[r][:came[r]]):
            if i not in done[r] and lane(op) not in seen:
                seen.add(lane(op))
                yield i, op

    # The number of an operation among those of its kind of meeting: a group's, or a pair's.
    numbers = {r: {} for r in lists}
    for r, own in lists.items():
        count = collections.Counter()
        for i, op in enumerate(own):
            meeting = (op.group, frozenset(op.ranks) if op.message else None)
            numbers[r][i] = (meeting, count[meeting])
            count[meeting] += 1

    def fits(a, b):
        return a.kind == b.kind and a.amount == b.amount and a.ranks == b.ranks

    moved = True
    while moved:
        moved = False
        for r, own in lists.items():
            pending = came[r] - len(done[r])
            while came[r] < len(own) and pending < ahead:
                came[r] += 1
                pending += 1
                moved = True
        waiting = collections.defaultdict(dict)
        for r in lists:
            for i, op in heads(r):
                waiting[numbers[r][i]][r] = (i, op)
        for meeting in waiting.values():
            any_op = next(iter(meeting.values()))[1]
            if set(meeting) == set(any_op.ranks) and \
                    all(fits(op, any_op) for _, op in meeting.values()):
                for r, (i, _) in meeting.items():
                    done[r].add(i)
                moved = True
    return came, done


def write(job, lists, came, done):
    """Rank by rank; the clock follows each rank's own order."""
    for r, own in lists.items():
        job.time = job.begun
        for i, op in enumerate(own[:came[r]]):
            if op.message:
                side = "send" if op.ranks[0] == r else "recv"
                job.message(op.group, op.ranks[0], op.ranks[1], i in done[r], [side],
                            op.amount)
                continue
            n = len(op.ranks)
            whole, part = [[op.amount * n]], [[op.amount]]
            sizes = {"_all_gather_base": (part, whole),
                     "_reduce_scatter_base": (whole, part)}.get(op.kind, (part, part))
            job.collective(op.group, op.kind, [r], i in done[r], sizes[0], out=sizes[1])


def judged(folder):
    run = subprocess.run([INQUEST, "diagnose", "--json", folder], capture_output=True, text=True)
    return json.loads(run.stdout)


class Case:
    def __init__(self, seed):
        self.dice = dice = random.Random(seed)
        alike = dice.random() < .75
        self.job, ops = (plan_alike if alike else plan)(World, dice)
        self.job.begun = self.job.time
        ops = furnish(self.job, ops, alike, dice)
        self.lists = {r: [op for op in ops if r in op.ranks] for r in range(self.job.size)}
        self.fault = None
        while self.fault is None:
            self.culprit = dice.randrange(self.job.size)
            own = self.lists[self.culprit]
            fault = dice.choice(FAULTS)
            self.at = dice.randrange(len(own))
            changed = fault(own, self.at, dice)
            if changed is not None and changed != own:
                self.fault = fault.__name__
        self.erring = own[self.at]
        self.lists[self.culprit] = changed
        self.ahead, self.streams = dice.choice([1, 3, 8]), dice.random() < .5
        self.came, self.done = play(self.lists, self.ahead, self.streams)
        self.waiting = [r for r in self.lists if self.came[r] > len(self.done[r])]
        write(self.job, self.lists, self.came, self.done)

    def done_by_then(self):
        """
        Ranks that did all they have to do. Where one made an operation too many and waits in the
        last, its dump and theirs are those of a job in which they stay away from it.
        """
        if self.fault not in ("add", "add_other"):
            return set()
        return {r for r, own in self.lists.items() if len(self.done[r]) == len(own)}

    def ways(self):
        ranks = list(range(self.job.size))
        some = self.dice.sample(ranks, self.dice.randrange(1, self.job.size))
        return [("whole", {}), ("active", {"active_only": True}), ("last", {"keep": 12}),
                ("some", {"without": some}), ("dead", {"without": [self.culprit]})]

    def __str__(self):
        return "%s at %d (%s %s of %s), rank %d of %d, ahead %d%s" % (
            self.fault, self.at, self.erring.kind, self.erring.amount,
            list(self.erring.ranks), self.culprit, self.job.size, self.ahead,
            ", streams" if self.streams else "")


def one(seed, scratch, tally):
    case = Case(seed)
    wrong = 0
    for name, how in case.ways():
        folder = case.job.write(os.path.join(scratch, "%d-%s" % (seed, name)), **how)
        said = judged(folder)
        firm = {c for v in said["verdicts"] for c in v["culprits"]
                if v["confidence"] in ("established", "supported")}
        kind = said["verdicts"][0]["class"] if said["verdicts"] else "too early"
        complaint = None
        if firm - {case.culprit} - case.done_by_then():
            complaint = "names %s" % sorted(firm)
        elif kind in ("healthy", "slow") and set(case.waiting) - set(how.get("without", ())):
            complaint = "%s, while %s wait" % (kind, case.waiting)
        elif firm and name == "whole" and case.fault == "turn_round" and \
                kind != "order-inversion":
            complaint = "calls it %s" % kind
        elif firm and not case.waiting and case.fault == "stop":
            complaint = "names %s, where nobody waits" % sorted(firm)
        if complaint:
            print("seed %d %s: %s: %s: %s" % (seed, name, case, complaint,
                                              said["verdicts"][0]["headline"]))
            wrong += 1
        tally[case.fault, name, "named" if firm else kind] += 1
    return wrong


def main():
    tally = collections.Counter()
    wrong = 0
    for seed in range(FROM, FROM + ROUNDS):
        with tempfile.TemporaryDirectory() as scratch:
            wrong += one(seed, scratch, tally)
    for key in sorted(tally):
        print("%-16s %-8s %-20s %d" % (*key, tally[key]))
    named = sum(n for (_, name, said), n in tally.items() if (name, said) == ("whole", "named"))
    if named * 2 < ROUNDS:
        print("of %d jobs only %d name a rank" % (ROUNDS, named))
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.exit(1 if one(int(sys.argv[1]), sys.argv[2], collections.Counter()) else 0)
    sys.exit(main())
