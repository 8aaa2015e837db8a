# SPDX-License-Identifier: Apache-2.0
"""How the jobs here are started: a launcher gives the command line, and may write files first."""

import os
import socket

torch = os.environ.get("INQUEST_TORCH") or os.path.join(os.environ["top_builddir"], "torch")
python = os.path.join(torch, "bin/python3")
run = os.path.join(torch, "bin/torchrun")


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def torchrun(folder, ranks, script):
    return [run, f"--nproc_per_node={ranks}", script]


def loop(folder, ranks, script):
    """A shell's loop; where each rank looks for the others it finds in a file."""
    port = free_port()
    with open(os.path.join(folder, "ports"), "w") as file:
        file.write(f"{port}\n" * ranks)
    return ["./loop.sh", str(ranks), python, script]


def own_run(folder):
    """A program that runs Python under an inquest run of its own."""
    path = os.path.join(folder, "own-run")
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\nexec {os.environ['INQUEST']} run --name train --hang-after 6 "
                   f"-- {python} \"$@\"\n")
    os.chmod(path, 0o700)
    return "./own-run"


def own_runs(launcher):
    """That launcher, with an inquest run before each rank in place of one before all."""
    def launch(folder, ranks, script):
        ours = own_run(folder)
        return [ours if word == python else word for word in launcher(folder, ranks, script)]
    return launch


def spawn(folder, ranks, script):
    """The script starts its ranks itself."""
    return [python, "-u", script]


def mpirun(folder, ranks, script):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
            "-n", str(ranks), "-x", "MASTER_ADDR=127.0.0.1", "-x", f"MASTER_PORT={free_port()}",
            python, "-u", script]


def srun(folder, ranks, script, nodes=2):
    """One torchrun per node, all of them told to meet at one place."""
    return ["./srun", str(nodes), run, f"--nnodes={nodes}", f"--nproc_per_node={ranks // nodes}",
            "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{free_port()}", "--rdzv-id=4711",
            script]
