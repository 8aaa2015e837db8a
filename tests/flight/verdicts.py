# SPDX-License-Identifier: Apache-2.0
"""
Jobs of which only Flight Recorder dumps are left: which verdict they get, and whom it names.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

from dumps import World

INQUEST = os.environ["INQUEST"]
LAWS = os.environ["LAWS"]
failed = 0


def diagnose(*paths):
    run = subprocess.run([INQUEST, "diagnose", "--json", *paths], capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout) if run.stdout else {}, run.stderr


def expect(what, folder, status, kind, culprits=(), says=(), laws=True, victims=None):
    global failed
    code, said, errors = diagnose(folder)
    first = {"class": None, "culprits": [], "headline": errors}
    if said:
        first = (said["verdicts"] or [dict(first, **{"class": "too early"})])[0]
    named = sorted(c for v in said.get("verdicts", []) for c in v["culprits"])
    text = json.dumps(said) + errors
    wrong = []
    if code != status:
        wrong.append("status %d, not %d" % (code, status))
    if first["class"] != kind:
        wrong.append("%s, not %s" % (first["class"], kind))
    if named != sorted(culprits):
        wrong.append("names %s, not %s" % (named, sorted(culprits)))
    if victims is not None and first.get("victims") != victims:
        wrong.append("waiting %s, not %s" % (first.get("victims"), victims))
    wrong += ["does not say: " + s for s in says if s not in text]
    if laws:
        run = subprocess.run([LAWS, folder, *map(str, culprits)], capture_output=True, text=True)
        if run.returncode:
            wrong.append("laws: " + run.stdout[:600] + run.stderr)
    for line in wrong:
        print("%s: %s" % (what, line))
    if wrong:
        print("   " + first["headline"])
    failed += bool(wrong)


def expect_once(what, folder):
    global failed
    said = diagnose(folder)[1]["verdicts"]
    if len(said) != 1:
        print("%s: told %d times" % (what, len(said)))
        failed += 1


def expect_sure(what, folder, may):
    """Nobody else is named above a hypothesis."""
    global failed
    said = diagnose(folder)[1]["verdicts"]
    named = sorted({c for v in said for c in v["culprits"]
                    if v["confidence"] in ("established", "supported")})
    if not set(named) <= set(may):
        print("%s: names %s: %s" % (what, named, [v["headline"] for v in said]))
        failed += 1


def expect_not_in(what, words, text):
    global failed
    if words in text:
        print("%s: it says %r" % (what, words))
        failed += 1


def write_dated(world, at, behind):
    """All files are of one moment, so many seconds behind the last operation."""
    world.write(at)
    for file in os.listdir(at):
        os.utime(os.path.join(at, file), ns=(world.time + behind * 10**9,) * 2)
    return at


def plain(size=8, ops=20):
    world = World(size)
    for _ in range(ops):
        world.collective(0, "all_reduce")
    return world


def others(size, *missing):
    return [r for r in range(size) if r not in missing]


def cases(at):
    def folder(name):
        return os.path.join(at, name)

    # A rank that does not come: its host stalls, whatever the dump holds.
    world = plain()
    world.collective(0, "_all_gather_base", ranks=others(8, 3), done=False)
    where = "a dump tells how far a rank came"
    expect("absent", world.write(folder("absent")), 1, "host-stall", [3],
           [where, "called at train.py:88 step", "flight:0:e20", "inquest run"])
    expect("absent, only active entries", world.write(folder("active"), active_only=True),
           1, "host-stall", [3])
    expect("absent, entries overwritten", world.write(folder("kept"), keep=1), 1, "host-stall", [3])
    expect("absent, no statuses", world.write(folder("old"), statuses=False, version="2.2"),
           1, "host-stall", [3])
    expect("absent, no entries", world.write(folder("status"), entries=False), 1, "host-stall", [3])
    expect("absent, as JSON", world.write(folder("json"), as_json=True), 1, "host-stall", [3],
           laws=False)
    expect("absent, and no dump of another", world.write(folder("less"), without=[5]),
           1, "host-stall", [3], ["no dump of rank 5 of 8"])
    expect("no dump of the absent", world.write(folder("lack"), without=[3]), 4, "inconclusive", [],
           ["no dump of rank 3 of 8", "dump of rank 3"])

    # Complete, as far as is recorded.
    expect("well", plain().write(folder("well")), 0, "healthy")

    # A dump that has nothing of what its rank did says that it is well as little as that it waits.
    expect("well, but for one that has nothing", plain().write(folder("nothing"), empty=[5]),
           4, "inconclusive", [], ["neither entries nor a status"])

    # At a job's first collective nobody has an entry.
    expect("first", World(4).write(folder("first")), 4, "inconclusive", [],
           ["sees nothing", "inquest run"])

    # Its GPU reports nothing any more; others completed what it has not.
    world = plain(4)
    for _ in range(6):
        world.collective(0, "all_reduce", done=others(4, 2))
    world.collective(0, "all_reduce", done=False)
    expect("device", write_dated(world, folder("dated"), 60), 1, "gpu-stall", [2],
           ['"confidence": "supported"'])
    # Nobody knows when its dump was made: perhaps just before the others completed that.
    expect("device, without times", world.write(folder("device")), 1, "gpu-stall", [2],
           ['"confidence": "hypothesis"'])
    # Without an entry of it nobody knows that all are in one op: statuses count messages, too.
    expect("device, only counts", world.write(folder("counts"), entries=False), 1, "gpu-stall", [2],
           ['"confidence": "hypothesis"'])

    begun(folder)

    # Dumps of a job that goes on, one of them taken later than the others.
    world = plain(4)
    world.collective(0, "all_reduce", ranks=[1])
    world.collective(0, "all_reduce", ranks=[1])
    world.collective(0, "all_reduce", ranks=[1], done=False)
    expect("one later", world.write(folder("later")), 4, "inconclusive", [], ["older than"])
    world = plain(4)
    world.collective(0, "all_reduce", ranks=others(4, 2))
    world.collective(0, "all_reduce", ranks=others(4, 2), done=False)
    expect("one earlier", world.write(folder("earlier")), 4, "inconclusive", [], ["a later dump"])

    # Different ops, sizes and types at one place.
    world = plain()
    world.collective(0, "all_reduce", ranks=others(8, 6), done=False)
    world.collective(0, "broadcast", ranks=[6], done=False)
    expect("other op", world.write(folder("op")), 1, "collective-mismatch", [6])
    world = plain()
    world.collective(0, "all_reduce", done=False, sizes={r: ((7 if r == 2 else 8,),)
                                                         for r in range(8)})
    expect("other size", world.write(folder("size")), 1, "uneven-shard", [2])
    world = plain()
    world.collective(0, "all_reduce", done=False, sizes={r: ((0 if r == 2 else 8,),)
                                                         for r in range(8)})
    expect("nothing", world.write(folder("zero")), 1, "empty-shard", [2])
    world = plain()
    world.collective(0, "all_reduce", ranks=others(8, 1), done=False)
    world.collective(0, "all_reduce", ranks=[1], done=False, dtype="Half")
    expect("other type", world.write(folder("dtype")), 1, "collective-mismatch", [1])

    # Of an all_to_all each rank may give what it likes.
    world = plain()
    for k in range(3):
        world.collective(0, "all_to_all", sizes={r: ((100 + r * k, 5),) for r in range(8)})
    world.collective(0, "all_to_all", ranks=others(8, 5), done=False,
                     sizes={r: ((100 + r, 5),) for r in range(8)})
    expect("all to all", world.write(folder("a2a")), 1, "host-stall", [5])

    no_lists(folder)
    three_of_eight(folder)
    overwritten(folder)
    made_anew(folder)
    very_many(folder)
    two_runs(folder)
    clocks(folder)
    pipeline(folder)
    chain(folder)
    batches(folder)
    exchanges(folder)
    small_groups(folder)
    prefixes(folder)
    at_times(folder)
    called_too_often(folder)
    seats_by_messages(folder)
    damaged(folder)
    files(folder)


def begun(folder):
    """A job that times its collectives tells whose GPU began an operation that all are in."""
    def job(size, began):
        world = World(size)
        world.times = True
        world.message(0, 0, 1)  # so the group's status counts that, too, and only entries tell
        for _ in range(20):
            world.collective(0, "all_reduce")
        world.collective(0, "all_reduce", done=False, begun=began)
        return world

    def dated(world, name):
        return write_dated(world, folder(name), 60)
    expect("one has not begun", dated(job(4, [0, 1, 3]), "begun"), 1, "gpu-stall", [2],
           ["never began on this GPU", '"confidence": "supported"'])
    expect("one of two has not begun", dated(job(2, [0]), "begun-of-two"), 1, "gpu-stall", [1],
           ['"confidence": "hypothesis"'])
    expect("all have begun", dated(job(4, range(4)), "begun-by-all"), 1, "transport-stall")
    # One whose begins are not noted may have begun it.
    # Nor, where it is noted when the op is complete, as some backends do.
    world = job(4, [0, 1, 3])
    world.status[2][0][1] = -1
    for noted in (None, "time_discovered_completed_ns"):
        for entry in world.entries[2]:
            entry["time_discovered_started_ns"] = noted and entry[noted]
        expect("one does not tell", dated(world, "begun-%s" % noted), 1, "transport-stall")


def no_lists(folder):
    """Who is in a group is nowhere said: as many as were seen is no answer."""
    world = plain()
    world.collective(0, "all_reduce", done=False)
    expect("all who are seen entered", world.write(folder("unlisted-all"), config=False),
           4, "inconclusive", [], ["who else is in"])
    world = plain()
    world.collective(0, "all_reduce", ranks=others(8, 3), done=False)
    expect("no lists", world.write(folder("unlisted")), 1, "host-stall", [3])
    expect("no lists, one absent", world.write(folder("unlisted-absent"), config=False),
           1, "host-stall", [3])
    expect("no lists, three dumps", world.write(folder("unlisted-three"), config=False,
                                                without=[2, 3, 5, 6, 7]), 4, "inconclusive")
    world = plain()
    world.collective(0, "all_reduce", ranks=others(8, 6), done=False)
    world.collective(0, "broadcast", ranks=[6], done=False)
    expect("no lists, other op", world.write(folder("unlisted-op"), config=False),
           1, "collective-mismatch", [])
    expect("well, no lists", plain().write(folder("unlisted-well"), config=False),
           4, "inconclusive", [], ["how many ranks the job has"])
    expect("well, as far as three dumps tell", plain().write(folder("well-three"),
                                                             without=[0, 1, 2, 3, 4]),
           4, "inconclusive", [], ["no dump of ranks 0-4 of 8"])


def three_of_eight(folder):
    """Each three dumps of a job whose rank 3 stays away: that one at most, and nobody is well."""
    world = plain()
    world.collective(0, "all_reduce", ranks=others(8, 3), done=False)
    for three in itertools.combinations(range(8), 3):
        name = "three-%d%d%d" % three
        at = world.write(folder(name), without=others(8, *three))
        expect_sure(name, at, [3] if 3 in three else [])
        said = diagnose(at)[1]
        for verdict in said["verdicts"]:
            if verdict["class"] in ("healthy", "transport-stall") or \
                    verdict["confidence"] == "established":
                expect("%s: %s" % (name, verdict["headline"]), at, -1, verdict["class"])
        if said["coverage"]["ranks"]["missing"] != others(8, *three):
            expect("%s: missing %s" % (name, said["coverage"]["ranks"]), at, -1, "")


def overwritten(folder):
    """All came to the first open one, and what it was to each is gone."""
    world = plain()
    world.collective(0, "broadcast", ranks=[5], done=False)
    world.collective(0, "all_reduce", ranks=others(8, 5), done=False)
    for _ in range(30):
        world.collective(0, "all_reduce", done=False)
    expect("fork", world.write(folder("fork")), 1, "collective-mismatch", [5])
    overwritten_before(folder)
    expect("fork overwritten", world.write(folder("fork-gone"), keep=8), 4, "inconclusive", [],
           ["with what, is overwritten", "TORCH_FR_BUFFER_SIZE"])


def overwritten_before(folder):
    """All that 0 launched with 1 is behind what it waits for with 2: that is overwritten."""
    world = World(3)
    pair, side = world.group("1", "TP", [0, 1]), world.group("2", "DP", [0, 2])
    for _ in range(9):
        world.collective(pair, "all_reduce")
        world.collective(side, "all_reduce")
    world.collective(side, "all_reduce", ranks=[0], done=False)
    for _ in range(5):
        world.collective(pair, "all_reduce", done=False)
    expect("behind what is overwritten", world.write(folder("before"), without=[2], keep=5),
           4, "inconclusive", [], ["dump of rank 2"])


def made_anew(folder):
    """A job that ends its groups and makes them anew begins anew to count; its ranks do not."""
    def job(before, behind, late):
        world = World(4)
        for _ in range(before):
            world.collective(0, "all_reduce")
        again = world.group("0", "default_pg", range(4))
        for _ in range(behind):
            world.collective(again, "all_reduce")
        if late is not None:
            world.collective(again, "all_reduce", ranks=others(4, late), done=False)
        return world

    expect("made anew", job(20, 4, 2).write(folder("anew")), 1, "host-stall", [2])
    expect("made anew, no statuses", job(20, 4, 2).write(folder("anew-old"), statuses=False),
           1, "host-stall", [2])
    expect("made anew, its first one", job(20, 0, 1).write(folder("anew-first")),
           1, "host-stall", [1])
    expect("made anew, entries overwritten", job(20, 4, 2).write(folder("anew-kept"), keep=8),
           1, "host-stall", [2])
    expect("made anew, and well", job(20, 4, None).write(folder("anew-well")), 0, "healthy")
    # What was open when a rank left the group was given up: here rank 3 was late, and is not now.
    world = plain(4)
    world.collective(0, "all_reduce", ranks=others(4, 3), done=False)
    again = world.group("0", "default_pg", range(4))
    for _ in range(6):
        world.collective(again, "all_reduce")
    expect("given up, and well", world.write(folder("anew-gave-up")), 0, "healthy")
    world.collective(again, "all_reduce", ranks=others(4, 1), done=False)
    expect("given up", world.write(folder("anew-gave-up-late")), 1, "host-stall", [1])


def very_many(folder):
    """A list of more ranks than fit into 16 bits is a list."""
    world = World(3)
    world.groups[0]["ranks"] = list(range(70000))
    world.groups[0]["pg"] = dict.fromkeys(range(70000), 0)
    world.groups[0]["seq"] = dict.fromkeys(range(70000), 0)
    world.groups[0]["p2p"] = dict.fromkeys(range(70000), 0)
    for _ in range(4):
        world.collective(0, "all_reduce", ranks=range(3))
    world.collective(0, "all_reduce", ranks=range(3), done=False)
    expect("very many", world.write(folder("many")), 4, "inconclusive", [],
           ["no dump of ranks 3-69999 of 70000"], laws=False)


def steps_of_seconds(seed, missing=(6,), ops=40):
    world = World(8, 2 * 10**9, irregular=seed)
    for _ in range(ops):
        world.collective(0, "all_reduce")
    world.collective(0, "all_reduce", ranks=others(8, *missing), done=False)
    return world


def clocks(folder):
    """Law 7: the clock of a host is wrong. Class, names and confidence stay as they are."""
    stories = {"late": ({}, 1, "host-stall", [6]),
               "elsewhere": ({"missing": (1,)}, 1, "host-stall", [1]),
               "all in": ({"missing": ()}, 1, "transport-stall", [])}
    for name, (how, status, kind, culprits) in stories.items():
        known = None
        for by in (0, 3, 30, 3600, -3, -30, -3600):
            world = steps_of_seconds(3, **how)
            world.set_clock(range(4, 8), by * 10**9)
            at = world.write(folder("clock-%s-%d" % (name, by)))
            expect("%s, clocks %d s apart" % (name, by), at, status, kind, culprits, laws=False)
            said = [(v["class"], v["culprits"], v["victims"], v["confidence"])
                    for v in diagnose(at)[1]["verdicts"]]
            known = known or said
            if said != known:
                expect("%s, clocks %d s apart: %s" % (name, by, said), at, -1, kind)


def two_runs(folder):
    """A run of fewer ranks over the dumps of an earlier one: two jobs, of which one is judged."""
    older = plain(8)
    older.collective(0, "all_reduce", ranks=others(8, 6), done=False)
    at = older.write(folder("runs"))
    newer = World(4)
    newer.time += 3600 * 10**9
    for _ in range(9):
        newer.collective(0, "all_reduce")
    newer.collective(0, "all_reduce", ranks=others(4, 1), done=False)
    newer.write(at)
    expect("two runs", at, 1, "host-stall", [1],
           ["4 dumps of another run", "nccl_trace_rank_4", '"world_size": 4'])
    # Each went at its own pace, whatever clocks say: they never met.
    at = steps_of_seconds(1).write(folder("as-many"))
    same = steps_of_seconds(2, missing=(2, 6))
    same.set_clock(range(8), 3600 * 10**9)
    same.write(at, without=[6])
    expect("two runs of as many", at, 1, "host-stall", [2],
           ["1 dump of another run left aside", "no dump of rank 6 of 8"])
    # Nothing tells that this dump is no rank's of the same run, but its times: nobody knows.
    for apart in (2, 3600):
        same = plain(8)
        same.collective(0, "all_reduce", ranks=others(8, 2, 6), done=False)
        same.set_clock(range(8), apart * 10**9)
        at = same.write(older.write(folder("unknown-%d" % apart)), without=[6])
        expect("one run or two", at, 1, "host-stall", [2, 6],
               ["may be of another run", '"confidence": "hypothesis"', "which of the ranks"])
    plain(8).write(folder("versions"))
    at = older.write(folder("versions"), without=[0, 1, 2], version="2.4")
    expect("two versions", at, 1, "host-stall", [6], ["3 dumps of another run"])


def pipeline(folder):
    """2 stages of 2 ranks: [0, 1] send to [2, 3]. Rank 1 stalls, and all wait, each elsewhere."""
    world = World(4)
    first, second = world.group("1", "TP", [0, 1]), world.group("2", "TP", [2, 3])
    pp = [world.group("3", "PP", [0, 2]), world.group("4", "PP", [1, 3])]
    data = world.group("5", "DP", range(4))
    world.collective(data, "all_reduce")
    for _ in range(9):
        world.collective(first, "_all_gather_base")
        world.message(pp[0], 0, 2)
        world.message(pp[1], 1, 3)
        world.collective(second, "_all_gather_base")
    world.collective(first, "_all_gather_base", ranks=[0], done=False)
    world.message(pp[0], 0, 2, done=False)
    world.message(pp[1], 1, 3, done=False, sides=("recv",))
    world.collective(second, "_all_gather_base", done=False)
    world.collective(data, "all_reduce", ranks=[2, 3], done=False)
    expect("pipeline", world.write(folder("pipe")), 1, "host-stall", [1])
    expect("pipeline, active", world.write(folder("pipe-active"), active_only=True),
           1, "host-stall", [1])


def chain(folder):
    """3 stages of 2. Rank 5 stands, 4 waits for it, 2, 3 receive of both, 0, 1 send to them."""
    world = World(6)
    columns = [world.group(str(1 + c), "PP", [c, 2 + c, 4 + c]) for c in (0, 1)]
    last, data = world.group("3", "EP", [4, 5]), world.group("4", "DP", range(6))
    for step in range(10):
        done = step < 9
        world.collective(data, "all_reduce", ranks=None if done else [])
        world.collective(last, "all_to_all", ranks=None if done else [4], done=done)
        for c in (0, 1):
            world.message(columns[c], 4 + c, 2 + c, done=done,
                          sides=("send", "recv") if done else ("recv",))
            world.message(columns[c], c, 2 + c, done=done,
                          sides=("send", "recv") if done else ("send",))
    for what in ({}, {"active_only": True}, {"as_json": True}):
        name = "chain" + "".join("-" + key for key in what)
        expect(name, world.write(folder(name), **what), 1, "host-stall", [5], ["Send", "Recv"],
               victims=[0, 1, 2, 3, 4])


def batches(folder):
    """Parts of a coalesced launch read as scheduled for ever."""
    world = World(4)
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    for _ in range(5):
        world.batch(0, ring)
    expect("batches, well", world.write(folder("batch-well")), 0, "healthy")
    world.batch(0, ring, ranks=others(4, 2), done=False)
    expect("batches", world.write(folder("batch")), 1, "host-stall", [2])
    # All are in, and it stands: one finding, and not one of each message.
    stands = World(4)
    for _ in range(5):
        stands.batch(0, ring)
    stands.batch(0, ring, done=False)
    at = stands.write(folder("batch-stands"))
    expect("batches, all in", at, 1, "transport-stall")
    expect_once("batches, all in", at)
    # Rank 1 sends nothing in its part: 2 waits for it, and it for 2, round the ring.
    part = World(4)
    for _ in range(5):
        part.batch(0, ring)
    part.batch(0, [pair for pair in ring if pair != (1, 2)], ranks=[1], done=False)
    part.batch(0, ring, ranks=others(4, 1), done=False)
    at = part.write(folder("batch-part"))
    expect("batches, a part", at, 1, "collective-mismatch", [],
           ["made no Send #6 with rank 2, 5 before", '"camps": [[1], [2]]'])
    expect_once("batches, a part", at)
    expect("batches, a part, overwritten", part.write(folder("batch-part-kept"), keep=6), 4,
           "inconclusive")
    # What is complete was left out: rank 2 may have sent all that, and received it.
    expect("batches, active", world.write(folder("batch-active"), active_only=True),
           4, "inconclusive")


def exchange(size, who, fault, stuck, steps):
    """
    Five exchanges round a ring, and one in which a rank does something else, which is a list of
    pairs: those that are left out, and those that are too many. All but who waits for that go on.
    """
    world = World(size)
    ring = [(i, (i + 1) % size) for i in range(size)]
    left_out, too_many = fault
    for _ in range(5):
        world.batch(0, ring)
        if steps:
            world.collective(0, "all_reduce")
    world.batch(0, ring, ranks=others(size, who, stuck))
    world.batch(0, ring if who != stuck else ring + too_many, ranks=[stuck], done=False)
    if who != stuck:
        world.batch(0, [pair for pair in ring if pair not in left_out], ranks=[who])
    world.collective(0, "all_reduce", ranks=others(size, stuck), done=False)
    return world


def exchanges(folder):
    """A dump that has all from the start counts the calls of each pair, and no other does."""
    skipped = ["left out Send #6 with rank 2, made 5", "pairs like it made 6"]
    for size in (4, 6):
        for steps in (False, True):
            world = exchange(size, 1, ([(1, 2)], []), 2, steps)
            expect("a send is left out", world.write(folder("sends-%d-%d" % (size, steps))),
                   1, "collective-mismatch", [1], skipped)
            world = exchange(size, 1, ([(0, 1)], []), 0, steps)
            expect("a receive is left out", world.write(folder("receives-%d-%d" % (size, steps))),
                   1, "collective-mismatch", [1], ["left out Recv #6 with rank 0, made 5"])
    # Of a part nobody knows how often it was: in what was overwritten there may be more.
    world = exchange(6, 1, ([(1, 2)], []), 2, True)
    expect("an exchange, overwritten", world.write(folder("sends-kept"), keep=8), 4,
           "inconclusive")
    # One receives once more than it is sent to: the others did the same as ever.
    world = exchange(6, 2, ([], [(1, 2)]), 2, True)
    expect("a receive too many", world.write(folder("extra")), 1, "collective-mismatch", [2])


def small_groups(folder):
    """Groups of which one is done for good, and one is waited in by some of its members."""
    world = World(6)
    done, a, b = (world.group(str(i + 1), "sub", ranks)
                  for i, ranks in enumerate(([0, 1, 2, 3, 4, 5], [0, 1, 2], [3, 4, 5])))
    for _ in range(12):
        world.collective(done, "all_reduce")
    for _ in range(4):
        world.collective(a, "all_reduce")
    for _ in range(9):
        world.collective(b, "all_reduce")
    world.collective(b, "all_reduce", ranks=[3, 5], done=False)
    expect("small groups", world.write(folder("small")), 1, "host-stall", [4])


def at_times(folder):
    """A file's time is believed where a watchdog would let a job stand for so long."""
    def since(seconds):
        world = World(4)
        world.time = time.time_ns() - int(seconds * 1e9)
        for _ in range(20):
            world.collective(0, "all_reduce")
        return world

    world = since(0.2)
    world.collective(0, "all_reduce", done=False)
    expect("dumped as it goes", world.write(folder("fresh")), 0, "too early")
    at = write_dated(world, folder("fresh"), -1)
    page = subprocess.run([INQUEST, "diagnose", at], capture_output=True, text=True).stdout
    expect_not_in("by a clock that is behind", "TELL (-", page)
    world = since(310)
    world.time += 10 * 10**9
    world.collective(0, "all_reduce", ranks=others(4, 3), done=False)
    at = world.write(folder("dated"))
    expect("five minutes", at, 1, "host-stall", [3], ['"watchdog_s": 3'])
    os.utime(at + "/nccl_trace_rank_3", ns=(world.time - 8 * 10**9,) * 2)
    expect("its file was written before", at, 4, "inconclusive", [], ["older than"], laws=False)
    old_dump(folder, since)
    untimed(folder, since)


