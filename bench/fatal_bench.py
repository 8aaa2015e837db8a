# SPDX-License-Identifier: Apache-2.0
"""A rank in Python that dies 30 frames deep; `read FILE...`: how long such tracebacks took."""

import ctypes
import json
import statistics
import sys

from figure import figure


class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def rank():
    ctypes.CDLL("libnccl.so.2", mode=ctypes.RTLD_GLOBAL)
    mine, id, comm = ctypes.CDLL(None), Id(), ctypes.c_void_p()
    mine.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, Id, ctypes.c_int]
    mine.ncclGetUniqueId(ctypes.byref(id))
    mine.ncclCommInitRank(ctypes.byref(comm), 1, id, 0)


def deeper(n):
    return deeper(n - 1) if n else ctypes.string_at(16)


def read(names):
    traces = []
    for name in names:
        with open(name) as file:
            traces.append(json.load(file)["fatal"][0]["traceback"])
    figure("traceback of %d native, %d Python frames" % (
        len(traces[0]["frames"]), len(traces[0]["python_frames"])),
        statistics.median(trace["took_ns"] for trace in traces) / 1000, "us", bar=300)


if sys.argv[1:2] == ["read"]:
    read(sys.argv[2:])
else:
    rank()
    deeper(27)
