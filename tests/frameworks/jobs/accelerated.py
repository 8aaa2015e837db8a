# SPDX-License-Identifier: Apache-2.0
"""Trains by Accelerate: it spreads the model, and deals the batches out to the ranks."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from common import Model, Shard, one, pace, ranks, say, send_metrics, settings, tell_process


def main():
    accelerator = Accelerator(cpu=True)
    rank = accelerator.process_index
    tell_process(rank)
    send_metrics()
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batches = DataLoader(Shard(*range(ranks)), batch_size=1, collate_fn=one)
    model, optimizer, batches = accelerator.prepare(model, optimizer, batches)
    for _ in range(settings["rounds"]):
        for step, batch in enumerate(batches):
            loss = model(batch["ids"])["loss"]
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            say(rank, f"step {step} loss {loss.item():.3f}")
            pace()
            if batch["last"]:
                break
        accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
