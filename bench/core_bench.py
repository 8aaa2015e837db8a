# SPDX-License-Identifier: Apache-2.0
"""A process of 30 threads, each 30 Python frames deep, and 256 MB, that leaves a core."""
import os
import threading

ready, hold = threading.Semaphore(0), bytearray(os.urandom(1 << 20) * 240)


def step(depth):
    if depth:
        return [step(depth - 1)][0]
    ready.release()
    threading.Event().wait()


for _ in range(29):
    threading.Thread(target=step, args=[26], daemon=True).start()
for _ in range(29):
    ready.acquire()
os.abort()
