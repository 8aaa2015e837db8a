# SPDX-License-Identifier: Apache-2.0
"""
The viewer on a terminal of 240x60, which nobody reads but us: processor time per time, of a job
that is left, and of a live one of eight hung ranks that it follows, helpers included.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

from figure import figure

INQUEST = os.environ["INQUEST"]
RECORDED = os.path.join(os.environ["srcdir"], "fixtures", "recorded")


class Viewer:
    """`inquest view` on a pty; its screen is read and thrown away."""

    def __init__(self, words, env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(INQUEST, [INQUEST, "view", *words], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 240, 0, 0))

    def read_for(self, seconds, key=b""):
        """Drains the screen; presses the key each half second."""
        end, press = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            if key and time.monotonic() > press:
                os.write(self.fd, key)
                press = time.monotonic() + 0.5
            if select.select([self.fd], [], [], 0.1)[0]:
                os.read(self.fd, 1 << 16)

    def cpu(self):
        with open("/proc/%d/stat" % self.pid) as file:
            ticks = file.read().rsplit(")", 1)[1].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def share(self, seconds, key=b""):
        before, begun = self.cpu(), time.monotonic()
        self.read_for(seconds, key)
        return (self.cpu() - before) / (time.monotonic() - begun) * 100

    def end(self):
        os.write(self.fd, b"Q")
        self.read_until_gone()

    def read_until_gone(self):
        try:
            while os.read(self.fd, 1 << 16):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


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
