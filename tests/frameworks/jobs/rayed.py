# SPDX-License-Identifier: Apache-2.0
"""Trains by Ray Train, whose workers are processes that Ray has started before they are ranks."""

import os
import sys

sys.path.insert(0, os.getcwd())
os.environ.update(RAY_AUTH_MODE="disabled", RAY_DEDUP_LOGS="0", RAY_COLOR_PREFIX="0")

import ray  # noqa: E402
import ray.train  # noqa: E402
import ray.train.torch  # noqa: E402


def train(config):
    os.chdir(config["folder"])
    sys.path.insert(0, config["folder"])

    import torch
    from torch.utils.data import DataLoader

    from common import Model, Shard, pace, say, settings, tell_process

    rank = ray.train.get_context().get_world_rank()
    tell_process(rank)
    model = ray.train.torch.prepare_model(Model())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(settings["rounds"]):
        for step, batch in enumerate(DataLoader(Shard(rank), batch_size=None)):
            loss = model(batch["ids"])["loss"]
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            say(rank, f"step {step} loss {loss.item():.3f}")
            pace()
            if batch["last"]:
                break
        torch.distributed.barrier()


if __name__ == "__main__":
    from common import ranks

    ray.init(num_cpus=ranks + 1, include_dashboard=False, object_store_memory=100 << 20,
             _temp_dir=os.path.join(os.getcwd(), "ray"))
    trainer = ray.train.torch.TorchTrainer(
        train, train_loop_config={"folder": os.getcwd()},
        torch_config=ray.train.torch.TorchConfig(backend="gloo"),
        scaling_config=ray.train.ScalingConfig(num_workers=ranks),
        run_config=ray.train.RunConfig(storage_path=os.path.join(os.getcwd(), "results")))
    trainer.fit()
