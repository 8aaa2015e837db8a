# SPDX-License-Identifier: Apache-2.0
"""
The viewer on a terminal of 240x60, which nobody reads but us: processor time per time, of a job
that is left, and of a live one of eight hung ranks that it follows, helpers included.
"""
import os
import re
import signal
import subprocess
import tempfile
import time

from figure import figure
from viewer import INQUEST, Viewer

RECORDED = os.path.join(os.environ["srcdir"], "fixtures", "recorded")


def left(env):
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
        viewer = Viewer([], dict(env, INQUEST_DIR=jobs))
        viewer.read_for(1)
        figure("view of 8 live ranks, a key each 0.5 s", viewer.share(10, b"j"), "%", 6)
        viewer.read_for(12)
        figure("the same, followed, no key for 10 s", viewer.share(20), "%", 1)
        viewer.end()
        os.kill(job, signal.SIGTERM)
        time.sleep(2)


def main():
    env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
    left(env)
    live(env)


main()
