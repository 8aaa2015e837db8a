# SPDX-License-Identifier: Apache-2.0
"""
What the jobs here share: a small model, and the text that they train it on.

Settings come from run.json in the current directory, text from shards/N.jsonl, one file per rank:
each line one batch, a list of rows of token numbers, or an object that has such rows and says more
of them.
"""

import json
import os
import threading
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import Dataset

TOKENS = 128

with open("run.json") as read:
    settings = json.load(read)
ranks = settings["ranks"]


def say(rank, text):
    print(f"[rank {rank}] {text}", flush=True)


def tell_process(rank):
    say(rank, f"process {os.getpid()} joins")


def ask_again(seconds):
    """The server of this text has said when it wants to be asked again."""
    time.sleep(seconds)


def checked(rows):
    for row in rows:
        for token in row:
            if token >= TOKENS:
                raise ValueError(f"token {token} of {TOKENS}")
    return torch.tensor(rows, dtype=torch.long)


class Shard(Dataset):
    """The batches of one rank, or those of all in turn: rank 0's first, rank 1's first, ..."""

    def __init__(self, *whose):
        files = []
        for rank in whose:
            with open(f"shards/{rank}.jsonl") as file:
                files.append([json.loads(line) for line in file])
        self.batches = [batch for turn in zip(*files) for batch in turn]

    def __len__(self):
        return len(self.batches)

    def __getitem__(self, index):
        """Rows, and a number that is 1 where these are the last that are to be trained on."""
        batch = self.batches[index]
        said = batch if isinstance(batch, dict) else {"rows": batch}
        if said.get("again_in"):
            ask_again(said["again_in"])
        return {"ids": checked(said["rows"]), "last": torch.tensor(said.get("last", 0))}


def one(batches):
    """Batches are made already: what collects items into one has one item."""
    return batches[0]


class Model(nn.Module):
    """Guesses each token by the one before."""

    def __init__(self):
        super().__init__()
        width = settings.get("width", 32)
        self.embed = nn.Embedding(TOKENS, width)
        self.between = nn.Sequential(*(nn.Linear(width, width)
                                       for _ in range(settings.get("layers", 0))))
        self.head = nn.Linear(width, TOKENS)

    def forward(self, ids, last=None):
        logits = self.head(self.between(self.embed(ids[:, :-1])))
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        return {"loss": loss, "logits": logits}


class Gate:
    """
    Lets so many steps pass each time that somebody asks for them by a line, and answers how many ns
    one took, and how many of these its process ran, through two pipes with names; on one CPU. At
    the end of the lines the job is over.
    """

    def __init__(self, cpu, go, took):
        os.sched_setaffinity(0, {cpu})
        self.left = 0
        self.began = self.ran = 0
        self.asked = 0
        self.go = open(go)
        self.took = open(took, "w")

    def __call__(self):
        self.left -= 1
        if self.left > 0:
            return
        if self.asked:
            print((time.perf_counter_ns() - self.began) / self.asked,
                  (time.process_time_ns() - self.ran) / self.asked, file=self.took, flush=True)
        line = self.go.readline()
        if not line:
            os._exit(0)
        self.left = self.asked = int(line)
        self.ran = time.process_time_ns()
        self.began = time.perf_counter_ns()


gate = None


def pace():
    """A step of so small a model takes no time; a job that is read while it runs wants some."""
    global gate
    if "gate" not in settings:
        time.sleep(settings.get("pace", 0.1))
        return
    gate = gate or Gate(*settings["gate"])
    gate()


def send_metrics():
    """What was logged is sent off, again and again, for as long as the program is there."""
    def go_on():
        while True:
            time.sleep(1)

    if settings.get("sends_metrics"):
        threading.Thread(target=go_on).start()
