# SPDX-License-Identifier: Apache-2.0
"""Trains from the beginning: so many rounds over each rank's shard."""

import torch.distributed as dist

from trainer import (LanguageModel, Shard, build, load, optimizer_for, say, settings, start,
                     update)


def main():
    rank = start()
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    step = 0
    for round_number in range(settings["rounds"]):
        for ids in load(Shard(rank)):
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")
            step += 1
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
