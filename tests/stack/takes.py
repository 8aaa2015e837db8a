# SPDX-License-Identifier: Apache-2.0
"""What tests of taking stacks share: processes in a plight, and what `take` prints of them."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

top = os.environ["top_builddir"]
here = os.path.join(top, "tests/stack")
started = []


def skip(reason):
    print("skipped:", reason)
    stop_all()
    sys.exit(77)


def fail(words, seen=""):
    print("FAIL:", words)
    if seen:
        print(seen)
    stop_all()
    sys.exit(1)


def stop_all():
    for process in started:
        if process.poll() is None:
            process.kill()
    for process in started:
        process.wait()
    started.clear()


def until(what, question, seconds=60):
    """Asks again and again; gives the first answer that is not empty."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = question()
        if answer:
            return answer
        time.sleep(0.02)
    fail("still not: " + what)


def start(*argv, before=(), path=None, **more):
    """
    Starts a program of ours that says "ready" or "ready PID"; gives it and that pid. One with
    sleeping threads sleeps by then.
    """
    out = tempfile.TemporaryFile("w+")
    argv = [path or os.path.join(here, argv[0])] + [str(word) for word in argv[1:]]
    process = subprocess.Popen(list(before) + argv, stdout=out, text=True, **more)
    started.append(process)
    process.out = out

    def is_ready():
        if process.poll() == 77:
            skip("%s cannot do it here" % " ".join(argv))
        if process.poll() is not None:
            fail("%s ended with %d" % (" ".join(argv), process.returncode))
        return re.match(r"ready ?(\d*)\b.*\n", said(process))

    pid = int(until("%s is ready" % " ".join(argv), is_ready)[1] or process.pid)
    if argv[1:2] == ["threads"]:
        until("all of its threads sleep", lambda: list(states_of(pid).values()) ==
              ["S"] * (int(argv[2]) + 1))
    return process, pid


def said(process):
    return os.pread(process.out.fileno(), 1 << 20, 0).decode()


class Thread:
    pattern = re.compile(
        r"thread (\d+) own (\d+) (.+) (.) (\w+) error (\d+) syscall (-?\d+) wchan (\S+) "
        r"moved (\d) frames (\d+) (.*)$")

    def __init__(self, line):
        found = self.pattern.match(line) or fail("not understood: " + line)
        self.tid, self.own = int(found[1]), int(found[2])
        self.comm, self.state, self.how = found[3], found[4], found[5]
        self.error, self.syscall, self.wchan = int(found[6]), int(found[7]), found[8]
        self.moved, self.end = found[9] == "1", found[11]
        self.frames = []

    def functions(self):
        return [frame.split(" ", 1)[1] for frame in self.frames]


class Taken:
    """One process at one moment."""

    def __init__(self, line):
        found = re.match(r"process (\d+) own (\d+) sample (\d+) threads (\d+) longest_stop (\d+)",
                         line)
        self.pid, self.own, self.sample = int(found[1]), int(found[2]), int(found[3])
        self.longest_stop = int(found[5])
        self.missing, self.threads = "", []

    def of(self, how):
        return [thread for thread in self.threads if thread.how == how]


class Look:
    """What `take` with these words printed."""

    def __init__(self, *words, before=(), path=None, preexec=None):
        words = [str(word) for word in words]
        argv = list(before) + [path or os.path.join(here, "take")] + words
        began = time.monotonic()
        run = subprocess.run(argv, preexec_fn=preexec, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="backslashreplace",
                             timeout=100)
        self.seconds = time.monotonic() - began
        self.text = run.stdout
        if run.returncode == 77:
            skip(run.stdout)
        if run.returncode:
            fail("take %s gave %d" % (" ".join(words), run.returncode), self.text)
        self.taken, self.gaps = [], []
        for line in run.stdout.splitlines():
            self.read(line)

    def read(self, line):
        if line.startswith("process "):
            self.taken.append(Taken(line))
        elif line.startswith("thread "):
            self.taken[-1].threads.append(Thread(line))
        elif line.startswith("  "):
            self.taken[-1].threads[-1].frames.append(line[2:])
        elif line.startswith("gap "):
            self.gaps.append(line[4:])
        elif line.startswith("unreadable"):
            fail(line, self.text)
        elif not line.startswith("took ") and self.taken:
            self.taken[-1].missing += line.replace("missing ", "", 1) + "\n"

    def of(self, pid, sample=0):
        for taken in self.taken:
            if taken.pid == pid and taken.sample == sample:
                return taken
        fail("no sample %d of %d" % (sample, pid), self.text)

    def check(self, truth, words):
        if not truth:
            fail(words, self.text)


def state_of(pid, tid=None):
    """As in stat; "" of a process that is gone."""
    try:
        with open("/proc/%d/task/%d/stat" % (pid, tid or pid)) as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def states_of(pid):
    try:
        tids = [int(tid) for tid in os.listdir("/proc/%d/task" % pid)]
    except OSError:
        return {}
    return {tid: state_of(pid, tid) for tid in tids}


def done():
    stop_all()
    sys.exit(0)


signal.signal(signal.SIGTERM, lambda *_: (stop_all(), sys.exit(99)))