def old_dump(folder, since):
    """What is open in a dump that was written before others completed it may be complete since."""
    world = since(310)
    world.collective(0, "all_reduce", done=others(4, 2))
    world.collective(0, "all_reduce", done=False)
    at = world.time
    old = world.write(folder("behind"))
    os.utime(old + "/nccl_trace_rank_2", ns=(at + 10**8,) * 2)
    expect_sure("open in an old dump, by its time", old, [])
    expect_sure("open in a dump that may be old",
                write_dated(world, folder("behind-undated"), 86400), [])


def untimed(folder, since):
    """Somebody waits, though no entry says since when."""
    world = since(310)
    world.collective(0, "all_reduce", ranks=others(4, 3), done=False)
    for entries in world.entries.values():
        for entry in entries:
            entry.update(time_created_ns=0, time_discovered_completed_ns=None)
            if entry["state"] != "completed":
                entry["time_discovered_started_ns"] = world.time
    expect("since when, nobody says", world.write(folder("untimed")), 1, "host-stall", [3])


def called_too_often(folder):
    """Three of four pairs are done; in one somebody calls once more, and its peer is where the
    others are."""
    world = World(8)
    pairs = [world.group(str(i + 1), "TP", [2 * i, 2 * i + 1]) for i in range(4)]
    sides = [world.group(str(i + 5), "DP", range(i, 8, 2)) for i in range(2)]
    for _ in range(2):
        for g in pairs:
            world.collective(g, "all_reduce")
        world.collective(sides[0], "all_reduce")
        world.collective(sides[1], "all_reduce")
    for g in pairs:
        world.collective(g, "all_reduce")
    world.collective(pairs[1], "all_reduce", ranks=[3], done=False)
    world.collective(sides[0], "all_reduce")
    world.collective(sides[1], "all_reduce", ranks=[1, 5, 7], done=False)
    at = world.write(folder("too-often"))
    expect_sure("whose peer called once more", at, [3])
    expect("the peer is where others are", at, 1, "host-stall", [2],
           ["in no operation either, and nobody lacks them"], laws=False)


