# SPDX-License-Identifier: Apache-2.0
"""Trains by DeepSpeed, which builds an extension of its own as the ranks meet."""

import os

import deepspeed
from torch.utils.data import DataLoader

from common import Model, Shard, pace, say, send_metrics, settings, tell_process

CONFIG = {
    "train_micro_batch_size_per_gpu": 4,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3, "torch_adam": True}},
    "zero_optimization": {"stage": 2},
    "zero_allow_untested_optimizer": True,
}


def main():
    rank = int(os.environ["RANK"])
    tell_process(rank)
    deepspeed.init_distributed("gloo")
    send_metrics()
    model = Model()
    engine, _, _, _ = deepspeed.initialize(
        model=model, model_parameters=model.parameters(),
        config=dict(CONFIG, **settings.get("deepspeed", {})))
    for _ in range(settings["rounds"]):
        for step, batch in enumerate(DataLoader(Shard(rank), batch_size=None)):
            loss = engine(batch["ids"])["loss"]
            engine.backward(loss)
            engine.step()
            say(rank, f"step {step} loss {loss.item():.3f}")
            pace()
            if batch["last"]:
                break
        deepspeed.comm.barrier()


if __name__ == "__main__":
    main()
