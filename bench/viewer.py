# SPDX-License-Identifier: Apache-2.0
"""`inquest view` on a pty of 240x60, for benchmarks: its screen is read and thrown away."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

INQUEST = os.environ["INQUEST"]


class Viewer:
    """On one processor, if that is asked for; `said` is what came last."""

    def __init__(self, words, env, processor=None):
        # Of our own session: the kernel shares processors out by session, and those who are
        # compared should have one share.
        self.fd, terminal = pty.openpty()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 240, 0, 0))
        self.said = ""
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            if processor is not None:
                os.sched_setaffinity(0, {processor})
            for fd in range(3):
                os.dup2(terminal, fd)
            os.closerange(3, 256)
            os.execve(INQUEST, [INQUEST, "view", *words], env)
        os.close(terminal)

    def read_for(self, seconds, key=b""):
        """Drains the screen; presses the key each half second."""
        end, press = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            if key and time.monotonic() > press:
                os.write(self.fd, key)
                press = time.monotonic() + 0.5
            if select.select([self.fd], [], [], 0.1)[0]:
                self.said = (self.said + os.read(self.fd, 1 << 16).decode("utf-8", "replace"))
                self.said = self.said[-(1 << 17):]

    def read_until(self, word):
        """Drains the screen until that stands on it; ends the benchmark where it does not."""
        end = time.monotonic() + 60
        while word not in self.said:
            if time.monotonic() > end:
                raise SystemExit("no %r on the viewer's screen" % word)
            if select.select([self.fd], [], [], 0.1)[0]:
                self.said += os.read(self.fd, 1 << 16).decode("utf-8", "replace")

    def memory(self):
        """The most that it has used so far, MiB."""
        with open("/proc/%d/status" % self.pid, encoding="utf-8") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024

    def cpu(self):
        """Its processor seconds so far, with those of its helpers that have ended."""
        with open("/proc/%d/stat" % self.pid, encoding="utf-8") as file:
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
