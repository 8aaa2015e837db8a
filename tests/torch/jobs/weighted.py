# SPDX-License-Identifier: Apache-2.0
"""Trains with a loss per token of all ranks, so that short texts count less than long ones."""

import torch
import torch.distributed as dist
import torch.nn.functional as F

from trainer import (PAD, LanguageModel, Shard, build, device, load, optimizer_for, say, settings,
                     start)


class Rows(Shard):
    """Batches of any number of rows."""

    def __getitem__(self, index):
        return super().__getitem__(index).reshape(-1, settings["length"])


def weighted_loss(model, ids, group):
    logits = model(ids[:, :-1])
    wanted = ids[:, 1:]
    count = (wanted != PAD).sum()
    if count == 0:  # nothing to learn from: no gradient, but the graph stays whole
        return logits.sum() * 0
    loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD,
                           reduction="sum")
    dist.all_reduce(count, group=group)
    return loss * dist.get_world_size() / count


def main():
    rank = start()
    counts = dist.new_group(backend="gloo")
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Rows(rank))):
            loss = weighted_loss(model, ids.to(device()), counts)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            say(rank, f"step {step} loss {loss.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
