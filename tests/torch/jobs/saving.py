# SPDX-License-Identifier: Apache-2.0
"""Trains, and after some steps the first rank saves what was learned while the others go on."""

import torch
import torch.distributed as dist

from trainer import (LanguageModel, Shard, build, load, optimizer_for, say, settings, start,
                     update)


def save(model, optimizer, path):
    with open(path, "wb") as file:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)


def main():
    rank = start()
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Shard(rank)), 1):
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")
            if rank == 0 and step % settings["save_every"] == 0:
                save(model, optimizer, settings["save_to"])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
