# SPDX-License-Identifier: Apache-2.0
"""
Flight Recorder dumps of 1024 ranks with 2000 entries each (a group of all, groups of 8 and of 128,
with stacks): the wall's time of `inquest diagnose`. One rank stays away, and has to be named.

Then dumps of very many ranks, of which all list all (many_dumps.py): the same, memory, and by which
power the time grows with the bytes. BENCH_MANY says how many ranks the largest of them have.
"""
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["srcdir"], "bench"))
import many_dumps  # noqa: E402
from figure import figure, growth, Run  # noqa: E402

RANKS, ENTRIES, ABSENT, ROUNDS = 1024, 2000, 700, 3
BASE = 1758610505000000000
FRAMES = [{"name": "fn_%d" % i, "line": 100 + i,
           "filename": "/opt/lib/python3.12/site-packages/torch/distributed/module_%d.py" % (i % 9)}
          for i in range(60)]


def groups_of(rank):
    return [("0", "default_pg", list(range(RANKS))),
            (str(1 + rank // 8), "TP", list(range(rank // 8 * 8, rank // 8 * 8 + 8))),
            (str(200 + rank % 8), "DP", list(range(rank % 8, RANKS, 8)))]


def dump_of(rank):
    groups = groups_of(rank)
    seq, entries, status = [0, 0, 0], [], {}
    for i in range(ENTRIES):
        g = 0 if i % 100 == 99 else 1 + i % 2
        last = i == ENTRIES - 1
        if last and rank == ABSENT:
            break
        seq[g] += 1
        entries.append({
            "frames": [FRAMES[(i + k) % 60] for k in range(20)], "record_id": 90000 + i, "pg_id": g,
            "process_group": groups[g][:2], "thread_name": "python3",
            "thread_id": "23456244340032", "collective_seq_id": 5000 + seq[g], "p2p_seq_id": 0,
            "op_id": 5000 + seq[g],
            "profiling_name": "nccl:_all_gather_base" if i % 4 else "nccl:all_reduce",
            "time_created_ns": BASE + i * 1000000, "input_sizes": [[4096, 5120]],
            "input_dtypes": ["BFloat16"], "output_sizes": [[32768, 5120]],
            "output_dtypes": ["BFloat16"], "state": "scheduled" if last else "completed",
            "time_discovered_started_ns": None,
            "time_discovered_completed_ns": None if last else BASE + i * 1000000 + 400000,
            "retired": not last, "timeout_ms": 600000, "is_p2p": False})
        status[str(g)] = {"last_enqueued_collective": 5000 + seq[g],
                          "last_started_collective": -1,
                          "last_completed_collective": 5000 + seq[g] - last}
    return {"version": "2.10",
            "pg_config": {n: {"name": n, "desc": d, "ranks": str(r)} for n, d, r in groups},
            "comm_lib_version": "2.27.3", "pg_status": status, "entries": entries}


def write(folder):
    written = 0
    for rank in range(RANKS):
        bytes_ = pickle.dumps(dump_of(rank), protocol=2)
        written += len(bytes_)
        with open(os.path.join(folder, "nccl_trace_rank_%d" % rank), "wb") as file:
            file.write(bytes_)
    return written


def measure_many(ranks):
    """Bytes and seconds of a diagnosis of so many ranks' dumps."""
    folder = tempfile.mkdtemp()
    try:
        absent, written = many_dumps.write(ranks, folder)
        command = [os.environ["INQUEST"], "diagnose", "--json", "--max-memory=8G", folder]
        run = subprocess.run(command, capture_output=True, text=True)
        named = json.loads(run.stdout)["verdicts"][0]["culprits"]
        if named != [absent]:
            sys.exit("dumps_bench: names %s, not %d" % (named, absent))
        # The least of three: what was read before is in memory.
        best = min((Run(command) for _ in range(3)), key=lambda run: run.wall)
        return written, best
    finally:
        shutil.rmtree(folder)


def many():
    most = int(os.environ.get("BENCH_MANY", 16384))
    points = []
    for ranks in most // 4, most // 2, most:
        written, run = measure_many(ranks)
        points.append((written, run.cpu))
        full = ranks == 16384
        figure("flight, %d ranks, %.0f MB" % (ranks, written / 1e6), run.wall / 1e3, "s",
               5 if full else 0)
        figure("  memory", run.memory / 1024, "GiB", 2.5 if full else 0)
    figure("  grows with the bytes by the power of", growth(points), "", 1.1)


def main():
    folder = tempfile.mkdtemp()
    try:
        megabytes = write(folder) / 1e6
        took = []
        for _ in range(ROUNDS):
            begun = time.monotonic()
            run = subprocess.run([os.environ["INQUEST"], "diagnose", "--json", folder],
                                 capture_output=True, text=True)
            took.append(time.monotonic() - begun)
            named = json.loads(run.stdout)["verdicts"][0]["culprits"]
            if named != [ABSENT]:
                sys.exit("dumps_bench: names %s, not %d" % (named, ABSENT))
        figure("flight, %d x %d, %.0f MB" % (RANKS, ENTRIES, megabytes), sorted(took)[ROUNDS // 2],
               "s", 2)
    finally:
        shutil.rmtree(folder)
    many()


main()
