# SPDX-License-Identifier: Apache-2.0
"""
The viewer on a terminal of 240x60, which nobody reads but us: how soon its first screen is there;
processor time per time, of a job that is left, and of a live one of eight hung ranks that it
follows, helpers included; and its memory then.
"""
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time

from figure import ROUNDS, figure
from viewer import INQUEST, Viewer

RECORDED = os.path.join(os.environ["srcdir"], "fixtures", "recorded")


def first_screen(name, bar, words, env, state):
    """From the command to a screen that says of what it is: the end of its second line."""
    times = []
    for _ in range(ROUNDS):
        begun = time.monotonic()
        viewer = Viewer(words, env)
        viewer.read_until(state)
        times.append((time.monotonic() - begun) * 1e3)
        viewer.read_for(0.2)
        viewer.end()
    figure(name, statistics.median(times), "ms", bar)


def left(env):
    first_screen("view of a bundle: first screen", 30, [RECORDED + "/compile-skew.inq"], env,
                 "RECORDED")
    viewer = Viewer([RECORDED + "/compile-skew.inq"], env)
    viewer.read_for(1)
    figure("view of a bundle, idle", viewer.share(10), "%", 1)
    viewer.end()


def live(env):
    with tempfile.TemporaryDirectory(prefix="inquest-bench-") as folder:
        done = subprocess.run([INQUEST, "demo", "--keep", "host-stall"], check=True,
                              capture_output=True, text=True, env=dict(env, TMPDIR=folder))
        job = int(re.search(r"kill (\d+)", done.stderr).group(1))
        jobs = re.search(r"INQUEST_DIR=(\S+)", done.stderr).group(1)
        env = dict(env, INQUEST_DIR=jobs)
        first_screen("view of 8 live ranks: first screen", 60, [], env, "LIVE")
        viewer = Viewer([], env)
        viewer.read_for(1)
        figure("view of 8 live ranks, a key each 0.5 s", viewer.share(10, b"j"), "%", 6)
        viewer.read_for(12)
        figure("the same, followed, no key for 10 s", viewer.share(20), "%", 1)
        figure("  its memory at most", viewer.memory(), "MiB", 40)
        viewer.end()
        os.kill(job, signal.SIGTERM)
        time.sleep(2)


def main():
    env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
    left(env)
    live(env)


main()
