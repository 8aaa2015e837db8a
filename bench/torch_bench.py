# SPDX-License-Identifier: Apache-2.0
"""
torch_bench.py: what the whole probe costs a training step of a small transformer with PyTorch, and
each thing that the shim stands around.

Two processes do the same, one with the probe, in turn (turns.py), some steps each, on one CPU.

Two processes differ by a percent from each other by where their memory lies, which no turns take
away: so the training step is measured in several pairs of new processes, half of them with the
probe in the one that starts first; its figure is the median over the turns of all pairs, and beside
it stand the medians of the pairs.
"""

import os
import subprocess
import sys
import tempfile
import time

from turns import compare, compare_pairs, show, take_turns

build = os.environ["top_builddir"]
torch_at = os.environ.get("INQUEST_TORCH") or os.path.join(build, "torch")
probe = os.path.join(build, ".libs/libinquest-probe.so")
PAIRS = 10
STEP_BAR = 1.005


# --- The process that is timed --------------------------------------------------------------------


def works():
    """Name, how many make a turn, and a function that does one."""
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, IterableDataset

    class Tokens(IterableDataset):
        def __iter__(self):
            ids = torch.arange(8 * 64).reshape(8, 64) % 128
            while True:
                yield ids

    dist.init_process_group("gloo", init_method="file://" + os.path.abspath("meet"), rank=0,
                            world_size=1)
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.Embedding(128, 128), nn.TransformerEncoder(layer, 2),
                          nn.Linear(128, 128))
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters())
    batches = iter(DataLoader(Tokens(), batch_size=None))
    tiny = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    one = torch.zeros(1)

    def step():
        ids = next(batches)
        loss = nn.functional.cross_entropy(parallel(ids).flatten(0, 1), ids.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return {"training step": (3, step),
            "batch of a DataLoader": (2000, lambda: next(batches)),
            "Optimizer.step(), no gradient": (2000, tiny.step),
            "all_reduce of one element": (500, lambda: dist.all_reduce(one))}


def worker():
    """Reads names of works, answers with ns for one of each."""
    known = works()
    print("ready", flush=True)
    for line in sys.stdin:
        n, work = known[line.strip()]
        began = time.perf_counter_ns()
        for _ in range(n):
            work()
        print((time.perf_counter_ns() - began) / n, flush=True)


# --- The one that asks them -----------------------------------------------------------------------


class Worker:
    def __init__(self, folder, **environment):
        os.mkdir(folder)
        self.process = subprocess.Popen(
            [os.path.join(torch_at, "bin/python3"), os.path.abspath(__file__), "worker"],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, OMP_NUM_THREADS="1", **environment))
        if self.process.stdout.readline() != "ready\n":
            sys.exit("torch: a worker did not start")

    def time(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Pair:
    """One without the probe and one with it, both ready."""

    def __init__(self, probed_first=False):
        self.scratch = tempfile.TemporaryDirectory()
        self.job = os.path.join(self.scratch.name, "inquest/job")
        os.makedirs(self.job, 0o700)
        self.both = [None, None]
        for probed in (1, 0) if probed_first else (0, 1):
            environment = {"LD_PRELOAD": probe, "INQUEST_DIR": os.path.dirname(self.job),
                           "INQUEST_JOB_DIR": self.job} if probed else {}
            folder = os.path.join(self.scratch.name, str(probed))
            self.both[probed] = Worker(folder, **environment)
        for each in self.both:
            each.time("training step")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.both:
            each.end()
        self.scratch.cleanup()


def memory(job):
    """What a rank pays in shared memory."""
    sizes = [os.stat(os.path.join(job, name)).st_blocks * 512 for name in os.listdir(job)
             if name.endswith(".ring")]
    show("memory of a rank's rings", sum(sizes) / 2**20, "MiB", bar=5)


def main():
    if not os.path.exists(os.path.join(torch_at, "bin/python3")):
        print("== PyTorch\nskipped: none in", torch_at)
        return
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    print("== PyTorch, a step of a small transformer and its parts")
    steps = []
    for pair in range(PAIRS):
        with Pair(probed_first=pair % 2) as workers:
            steps.append(take_turns(*workers.both, "training step"))
    compare_pairs("training step", steps, STEP_BAR)
    with Pair() as workers:
        for name in "batch of a DataLoader", "Optimizer.step(), no gradient", \
                "all_reduce of one element":
            compare(name, take_turns(*workers.both, name))
        memory(workers.job)


if sys.argv[1:] == ["worker"]:
    worker()
else:
    main()
