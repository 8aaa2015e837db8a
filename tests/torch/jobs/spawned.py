# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of another script by torch.multiprocessing.spawn."""

import importlib
import os
import socket

import torch.multiprocessing

from trainer import settings


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def train(rank, port):
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1",
                      WORLD_SIZE=str(settings["ranks"]), MASTER_PORT=str(port))
    importlib.import_module(settings["script"]).main()


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, (free_port(),), nprocs=settings["ranks"])
