# SPDX-License-Identifier: Apache-2.0
"""
frameworks_bench.py [FRAMEWORK...]: what `inquest run` costs a healthy job of each framework that is
tested (tests/frameworks), in time for a step of training. Two jobs of one rank do the same, one of
them under `inquest run`, and take turns (turns.py), in BENCH_PAIRS pairs of new jobs.

A rank's gate (jobs/common.py) lets some steps pass when it is asked to. All that the framework
does between two steps is in its time: reading a batch, hooks, callbacks, a line of output. The time
for which the rank's process ran is shown, too: a framework's own daemons, of both jobs, take turns
on the CPU with the ranks, and are in the first time alone.

glibc's allocator is told to keep what it has: else it gives memory back and takes it anew in each
step, some hundred pages more in one process than in the next one that does the same (324 to 835 in
five pairs of DeepSpeed's jobs), as the end of its heap falls.

BENCH_CONTROL=1: neither of the two is under `inquest run`. What is shown then is how far two jobs
that do the same are apart here.
"""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

source = os.environ["srcdir"]
build = os.environ["top_builddir"]
place = os.environ.get("INQUEST_FRAMEWORKS") or os.path.join(build, "frameworks")
os.environ["INQUEST_TORCH"] = place
sys.path[:0] = [os.path.join(source, "tests", folder)
                for folder in ("scenarios", "torch", "frameworks")]

import cases  # noqa: E402
from turns import compare_pairs, take_turns  # noqa: E402

PAIRS = int(os.environ.get("BENCH_PAIRS", 10))
CONTROL = bool(os.environ.get("BENCH_CONTROL"))
TURNS = 30
STEPS = 4  # in a turn
BAR = 1.01
KEEP = str(1 << 30)
WIDTH, LAYERS = 256, 4
BATCHES, ROWS, LENGTH = 16, 16, 65
CPU = sorted(os.sched_getaffinity(0))[-1]


class Job:
    """A job of one rank that waits at its gate."""

    def __init__(self, framework, folder, probed):
        self.folder = folder
        shutil.copytree(os.path.join(source, "tests/frameworks/jobs"), folder)
        self.write_settings()
        launcher = cases.torchrun if framework is cases.Accelerate else framework.launcher
        command = launcher(folder, 1, framework.script)  # Accelerate's own wants two ranks
        if probed:
            command = [os.environ["INQUEST"], "run", "--name", "bench", "-o", "out", "--",
                       *command]
        environment = dict(os.environ, OMP_NUM_THREADS="1", CCACHE_DISABLE="1",
                           MALLOC_TRIM_THRESHOLD_=KEEP, MALLOC_MMAP_THRESHOLD_=KEEP,
                           TORCH_EXTENSIONS_DIR=os.path.join(tempfile.gettempdir(),
                                                             "inquest-bench-extensions"))
        with open(os.path.join(folder, "said"), "w") as said:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                            stdout=said, stderr=said, env=environment,
                                            start_new_session=True)
        self.ran = []
        self.go = os.fdopen(self.await_gate(), "w")
        self.took = open(os.path.join(folder, "took"))

    def await_gate(self):
        """The rank comes to its gate when its framework is up."""
        while True:
            try:
                go = os.open(os.path.join(self.folder, "go"), os.O_WRONLY | os.O_NONBLOCK)
                os.set_blocking(go, True)
                return go
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
            if self.process.poll() is not None:
                self.complain()
            time.sleep(0.05)

    def complain(self):
        with open(os.path.join(self.folder, "said")) as said:
            sys.exit("the job is gone:\n" + "".join(said.readlines()[-20:]))

    def write_settings(self):
        os.mkfifo(os.path.join(self.folder, "go"))
        os.mkfifo(os.path.join(self.folder, "took"))
        with open(os.path.join(self.folder, "run.json"), "w") as file:
            json.dump({"ranks": 1, "rounds": 1 << 20, "width": WIDTH, "layers": LAYERS,
                       "gate": [CPU, os.path.abspath(os.path.join(self.folder, "go")),
                                os.path.abspath(os.path.join(self.folder, "took"))]}, file)
        draw = random.Random(1)
        os.makedirs(os.path.join(self.folder, "shards"), exist_ok=True)
        with open(os.path.join(self.folder, "shards/0.jsonl"), "w") as file:
            for _ in range(BATCHES):
                rows = [[draw.randrange(1, 128) for _ in range(LENGTH)] for _ in range(ROWS)]
                print(json.dumps(rows), file=file)

    def time(self):
        print(STEPS, file=self.go, flush=True)
        line = self.took.readline()
        if not line:
            self.complain()
        took, ran = map(float, line.split())
        self.ran.append(ran)
        return took

    def end(self):
        self.go.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def take_pair(framework, probed_first):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        both = [None, None]
        for probed in (1, 0) if probed_first else (0, 1):
            both[probed] = Job(framework, os.path.join(scratch, str(probed)),
                               probed and not CONTROL)
        for each in both * 2:
            each.time()  # the first steps make what later ones find
        for each in both:
            each.ran.clear()
        turns = take_turns(*both, turns=TURNS)
        for each in both:
            each.end()
        return turns, list(zip(both[0].ran, both[1].ran))


def main(names):
    print("== Frameworks, a step of training of one rank",
          "beside another one" if CONTROL else "under inquest run")
    if not os.path.exists(os.path.join(place, "bin/accelerate")):
        print("skipped: none in", place)
        return
    for name in names or cases.FRAMEWORKS:
        pairs = [take_pair(cases.FRAMEWORKS[name], pair % 2) for pair in range(PAIRS)]
        compare_pairs(name, [took for took, _ in pairs], BAR)
        compare_pairs(name + ", its process", [ran for _, ran in pairs])


main(sys.argv[1:])
