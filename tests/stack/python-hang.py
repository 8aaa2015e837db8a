# SPDX-License-Identifier: Apache-2.0
# What python.test looks into: threads that hang in all the ways in which Python can be called.
# Says "ready" when all of them do; SIGUSR1 lets faulthandler tell where they are.
import asyncio
import faulthandler
import functools
import os
import signal
import sys
import threading
import time

faulthandler.register(signal.SIGUSR1, file=open(sys.argv[1], "w"), all_threads=True)
waiting = threading.Semaphore(0)
never = threading.Lock()
never.acquire()


def wait_lock():
    waiting.release()
    never.acquire()


def wait_sleep():
    waiting.release()
    time.sleep(1e6)


def wait_read():
    ours, theirs = os.pipe()
    waiting.release()
    os.read(ours, 1)


class Compares:
    def __init__(self, depth):
        self.depth = depth

    def __lt__(self, other):
        through_c(self.depth - 1)
        return True


def through_c(depth):
    """Calls itself through C: sort, reduce, map."""
    if depth <= 0:
        return wait_lock()
    if depth % 3 == 0:
        return sorted([Compares(depth), Compares(depth)])
    if depth % 3 == 1:
        return functools.reduce(lambda a, b: through_c(depth - 1), [1, 2])
    return list(map(lambda _: through_c(depth - 1), [0]))


def generators():
    def inner():
        yield 1
        wait_sleep()

    def outer():
        yield from inner()

    for _ in outer():
        pass


def expressions():
    [wait_sleep() for _ in range(3)
     if [x
         for x in (1,)]]


def generator_expression():
    return max(wait_read()
               for _ in
               range(3))


def class_body():
    class Body:
        first = 1
        second = wait_lock(
        )


class Sürprise:
    def grüße_漢字(self):
        exec(compile("\n\n\nwait_sleep()", "/tmp/ünï/🐍.py", "exec"), globals())


async def innermost():
    wait_sleep()


async def outermost():
    async def between():
        await innermost()

    await between()


class Idle:
    async def wait(self):
        waiting.release()
        await asyncio.sleep(1e6)


class Context:
    def __enter__(self):
        return self

    def __exit__(self, *why):
        wait_lock()


def with_statement():
    try:
        with Context():
            raise KeyError(
                "x")
    finally:
        pass


class Hot:
    """Made so often that the interpreter calls __init__ in its own way."""

    def __init__(self, last):
        if last:
            wait_read()


def hot():
    for i in range(20000):
        Hot(i == 19999)


def many_lines():
    lines = "def f():\n    x = 0\n" + "\n" * 700
    lines += "    x = (x +\n      wait_lock())\nf()"
    exec(compile(lines, "many.py", "exec"), globals())


def deep(depth):
    if depth:
        deep(depth - 1)
    else:
        wait_lock()


waits = [wait_lock, wait_sleep, wait_read, lambda: through_c(7), generators, expressions,
         generator_expression, class_body, Sürprise().grüße_漢字,
         lambda: asyncio.run(outermost()), lambda: asyncio.run(Idle().wait()),
         with_statement, hot, many_lines]
if len(sys.argv) > 2:
    sys.setrecursionlimit(10 * int(sys.argv[2]))
    threading.stack_size(512 << 20)
    waits = [lambda: deep(int(sys.argv[2]))]
for wait in waits:
    threading.Thread(target=wait, daemon=True).start()
for wait in waits:
    waiting.acquire()
print("ready", flush=True)
through_c(5)
