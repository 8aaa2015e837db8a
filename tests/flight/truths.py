# SPDX-License-Identifier: Apache-2.0
"""
Jobs of all kinds, whose dumps have all that PyTorch writes. `truths.py WORD...` plays those with a
word in the name.
"""
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile

from dumps import World
from truth import INQUEST, but, late, play, stands, steps, truth, write_each


def write_dated(world, at):
    world.write(at)
    for name in os.listdir(at):
        os.utime(os.path.join(at, name), ns=(world.time + 60 * 10**9,) * 2)


# -- devices and the network ---

def all_in(size=8, begun=None):
    world = World(size)
    world.times = begun is not None
    steps(world)
    world.collective(0, "all_reduce", done=False, begun=begun or ())
    return world


@truth("all in, nobody tells which GPU began", "transport-stall", named=[], most="hypothesis",
       says=["records of which GPU began", "TORCH_NCCL_ENABLE_TIMING=1"])
def _(at):
    all_in().write(at)


@truth("all in, all GPUs began", "transport-stall", named=[], most="supported",
       says=['"confidence": "supported"'])
def _(at):
    write_dated(all_in(begun=range(8)), at)


@truth("all in, one GPU never began", "gpu-stall", [6], [6])
def _(at):
    all_in(begun=but(8, 6)).write(at)


@truth("all in a message", "transport-stall or gpu-stall", named=[], most="hypothesis")
def _(at):
    world = World(2)
    for _ in range(5):
        world.message(0, 0, 1)
    world.message(0, 0, 1, done=False)
    world.write(at)


@truth("ranks of a pair are held on the device, the others wait for them",
       "gpu-stall or transport-stall or inconclusive", most="hypothesis")
def _(at):
    world = World(8)
    pairs = [world.group(str(1 + i), "tp", [2 * i, 2 * i + 1]) for i in range(4)]
    for _ in range(4):
        for pair in pairs:
            world.collective(pair, "all_reduce")
        world.collective(0, "all_reduce")
    for i, pair in enumerate(pairs):
        world.collective(pair, "all_reduce", done=i != 1)
    world.collective(0, "all_reduce", ranks=but(8, 2, 3), done=False)
    world.write(at)


# -- all-to-alls of experts ---

def experts(more=0, done=False, size=4):
    """One tensor for all: the last one awaits so many rows more than are given."""
    world = World(size)
    dice = random.Random(5)
    for _ in range(4):
        rows = [[dice.randrange(1, 40) for _ in range(size)] for _ in range(size)]
        world.collective(0, "all_to_all",
                         sizes={r: ((sum(rows[r]), 5),) for r in range(size)},
                         out={r: ((sum(row[r] for row in rows), 5),) for r in range(size)})
    world.collective(0, "all_to_all", done=done, sizes={r: ((100 + r, 5),) for r in range(size)},
                     out={r: ((103 - r + more * (r == 2), 5),) for r in range(size)})
    return world


SUMS = ["all together give 8120 bytes in AlltoAll, and await 8140: splits differ"]


@truth("splits agree", "transport-stall", named=[], most="hypothesis")
def _(at):
    experts().write(at)


@truth("splits differ", "uneven-shard", named=[], most="supported", says=SUMS)
def _(at):
    experts(1).write(at)


@truth("splits differ, some are done", "uneven-shard", named=[], most="supported", says=SUMS)
def _(at):
    experts(1, [0, 3]).write(at)


@truth("one is in an all-to-all that the others are done with", "gpu-stall", most="hypothesis")
def _(at):
    world = experts(size=8, done=True)
    rows = {r: ((100, 5),) for r in range(8)}
    world.collective(0, "all_to_all", done=but(8, 2), sizes=rows, out=rows)
    write_dated(world, at)


@truth("splits differ, one dump lacks", "inconclusive or transport-stall", named=[],
       most="hypothesis")
def _(at):
    experts(1).write(at, without=[3])


@truth("splits differ, and older dumps noted something else", "transport-stall", named=[],
       most="hypothesis")
def _(at):
    experts(1).write(at, version="2.3")


