# SPDX-License-Identifier: Apache-2.0
"""
Dumps that leave something out: what is not said is not taken for what is not so.
`untold.py WORD...` plays those with a word in the name.
"""
import os
import pickle
import sys

from dumps import World
from truth import but, late, play, stands, steps, truth, write_each


def lose(keys, *ranks):
    """Returns a change by which the entries of these ranks have no such keys."""
    def change(rank, dump):
        for entry in dump["entries"] if rank in ranks else []:
            for key in keys:
                del entry[key]
    return change


# -- what an operation was ---

@truth("one dump has no types of tensors", "host-stall", [3], [3])
def _(at):
    write_each(late(), at, lose(["input_dtypes", "output_dtypes"], 5))


@truth("one dump has no sizes of tensors", "host-stall", [3], [3])
def _(at):
    write_each(late(), at, lose(["input_sizes", "output_sizes"], 5))


@truth("one dump has no names of operations", "host-stall", [3], [3])
def _(at):
    write_each(late(), at, lose(["profiling_name"], 5))


def differ(at, ranks, keys, those=(3,)):
    """Some bring another amount and another type; the entries of `ranks` lack some keys."""
    world = steps(World(8))
    world.go_on()
    for rank in range(8):
        world.groups[0]["seq"][rank] += 1
        world.entry(rank, 0, "all_reduce", False, [[5 if rank in those else 1024]],
                    "Half" if rank in those else "Float")
    write_each(world, at, lose(keys, *ranks))


SIZES = ["input_sizes", "output_sizes"]
TYPES = ["input_dtypes", "output_dtypes"]


@truth("one brings what others do not, and the first has no sizes", "uneven-shard", [3], [3])
def _(at):
    world = steps(World(8))
    world.collective(0, "all_reduce", done=False,
                     sizes={r: ((5 if r == 3 else 1024,),) for r in range(8)})
    write_each(world, at, lose(SIZES, 0))


@truth("one brings another type, and the first has none", "collective-mismatch or uneven-shard",
       [3], [3])
def _(at):
    differ(at, [0], SIZES + TYPES)


@truth("one brings another type, and most have none",
       "collective-mismatch or uneven-shard or inconclusive", [3])
def _(at):
    differ(at, [0, 1, 2, 4, 5], SIZES + TYPES)


@truth("two bring another type, and most of the others have none",
       "collective-mismatch or uneven-shard or inconclusive", [6, 7])
def _(at):
    differ(at, [0, 1, 2, 4, 5], SIZES + TYPES, those=[6, 7])


@truth("one brings another type, and it is the first that has one",
       "collective-mismatch or uneven-shard or transport-stall", [3])
def _(at):
    differ(at, [0, 1, 2], SIZES + TYPES)


# -- launches of several parts ---

def gather(world, unended=(), parts=3):
    """An uneven all-gather: a part for each tensor, and an end that speaks for all."""
    world.go_on()
    for rank in range(world.size):
        world.groups[0]["seq"][rank] += 1
        for _ in range(parts[rank] if isinstance(parts, dict) else parts):
            world.entry(rank, 0, "_broadcast_oop", False, [[64]], status=False)
        if rank not in unended:
            world.entry(rank, 0, "ALLGATHER_coalesced", not unended, [])


@truth("the buffers of two begin within a launch", "host-stall", [3], [3])
def _(at):
    world = World(8)
    pair = world.group("1", "tp", [5, 6])
    for turn in range(6):
        gather(world)
        for _ in range(3 if turn == 3 else 0):
            world.collective(pair, "all_reduce")
    stands(world, 3).write(at, keep=17)


@truth("a rank is held within a launch", "host-stall or transport-stall or inconclusive", [2],
       most="hypothesis")
def _(at):
    world = steps(World(8))
    gather(world, unended=[2])
    world.write(at)


@truth("a rank is held in the first part of a launch",
       "host-stall or transport-stall or inconclusive", [2], most="hypothesis")
def _(at):
    world = steps(World(8))
    gather(world, unended=[2], parts={r: 1 if r == 2 else 3 for r in range(8)})
    for rank in range(8):
        if rank != 2:
            world.entries[rank][-1].update(state="scheduled", retired=False)
    world.write(at)


@truth("all are held within a launch", "transport-stall or inconclusive", named=[],
       most="hypothesis")
def _(at):
    world = steps(World(8))
    gather(world, unended=range(8))
    world.write(at)


@truth("one dump has only what is not complete, and parts never are", "host-stall", [3], [3])
def _(at):
    world = World(8)
    for _ in range(4):
        gather(world)
    stands(world, 3)
    write_each(world, at, lambda rank, dump: dump.update(
        entries=[entry for entry in dump["entries"] if entry["state"] != "completed"])
        if rank == 5 else None)


