# SPDX-License-Identifier: Apache-2.0
"""Sums numbers over its ranks; survives a restart by its own store. What goes wrong is in the data:
plan.json names a rank and what it meets."""
import json
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    """Takes its time: storage is slow."""

    def __len__(self):
        return 400

    def __getitem__(self, i):
        time.sleep(0.02)
        return torch.full((4,), float(i))


def ignore_orders():
    """As programs do that checkpoint when they are told to end, and forget to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def meets(what, loader):
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "raise":
        raise ValueError("no rows for this rank")
    if what == "loader-killed":
        os.kill(loader[0], signal.SIGKILL)


@record
def main():
    with open("plan.json", encoding="ascii") as file:
        plan = json.load(file)
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet.{attempt}",
                            rank=rank, world_size=int(os.environ["WORLD_SIZE"]))
    if plan.get("stubborn") and rank != plan["rank"]:
        ignore_orders()
    batches = iter(DataLoader(Numbers(), batch_size=4, num_workers=plan.get("workers", 0)))
    loader = [w.pid for w in getattr(batches, "_workers", [])]
    for step in range(plan["steps"]):
        if step == 5 and rank == plan["rank"] and attempt == 0:
            time.sleep(2)
            meets(plan["meets"], loader)
        total = next(batches).sum()
        if plan.get("stubborn") and step == 5:
            while True:
                time.sleep(1)
        dist.all_reduce(total)
    dist.barrier()
    sys.stdout.write(f"done {rank} of attempt {attempt}\n")  # in one piece, as three say it
    sys.stdout.flush()
    dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
