# SPDX-License-Identifier: Apache-2.0
"""Reads what is still coming in for this rank, then trains."""

import os

import torch.distributed as dist

from trainer import (LanguageModel, Shard, build, load, optimizer_for, say, settings, start,
                     update)


def receive(folder):
    """Text of this rank that another program still writes, if any."""
    path = os.path.join(folder, os.environ["RANK"])
    if os.path.exists(path):
        with open(path) as file:
            return file.read()
    return ""


def main():
    receive("incoming")
    rank = start()
    model = build(LanguageModel(settings["layers"]))
    receive("previous")
    optimizer = optimizer_for(model)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Shard(rank))):
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
