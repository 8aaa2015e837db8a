# SPDX-License-Identifier: Apache-2.0
"""A rank that hangs: THREADS threads, each about 90 native and 30 Python frames deep, all asleep.

stacks_job.py THREADS [BEAT]: says "ready" on standard output when all of them sleep. BEAT is a file
of two doubles: the first begins a measurement when it is set to 0, and becomes the longest time, in
seconds, for which one more thread, that never sleeps, did not get on although nobody else had its
processor; the second is when it has last looked (CLOCK_MONOTONIC).
"""
import functools
import mmap
import os
import select
import socket
import struct
import sys
import threading
import time

DEPTH = 13

asleep = threading.Semaphore(0)
never = threading.Event()
held = threading.Lock()
held.acquire()
ours, theirs = socket.socketpair()
many = select.epoll()
many.register(ours.fileno(), select.EPOLLIN)
SLEEPS = [never.wait, held.acquire, lambda: time.sleep(1e6), lambda: ours.recv(1), many.poll,
          lambda: select.select([ours], [], [])]


class Compares:
    def __init__(self, depth, which):
        self.depth, self.which = depth, which

    def __lt__(self, other):
        deeper(self.depth - 1, self.which)
        return True


def sleep(which):
    asleep.release()
    SLEEPS[which % len(SLEEPS)]()


def deeper(depth, which):
    """Calls itself through C: sort, reduce, map."""
    if depth <= 0:
        return sleep(which)
    if depth % 3 == 0:
        return sorted([Compares(depth, which), Compares(depth, which)])
    if depth % 3 == 1:
        return functools.reduce(lambda a, b: deeper(depth - 1, which), [1, 2])
    return list(map(lambda _: deeper(depth - 1, which), [0]))


def beat(name):
    """Time for which it waited for a processor is not the fault of who looks at it.

    Between the two reads it may have to wait: then the time on processors is too small for once.
    """
    seen = mmap.mmap(os.open(name, os.O_RDWR), 16)
    waits = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
    last = float("inf")
    while True:
        now = time.monotonic()
        mine = now - int(os.pread(waits, 64, 0).split()[1]) / 1e9
        if mine - last > struct.unpack_from("d", seen, 0)[0]:
            struct.pack_into("d", seen, 0, mine - last)
        struct.pack_into("d", seen, 8, now)
        last = mine if last == float("inf") else max(mine, last)


def main():
    threads = int(sys.argv[1])
    for i in range(threads - 1):
        threading.Thread(target=deeper, args=(DEPTH, i + 1), daemon=True).start()
    for _ in range(threads - 1):
        asleep.acquire()
    if len(sys.argv) > 2:
        threading.Thread(target=beat, args=(sys.argv[2],), daemon=True).start()
    print("ready", flush=True)
    deeper(DEPTH, 0)


main()
