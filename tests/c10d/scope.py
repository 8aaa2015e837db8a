# SPDX-License-Identifier: Apache-2.0
"""
scope.py FAKES LIBRARY MEET GROUP...: a rank that makes process groups as torch.distributed does: in
Python, and behind it in C++ (torchlike). A GROUP is NAME=RANKS, "tp=0,2,4"; a list may name more
ranks than there are. NAME=destroyed destroys that group, all=destroyed all that there are: the
object behind it lives on.
"""

import ctypes
import os
import sys

fakes, library, meet = sys.argv[1:4]
sys.path.insert(0, fakes)
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])

import torch.distributed.distributed_c10d as c10d  # noqa: E402

groups_gloo = ctypes.CDLL(library).groups_gloo


def make(name, seat, seats):
    """As busy as PyTorch is between the description and the group: what was freed is used anew."""
    used = [chr(ord("a") + n % 26) * (n % 600) for n in range(20000)]
    groups_gloo(meet.encode(), name.encode(), seat, min(seats, size), size)
    return used


class Group:
    def __init__(self, name):
        self.group_name = name


def new_group(name, ranks):
    seat = ranks.index(rank) if rank in ranks else -1
    store = make if rank in ranks else None
    c10d._new_process_group_helper(len(ranks), seat, ranks, "gloo", store, name)


new_group("0", list(range(size)))
for group in sys.argv[4:]:
    name, ranks = group.split("=")
    if ranks == "destroyed":
        c10d.destroy_process_group(None if name == "all" else Group(name))
        continue
    new_group(name, [int(one) for one in ranks.split(",")])
os._exit(0)
