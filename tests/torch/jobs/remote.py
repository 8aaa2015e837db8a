# SPDX-License-Identifier: Apache-2.0
"""Trains on records of which some are named only, and are asked of a store by its C library."""

import ctypes

import torch
import torch.distributed as dist

from trainer import (LanguageModel, Shard, build, load, optimizer_for, say, settings, start,
                     update)

library = ctypes.PyDLL(None)


class Records(Shard):
    def __getitem__(self, index):
        record = self.batches[index]
        if isinstance(record, dict):  # busy: it says when to ask again
            library.sleep(record["again_in"])
            record = record["rows"]
        return torch.tensor(record)


def main():
    rank = start()
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Records(rank))):
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
