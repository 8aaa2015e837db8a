# SPDX-License-Identifier: Apache-2.0
"""What a job's good end costs: from the last that its command does until `inquest run' is back with
status 0, beside the same of a shell. In it the agent looks a last time at who lived, keeps what
there is to be told, and sweeps. No rank of such a job is gathered from while it works."""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from figure import ROUNDS, figure

BUILT = os.environ["top_builddir"]
LAUNCH = os.path.join(os.environ["srcdir"], "tests", "trouble", "launch.sh")
# What it began with, and when it was done.
LAST = '"$@" && exec "$0" -c "import sys, time; open(sys.argv[1], \'w\').write(' \
    'str(time.monotonic()))" "$ENDED"'


def end_of(before, command):
    """Seconds from the command's end to that of what stands before it; and all that it wrote."""
    with tempfile.TemporaryDirectory(prefix="inquest-bench-") as folder, \
            tempfile.TemporaryDirectory(prefix="inquest-bench-", dir="/dev/shm") as jobs:
        env = dict(os.environ, INQUEST_DIR=jobs, INQUEST_OUT=folder + "/out",
                   ENDED=folder + "/ended",
                   LD_LIBRARY_PATH=os.path.join(BUILT, "fixtures", "standin", ".libs"))
        for name in "RANK", "LOCAL_RANK", "WORLD_SIZE":
            env.pop(name, None)
        command = [word.replace("{}", folder) for word in command]
        status = subprocess.run(
            [*before, "sh", "-c", LAST, shutil.which("python3"), *command], env=env, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic()
        if status.returncode:
            sys.exit("%s ended with %d" % (command, status.returncode))
        with open(folder + "/ended", encoding="utf-8") as file:
            return end - float(file.read())


def compare(name, command, bar):
    rounds = [(end_of([os.environ["INQUEST"], "run", "--"], command), end_of([], command))
              for _ in range(ROUNDS)]
    more = statistics.median(ours - bare for ours, bare in rounds) * 1e3
    figure(name, more, "ms more", bar)


def main():
    print("== a good end")
    compare("the end of a command that is no job", ["true"], 50)
    for ranks, bar in (1, 50), (8, 100), (64, 500):
        compare("the end of %d rank%s that did well" % (ranks, "s" * (ranks > 1)),
                [LAUNCH, "{}/play", str(ranks), "sum"], bar)


if __name__ == "__main__":
    main()
