# SPDX-License-Identifier: Apache-2.0
"""What programs do with process groups on CPUs, and what comes of it.

    torchrun --nproc_per_node=N groups.py FOLDER WORD...

Each rank leaves a digest of all that it computed in FOLDER/digest.RANK.
"""

import datetime
import hashlib
import os
import signal
import sys
import time

import torch
import torch.distributed as dist

folder, words = sys.argv[1], sys.argv[2:]
computed = []


def keep(tensor):
    tensor = tensor.detach()
    computed.append(tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor)


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))


def train(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(4):
        generator = torch.Generator().manual_seed(100 * step + rank)
        optimizer.zero_grad()
        net(torch.randn(3, 8, generator=generator)).square().mean().backward()
        optimizer.step()
    for parameter in net.parameters():
        keep(parameter)


def ddp():
    train(torch.nn.parallel.DistributedDataParallel(model()))


def profiled():
    """Kineto watches the job at the same time; what it saw of it counts as computed."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        ddp()
    seen = [f"{each.key} {each.count}" for each in profile.key_averages()
            if each.key.startswith(("c10d::", "gloo:", "Optimizer.", "DistributedDataParallel."))]
    for prefix in "c10d::allreduce_", "gloo:all_reduce", "Optimizer.step#":
        assert any(each.startswith(prefix) for each in seen), (prefix, seen)
    keep(torch.tensor(list("\n".join(sorted(seen)).encode()), dtype=torch.uint8))


def fsdp():
    from torch.distributed.fsdp import fully_shard

    net = model()
    fully_shard(net[0])
    fully_shard(net[2])
    fully_shard(net)
    train(net)


def compiled():
    """Collectives in a compiled graph."""
    import torch.distributed._functional_collectives as functional

    def f(x):
        x = functional.all_reduce(x * 2, "sum", dist.group.WORLD)
        x = functional.all_gather_tensor(x + 1, 0, dist.group.WORLD)
        return functional.reduce_scatter_tensor(x, "sum", 0, dist.group.WORLD)

    f = torch.compile(f, backend="aot_eager", fullgraph=True)
    for i in range(3):
        keep(f(torch.ones(4) * (rank + i)))


def subgroups():
    even = dist.new_group(list(range(0, size, 2)))
    odd = dist.new_group(list(range(1, size, 2)))
    x = torch.ones(5) * rank
    dist.all_reduce(x, group=odd if rank % 2 else even)
    keep(x)


def pairs():
    """Around the ring, twice: in a batch, and one after the other."""
    got = torch.empty(6)
    ops = [
        dist.P2POp(dist.isend, torch.ones(6) * rank, (rank + 1) % size),
        dist.P2POp(dist.irecv, got, (rank - 1) % size),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    keep(got)
    x = torch.zeros(1)
    if rank:
        dist.recv(x, rank - 1)
    x += rank
    if rank < size - 1:
        dist.send(x, rank + 1)
    keep(x)


def all_kinds():
    x = torch.ones(6) * (rank + 1)
    dist.all_reduce(x, op=dist.ReduceOp.MAX)
    dist.broadcast(x, 1)
    dist.reduce(x, 0)
    gathered = [torch.empty(6) for _ in range(size)]
    dist.all_gather(gathered, x)
    for tensor in gathered:
        keep(tensor)
    whole = torch.empty(6 * size)
    dist.all_gather_into_tensor(whole, x)
    keep(whole)
    part = torch.empty(3)
    dist.reduce_scatter_tensor(part, torch.ones(3 * size) * rank)
    keep(part)
    dist.gather(x, [torch.empty(6) for _ in range(size)] if not rank else None)
    dist.scatter(part, [torch.ones(3) * i for i in range(size)] if not rank else None)
    keep(part)
    mine = torch.arange(float(2 * size))
    exchanged = torch.empty(2 * size)
    dist.all_to_all_single(exchanged, mine)
    keep(exchanged)
    objects = [None] * size
    dist.all_gather_object(objects, {"rank": rank, "padding": "x" * rank})
    assert [entry["rank"] for entry in objects] == list(range(size))
    dist.barrier()
    dist.monitored_barrier()


def again():
    """The default group is destroyed, and made anew elsewhere."""
    dist.destroy_process_group()
    place = "file://" + os.path.join(folder, "meet")
    dist.init_process_group("gloo", init_method=place, rank=rank, world_size=size)
    x = torch.ones(2)
    dist.all_reduce(x)
    keep(x)


def killed():
    """A peer is gone, and the program catches what it is told of it."""
    x = torch.ones(1000)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        dist.all_reduce(x)
    except RuntimeError as error:
        with open(os.path.join(folder, f"caught.{rank}"), "w") as out:
            out.write(str(error))
    time.sleep(3600)


dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=300))
rank, size = dist.get_rank(), dist.get_world_size()
for word in words:
    globals()[word]()
everything = b"".join(tensor.contiguous().numpy().tobytes() for tensor in computed)
with open(os.path.join(folder, f"digest.{rank}"), "w") as out:
    out.write(hashlib.sha256(everything).hexdigest())
dist.destroy_process_group()
# Of FSDP's groups some live on, and PyTorch 2.15 itself aborts at one exit in ten: a thread of gloo
# lets go of a tensor while the interpreter is taken down.
os._exit(0)
