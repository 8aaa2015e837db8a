# SPDX-License-Identifier: Apache-2.0
"""
shim_job.py: one rank that trains a small compiled transformer, with everything that the shim puts
itself around: two loaders, a new shape, two optimizers, a compiled function around a loop over a
loader and around step(), checkpoints, and a process group. Prints what the program can see of it.
"""

import copy
import inspect
import json
import os
import pickle

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

counters = torch._dynamo.utils.counters
seen = {}


class Tokens(IterableDataset):
    def __init__(self, shapes):
        self.shapes = shapes

    def __iter__(self):
        for rows, length in self.shapes:
            yield {"ids": torch.arange(rows * length).reshape(rows, length) % 61, "from": "here"}


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.MultiheadAttention(width, 2, batch_first=True)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        y = self.norm(x)
        return x + self.out(self.mix(y, y, y, need_weights=False)[0])


def note(what):
    """Graph breaks, graphs and their ops since the last note."""
    seen[what] = {"breaks": sum(counters["graph_break"].values()),
                  "graphs": counters["stats"]["unique_graphs"],
                  "ops": counters["stats"]["calls_captured"]}
    torch._dynamo.reset()
    counters.clear()


def train():
    torch.manual_seed(7)
    model = nn.Sequential(nn.Embedding(61, 16), Layer(16), Layer(16), nn.Linear(16, 61))
    first = torch.optim.AdamW(model[1].parameters(), lr=0.01)
    second = torch.optim.SGD(model[2].parameters(), lr=0.01)
    step = torch.compile(model)
    losses = []
    for batch in DataLoader(Tokens([(2, 8), (2, 8), (3, 8), (4, 8)]), batch_size=None):
        loss = nn.functional.cross_entropy(step(batch["ids"]).flatten(0, 1), batch["ids"].flatten())
        loss.backward()
        for optimizer in (first, second):
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    seen["losses"] = losses
    note("train")
    return model, first


def compile_around(model, optimizer):
    """Loops and steps inside of what is compiled."""

    @torch.compile(backend="eager")
    def total(loader):
        sum = 0
        for batch in loader:
            sum = sum + batch["ids"].sum()
        return sum

    seen["total"] = int(total(DataLoader(Tokens([(1, 4), (0, 4)]), batch_size=None)))
    note("a loop over a loader")

    @torch.compile(backend="eager")
    def update(ids):
        optimizer.zero_grad()
        model(ids).sum().backward()
        optimizer.step()

    for turn in range(3):
        update(torch.ones(2, 4, dtype=torch.long))
    note("a step")


def look(model, optimizer):
    torch.save(model.state_dict(), "model.pt")
    seen["same"] = all(torch.equal(a, b) for a, b in zip(
        torch.load("model.pt").values(), model.state_dict().values()))
    seen["copied"] = type(copy.deepcopy(optimizer)).__name__, len(pickle.dumps(optimizer)) > 0
    seen["state"] = sorted(optimizer.state_dict())
    seen["pickled"] = pickle.loads(pickle.dumps(torch.save)) is torch.save
    for what in (torch.save, torch.load, DataLoader, dist.init_process_group):
        seen[what.__name__] = [str(inspect.signature(what)), what.__module__, what.__qualname__]
    try:
        torch.load("nowhere.pt")
    except OSError as error:
        seen["error"] = str(error)


dist.init_process_group("gloo", init_method="file://" + os.path.abspath("meet"), rank=0,
                        world_size=1)
model, optimizer = train()
compile_around(model, optimizer)
look(model, optimizer)
print(json.dumps(seen, sort_keys=True), flush=True)
os._exit(3)  # so that the ring stays