@truth("a rank does not come to an all-to-all", "host-stall", [2], [2])
def _(at):
    world = experts(done=True)
    world.collective(0, "all_to_all", ranks=but(4, 2), done=False)
    world.write(at)


# -- who does not come ---

@truth("absent", "host-stall", [3], [3])
def _(at):
    late().write(at)


@truth("absent, without a dump", "inconclusive", named=[])
def _(at):
    late().write(at, without=[3])


@truth("half of the ranks are gone with their dumps", "inconclusive", named=[])
def _(at):
    world = steps(World(16))
    world.collective(0, "all_reduce", ranks=range(8), done=False)
    world.write(at, without=range(8, 16))


@truth("died in an exception, and dumped long before the others", "host-stall", [3])
def _(at):
    world = late()
    world.write(at)
    for rank in range(8):
        os.utime("%s/nccl_trace_rank_%d" % (at, rank),
                 ns=(world.time + (1 if rank == 3 else 601) * 10**9,) * 2)


@truth("dumped just before the others came, who stood for a minute then", "inconclusive", named=[],
       says=["look"])
def _(at):
    world = late()
    world.write(at)
    for rank in range(8):
        os.utime("%s/nccl_trace_rank_%d" % (at, rank),
                 ns=(world.time + (0 if rank == 3 else 60) * 10**9,) * 2)


@truth("dumped two seconds after the others came, who stood for a minute then", "host-stall", [3])
def _(at):
    world = late()
    world.write(at)
    for rank in range(8):
        os.utime("%s/nccl_trace_rank_%d" % (at, rank),
                 ns=(world.time + (2 if rank == 3 else 60) * 10**9,) * 2)


def held_in_its_call(other_thread):
    """Rank 3 made an entry for rank 2, and did not hand it over; its other thread goes on."""
    world = World(6)
    pair, other = world.group("1", "tp", [2, 3]), world.group("2", "dp", [3, 4])
    for _ in range(20):
        for group in (0, pair, other):
            world.collective(group, "all_reduce")
    world.groups[pair]["seq"][3] += 1
    world.go_on()
    world.entry(3, pair, "all_reduce", False, [[64]], status=False)
    for _ in range(3):
        world.collective(other, "all_reduce")
        world.entries[3][-1]["thread_id"] = other_thread
    world.collective(0, "all_reduce", ranks=[0, 1, 4, 5], done=False)
    return world


@truth("held in its call, while another thread of it goes on", "host-stall", [2], [2])
def _(at):
    held_in_its_call("77").write(at)


@truth("recorded into a graph: its thread goes on", "host-stall", [2, 3], [2, 3])
def _(at):
    held_in_its_call("23456244340032").write(at)


def write_when(world, at, seconds, without=()):
    """Writes each dump so many seconds after the last operation; some are empty."""
    world.write(at, empty=without)
    for rank in range(world.size):
        os.utime("%s/nccl_trace_rank_%d" % (at, rank),
                 ns=(world.time + int(seconds(rank) * 10**9),) * 2)


@truth("dumped just before the first operation of all, which clocks do not share", "inconclusive",
       named=[], says=["look"])
def _(at):
    write_when(stands(World(8), 3), at, lambda rank: 0.01 if rank == 3 else 60)


@truth("dumped before it had done anything", "inconclusive", named=[], says=["look"])
def _(at):
    world = World(8, step_ns=10**10)
    world.collective(world.group("1", "DP", [0, 1, 2, 4, 5, 6, 7]), "all_reduce")
    write_when(stands(world, 3), at, lambda rank: -5 if rank == 3 else 60, without=[3])


@truth("dumped while all was well, and another much later", "inconclusive", named=[],
       says=["look"])
def _(at):
    world = steps(World(2))
    write_when(world, at, lambda rank: 0.1 if rank else 60)


@truth("others launched ahead, each as far as it could", "host-stall", [3], [3])
def _(at):
    world = late()
    for ahead in range(6):
        world.collective(0, "all_reduce", ranks=[r for r in but(8, 3) if r % 6 > ahead], done=False)
    world.write(at)


@truth("a node's clock is wrong", "host-stall", [3], [3])
def _(at):
    world = late()
    world.set_clock(range(4), -7200 * 10**9)
    world.write(at)


