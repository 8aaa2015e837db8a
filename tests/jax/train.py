# SPDX-License-Identifier: Apache-2.0
"""
train.py RANK SIZE PORT WORD: one process of a job of JAX, over gloo on CPUs. From the seventh step
on the process before the last does what WORD says. RANK "-": JAX finds out by itself who it is, in
a job of Slurm or of Open MPI.
"""

import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

size, port, word = int(sys.argv[2]), sys.argv[3], sys.argv[4]
rank = None if sys.argv[1] == "-" else int(sys.argv[1])
if rank is None:
    rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("SLURM_PROCID")))
odd = rank == size - 2

MEETINGS = ("barrier", "keyed", "some", "sync", "orbax")
if word == "orbax":
    from orbax.checkpoint import multihost


def prepare():
    time.sleep(3600)


def meet(word):
    """Waits for the others at JAX's coordination service, for what the odd one brings there."""
    client = jax._src.distributed.global_state.client
    if word == "sync":
        multihost_utils.sync_global_devices("saved 6")
    elif word == "orbax":
        multihost.sync_global_processes("saved 6", processes=set(range(size)))
    elif word == "some":
        if rank != 0:
            client.wait_at_barrier("saved 6", 3600000, process_ids=[size - 1, size - 2])
        prepare()
    elif word != "keyed":
        client.wait_at_barrier("saved 6", 3600000)
    elif odd:
        client.key_value_set("plan 6", "sharded")
    else:
        client.blocking_key_value_get("plan 6", 3600000)


def work(x):
    """Takes XLA minutes."""
    for k in range(4000):
        x = jnp.sin(x) + k * jnp.cos(x) * jnp.tanh(x + k)
    return x


@jax.jit
def step(w, x):
    return 0.5 * w + jnp.mean(jnp.tanh(x * w))


def main():
    if word == "absent" and odd:
        prepare()
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    if sys.argv[1] == "-":
        jax.distributed.initialize()
    else:
        jax.distributed.initialize("localhost:" + port, num_processes=size, process_id=rank)
    if word in ("sync", "orbax"):  # what it computes there is compiled
        multihost_utils.sync_global_devices("begin")
    mesh = Mesh(np.array(jax.devices()), ("all",))
    spread = NamedSharding(mesh, PartitionSpec("all"))
    w = jnp.float32(1.0)
    for n in range(1000000):
        with jax.profiler.StepTraceAnnotation("train", step_num=n):
            x = jax.make_array_from_process_local_data(
                spread, np.full((1024,), rank + n, np.float32))
            if n == 6 and odd:
                if word == "late" or word in MEETINGS:
                    prepare()
                elif word == "compiles":
                    jax.jit(work)(jnp.float32(1)).block_until_ready()
                elif word == "raises":
                    raise ValueError("bad shard 17")
                elif word == "killed":
                    os.kill(os.getpid(), 9)
                elif word == "stopped":
                    os.kill(os.getpid(), 19)
            if n == 6 and (word in MEETINGS or word == "apart" and not odd):
                meet(word)
            # The last one does not wait for what it has asked for, and goes on to its own code.
            if n == 6 and word == "ahead" and not odd:
                w = step(w, x)
                if rank == size - 1:
                    prepare()
            elif n == 6 and word == "ahead":
                prepare()
            w = step(w, x)
            print("step", n, float(w), flush=True)
        time.sleep(0.2)


main()
