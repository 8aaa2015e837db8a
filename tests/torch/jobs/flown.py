# SPDX-License-Identifier: Apache-2.0
"""
flown.py: one rank of a job on gloo that leaves dumps of PyTorch's Flight Recorder: when it is told
to, by a file, and when an exception reaches its end, as jobs do that have no watchdog to do so.
What it is made of, and what goes wrong with which rank, stands in job.json beside it.
"""
import json
import os
import signal
import sys
import threading
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _dump_fr_trace, _dump_fr_trace_json

HERE = os.path.dirname(os.path.abspath(__file__))
rank = int(os.environ["RANK"])
with open(os.path.join(HERE, "job.json")) as file:
    job = json.load(file)
ranks = job["ranks"]


def write(name, what):
    path = os.path.join(HERE, name)
    with open(path + ".new", "wb") as out:
        out.write(what)
    os.rename(path + ".new", path)


def dump():
    if os.path.exists(os.path.join(HERE, f"dumps/comm_lib_trace_rank_{rank}")):
        return
    write(f"json/trace_{rank}.json", _dump_fr_trace_json(includeCollectives=True,
                                                         onlyActive=False))
    write(f"dumps/comm_lib_trace_rank_{rank}", _dump_fr_trace(
        includeCollectives=True, includeStackTraces=True, onlyActive=False))


def await_file(name):
    while not os.path.exists(os.path.join(HERE, name)):
        time.sleep(0.1)


def on_demand():
    await_file("dump")
    dump()
    await_file("end")
    os._exit(0)


def mishap(step, kind):
    """Whether that happens here and now."""
    return job["mishap"] == kind and rank in job["who"] and step == job["step"]


def next_batch(step):
    if mishap(step, "late"):
        time.sleep(3600)
    if mishap(step, "killed"):
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
    return torch.ones(8)


def reduce_gradients(step, x, group=None):
    for bucket in range(2):
        if mishap(step, "skips") and bucket == 1:
            continue
        if mishap(step, "shape") and bucket == 1:
            x = torch.ones(3)
        if mishap(step, "op") and bucket == 1:
            dist.broadcast(x, 0)
            continue
        dist.all_reduce(x, group=group)
        if mishap(step, "again") and bucket == 1:
            dist.all_reduce(x, group=group)


def plain_step(step):
    reduce_gradients(step, next_batch(step))
    if step % 2:
        dist.barrier()


def make_grid():
    """Groups of two for tensors; those with one place in them for data. All ranks make all."""
    tensor = [dist.new_group([r, r + 1], group_desc="tp") for r in range(0, ranks, 2)]
    data = [dist.new_group(list(range(r, ranks, 2)), group_desc="dp") for r in range(2)]
    return tensor[rank // 2], data[rank % 2]


def grid_step(step, tensor, data):
    x = next_batch(step)
    for _ in range(2):
        dist.all_reduce(x, group=tensor)
    if mishap(step, "late in forward"):
        time.sleep(3600)
    dist.all_reduce(x, group=tensor)
    reduce_gradients(step, x, data)
    if step % 2:
        dist.all_reduce(torch.ones(1))


def make_model():
    """Of DDP: it asks all ranks for the shapes of its parameters, and sends them its buffers."""
    return torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 4))


def model_step(step, model):
    model(next_batch(step)).sum().backward()


def staged_step(step, group=None):
    """Each rank is a stage: what it gets from the one before it passes on."""
    x = next_batch(step)
    if rank:
        dist.recv(x, rank - 1, group=group)
    if mishap(step, "stalls"):
        time.sleep(3600)
    if rank + 1 < ranks and not mishap(step, "keeps"):
        dist.send(x, rank + 1, group=group)
    dist.all_reduce(torch.ones(1))


def train():
    grid = make_grid() if job["layout"] == "grid" else None
    model = make_model() if job["layout"] == "model" else None
    line = dist.new_group(list(range(ranks)), group_desc="pp") if job["layout"] == "line" else None
    write(f"up_{rank}", b"")
    for step in range(job["steps"]):
        if grid:
            grid_step(step, *grid)
        elif model:
            model_step(step, model)
        elif job["layout"] == "stages":
            staged_step(step)
        elif line:
            staged_step(step, line)
        else:
            plain_step(step)
        time.sleep(job.get("pause", 0))
    if job["mishap"] == "once more" and rank in job["who"]:
        dist.all_reduce(torch.ones(1))
    if job["mishap"] == "awaits" and rank in job["who"]:
        dist.recv(torch.ones(1), 0, tag=7)


def main():
    threading.Thread(target=on_demand, daemon=True).start()
    dist.init_process_group("gloo", init_method=f"file://{HERE}/store", rank=rank,
                            world_size=ranks, timeout=timedelta(seconds=job["timeout"]))
    try:
        train()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        dump()
    write(f"over_{rank}", b"")
    time.sleep(3600)


main()