@truth("the watchdog of one gave up, and has a short timeout", "host-stall", [3], [3])
def _(at):
    world = World(8)
    pairs = [world.group(str(1 + i), "tp", [2 * i, 2 * i + 1]) for i in range(4)]
    for pair in pairs * 4:
        world.collective(pair, "all_reduce")
    world.collective(pairs[1], "all_reduce", ranks=[2], done=False)
    world.entries[2][-1].update(retired=True, timeout_ms=5000)
    for pair in (pairs[0], pairs[2], pairs[3]):
        world.collective(pair, "all_reduce")
    world.collective(0, "all_reduce", ranks=but(8, 2, 3), done=False)
    world.write(at)


@truth("a later stage waits for a rank through two groups", "host-stall", [7], [7])
def _(at):
    world = World(8)
    tp = [world.group(str(1 + i), "tp", [2 * i, 2 * i + 1]) for i in range(4)]
    dp = [world.group(str(5 + i), "dp", range(i, 8, 2)) for i in (0, 1)]
    for group in (tp + dp) * 4 + tp[:3]:
        world.collective(group, "all_reduce")
    world.collective(tp[3], "all_reduce", ranks=[6], done=False)
    world.collective(dp[0], "all_reduce", ranks=[0, 2, 4], done=False)
    world.collective(dp[1], "all_reduce", ranks=[1, 3, 5], done=False)
    world.write(at)


def pipeline():
    world = World(4)
    for _ in range(12):
        for stage in range(3):
            world.message(0, stage, stage + 1)
        for stage in (3, 2, 1):
            world.message(0, stage, stage - 1)
    world.message(0, 0, 1)
    world.message(0, 1, 2, done=False, sides=("send",))
    world.message(0, 2, 3, done=False, sides=("recv",))
    world.message(0, 0, 1, done=False, sides=("send",))
    return world


@truth("a stage of a pipeline stands", "host-stall", [2], [2])
def _(at):
    pipeline().write(at)


@truth("a stage of a pipeline stands, and left no dump", "inconclusive", named=[])
def _(at):
    pipeline().write(at, without=[2])


@truth("a stage of a pipeline stands, entries overwritten", "host-stall or inconclusive", [2])
def _(at):
    pipeline().write(at, keep=10)


@truth("a receive that is open names no peer", "inconclusive", named=[], says=["names no peer"])
def _(at):
    world = steps(World(4))
    world.groups[0]["p2p"][1] += 1
    world.entry(1, 0, "recvAnySource", False, [[64]], p2p=True)
    world.write(at)


def ring(many=4):
    world = World(4)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0)]
    for _ in range(many):
        world.batch(0, pairs)
    return world, pairs


@truth("a rank is held inside the launch of its messages", "host-stall or inconclusive",
       most="hypothesis", says=["a launch whose end is not in its dump"])
def _(at):
    world, pairs = ring()
    world.batch(0, pairs, done=False)
    world.entries[2].pop()
    world.status[2][0] = [4, -1, 4]
    world.write(at)


@truth("absent, and of launches before only what is open is left", "host-stall", [3], [3])
def _(at):
    world = World(4)
    columns = [world.group(str(1 + i), "pp", [i, 2 + i]) for i in (0, 1)]
    for _ in range(4):
        for column in columns:
            world.batch(column, [(0, 1), (1, 0)])
        world.collective(0, "all_reduce")
    for column in columns:
        world.batch(column, [(0, 1), (1, 0)])
    world.collective(0, "all_reduce", ranks=[0, 1, 2], done=False)
    world.write(at, active_only=True)


@truth("a rank does not come to the launch of its messages", "host-stall", [2], [2])
def _(at):
    world, pairs = ring()
    world.batch(0, pairs, ranks=but(4, 2), done=False)
    world.write(at)


@truth("a receiver is away, and its sender went on", "host-stall", [1], [1])
def _(at):
    world = World(4)
    for _ in range(5):
        world.message(0, 0, 1)
        world.message(0, 2, 3)
        world.collective(0, "all_reduce_barrier")
    world.message(0, 0, 1, sides=("send",))
    world.message(0, 2, 3)
    world.collective(0, "all_reduce_barrier", ranks=[0, 2, 3], done=False)
    world.write(at)


