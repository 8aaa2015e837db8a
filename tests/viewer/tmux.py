# SPDX-License-Identifier: Apache-2.0
"""
A real terminal for tests: a shell in a tmux server of our own. Names what a program leaves behind
when it does not give the terminal back.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

DEADLINE = 60
# Alternate screen, cursor, keys of cursor and keypad, mouse: as a shell has them.
FLAGS = {"alternate_on": "0", "cursor_flag": "1", "keypad_cursor_flag": "0", "keypad_flag": "0",
         "mouse_any_flag": "0"}


def need_tmux():
    if not shutil.which("tmux"):
        print("no tmux here")
        sys.exit(77)


def fail(words):
    raise SystemExit("FAIL: " + words)


class Terminal:
    """A shell on a screen of w x h; use it in a `with`."""

    def __init__(self, w=80, h=24, term=None, env=None):
        self.folder = tempfile.mkdtemp(prefix="inquest-tmux-")
        self.socket = os.path.join(self.folder, "socket")
        self.env = dict(os.environ, LC_ALL="C.UTF-8", PS1="shell> ", ENV="", **(env or {}))
        for name in ["TMUX", "NO_COLOR", "INQUEST_COLOR", "CLICOLOR_FORCE", "COLORFGBG", "COLUMNS",
                     "LINES"]:
            self.env.pop(name, None)
        self.conf = os.path.join(self.folder, "conf")
        with open(self.conf, "w", encoding="utf-8") as conf:
            conf.write("set -g status off\nset -g default-terminal screen-256color\n"
                       "set -g set-clipboard on\nset -g escape-time 0\nset -g history-limit 0\n")
        self.tmux("new-session", "-d", "-x", str(w), "-y", str(h), "sh", "-i")
        try:
            self.prepare(term)
        except BaseException:
            self.__exit__()
            raise

    def prepare(self, term):
        self.tmux("set", "-g", "window-size", "manual")
        self.wait("shell>")
        self.ran = 0
        self.run("c() { printf '\\033[H\\033[2J'; }")
        self.run("ulimit -c 0")
        if term is not None:
            self.run("TERM=%s; export TERM" % term)
        self.modes = self.stty()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.env, check=False,
                       stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, "-f", self.conf, *words],
                              env=self.env, check=True, capture_output=True)
        return done.stdout.decode("utf-8", "replace")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def lines(self):
        return self.screen().split("\n")

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def bytes(self, raw):
        self.tmux("send-keys", "-H", *["%02x" % byte for byte in raw])

    def wait(self, pattern):
        """Until the screen has it; its match."""
        end = time.monotonic() + DEADLINE
        while True:
            screen = self.screen()
            match = re.search(pattern, screen)
            if match:
                return match
            if time.monotonic() > end:
                fail("never came: %s\n%s" % (pattern, screen))
            time.sleep(0.02)

    def start(self, command):
        """Runs it in the shell, on a blank screen, and does not wait."""
        self.run(":")
        self.type(command)
        self.keys("Enter")

    def run(self, command):
        """Runs it to its end; what it said, and its status."""
        self.ran += 1
        self.type("c; %s; echo %d:status=$?=" % (command, self.ran))
        self.keys("Enter")
        status = self.wait(r"%d:status=(\d+)=\n[^$]*shell>" % self.ran).group(1)
        return self.screen().rsplit("%d:status=" % self.ran, 1)[0], int(status)

    def status(self):
        """Of what start() has started, which has ended or will."""
        self.wait(r"(^|\n)shell>\s*$")
        self.type("echo was=$?=")
        self.keys("Enter")
        return int(self.wait(r"was=(\d+)=").group(1))

    def stty(self):
        """Its modes; rows and columns are the window's, and so is where lines break."""
        return re.sub(r"rows\d+;columns\d+;", "", re.sub(r"\s", "", self.run("stty -a")[0]))

    def flags(self):
        words = " ".join("%s=#{%s}" % (name, name) for name in FLAGS)
        said = self.tmux("display-message", "-p", words).split()
        return dict(word.split("=") for word in said)

    def pid_of(self, name):
        """The process of this name below the shell."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            said = subprocess.run(["ps", "-o", "pid=,ppid=,comm=", "-e"], check=True,
                                  capture_output=True, text=True).stdout
            table = [row.split(None, 2) for row in said.splitlines()]
            below = {shell}
            for pid, parent, comm in table * 4:
                if parent in below:
                    below.add(pid)
                    if comm == name[:15]:
                        return int(pid)
            time.sleep(0.05)
        fail("no process %s" % name)
        return None

    def wait_for_shell(self):
        """Until the shell reads keys again, whatever the screen looks like."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        end = time.monotonic() + DEADLINE
        while True:
            with open("/proc/%s/stat" % shell, encoding="utf-8") as stat:
                if stat.read().rsplit(")", 1)[1].split()[5] == shell:
                    return
            if time.monotonic() > end:
                fail("the shell is not in front again\n" + self.screen())
            time.sleep(0.02)

    def must_be_given_back(self, what):
        """Modes, screen and cursor are the shell's again."""
        self.wait(r"shell>")
        end = time.monotonic() + DEADLINE
        while self.flags() != FLAGS:
            if time.monotonic() > end:
                fail("%s leaves the terminal so: %s" % (what, self.flags()))
            time.sleep(0.02)
        modes = self.stty()
        if modes != self.modes:
            fail("%s leaves other modes:\n%s\nbefore:\n%s" % (what, modes, self.modes))
