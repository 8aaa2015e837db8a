# SPDX-License-Identifier: Apache-2.0
"""Trains on records that are checked, and leaves together with the others, whatever happens."""

import torch.distributed as dist

from records import Records
from trainer import LanguageModel, build, load, optimizer_for, say, settings, start, update


def train(rank):
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Records(rank))):
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")


def main():
    rank = start()
    try:
        train(rank)
    finally:
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