def first_of_columns(steps_before):
    """Rows of four; rank 4 stands before its column's next operation, which 0 waits in."""
    world = World(8)
    rows = [world.group(str(1 + i), "tp", range(4 * i, 4 * i + 4)) for i in (0, 1)]
    columns = [world.group(str(3 + i), "dp", [i, 4 + i]) for i in range(4)]
    for group in ([rows[0], rows[1]] * 10 + columns) * steps_before + rows * 10 + columns[1:]:
        world.collective(group, "all_reduce")
    if steps_before:
        world.collective(columns[0], "all_reduce", ranks=[0], done=False)
    world.collective(rows[0], "all_reduce", ranks=[1, 2, 3], done=False)
    world.collective(rows[1], "all_reduce", ranks=[5, 6, 7], done=False)
    return world


@truth("a rank waits in the making of its column's group", "host-stall", most="hypothesis",
       says=["it may wait in the making of one"])
def _(at):
    first_of_columns(0).write(at)


@truth("a rank waits in the making of a pair", "host-stall", most="hypothesis",
       says=["it may wait in the making of one"])
def _(at):
    world = World(8)
    rows = [world.group(str(1 + i), "tp", range(4 * i, 4 * i + 4)) for i in (0, 1)]
    for row in rows * 10:
        world.collective(row, "all_reduce")
    for rank in (1, 2, 3):
        world.message(0, rank, 4 + rank)
    world.collective(rows[0], "all_reduce", ranks=[1, 2, 3], done=False)
    world.collective(rows[1], "all_reduce", ranks=[5, 6, 7], done=False)
    world.write(at)


@truth("a rank waits in its column's group, which was made", "host-stall", [4], [4])
def _(at):
    first_of_columns(1).write(at)


# -- what ranks do otherwise ---

@truth("a bucket is left out", "collective-mismatch or uneven-shard", [4], [4])
def _(at):
    world = steps(World(8))
    for bucket in range(3):
        world.collective(0, "all_reduce", ranks=but(8, 4) if bucket == 1 else range(8),
                         done=not bucket, sizes=((1000 + bucket,),))
    world.write(at)


@truth("one operation too many", "order-inversion or collective-mismatch", [7])
def _(at):
    world = World(8)
    other = world.group("1", "dp", range(8))
    for _ in range(5):
        world.collective(0, "all_reduce")
        world.collective(other, "all_reduce", sizes=((77,),))
    world.collective(0, "all_reduce")
    world.collective(0, "all_reduce", ranks=[7], done=False)
    world.collective(other, "all_reduce", ranks=range(7), done=False, sizes=((77,),))
    world.write(at)


@truth("two ranks, two operations", "collective-mismatch", named=[])
def _(at):
    world = steps(World(2))
    world.collective(0, "all_reduce", ranks=[0], done=False)
    world.collective(0, "broadcast", ranks=[1], done=False)
    world.write(at)


@truth("two groups in opposite orders", "order-inversion", named=[])
def _(at):
    world = World(2)
    groups = [world.group(name, name, [0, 1]) for name in "ab"]
    for group in groups * 4:
        world.collective(group, "all_reduce")
    for first, second in ((0, 1), (1, 0)):
        world.collective(groups[first], "all_reduce", ranks=[first], done=False)
        world.collective(groups[second], "all_reduce", ranks=[first], done=False)
    world.write(at)


@truth("a gather with a part less", "uneven-shard or collective-mismatch", [3], [3])
def _(at):
    world = steps(World(8))
    for last in (False, True):
        world.go_on()
        for rank in range(8):
            world.groups[0]["seq"][rank] += 1
            for _ in range(2 if last and rank == 3 else 3):
                world.entry(rank, 0, "_allgather_oop", False, [[64]], out=[[512]], status=False)
            world.entry(rank, 0, "ALLGATHER_coalesced", not last, [[64]], out=[[512]])
    world.write(at)


# -- groups ---

def namesakes():
    world = World(8)
    groups = [world.group("0:split:1", "tp", range(4 * i, 4 * i + 4)) for i in (0, 1)]
    for group in groups * 5:
        world.collective(group, "all_reduce")
    return stands(world, 5, groups[1])


