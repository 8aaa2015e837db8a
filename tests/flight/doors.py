# SPDX-License-Identifier: Apache-2.0
"""
Dumps in the folders and under the names in which people keep them: rank 3 of 8 stays away, and
whoever is not taken is told of in one line.
"""
import json
import os
import pickle
import subprocess
import sys
import tempfile

from dumps import World

INQUEST = os.environ["INQUEST"]
LAWS = os.environ["LAWS"]
failed = 0


def late(who=3, hours=0):
    world = World(8)
    world.time += hours * 3600 * 10**9
    for _ in range(20):
        world.collective(0, "all_reduce")
    world.collective(0, "all_reduce", ranks=[r for r in range(8) if r != who], done=False)
    return world


def put(world, folder, name, ranks=range(8)):
    """Writes each rank's dump under the name, which may have folders: {0} is the rank, {1} its
    host."""
    for rank in ranks:
        path = os.path.join(folder, name.format(rank, rank // 4, rank % 4, 7000 + rank))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        dump = world.dump(rank)
        if path.lower().endswith(".json"):
            with open(path, "w") as file:
                json.dump(dict(dump, entries=[dict(e, frames=[]) for e in dump["entries"]]), file)
        else:
            with open(path, "wb") as file:
                pickle.dump(dump, file, protocol=2)
    return folder


def expect_laws(folder):
    global failed
    run = subprocess.run([LAWS, folder, "3"], capture_output=True, text=True)
    if run.returncode:
        print("laws: " + run.stdout[:600] + run.stderr)
        failed += 1


def expect(what, paths, status=1, culprits=(3,), world=8, seen=8, says=(), never=()):
    global failed
    run = subprocess.run([INQUEST, "diagnose", "--json", *paths], capture_output=True, text=True)
    said = json.loads(run.stdout) if run.stdout else {"verdicts": [], "job": {}}
    named = sorted(c for v in said["verdicts"] for c in v["culprits"])
    text = run.stdout + run.stderr
    wrong = ["does not say: " + s for s in says if s not in text]
    wrong += ["says: " + s for s in never if s in text]
    if (run.returncode, named) != (status, sorted(culprits)):
        wrong.append("status %d, names %s" % (run.returncode, named))
    if said["job"] and (said["job"]["world_size"], said["job"]["ranks_seen"]) != (world, seen):
        wrong.append("world %s, seen %s" % (said["job"]["world_size"], said["job"]["ranks_seen"]))
    for line in wrong:
        print("%s: %s" % (what, line))
    if wrong:
        print("   " + text[:600])
    failed += bool(wrong)


NAMES = [
    "nccl_trace_rank_{0}", "nccl_trace_rank_{0}.pkl", "nccl_trace_rank_{0}.json",
    "comm_lib_trace_rank_{0}", "job42_rank_{0}.dump", "_dump_{0}", "RANK{0}.PKL", "rank{0}of8.pkl",
    "rank-{0}.trace", "nccl_trace_rank_{0}.{3}", "nccl_trace_rank_{0}_host{1}", "m{1}_{0}.json",
    "lora_rank16_{0}", "lora_rank16_trace_rank_{0}.pkl", "local_rank_{2}_rank_{0}.pkl",
    "rank_{0}_tp_rank_{2}.bin",
    "rank_{0}/flight.pkl", "rank_{0}/dump_0.json", "{0}/trace.pickle", "host{1}/trace_rank_{0}",
    "host{1}/rank_{0}/fr.dump", "rank_0/fr/trace_{0}", "ranks_{1}/_dump_{0}",
    "node_rank_{1}/trace_{0}", "attempt_0/{0}/fr.pkl"]


def names(at):
    for i, name in enumerate(NAMES):
        folder = put(late(), os.path.join(at, "name-%d" % i), name)
        expect(name, [folder], never=["left aside", "left out", "not looked into"])
    for name in ("name-16", "name-19"):
        expect_laws(os.path.join(at, name))
    files = [os.path.join(at, "files", "rank_%d" % rank, "fr.pkl") for rank in range(8)]
    put(late(), os.path.join(at, "files"), "rank_{0}/fr.pkl")
    expect("files of folders", files)
    put(late(), os.path.join(at, "hosts"), "host{1}/trace_rank_{0}")
    expect("hosts", [os.path.join(at, "hosts", "host%d" % host) for host in (0, 1)])


def written(at):
    """JSON as people print it."""
    folder = put(late(), os.path.join(at, "pretty"), "trace_{0}.json")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            dump = json.load(file)
        with open(os.path.join(folder, name), "w") as file:
            file.write("\n" + json.dumps(dump, indent=4) + "\n")
    expect("printed well", [folder])


def attempts(at):
    """The newest of two attempts is judged; of a rank's dumps the one written last."""
    folder = put(late(6), os.path.join(at, "attempts"), "attempt_0/rank_{0}.pkl")
    put(late(2, 1), folder, "attempt_1/rank_{0}.pkl")
    expect("two attempts", [folder], culprits=[2], says=["8 dumps of another run left aside"])
    folder = put(late(6), os.path.join(at, "twice"), "rank_{0}/dump_0.pkl")
    for rank in range(8):
        os.utime("%s/rank_%d/dump_0.pkl" % (folder, rank), (1700000000, 1700000000))
    put(late(2, 1), folder, "rank_{0}/dump_1.pkl")
    expect("two dumps of each", [folder], culprits=[2],
           says=["8 dumps of another job or attempt left aside: rank_*/dump_0"])
    # Each host counts its own ranks: whose dumps these are is not known, and it is said.
    folder = put(late(), os.path.join(at, "local"), "host{1}/trace_rank_{2}")
    expect("ranks of hosts", [folder], seen=4,
           says=["4 second dumps of ranks left aside: host1/trace_rank_0", '"hypothesis"'])


def beside(at):
    """Other things beside dumps, in folders and without."""
    folder = put(late(), os.path.join(at, "log"), "fr/rank_{0}.pkl")
    with open(os.path.join(folder, "job.log"), "w") as file:
        file.write("[rank3]: Traceback (most recent call last):\n[rank3]: ValueError: x\n")
    expect("a log above them", [folder], never=["name it"])
    folder = put(late(), os.path.join(at, "unnamed"), "trace_rank_{0}")
    put(late(), folder, "trace_x", [3])
    expect("one without a number", [folder],
           says=["1 dump whose name tells no rank left out", "trace_x"])
    folder = put(late(), os.path.join(at, "all-unnamed"), "x{0}x")
    expect("none has a number", [folder], 3, [],
           says=["8 dumps whose names tell no rank left out"])
    folder = put(late(), os.path.join(at, "empty"), "rank_{0}/fr.pkl")
    with open(os.path.join(folder, "rank_5", "fr.pkl"), "w"):
        pass
    expect("an empty one", [folder], seen=7, says=["rank_5/fr.pkl cannot be read"])
    # Dumps right in the named folder are all there is, and so is a bundle.
    folder = put(late(), os.path.join(at, "old"), "trace_rank_{0}")
    put(late(6), folder, "old/trace_rank_{0}")
    expect("others below", [folder], never=["left aside"])


def hostile(at):
    """No link to a folder is followed, and it is said; no pipe is waited for."""
    outside = put(late(), os.path.join(at, "outside"), "host{1}/trace_rank_{0}")
    folder = put(late(), os.path.join(at, "link"), "host{1}/trace_rank_{0}", range(4))
    os.symlink(os.path.join(outside, "host1"), os.path.join(folder, "host1"))
    os.mkfifo(os.path.join(folder, "host0", "trace_rank_4"))
    expect("a linked folder", [folder], seen=4,
           says=["2 below", "not looked into for dumps: links"])
    folder = put(late(), os.path.join(at, "file"), "host{1}/trace_rank_{0}", range(7))
    os.symlink(os.path.join(outside, "host1", "trace_rank_7"),
               os.path.join(folder, "host1", "trace_rank_7"))
    expect("a linked file", [folder], seen=7, says=["1 below"])
    os.makedirs(os.path.join(at, "only"))
    os.symlink(outside, os.path.join(at, "only", "link"))
    expect("only a link", [os.path.join(at, "only")], 3, [], says=["1 below it not looked into"])
    os.symlink("..", os.path.join(outside, "host0", "up"))
    expect("a link upwards", [outside], says=["1 below"])
    folder = put(late(), os.path.join(at, "words"), "host\033[31m\n{1}/trace_rank_{0}")
    os.truncate(os.path.join(folder, "host\033[31m\n1", "trace_rank_5"), 0)
    page = subprocess.run([INQUEST, "diagnose", folder], capture_output=True, text=True)
    if "\033" in page.stdout + page.stderr or "trace_rank_5" not in page.stdout:
        expect("a folder's name: " + page.stdout, [folder], -1)
    expect("too deep", [put(late(), os.path.join(at, "deep"), "a/b/c/d/rank_{0}")], 3, [],
           says=["1 below it not looked into"])


with tempfile.TemporaryDirectory() as scratch:
    names(scratch)
    written(scratch)
    attempts(scratch)
    beside(scratch)
    hostile(scratch)
sys.exit(bool(failed))
