# SPDX-License-Identifier: Apache-2.0
"""
train.py RANK SIZE PORT WORD: one process of a job of JAX, over gloo on CPUs. From the seventh step
on the process before the last does what WORD says.
"""

import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

rank, size, port, word = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
odd = rank == size - 2


def prepare():
    time.sleep(3600)


def meet(word):
    """Waits for the others at JAX's coordination service, for what the odd one brings there."""
    client = jax._src.distributed.global_state.client
    if word != "keyed":
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
    jax.distributed.initialize("localhost:" + port, num_processes=size, process_id=rank)
    mesh = Mesh(np.array(jax.devices()), ("all",))
    spread = NamedSharding(mesh, PartitionSpec("all"))
    w = jnp.float32(1.0)
    for n in range(1000000):
        with jax.profiler.StepTraceAnnotation("train", step_num=n):
            x = jax.make_array_from_process_local_data(
                spread, np.full((1024,), rank + n, np.float32))
            if n == 6 and odd:
                if word in ("late", "barrier", "keyed"):
                    prepare()
                elif word == "compiles":
                    jax.jit(work)(jnp.float32(1)).block_until_ready()
                elif word == "raises":
                    raise ValueError("bad shard 17")
                elif word == "killed":
                    os.kill(os.getpid(), 9)
                elif word == "stopped":
                    os.kill(os.getpid(), 19)
            if n == 6 and (word in ("barrier", "keyed") or word == "apart" and not odd):
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