@truth("groups of one name, and other members", "host-stall", [5], [5])
def _(at):
    namesakes().write(at)


@truth("a list that lacks ranks that are there", "host-stall or inconclusive", most="hypothesis")
def _(at):
    write_each(late(), at,
               lambda rank, dump: dump["pg_config"]["0"].update(ranks="[0, 1, 2, 3, 4, 5]"))


# -- attempts ---

@truth("who waits has only a dump of an earlier attempt", "host-stall", [3], [3])
def _(at):
    steps(World(8), 2).write(at, without=but(8, 5))
    world = World(8)
    world.time += 3600 * 10**9
    stands(steps(world), 3).write(at, without=[5])


@truth("who is away has only a dump of an earlier attempt", "host-stall or inconclusive",
       most="hypothesis")
def _(at):
    steps(World(8), 2).write(at, without=but(8, 3))
    world = World(8)
    world.time += 3600 * 10**9
    stands(steps(world), 3).write(at, without=[3])


@truth("dumps of a job that runs, each of another moment", "inconclusive", named=[])
def _(at):
    for rank in range(8):
        world = World(8)
        for _ in range(20 + 3 * rank):
            world.collective(0, "all_reduce")
        world.collective(0, "all_reduce", done=False)
        world.write(at, without=but(8, rank))


# -- forms ---

def of_version(minor):
    """What a version lacks, or calls otherwise."""
    def change(_, dump):
        dump["version"] = "2.%d" % minor
        if minor < 3:
            del dump["pg_status"]
        library = dump.pop("nccl_version")
        if minor >= 7:
            dump["comm_lib_version" if minor >= 10 else "nccl_version"] = library
        for entry in dump["entries"]:
            for key in (["thread_id", "thread_name"] if minor < 9 else []) + \
                    (["timeout_ms"] if minor < 4 else []):
                del entry[key]
    return change


def add_versions():
    for minor in range(12):
        @truth("version 2.%d" % minor, "host-stall", [3], [3])
        def _(at, minor=minor):
            write_each(late(), at, of_version(minor))


add_versions()


def older(minor):
    """Before 2.0 one counter numbered messages and collectives, and groups had no names."""
    def change(_, dump):
        dump.update(version="1.%d" % minor, pg_config={0: list(range(8))})
        del dump["pg_status"], dump["nccl_version"]
        for entry in dump["entries"]:
            entry["seq_id"] = entry.pop("collective_seq_id")
            del entry["process_group"], entry["p2p_seq_id"], entry["is_p2p"]
    return change


def expect_refused():
    with tempfile.TemporaryDirectory() as at:
        write_each(late(), at, older(4))
        run = subprocess.run([INQUEST, "diagnose", at], capture_output=True, text=True)
    if run.returncode != 3 or "format 1.4" not in run.stderr or run.stderr.count("\n") != 1:
        print("version 1.4: status %d: %s" % (run.returncode, run.stdout + run.stderr))
        return 1
    return 0


@truth("JSON of the debug server", "host-stall", [3], [3])
def _(at):
    world = late()
    for rank in range(8):
        dump = world.dump(rank, version="2.10")
        for entry in dump["entries"]:
            entry.pop("frames", None)
            for key in ("time_discovered_started_ns", "time_discovered_completed_ns"):
                entry[key] = entry[key] or 0
        for status in dump["pg_status"].values():
            status.update({key: str(number) for key, number in status.items()})
        with open("%s/trace_%d.json" % (at, rank), "w") as file:
            json.dump(dict(dump, nccl_comm_state={"0xabc": {"rank": str(rank)}}), file)


@truth("nobody noted when it saw that an operation was over", "host-stall", [3], [3])
def _(at):
    def forget(_, dump):
        for entry in dump["entries"]:
            entry.update(time_discovered_started_ns=None, time_discovered_completed_ns=None)
    write_each(late(), at, forget)


