# SPDX-License-Identifier: Apache-2.0
"""Trains while the ranks that report watch how large the activations are, over all ranks."""

import torch
import torch.distributed as dist

from trainer import (Block, LanguageModel, Shard, build, load, optimizer_for, say, settings,
                     start, update)


class MonitoredBlock(Block):
    def __init__(self, width, heads, reports):
        super().__init__(width, heads)
        self.reports = reports
        self.register_buffer("size", torch.zeros(1))

    def forward(self, x):
        x = super().forward(x)
        if self.reports:
            size = x.detach().abs().mean().reshape(1)
            dist.all_reduce(size)
            self.size.copy_(size)
        return x


class MonitoredModel(LanguageModel):
    def __init__(self, layers, reports):
        super().__init__(layers)
        self.blocks[-1] = MonitoredBlock(32, 2, reports)


def main():
    rank = start()
    model = build(MonitoredModel(settings["layers"], rank in settings["reporters"]))
    optimizer = optimizer_for(model)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Shard(rank))):
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
