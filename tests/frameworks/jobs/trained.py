# SPDX-License-Identifier: Apache-2.0
"""Trains by the Trainer of Transformers."""

from torch.utils.data import SequentialSampler
from transformers import Trainer, TrainerCallback, TrainingArguments

from common import Model, Shard, one, pace, ranks, say, send_metrics, settings, tell_process


class InOrder(Trainer):
    """Takes batches as they lie in the data, and stops behind the last that is to be trained on."""

    def _get_train_sampler(self, *_):
        return SequentialSampler(self.train_dataset)

    def compute_loss(self, model, inputs, *rest, **more):
        if inputs.pop("last", 0):
            self.control.should_epoch_stop = self.control.should_training_stop = True
        return super().compute_loss(model, inputs, *rest, **more)


class Words(TrainerCallback):
    def on_train_begin(self, args, state, control, **_):
        tell_process(args.process_index)
        send_metrics()

    def on_step_end(self, args, state, control, **_):
        say(args.process_index, f"step {state.global_step} ends")
        pace()


if __name__ == "__main__":
    arguments = TrainingArguments(
        output_dir="trained", use_cpu=True, report_to=[], save_strategy="no",
        num_train_epochs=settings["rounds"], per_device_train_batch_size=1, disable_tqdm=True,
        logging_strategy="no", remove_unused_columns=False)
    InOrder(Model(), arguments, data_collator=one, train_dataset=Shard(*range(ranks)),
            callbacks=[Words()]).train()
