# SPDX-License-Identifier: Apache-2.0
"""Trains by Lightning, whose first rank is the program that was started, and starts the others."""

import lightning
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

from common import Model, Shard, pace, ranks, say, send_metrics, settings, tell_process


class Lit(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = Model()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)

    def on_fit_start(self):
        tell_process(self.global_rank)
        send_metrics()

    def train_dataloader(self):
        return DataLoader(Shard(dist.get_rank()), batch_size=None)

    def training_step(self, batch, number):
        loss = self.model(batch["ids"])["loss"]
        if batch["last"]:
            self.trainer.should_stop = True
        return loss

    def on_train_batch_end(self, outputs, batch, number):
        say(self.global_rank, f"step {number} loss {outputs['loss'].item():.3f}")
        pace()


if __name__ == "__main__":
    trainer = lightning.Trainer(
        accelerator="cpu", devices=ranks, strategy="ddp", max_epochs=settings["rounds"],
        use_distributed_sampler=False, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(Lit())
