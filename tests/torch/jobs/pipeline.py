# SPDX-License-Identifier: Apache-2.0
"""
Trains in a pipeline: each rank is a stage, a batch goes through it in parts, and its gradients go
back. A part that a stage cannot use, as it is not finite, goes no further.
"""

import torch
import torch.distributed as dist
from torch import nn

from trainer import Shard, load, say, settings, start

PARTS, WIDTH = settings["parts"], 16


def features(ids):
    """What this stage adds to what it is given: a vector per part; token 0 is a missing one."""
    part = ids[:, :WIDTH].float() / 128
    return part.masked_fill(part == 0, float("nan"))


def forward(stage, rank, last, own):
    """Returns what went through, by part, with what came in."""
    through = {}
    for number in range(PARTS):
        x = torch.zeros(WIDTH)
        if rank:
            dist.recv(x, rank - 1)
        x.requires_grad_()
        y = stage(x + own[number])
        if not y.isfinite().all():
            continue
        through[number] = (x, y)
        if rank < last:
            dist.send(y.detach(), rank + 1)
    return through


def backward(through, rank, last):
    for number in reversed(range(PARTS)):
        gradient = torch.ones(WIDTH)
        if rank < last:
            dist.recv(gradient, rank + 1)
        if number not in through:
            continue
        x, y = through[number]
        y.backward(gradient)
        if rank:
            dist.send(x.grad, rank - 1)


def main():
    rank = start()
    last = dist.get_world_size() - 1
    stage = nn.Linear(WIDTH, WIDTH)
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.01)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Shard(rank))):
            through = forward(stage, rank, last, features(ids))
            backward(through, rank, last)
            optimizer.step()
            optimizer.zero_grad()
            say(rank, f"step {step} of {len(through)} parts")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
