# SPDX-License-Identifier: Apache-2.0
# What the tests of Python's stacks share: the interpreters of this machine, programs that hang in
# them, and what our reader (pystack) says of these.
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["srcdir"], "tests"))
from interpreters import everyone, readable

HERE = os.path.join(os.environ["srcdir"], "tests", "stack")
PYSTACK = os.path.join(os.environ["top_builddir"], "tests", "stack", "pystack")
DEADLINE = 120


def interpreters():
    """Those whose frames we can read: [(path, minor)]."""
    return [(one.path, one.version[1]) for one in readable()]


class Thread:
    def __init__(self, tid=0, interpreter=0, holds=False, cut=None):
        self.tid, self.interpreter, self.holds, self.cut = tid, interpreter, holds, cut
        self.frames = []  # (file, line, function), innermost first

    def innermost(self):
        return self.frames[0][2] if self.frames else None


class Looked:
    """What pystack said."""

    def __init__(self, text):
        self.text = text
        self.places, self.threads, self.merged, self.native = [], [], {}, {}
        self.missing, self.waits, self.named = [], [], []
        self.partial = False  # the symbol of the evaluation loop covers little of it
        for line in text.splitlines():
            word, _, rest = line.partition(" ")
            getattr(self, "on_" + word, lambda rest: self.missing.append(line))(rest)

    def on_place(self, rest):
        self.places.append(tuple(rest.split(" ", 1)))

    def on_gil(self, rest):
        self.gil = tuple(map(int, rest.split()))

    def on_thread(self, rest):
        tid, interpreter, holds, cut = rest.split(" ", 3)
        self.threads.append(Thread(int(tid), int(interpreter), holds == "1",
                                   None if cut == "-" else cut))

    def on_frame(self, rest):
        line, rest = rest.split(" ", 1)
        function, file = rest.split("\t")
        self.threads[-1].frames.append((file, int(line), function))

    def on_partial(self, _):
        self.partial = True

    def on_merged(self, rest):
        tid, *counts = map(int, rest.split())
        self.merged[tid] = counts
        self.native[tid] = []
        self.last = tid

    def on_waits(self, rest):
        self.waits.append(int(rest))

    def on_named(self, rest):
        self.named.append(int(rest))

    def on_native(self, rest):
        self.native[self.last].append(tuple(rest.split("\t")))


def look(pid, *how):
    done = subprocess.run([PYSTACK, str(pid), *how], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=DEADLINE)
    if done.returncode:
        fail("pystack: %d %s" % (done.returncode, done.stderr.decode(errors="replace")))
    text = done.stdout.decode()
    if "\nerror " in text:
        fail("pystack: " + text)
    return Looked(text)


class Program:
    """A process that has said "ready"; ended when its block ends."""

    def __init__(self, argv, env=None):
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env)
        self.pid = self.process.pid

    def __enter__(self):
        self.said = self.process.stdout.readline()
        if not self.said.startswith("ready"):
            self.process.kill()
            fail("%s did not get ready: %r" % (self.process.args, self.said))
        return self

    def __exit__(self, *why):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def until(what, try_it):
    """Polls until it gives something true, and gives that."""
    end = time.monotonic() + DEADLINE
    while True:
        got = try_it()
        if got:
            return got
        if time.monotonic() > end:
            fail("never: " + what)
        time.sleep(0.02)


def fail(words):
    sys.exit("FAIL: " + words)


def skip(words):
    print(words)
    sys.exit(77)
