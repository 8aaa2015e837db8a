# SPDX-License-Identifier: Apache-2.0
"""
A small language model and what trains it on several ranks: the part that the jobs here share.

Settings come from run.json in the current directory, text from shards/N.jsonl, one file per rank:
each line one batch, a list of rows of token numbers.
"""

import json
import os


def read_settings():
    with open("run.json") as file:
        return json.load(file)


settings = read_settings()
if "OMPI_COMM_WORLD_RANK" in os.environ:  # mpirun names it otherwise
    os.environ["RANK"] = os.environ["OMPI_COMM_WORLD_RANK"]
    os.environ["WORLD_SIZE"] = os.environ["OMPI_COMM_WORLD_SIZE"]
    os.environ["LOCAL_RANK"] = os.environ["OMPI_COMM_WORLD_LOCAL_RANK"]
if settings.get("cache"):  # one compile cache per rank, as on nodes that share no disk
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.abspath(
        os.path.join(settings["cache"], os.environ["LOCAL_RANK"]))

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

TOKENS = 128
PAD = 0


class Block(nn.Module):
    """One layer of a transformer."""

    def __init__(self, width, heads, inner=None):
        super().__init__()
        inner = inner or 2 * width
        self.heads = heads
        self.first = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.second = nn.LayerNorm(width)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, x):
        rows, length, width = x.shape
        q, k, v = (part.view(rows, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(self.first(x)).chunk(3, dim=-1))
        score = (q @ k.transpose(-1, -2)) * (width // self.heads) ** -0.5
        seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        mixed = score.masked_fill(~seen, float("-inf")).softmax(-1) @ v
        x = x + self.out(mixed.transpose(1, 2).reshape(rows, length, width))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Row(nn.Module):
    """
    Layers that are one graph (one of nn.Sequential has as many as layers). Their inner widths
    differ: each has kernels of its own, which the compiler has to build.
    """

    def __init__(self, width, heads, length):
        super().__init__()
        self.layers = nn.ModuleList(Block(width, heads, 2 * width + 8 * i) for i in range(length))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class LanguageModel(nn.Module):
    """`layers` blocks, each of as many layers in a row as the settings say (one)."""

    def __init__(self, layers, width=32, heads=2):
        super().__init__()
        self.embed = nn.Embedding(TOKENS, width)
        self.blocks = nn.ModuleList(
            Row(width, heads, settings.get("in_a_row", 1)) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, TOKENS)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Shard(Dataset):
    """The batches of one rank."""

    def __init__(self, rank):
        with open(f"shards/{rank}.jsonl") as file:
            self.batches = [json.loads(line) for line in file]

    def __len__(self):
        return len(self.batches)

    def __getitem__(self, index):
        return torch.tensor(self.batches[index], dtype=torch.long)


def device():
    return torch.device("cuda" if settings.get("backend") == "nccl" else "cpu", 0)


def start():
    """Joins the other ranks; returns the number of this one."""
    torch.manual_seed(1)
    say(os.environ["RANK"], f"process {os.getpid()} joins")
    dist.init_process_group(settings.get("backend", "gloo"))
    return dist.get_rank()


def load(dataset):
    """One batch at a time, as it lies in the shard."""
    return DataLoader(dataset, batch_size=None, num_workers=settings.get("workers", 0))


def build(model):
    """Compiles the model, unless it is plain, and spreads it over the ranks."""
    model.to(device())
    if settings.get("mode") == "plain":
        return DistributedDataParallel(model)
    if settings.get("mode") == "ddp":
        return DistributedDataParallel(torch.compile(model, dynamic=False))
    mesh = init_device_mesh(device().type, (dist.get_world_size(),))
    for block in model.blocks:
        block.compile(dynamic=False)
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def optimizer_for(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-3)


def loss_of(model, ids):
    logits = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=PAD)


def update(model, optimizer, ids):
    """One step of training; returns its loss."""
    loss = loss_of(model, ids.to(device()))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


def say(rank, text):
    print(f"[rank {rank}] {text}", flush=True)