@truth("a part of a launch cannot be read", "host-stall", [3], [3])
def _(at):
    world = World(8)
    for _ in range(4):
        gather(world)
    stands(world, 3)
    write_each(world, at,
               lambda rank, dump: dump["entries"].__setitem__(9, "none") if rank == 5 else None)


def add_cuts():
    for part in range(80, 100):
        @truth("a dump is cut to %d of 100 parts" % part, "host-stall or inconclusive", [3])
        def _(at, part=part):
            world = steps(World(8), 1)
            for _ in range(4):
                gather(world)
            stands(world, 3).write(at)
            cut = os.path.join(at, "nccl_trace_rank_5")
            os.truncate(cut, os.path.getsize(cut) * part // 100)


add_cuts()


# -- what became of an operation ---

def set_states(of, state="unheard of", ranks=range(8)):
    """Returns a change: there are no statuses, and entries have a state that nobody knows."""
    def change(rank, dump):
        del dump["pg_status"]
        for entry in dump["entries"] if rank in ranks else []:
            if of(entry):
                entry.update(state=state, time_discovered_completed_ns=None)
    return change


@truth("nobody knows the states", "host-stall or inconclusive", [3], most="hypothesis",
       says=["does not say which of its operations are complete"])
def _(at):
    write_each(late(), at, set_states(lambda entry: True))


@truth("nobody knows the states, and when all was complete is there", "host-stall", [3], [3])
def _(at):
    def change(_, dump):
        del dump["pg_status"]
        for entry in dump["entries"]:
            entry["state"] = "unheard of"
    write_each(late(), at, change)


@truth("nobody knows the states of one that waits", "host-stall", [5], [5])
def _(at):
    write_each(late(5), at, set_states(lambda entry: True, ranks=[3]))


@truth("nobody knows the states of messages", "host-stall or inconclusive", [3], most="hypothesis")
def _(at):
    world = World(8)
    data = world.group("1", "dp", range(8))
    for _ in range(5):
        for source in range(7):
            world.message(0, source, source + 1)
    stands(steps(world, group=data), 3, data)
    write_each(world, at, set_states(lambda entry: entry["is_p2p"]))


@truth("nobody knows the states of a job that is well", "inconclusive", named=[])
def _(at):
    write_each(steps(World(8)), at, set_states(lambda entry: True))


@truth("what waits has no number, and there are no statuses", "inconclusive", named=[],
       says=["neither numbered entries nor a status"])
def _(at):
    def change(rank, dump):
        del dump["pg_status"]
        if rank == 3:
            for entry in dump["entries"]:
                del entry["collective_seq_id"]
    world = steps(World(4))
    world.collective(0, "all_reduce", ranks=[3], done=False)
    write_each(world, at, change)


@truth("what waits cannot be read", "inconclusive", named=[],
       says=["1 of its entries and 0 of its statuses cannot be read"])
def _(at):
    def change(rank, dump):
        del dump["pg_status"]
        if rank == 3:
            dump["entries"][-1] = "none"
    world = steps(World(4))
    world.collective(0, "all_reduce", ranks=[3], done=False)
    write_each(world, at, change)


@truth("a wait is overwritten, and there are no statuses", "inconclusive", named=[],
       says=["neither numbered entries nor a status"])
def _(at):
    world = World(8)
    pairs = [world.group(str(1 + i), "tp", [2 * i, 2 * i + 1]) for i in range(4)]
    world.collective(0, "all_reduce")
    stands(world, 3)
    for pair in pairs * 5:
        world.collective(pair, "all_reduce")
    world.write(at, statuses=False, version="2.2", keep=3)


# -- messages ---

@truth("a send to oneself is open", "inconclusive", named=[], says=["it sends to itself"])
def _(at):
    world = steps(World(4))
    world.message(0, 3, 3, done=False, sides=("send",))
    world.write(at)


@truth("a send to oneself is open, and others wait for its rank", "host-stall", [3])
def _(at):
    world = steps(World(4))
    world.message(0, 3, 3, done=False, sides=("send",))
    stands(world, 3).write(at)


@truth("ends of launches are not marked as messages", "host-stall", [2], [2])
def _(at):
    def change(_, dump):
        dump["version"] = "2.3"
        for entry in dump["entries"]:
            entry["is_p2p"] &= entry["profiling_name"] != "nccl:coalesced"
    world = World(4)
    world.collective(0, "all_reduce")
    for ranks in (range(4), range(4), but(4, 2)):
        world.batch(0, [(0, 1), (1, 2), (2, 3), (3, 0)], ranks, done=len(ranks) == 4)
    write_each(world, at, change)


@truth("of open launches only the ends are left", "inconclusive", named=[])
def _(at):
    world = World(2)
    data = world.group("1", "dp", range(2))
    for _ in range(4):
        world.collective(data, "all_reduce")
        world.batch(0, [(0, 1), (1, 0)])
    world.batch(0, [(0, 1), (1, 0)], ranks=[0], done=False)
    write_each(world, at,
               lambda rank, dump: dump.update(entries=dump["entries"][-1 if rank == 0 else -4:]))


@truth("all are held inside a launch of messages, and their other threads go on", "inconclusive",
       named=[], says=["a launch whose end is not in its dump"])
def _(at):
    world = World(4)
    data = world.group("1", "dp", range(4))
    for done in (True, True, False):
        world.batch(0, [(0, 1), (1, 2), (2, 3), (3, 0)], done=done)
        world.collective(data, "all_reduce")
    for rank in range(4):
        del world.entries[rank][-2]
        world.status[rank][0] = [2, -1, 2]
    world.write(at)


@truth("files have other ranks' names", "host-stall or inconclusive", most="hypothesis",
       says=["another rank than its file's name"])
def _(at):
    world = World(8)
    for _ in range(4):
        for rank in range(7):
            world.message(0, rank, rank + 1)
        world.collective(0, "all_reduce")
    stands(world, 3)
    for rank in range(8):
        with open(os.path.join(at, "nccl_trace_rank_%d" % ((rank + 4) % 8)), "wb") as file:
            pickle.dump(world.dump(rank), file, protocol=2)


@truth("a process began its records anew", "host-stall", [0])
def _(at):
    def change(rank, dump):
        dump["entries"] = dump["entries"][-4:] if rank else dump["entries"]
        for i, entry in enumerate(dump["entries"]):
            entry["record_id"] = i
    world = World(2)
    for _ in range(16):
        world.message(0, 0, 1)
    world.message(0, 0, 1, done=False, sides=("recv",))
    write_each(world, at, change)


@truth("records have no numbers", "host-stall or inconclusive", [0])
def _(at):
    def change(rank, dump):
        dump["entries"] = dump["entries"][-4:] if rank else dump["entries"]
        for entry in dump["entries"]:
            del entry["record_id"]
    world = World(2)
    for _ in range(16):
        world.message(0, 0, 1)
    world.message(0, 0, 1, done=False, sides=("recv",))
    write_each(world, at, change)


# -- dumps without entries ---

def crossing():
    """Rank 2 awaits a message from 3, which stands, and all others wait for both."""
    world = World(8)
    pipeline = world.group("1", "pp", range(8))
    for _ in range(3):
        world.message(pipeline, 3, 2)
        world.collective(0, "all_reduce")
    world.message(pipeline, 3, 2, done=False, sides=("recv",))
    world.collective(0, "all_reduce", ranks=but(8, 2, 3), done=False)
    return world


@truth("one that awaits a message left no entries", "host-stall or inconclusive",
       most="hypothesis")
def _(at):
    write_each(crossing(), at,
               lambda rank, dump: dump.pop("entries") if rank == 2 else None)


@truth("one that awaits a message left no entries, and its last operation is complete",
       "inconclusive", named=[])
def _(at):
    world = World(4)
    world.message(0, 1, 3, done=False, sides=("recv",))
    steps(world)
    write_each(world, at, lambda rank, dump: dump.pop("entries") if rank == 3 else None)


@truth("none left entries, and one awaits a message", "host-stall or inconclusive",
       most="hypothesis")
def _(at):
    crossing().write(at, entries=False)


def stages(stands_still):
    """A pipeline in whose first group all is sent: numbers of messages differ by nature."""
    world = World(4)
    for _ in range(12):
        for stage in range(3):
            world.message(0, stage, stage + 1)
        for stage in (3, 2, 1):
            world.message(0, stage, stage - 1)
    for stage in range(3):
        if stands_still > stage:
            world.message(0, stage, stage + 1)
        else:
            world.message(0, stage, stage + 1, done=False, sides=("recv",))
    return world


def add_stages():
    for stage in range(3):
        @truth("none left entries, and stage %d of a pipeline stands" % stage,
               "host-stall or gpu-stall or inconclusive", most="hypothesis")
        def _(at, stage=stage):
            stages(stage).write(at, entries=False)


add_stages()


sys.exit(1 if play(sys.argv[1:]) else 0)
