# SPDX-License-Identifier: Apache-2.0
"""The Python route, as its tests here see it: every python that is found, with and without it."""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile

SRCDIR = os.environ["srcdir"]
sys.path.insert(0, os.path.join(SRCDIR, "tests"))
from interpreters import interpreters  # noqa: E402

BUILD = os.environ["top_builddir"]
PROBE = os.path.join(BUILD, ".libs", "libinquest-probe.so")
SHOW = os.path.join(BUILD, "tests", "probe", "show")
SCRATCH = tempfile.mkdtemp(prefix="inquest-python.")
JOB = os.path.join(SCRATCH, "inquest", "job")
DEADLINE = 120

atexit.register(shutil.rmtree, SCRATCH, True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(99))
os.chdir(SCRATCH)
for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "INQUEST_PYTHON", "PYTHONPATH", "LD_PRELOAD"):
    os.environ.pop(name, None)
os.environ["INQUEST_DIR"] = os.path.dirname(JOB)
os.environ["INQUEST_JOB_DIR"] = JOB
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
os.environ["PYTHON_COLORS"] = "0"


def fail(*words):
    print("FAIL:", *words)
    sys.exit(1)


def skip(*words):
    print("skipped:", *words)
    sys.exit(77)


class Python:
    """One interpreter: its path, and its version as (3, 11)."""

    def __init__(self, path, version):
        self.path = path
        self.version = version
        self.name = "python %d.%d" % version


def pythons():
    """Every python from 3.8 on, by version."""
    found = [Python(path, version) for path, version, _ in interpreters()]
    return found or skip("no python from 3.8 on")


def new_job():
    """An empty folder for the next job's census and rings."""
    shutil.rmtree(os.path.dirname(JOB), ignore_errors=True)
    os.makedirs(JOB, 0o700)
    os.chmod(os.path.dirname(JOB), 0o700)


def write(name, text):
    """A file in the scratch folder; its path."""
    path = os.path.join(SCRATCH, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Ran:
    """What a program left: status, output, and where probed the records."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    def __eq__(self, other):
        return (self.status, self.out, self.err) == (other.status, other.out, other.err)

    def __str__(self):
        return "status %d\n--- out\n%s--- err\n%s" % (self.status, self.out, self.err)


def run(argv, probed=True, stdin="", env=None, preload=PROBE):
    """Runs a program to its end, in an empty job."""
    new_job()
    world = dict(os.environ, **(env or {}))
    if probed:
        world["LD_PRELOAD"] = preload
    try:
        ran = subprocess.run(
            argv,
            input=stdin.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=world,
            timeout=DEADLINE,
        )
    except subprocess.TimeoutExpired as late:
        fail("hangs:", argv, late.stdout, late.stderr)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def records():
    """All rings of the job, as lines (tests/probe/show.c)."""
    rings = sorted(os.path.join(JOB, f) for f in os.listdir(JOB) if f.endswith(".ring"))
    if not rings:
        return []
    shown = subprocess.run([SHOW] + rings, stdout=subprocess.PIPE, check=True)
    return shown.stdout.decode("utf-8", "replace").splitlines()


def pinned(kind):
    """The pinned records of a kind: "NOTE", "TRAIT"; the words in quotation marks, as tuples."""
    found = []
    for line in records():
        if line.startswith("pin") and " %s " % kind in line:
            found.append(tuple(line.split('"')[1::2]))
    return found
