# SPDX-License-Identifier: Apache-2.0
"""Trains on a stream: each rank reads its file to the end, then all add up what they have seen."""

import json

import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset

from trainer import (LanguageModel, build, load, optimizer_for, say, settings, start, update)


class Stream(IterableDataset):
    def __init__(self, rank):
        self.path = f"shards/{rank}.jsonl"

    def __iter__(self):
        with open(self.path) as file:
            for line in file:
                yield torch.tensor(json.loads(line))


def main():
    rank = start()
    totals = dist.new_group(backend="gloo")
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    seen = torch.zeros((), dtype=torch.long)
    for _ in range(settings["rounds"]):
        for ids in load(Stream(rank)):
            update(model, optimizer, ids)
            seen += ids.numel()
            say(rank, f"{seen.item()} tokens")
    dist.all_reduce(seen, group=totals)
    say(rank, f"all ranks: {seen.item()} tokens")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
