# SPDX-License-Identifier: Apache-2.0
"""
Trains a mixture of experts, of which each has its own tokens. Gradients are summed expert by
expert, for those that have any; the losses of all ranks are gathered after each step.
"""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

from trainer import PAD, TOKENS, Shard, load, say, settings, start

EXPERTS = 4
WIDTH = 16


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(WIDTH, TOKENS) for _ in range(EXPERTS))
        self.register_buffer("embed", torch.randn(TOKENS, WIDTH))

    def forward(self, ids, wanted):
        losses = []
        for number, expert in enumerate(self.experts):
            mine = (ids % EXPERTS == number) & (ids != PAD)
            if mine.any():
                losses.append(F.cross_entropy(expert(self.embed[ids[mine]]), wanted[mine]))
        return torch.stack(losses).mean()


def sum_gradients(model):
    for expert in model.experts:
        if expert.weight.grad is not None:
            dist.all_reduce(expert.weight.grad)


def main():
    rank = start()
    model = Experts()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = torch.zeros(dist.get_world_size())
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Shard(rank))):
            loss = model(ids[:, :-1], ids[:, 1:])
            loss.backward()
            sum_gradients(model)
            optimizer.step()
            optimizer.zero_grad()
            dist.all_gather_into_tensor(losses, loss.detach().reshape(1))
            say(rank, f"step {step} loss {losses.mean().item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
