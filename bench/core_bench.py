# SPDX-License-Identifier: Apache-2.0
"""A core of 256 MB: a process of stacks_job.py, 30 threads and much else, killed by SIGABRT.

Our walk alone, the whole of inquest diagnose, and others' stacks of the same core.
"""
import glob
import os
import resource
import signal
import subprocess
import sys
import tempfile

from figure import ROUNDS, Machine, figure, has, median, runs_of

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["top_builddir"]
INQUEST = os.environ["INQUEST"]
THREADS, MEGABYTES = 30, 240


def die(folder):
    """Leaves a core in the folder, and gives its name; None where this machine leaves none."""
    job = "import os, runpy; much = bytearray(os.urandom(1 << 20) * %d); " \
          "runpy.run_path(%r)" % (MEGABYTES, os.path.join(HERE, "stacks_job.py"))
    limit = (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2
    with subprocess.Popen(
            [sys.executable, "-c", job, str(THREADS)], cwd=folder, stdout=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, limit)) as child:
        if child.stdout.readline() != b"ready\n":
            sys.exit("the process has not begun to hang")
        child.send_signal(signal.SIGABRT)
    cores = glob.glob(os.path.join(folder, "core*"))
    return cores[0] if len(cores) == 1 else None


def main():
    machine = Machine()
    print("== Core files", flush=True)
    python = os.path.realpath(sys.executable)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        core = die(folder)
        if not core:
            print("no core lands in the working folder here: skipped")
            return
        subprocess.run([os.path.join(BUILD, "bench", "core_bench"), core], check=True)
        ours = runs_of([INQUEST, "diagnose", core], ROUNDS, (0, 1, 4))
        if not ours:
            sys.exit("inquest diagnose failed")
        figure("inquest diagnose of it, wall", median(ours, "wall"), "ms", bar=250)
        figure("inquest diagnose of it, CPU", median(ours, "cpu"), "ms", bar=100)
        for name, command in (
                ("eu-stack -q (no names)", ["eu-stack", "-q", "-n", "0", "--core=" + core, "-e",
                                            python]),
                ("eu-stack", ["eu-stack", "-n", "0", "--core=" + core, "-e", python]),
                ("gdb -batch", ["gdb", "-batch", "-ex", "thread apply all bt", python, core])):
            if not has(command[0]):
                print(command[0] + " is not here: skipped")
                continue
            theirs = runs_of(command, 3)
            if theirs:
                for what, said in ("wall", "wall"), ("cpu", "CPU"):
                    figure("%s, %s" % (name, said), median(theirs, what), "ms",
                           ratio=median(theirs, what) / median(ours, what))
            else:
                print(name + ": it failed: skipped")
    machine.say()


main()
