# SPDX-License-Identifier: Apache-2.0
"""Trains until the budget of tokens is used up, then leaves without a teardown that may hang."""

import os
import sys

from trainer import (PAD, LanguageModel, Shard, build, load, optimizer_for, say, settings, start,
                     update)


def main():
    rank = start()
    model = build(LanguageModel(settings["layers"]))
    optimizer = optimizer_for(model)
    left = settings["budget"]
    while True:
        for ids in load(Shard(rank)):
            loss = update(model, optimizer, ids)
            left -= (ids != PAD).sum().item()
            say(rank, f"{left} tokens left, loss {loss.item():.3f}")
            if left <= 0:
                sys.stdout.flush()
                os._exit(0)


if __name__ == "__main__":
    main()
