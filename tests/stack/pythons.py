# SPDX-License-Identifier: Apache-2.0
# What the tests of Python's stacks share: the interpreters of this machine, programs that hang in
# them, and what our reader (pystack) says of these.
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.join(os.environ["srcdir"], "tests", "stack")
PYSTACK = os.path.join(os.environ["top_builddir"], "tests", "stack", "pystack")
DEADLINE = 120
KNOWN = range(8, 15)


def version(python):
    """(3, N) of an interpreter; None if it does not run or is no CPython with a GIL."""
    ask = ("import sys, sysconfig; print(sys.implementation.name == 'cpython' and not "
           "sysconfig.get_config_var('Py_GIL_DISABLED'), *sys.version_info[:2])")
    try:
        said = subprocess.run([python, "-c", ask], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=DEADLINE).stdout.split()
    except (OSError, subprocess.TimeoutExpired):
        return None
    return (int(said[1]), int(said[2])) if said[:1] == [b"True"] else None


def interpreters():
    """One of each kind that we know: [(path, minor)]."""
    asked = os.environ.get("INQUEST_PYTHONS")
    found = asked.split() if asked else sorted(
        glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))
    if not asked:
        found += ["/usr/bin/python3", shutil.which("python3")]
    seen, result = set(), []
    for path in found:
        real = path and os.path.realpath(path)
        if not real or real in seen or not os.path.exists(real):
            continue
        seen.add(real)
        of = version(real)
        if of and of[0] == 3 and of[1] in KNOWN:
            result.append((real, of[1]))
    return result


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
