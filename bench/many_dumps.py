# SPDX-License-Identifier: Apache-2.0
"""
many_dumps.py RANKS FOLDER [ENTRIES]: Flight Recorder dumps of very many ranks, each of which lists
all of them, as PyTorch does: at 16,384 ranks that is 108 KB a dump, 2 GB in all. A group of all,
groups of 8, and groups of every eighth; one stays away from the last operation, and is printed.
"""
import os
import pickle
import sys

BASE = 1758610505000000000


def group_lists(ranks):
    """Of every rank its groups: name, purpose, and the list in words, as it stands in a dump."""
    world = str(list(range(ranks)))
    tensor = [str(list(range(k * 8, min(k * 8 + 8, ranks)))) for k in range((ranks + 7) // 8)]
    data = [str(list(range(k, ranks, 8))) for k in range(min(8, ranks))]
    for rank in range(ranks):
        yield [("0", "default_pg", world),
               (str(1 + rank // 8), "TP", tensor[rank // 8]),
               (str(1 + len(tensor) + rank % 8), "DP", data[rank % 8])]


def entry_of(i, number, group, last):
    return {"frames": [{"name": "step", "filename": "train.py", "line": 88 + i % 3}],
            "record_id": 90000 + i, "pg_id": number, "process_group": group[:2],
            "collective_seq_id": 5000 + i // 3, "p2p_seq_id": 0, "op_id": 5000 + i // 3,
            "profiling_name": "nccl:all_reduce", "time_created_ns": BASE + i * 1000000,
            "input_sizes": [[4096, 5120]], "input_dtypes": ["BFloat16"],
            "output_sizes": [[4096, 5120]], "output_dtypes": ["BFloat16"],
            "state": "scheduled" if last else "completed", "time_discovered_started_ns": None,
            "time_discovered_completed_ns": None if last else BASE + i * 1000000 + 400000,
            "retired": not last, "timeout_ms": 600000, "is_p2p": False}


def dump_of(groups, entries, absent):
    """The last entry is of the group of all: index 2 of each three."""
    made, status = [], {}
    order = (1, 2, 0)
    count = entries - 1 if absent else entries
    for i in range(count):
        number = order[i % 3]
        last = i == entries - 1
        made.append(entry_of(i, number, groups[number], last))
        status[str(number)] = {"last_enqueued_collective": 5000 + i // 3,
                               "last_started_collective": -1,
                               "last_completed_collective": 5000 + i // 3 - last}
    return {"version": "2.10", "comm_lib_version": "2.27.3", "pg_status": status,
            "pg_config": {name: {"name": name, "desc": desc, "ranks": ranks}
                          for name, desc, ranks in groups}, "entries": made}


def write(ranks, folder, entries=24):
    """Returns who stays away, and how many bytes were written."""
    absent, written = ranks * 2 // 3, 0
    os.makedirs(folder, exist_ok=True)
    for rank, groups in enumerate(group_lists(ranks)):
        bytes_ = pickle.dumps(dump_of(groups, entries, rank == absent), protocol=2)
        written += len(bytes_)
        with open(os.path.join(folder, "nccl_trace_rank_%d" % rank), "wb") as file:
            file.write(bytes_)
    return absent, written


if __name__ == "__main__":
    print("absent %d, %d bytes" % write(int(sys.argv[1]), sys.argv[2],
                                        *[int(word) for word in sys.argv[3:4]]))