@truth("all dumps are cut", "host-stall or inconclusive", most="hypothesis")
def _(at):
    late().write(at)
    for name in os.listdir(at):
        os.truncate(os.path.join(at, name), os.path.getsize(os.path.join(at, name)) * 9 // 10)


# -- dumps of different moments ---

def write_at(world, at, who, seconds, **what):
    """All are made ten minutes after the last operation, but the one of `who` so many seconds."""
    world.write(at, **what)
    for name in os.listdir(at):
        after = seconds if name.endswith("_%d" % who) else 600
        os.utime(os.path.join(at, name), ns=(world.time + int(after * 10**9),) * 2)


def ends_later():
    """Of the last operation the others saw 20 s after it began that it is complete."""
    world = steps(World(4, step_ns=40 * 10**9))
    world.collective(0, "all_reduce", done=but(4, 2))
    return world


@truth("a dump of before the others saw complete what it has open", "inconclusive", named=[],
       says=["older than its peers"])
def _(at):
    write_at(ends_later(), at, 2, 10)


@truth("the same, and what is complete was left out", "inconclusive", named=[],
       says=["older than its peers"])
def _(at):
    write_at(ends_later(), at, 2, 10, active_only=True)


@truth("a GPU that lags, and all dumps are of one moment", "gpu-stall", [2], [2])
def _(at):
    write_at(ends_later(), at, 2, 590)


# -- launches of messages ---

@truth("a dump that is cut behind the first part of a launch", "inconclusive", named=[])
def _(at):
    world = World(2)
    for _ in range(5):
        world.batch(0, [(0, 1), (1, 0)])
        world.collective(0, "all_reduce")
    world.write(at)
    path = os.path.join(at, "nccl_trace_rank_1")
    whole = open(path, "rb").read()
    del world.entries[1][9:]
    kept = pickle.dumps(world.dump(1), protocol=2)
    same = next(i for i, pair in enumerate(zip(whole, kept)) if pair[0] != pair[1])
    with open(path, "wb") as file:
        file.write(whole[:same])


@truth("all in a launch, of which one rank's first part is overwritten", "inconclusive", named=[],
       says=["with what, is overwritten"])
def _(at):
    world = World(4)
    world.group("1", "shard", range(4))
    for done in (True, False):
        for rank in range(4):
            world.groups[1]["seq"][rank] += 1
            for size in (10, 20 if rank == 2 else 21):
                world.entry(rank, 1, "_allgather_base", False, [[size]], out=[[size * 4]])
            world.entry(rank, 1, "ALLGATHER_coalesced", done, [])
    write_each(world, at, lambda rank, dump: dump.update(
        entries=dump["entries"][4 if rank == 2 else 2:]))


@truth("a batch's last parts are only sent back, and one rank skipped another call",
       "order-inversion or collective-mismatch or inconclusive", [3], most="supported")
def _(at):
    world = World(4)
    first, last = [world.group("row%d" % i, "tp", (i, i + 1)) for i in (0, 2)]
    columns = [world.group("column%d" % i, "pp", (i, i + 2)) for i in (0, 1)]
    there, back = [(0, 1)], [(1, 0)]

    def reduce(group, times, **how):
        for _ in range(times):
            world.collective(group, "all_reduce", **how)

    def turn(column):  # both give first
        world.batch(columns[column], there + back, ranks=[column])
        world.batch(columns[column], back + there, ranks=[column + 2])

    reduce(first, 2)
    for column in columns:
        world.batch(column, there)
    for part in range(3):
        reduce(first, 2)
        reduce(last, 3 if part == 2 else 4)
        turn(1)
        reduce(last, part == 2)  # for rank 2, of this part; for rank 3, of the next
        turn(0)
        reduce(first, 2)
    reduce(last, 3)
    world.batch(columns[1], back)
    reduce(last, 1, ranks=[2], done=False)
    world.batch(columns[0], back, done=False)
    reduce(first, 2, done=False)
    world.batch(columns[1], there, ranks=[3], done=False)  # of the next batch
    for way in [back + there] * 3 + [back]:
        reduce(last, 4, ranks=[3], done=False)
        world.batch(columns[1], way, ranks=[3], done=False)
    world.write(at)


failures = 0 if sys.argv[1:] else expect_refused()
sys.exit(1 if failures + play(sys.argv[1:]) else 0)
