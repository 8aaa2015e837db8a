# SPDX-License-Identifier: Apache-2.0
"""
A job as PyTorch's Flight Recorder would dump it: groups, collectives and messages in the order in
which they were made, and who of their members entered and completed them.
"""
import json
import os
import pickle
import random

BASE = 1758610505000000000  # long before any file here is written: such dumps are undated


class World:
    def __init__(self, size, step_ns=1000000, irregular=None):
        """irregular: a seed; steps then take as long as they do, and ranks come when they come."""
        self.random = None if irregular is None else random.Random(irregular)
        self.size = size
        self.groups = []
        self.entries = {rank: [] for rank in range(size)}
        self.status = {rank: {} for rank in range(size)}
        self.time = BASE
        self.step = step_ns
        self.times = False  # as TORCH_NCCL_ENABLE_TIMING does
        self.group("0", "default_pg", range(size))

    def go_on(self):
        self.time += self.step if self.random is None else \
            int(self.step * self.random.uniform(0.5, 1.5))

    def late(self):
        return 0 if self.random is None else int(self.step * self.random.uniform(0, 0.05))

    def set_clock(self, ranks, by_ns):
        """The clock of these ranks' host is so far ahead."""
        for rank in ranks:
            for entry in self.entries[rank]:
                for key in ("time_created_ns", "time_discovered_completed_ns"):
                    if entry[key]:
                        entry[key] += by_ns

    def group(self, name, desc, ranks):
        ranks = list(ranks)
        pg = {}
        for rank in ranks:
            pg[rank] = sum(rank in g["ranks"] for g in self.groups)
        self.groups.append({"name": name, "desc": desc, "ranks": ranks, "pg": pg,
                            "seq": {r: 0 for r in ranks}, "p2p": {r: 0 for r in ranks}})
        return len(self.groups) - 1

    def entry(self, rank, g, name, done, sizes, dtype="Float", p2p=False, out=None, status=True,
              begun=False):
        group = self.groups[g]
        begun = self.times and (done or begun)
        entry = {
            "frames": [
                {"name": "all_reduce", "line": 2500,
                 "filename": "/opt/lib/python3.12/site-packages/torch/distributed/c10d.py"},
                {"name": "step", "filename": "/work/train.py", "line": 88}],
            "record_id": len(self.entries[rank]), "pg_id": group["pg"][rank],
            "process_group": (group["name"], group["desc"]),
            "thread_name": "python3", "thread_id": "23456244340032",
            "collective_seq_id": group["seq"][rank], "p2p_seq_id": group["p2p"][rank],
            "op_id": group["seq"][rank] + group["p2p"][rank], "profiling_name": "nccl:" + name,
            "time_created_ns": self.time + self.late(),
            "input_sizes": sizes, "input_dtypes": [dtype] * len(sizes),
            "output_sizes": sizes if out is None else out,
            "output_dtypes": [dtype] * len(sizes if out is None else out),
            "state": "completed" if done else "started" if begun else "scheduled",
            "time_discovered_started_ns": self.time + self.step // 4 if begun else None,
            "time_discovered_completed_ns": self.time + self.step // 2 if done else None,
            "retired": bool(done), "timeout_ms": 600000, "is_p2p": p2p}
        self.entries[rank].append(entry)
        told = self.status[rank].setdefault(group["pg"][rank], [-1, -1, -1])
        seq = group["p2p"][rank] if p2p else group["seq"][rank]
        if status:
            told[0] = seq
            if begun:
                told[1] = seq
            if done:
                told[2] = seq
        return entry

    def collective(self, g, name, ranks=None, done=True, sizes=((1024,),), dtype="Float", out=None,
                   begun=()):
        """
        done: True, False, or the ranks where it is; sizes: the same for all, or by rank; begun: the
        ranks whose devices began it.
        """
        self.go_on()
        for rank in self.groups[g]["ranks"] if ranks is None else ranks:
            self.groups[g]["seq"][rank] += 1
            mine = sizes[rank] if isinstance(sizes, dict) else sizes
            mine_out = out[rank] if isinstance(out, dict) else out
            self.entry(rank, g, name, done is True or (done is not False and rank in done),
                       [list(s) for s in mine], dtype,
                       out=None if mine_out is None else [list(s) for s in mine_out],
                       begun=rank in begun)

    def message(self, g, source, target, done=True, sides=("send", "recv"), amount=64):
        self.go_on()
        ranks = self.groups[g]["ranks"]
        a, b = ranks.index(source), ranks.index(target)
        for rank, side, name in ((source, "send", "send %d->%d" % (a, b)),
                                 (target, "recv", "recv %d<-%d" % (b, a))):
            if side not in sides:
                continue
            self.groups[g]["p2p"][rank] += 1
            self.entry(rank, g, name, done, [[amount]], p2p=True)

    def batch(self, g, pairs, ranks=None, done=True):
        """batch_isend_irecv: parts never complete, the entry at the end does."""
        self.go_on()
        members = self.groups[g]["ranks"]
        for rank in members if ranks is None else ranks:
            me = members.index(rank)
            self.groups[g]["p2p"][rank] += 1
            for a, b in pairs:
                if a == me:
                    self.entry(rank, g, "send %d->%d" % (a, b), False, [[64]], p2p=True,
                               status=False)
                if b == me:
                    self.entry(rank, g, "recv %d<-%d" % (b, a), False, [[64]], p2p=True,
                               status=False)
            self.entry(rank, g, "coalesced", done, [], p2p=True)

    def dump(self, rank, active_only=False, keep=None, statuses=True, entries=True, version="2.9",
             config=True):
        listed = {}
        for group in self.groups if config else []:
            if rank in group["ranks"] and group["pg"][rank] in self.status[rank]:
                listed[group["name"]] = {"name": group["name"], "desc": group["desc"],
                                         "ranks": str(group["ranks"])}
        dump = {"version": version, "pg_config": listed, "nccl_version": "2.27.3"}
        if statuses:
            dump["pg_status"] = {
                str(pg): {"last_enqueued_collective": told[0], "last_started_collective": told[1],
                          "last_completed_collective": told[2]}
                for pg, told in self.status[rank].items()}
        if entries:
            mine = [e for e in self.entries[rank]
                    if not active_only or e["state"] != "completed"]
            dump["entries"] = mine[-keep:] if keep else mine
        return dump

    def write(self, folder, without=(), empty=(), as_json=False, prefix="nccl_trace_rank_", **how):
        os.makedirs(folder, exist_ok=True)
        for rank in range(self.size):
            if rank in without:
                continue
            dump = self.dump(rank, **how)
            if rank in empty:
                dump.pop("entries", None)
                dump.pop("pg_status", None)
            with open(os.path.join(folder, prefix + str(rank)), "wb") as file:
                if as_json:
                    for entry in dump.get("entries", []):
                        del entry["frames"]
                    file.write(json.dumps(dump, sort_keys=True).encode())
                else:
                    pickle.dump(dump, file, protocol=2)
        return folder
