# SPDX-License-Identifier: Apache-2.0
"""
Dumps of PyTorch's Flight Recorder, of real jobs on gloo: what happens in each, what is true of it,
and what may be said instead where the dumps do not tell. As a program: makes sets of them anew.

    flight.py FOLDER [NAME]...
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
top = os.environ.get("top_builddir", ".")
torch = os.path.abspath(os.environ.get("INQUEST_TORCH", os.path.join(top, "torch")))
STARTING_S = 240  # eight imports of torch, on two busy cores
SETTLING_S = 4    # from the last rank's start on: what can go on, has

NOT_SAID = "gloo does not say who is in a group"
NO_ENTRY = "gloo has no entries of what is sent and received: who waits in it looks late"
NOT_ENDED = "no dump says that a rank has ended: who is done looks late"
A_DUMP_LACKS = "of the rank that was killed nothing is there, and whether what its peers were in " \
    "failed is not said"


def weaker(kind, why, culprits=(), victims=None, confidence=None):
    """An answer that says less; of victims any of the true ones. None: whoever it names."""
    return {"class": kind, "culprits": culprits, "victims": victims, "why": why,
            "confidence": confidence}


LATE = {"class": "host-stall"}
UNDATED = "gloo's dumps are made when somebody asks, maybe of a job that runs"

# name: the job, the truth beside whom it happens to, and what may be said instead
SETS = {
    "first": ({"ranks": 8, "mishap": "late", "who": [5], "step": 0}, LATE, []),
    "late": ({"ranks": 6, "mishap": "late", "who": [2], "step": 4}, LATE, []),
    "model": ({"ranks": 4, "layout": "model", "mishap": "late", "who": [3], "step": 3,
               "settle": 20}, LATE, []),
    "overwritten": ({"ranks": 4, "mishap": "late", "who": [3], "step": 5, "ring": 6}, LATE, []),
    "gave-up": ({"ranks": 4, "mishap": "late", "who": [1], "step": 2, "timeout": 64,
                 "settle": 72}, LATE, []),
    "shape": ({"ranks": 4, "mishap": "shape", "who": [1], "step": 3},
              {"class": "uneven-shard"}, []),
    "other-op": ({"ranks": 6, "mishap": "op", "who": [4], "step": 3},
                 {"class": "collective-mismatch"}, []),
    "skips": ({"ranks": 6, "mishap": "skips", "who": [2], "step": 3},
              {"class": "collective-mismatch"}, []),
    "again": ({"ranks": 6, "mishap": "again", "who": [0], "step": 2},
              {"class": "collective-mismatch"}, []),
    "killed": ({"ranks": 6, "mishap": "killed", "who": [3], "step": 3},
               {"class": "rank-death"}, [weaker("inconclusive", A_DUMP_LACKS)]),
    "stages": ({"ranks": 6, "layout": "stages", "mishap": "stalls", "who": [2], "step": 3}, LATE,
               [weaker("inconclusive", NO_ENTRY, victims=[0, 1])]),
    "stages-end": ({"ranks": 6, "layout": "stages", "mishap": "stalls", "who": [4], "step": 2},
                   LATE, [weaker("inconclusive", NO_ENTRY, victims=[0, 1, 2, 3])]),
    "stages-kept": ({"ranks": 4, "layout": "stages", "mishap": "keeps", "who": [1], "step": 3},
                    {"class": "collective-mismatch"},
                    [weaker("inconclusive", NO_ENTRY, victims=[0, 1])]),
    "line": ({"ranks": 6, "layout": "line", "mishap": "stalls", "who": [4], "step": 3,
              "settle": 66}, LATE,
             [weaker("host-stall", NO_ENTRY, victims=[0, 1, 2, 3], confidence="hypothesis")]),
    "awaited": ({"ranks": 4, "steps": 4, "mishap": "awaits", "who": [2]},
                {"class": "collective-mismatch"}, [weaker("inconclusive", NO_ENTRY)]),
    "once-more": ({"ranks": 4, "steps": 4, "mishap": "once more", "who": [2]},
                  {"class": "collective-mismatch"},
                  [weaker("host-stall", NOT_ENDED, victims=[2], confidence="hypothesis")]),
    "grid": ({"ranks": 8, "layout": "grid", "mishap": "late", "who": [6], "step": 3}, LATE, []),
    "grid-forward": ({"ranks": 8, "layout": "grid", "mishap": "late in forward", "who": [3],
                      "step": 0}, LATE, []),
    "grid-first": ({"ranks": 8, "layout": "grid", "mishap": "late", "who": [1], "step": 0}, LATE,
                   [weaker("inconclusive", NOT_SAID)]),
    "healthy": ({"ranks": 8, "steps": 6, "settle": 6}, {"class": "healthy"},
                [weaker("inconclusive", NO_ENTRY)]),
    "grid-healthy": ({"ranks": 8, "layout": "grid", "steps": 4, "settle": 6}, {"class": "healthy"},
                     [weaker("inconclusive", "nobody says how many ranks there are")]),
    "running": ({"ranks": 4, "steps": 4000, "pause": 0.02, "ring": 24}, {"class": "healthy"},
                [weaker("inconclusive", UNDATED, None), weaker("too early", UNDATED),
                 weaker("host-stall", UNDATED, None, confidence="hypothesis")]),
}


def truth_of(name):
    job, truth, instead = SETS[name]
    culprits = job.get("who", [])
    others = [r for r in range(job["ranks"]) if r not in culprits]
    return dict(truth, ranks=job["ranks"], culprits=culprits, victims=others if culprits else [],
                instead=instead)


def lay_out(folder, job):
    """Where a job runs, by names that stand in its dumps."""
    for part in ("dumps", "json"):
        os.makedirs(os.path.join(folder, part))
    os.symlink(torch, os.path.join(folder, "python"))
    shutil.copy(os.path.join(here, "jobs", "flown.py"), os.path.join(folder, "train.py"))
    with open(os.path.join(folder, "job.json"), "w") as file:
        json.dump(dict({"layout": "plain", "mishap": None, "who": [], "step": 0, "steps": 6,
                        "timeout": 1800}, **job), file)


def await_true(is_true, seconds):
    until = time.monotonic() + seconds
    while not is_true() and time.monotonic() < until:
        time.sleep(0.2)
    return is_true()


def run_job(folder, job):
    env = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1",
               TORCH_FR_BUFFER_SIZE=str(job.get("ring", 2000)))
    alive = job["ranks"] - (len(job["who"]) if job.get("mishap") == "killed" else 0)
    with open(os.path.join(folder, "log"), "wb") as log:
        ranks = [subprocess.Popen([os.path.join(folder, "python/bin/python3"),
                                   os.path.join(folder, "train.py")], stdout=log, stderr=log,
                                  env=dict(env, RANK=str(rank)), cwd=folder)
                 for rank in range(job["ranks"])]
    try:
        up = await_true(lambda: sum(name.startswith("up_") for name in os.listdir(folder)) ==
                        job["ranks"], STARTING_S)
        time.sleep(job.get("settle", SETTLING_S))
        open(os.path.join(folder, "dump"), "w").close()
        done = up and await_true(lambda: sum("." not in name for name in os.listdir(
            os.path.join(folder, "dumps"))) == alive, 60)
        open(os.path.join(folder, "end"), "w").close()
    finally:
        until = time.monotonic() + 20
        for rank in ranks:
            try:
                rank.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                rank.kill()
                rank.wait()
    if not done:
        with open(os.path.join(folder, "log"), errors="replace") as log:
            raise SystemExit("the job left no dumps: " + log.read()[-2000:])


def make_set(name, into):
    """Plays the job and leaves its dumps, with the truth, in into/NAME; as JSON in NAME-json."""
    folder = "/tmp/job"  # it stands in the dumps
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        folder = tempfile.mkdtemp(prefix="job")
    try:
        lay_out(folder, SETS[name][0])
        run_job(folder, SETS[name][0])
        for part, to in (("dumps", name), ("json", name + "-json")):
            target = os.path.join(into, to)
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(os.path.join(folder, part), target)
            written = {file: os.stat(os.path.join(target, file)).st_mtime_ns
                       for file in sorted(os.listdir(target))}
            with open(os.path.join(target, "truth.json"), "w") as file:
                json.dump(dict(truth_of(name), written=written), file, indent=1)
                file.write("\n")
    finally:
        shutil.rmtree(folder)


def main(into, *names):
    unknown = set(names) - set(SETS)
    if unknown:
        raise SystemExit(f"no such set: {unknown}")
    for name in names or SETS:
        make_set(name, into)
        print(name, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