def seats_by_messages(folder):
    """Nobody lists the group, and one rank left no dump: messages say who sits where in it. Rank 1
    waits for rank 2, whose seat is not the third of those that were seen."""
    world = World(4)
    stages = world.group("1", "PP", range(4))
    for _ in range(2):
        for at in range(3):
            world.message(stages, at, at + 1)
        for at in range(3, 0, -1):
            world.message(stages, at, at - 1)
    world.message(stages, 3, 2, done=False, sides=("send",))
    world.message(stages, 2, 1, done=False, sides=("recv",))
    world.message(stages, 1, 0, done=False, sides=("recv",))
    at = world.write(folder("seats"), without=[2], config=False, statuses=False)
    expect_sure("who sits where, messages say", at, [])
    text = json.dumps(diagnose(at)[1])
    for wrong in ("Recv with rank 3", "Send with rank 3"):
        expect_not_in("a peer that was not seen", wrong, text)


def damaged(folder):
    """What is cut is read up to there; what is no dump is refused; nothing in it is run."""
    world = plain()
    world.collective(0, "all_reduce", ranks=others(8, 3), done=False)
    well = plain().write(folder("cut-well"))
    first = world.write(folder("cut"))
    for at, who in ((well, 3), (world.write(folder("cut-of-others")), 6)):
        with open(at + "/nccl_trace_rank_%d" % who, "rb+") as file:
            file.truncate(os.path.getsize(file.name) // 2)
    expect("well, and one cut", well, 4, "inconclusive", [],
           ["a dump of rank 3 that is not damaged", "copy the damaged dumps anew"])
    expect("late, and one cut", folder("cut-of-others"), 1, "host-stall", [3])
    world = plain()
    world.collective(0, "all_reduce", ranks=[3], done=False)
    alone = world.write(folder("cut-alone"), statuses=False)
    with open(alone + "/nccl_trace_rank_3", "rb+") as file:
        file.truncate(os.path.getsize(file.name) // 2)
    expect("who waits is cut", alone, 4, "inconclusive")
    at = first
    whole = open(at + "/nccl_trace_rank_0", "rb").read()
    for part in range(1, 10):
        with open(at + "/nccl_trace_rank_0", "wb") as file:
            file.write(whole[:len(whole) * part // 10])
        expect("cut at %d/10" % part, at, 1, "host-stall", [3], ["nccl_trace_rank_0"],
               laws=part == 5)
    with open(at + "/nccl_trace_rank_0", "wb"):
        pass
    expect("empty", at, 1, "host-stall", [3], ["nccl_trace_rank_0 cannot be read"], laws=False)
    witness = folder("witness")
    with open(at + "/nccl_trace_rank_0", "wb") as file:
        file.write(b"\x80\x02cos\nsystem\nX" + len("touch " + witness).to_bytes(4, "little") +
                   ("touch " + witness).encode() + b"\x85R.")
    expect("hostile", at, 1, "host-stall", [3], ["nccl_trace_rank_0 cannot be read", "GLOBAL"],
           laws=False)
    code, said, errors = diagnose(at + "/nccl_trace_rank_0")
    if code != 3 or said or errors.count("\n") != 1 or os.path.exists(witness):
        print("hostile alone: status %d, %s" % (code, errors))
        sys.exit(1)


def files(folder):
    """Files as arguments are one job, as their folder is."""
    world = plain()
    world.collective(0, "all_reduce", ranks=others(8, 3), done=False)
    at = world.write(folder("files"), prefix="_dump_")
    whole = diagnose(at)
    alone = diagnose(*(os.path.join(at, "_dump_%d" % r) for r in (5, 1, 3, 0, 7, 6, 2, 4)))
    if whole[:2] != alone[:2]:
        print("files: not as their folder")
        sys.exit(1)


def prefixes(folder):
    """Names that tell the node are one job; namesakes of ranks that are there are another."""
    world = plain(4)
    world.collective(0, "all_reduce", ranks=others(4, 3), done=False)
    at = world.write(folder("nodes"), without=[2, 3], prefix="job-node00_")
    world.write(at, without=[0, 1], prefix="job-node01_")
    with open(os.path.join(at, "job.log"), "w") as file:
        file.write("something else\n")
    expect("nodes", at, 1, "host-stall", [3])
    plain(4).write(at, without=[1, 2, 3], prefix="older_rank_")
    expect("another attempt", at, 1, "host-stall", [3], ["left aside: older_rank_*"])


with tempfile.TemporaryDirectory() as scratch:
    cases(scratch)
sys.exit(bool(failed))
