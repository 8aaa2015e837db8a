# SPDX-License-Identifier: Apache-2.0
"""
Trains in a mesh: parts of the model are of a pair of ranks, data is of every second one. In which
order the groups are made stands in a file that each rank has of its own.
"""

import json

import torch
import torch.distributed as dist

from trainer import say, settings, start


def members(axis, size):
    if axis == "model":
        return [[first, first + 1] for first in range(0, size, 2)]
    return [list(range(first, size, 2)) for first in range(2)]


def make_groups(rank):
    """The groups that this rank is in, by axis."""
    with open(f"mesh/{rank}.json") as file:
        axes = json.load(file)
    mine = {}
    for axis in axes:
        for ranks in members(axis, dist.get_world_size()):
            group = dist.new_group(ranks)
            if rank in ranks:
                mine[axis] = group
    return mine


def main():
    rank = start()
    dist.barrier()
    groups = make_groups(rank)
    for step in range(settings["rounds"]):
        part = torch.full((64,), float(rank))
        dist.all_reduce(part, group=groups["model"])
        dist.all_reduce(part, group=groups["data"])
        say(rank, f"step {step} sum {part.sum().item()}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
