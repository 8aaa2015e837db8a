# SPDX-License-Identifier: Apache-2.0
"""
Trains at the pace of what comes in: each step has a time, one may take longer on one rank, and one
rank may save what it has learned, record by record, each of them on disk before the next is begun.
"""

import os
import time

import torch
import torch.distributed as dist

from trainer import (LanguageModel, Shard, build, load, optimizer_for, say, settings, start,
                     update)


def compute(seconds):
    """A batch that is worth this much work."""
    until = time.monotonic() + seconds
    x = torch.ones(64, 64)
    while time.monotonic() < until:
        x = torch.tanh(x @ x)


def save(seconds):
    """As many records as the storage takes in this time."""
    until = time.monotonic() + seconds
    with open("latest.pt", "wb") as file:
        while time.monotonic() < until:
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())


def receive(rank, step):
    """What another program writes for this step, if it does."""
    path = f"incoming/{rank}.{step}"
    if os.path.exists(path):
        with open(path) as file:
            file.read()
        os.remove(path)


def main():
    rank = start()
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    saves, works = settings.get("save", {}), settings.get("work", {})
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Shard(rank))):
            time.sleep(settings["pace"])
            receive(rank, step)
            compute(works.get(f"{rank} {step}", 0))
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")
            if f"{rank} {step}" in saves:
                save(saves[f"{rank} {step}"])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
