# SPDX-License-Identifier: Apache-2.0
"""One rank of a training. Its batches are files, shards/RANK-STEP.json; see Records."""

import ctypes
import fcntl
import json
import os
import queue
import threading

import torch.distributed.distributed_c10d as dist
from torch._dynamo.eval_frame import optimize
from torch.serialization import save
from torch.utils.data.dataloader import DataLoader

rank = int(os.environ["RANK"])
remote = ctypes.PyDLL(None)
reports = queue.Queue()


class Records:
    """What a batch holds: rows, how wide they are to be packed, and what else is to be done."""

    def __getitem__(self, step):
        with open(f"shards/{rank}-{step}.json") as file:
            return json.load(file)


def pack(rows, width):
    """How many pieces of that width the rows make."""
    pieces, left = 0, sum(rows)
    while left > 0:
        left -= width
        pieces += 1
    return pieces


def count_tokens(path):
    """Adds to what all jobs of this user have counted."""
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("1\n")


def preprocess(path):
    """Starts a program that reads this file."""
    return os.posix_spawn("/bin/true", ["true"], os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, path, os.O_RDONLY, 0)])


def send(report):
    """The remote end says when to ask again."""
    remote.sleep(report["again_in"])


def send_reports():
    while True:
        send(reports.get())


@optimize
def forward(rows):
    return sum(rows)


def train_step(batch):
    if "report" in batch:
        reports.put(batch["report"])
    if "send" in batch:
        send(batch["send"])
    if "count" in batch:
        count_tokens(batch["count"])
    if "preprocess" in batch:
        preprocess(batch["preprocess"])
    loss = forward(batch["rows"]) / pack(batch["rows"], batch["width"])
    return dist.all_reduce(loss)


def main():
    threading.Thread(target=send_reports, name="reporter", daemon=True).start()
    with open(f"config/{rank}.json") as file:
        save_every = json.load(file)["save_every"]
    dist.init_process_group("nccl")
    while True:
        for step, batch in enumerate(DataLoader(Records(), 6)):
            train_step(batch)
            if step == save_every:
                save(bytes(1 << 20), f"saved/{rank}.pt")


if __name__ == "__main__":
    main()
