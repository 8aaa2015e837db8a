# SPDX-License-Identifier: Apache-2.0
"""A job under `inquest run', and what its agent costs: for agent_bench.py and agent_hour.py."""
import contextlib
import glob
import os
import subprocess
import tempfile
import time

BUILT = os.environ["top_builddir"]
INQUEST = os.environ["INQUEST"]
LAUNCH = os.path.join(os.environ["srcdir"], "tests", "trouble", "launch.sh")
TICK = os.sysconf("SC_CLK_TCK")


class Job:
    """A command under `inquest run`."""

    def __init__(self, *command):
        self.temporary = tempfile.TemporaryDirectory(prefix="inquest-bench-",
                                                     ignore_cleanup_errors=True)
        self.folder = self.temporary.name
        self.jobs = tempfile.TemporaryDirectory(prefix="inquest-bench-", dir="/dev/shm",
                                                ignore_cleanup_errors=True)
        env = dict(os.environ, INQUEST_DIR=self.jobs.name, INQUEST_OUT=self.folder + "/out",
                   LD_LIBRARY_PATH=os.path.join(BUILT, "fixtures", "standin", ".libs"))
        for name in "RANK", "LOCAL_RANK", "WORLD_SIZE":
            env.pop(name, None)
        self.log = self.folder + "/log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.run = subprocess.Popen(
                [INQUEST, "run", "--hang-after", "3", "--",
                 *(word.replace("{}", self.folder) for word in command)],
                env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        self.agent = self.find_agent()

    def find_agent(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for path in glob.glob("/proc/[0-9]*/stat"):
                with contextlib.suppress(OSError):
                    with open(path, encoding="utf-8") as file:
                        name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
                    if name == "inquest-agent" and int(rest.split()[1]) == self.run.pid:
                        return int(path.split("/")[2])
            time.sleep(0.1)
        raise SystemExit("agent_bench: there is no agent")

    def wait(self, what, seconds):
        end = time.monotonic() + seconds
        while not what():
            if time.monotonic() > end or self.run.poll() is not None:
                raise SystemExit("agent_bench: the job does not do what it should")
            time.sleep(0.2)

    def says(self, word):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return word in log.read()

    def cpu(self):
        """Seconds of it, and of its helpers that have ended."""
        with open("/proc/%d/stat" % self.agent, encoding="utf-8") as file:
            return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:15])) / TICK

    def watch(self, seconds):
        """Which part of a core it uses, in %."""
        begun, used = time.monotonic(), self.cpu()
        time.sleep(seconds)
        return (self.cpu() - used) / (time.monotonic() - begun) * 100

    def memory(self, field="VmHWM"):
        with open("/proc/%d/status" % self.agent, encoding="utf-8") as file:
            for line in file:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
        return 0

    def shared(self):
        """MiB of the job's folder."""
        return sum(os.stat(path).st_blocks for path in glob.glob(self.jobs.name + "/*/*")) / 2048

    def files(self):
        """How many files of the job lie in shared memory."""
        return len(glob.glob(self.jobs.name + "/*/*"))

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.agent))

    def zombies(self):
        """Children of the agent that have ended and were not waited for."""
        count = 0
        for path in glob.glob("/proc/[0-9]*/stat"):
            with contextlib.suppress(OSError):
                with open(path, encoding="utf-8", errors="replace") as file:
                    state, parent = file.read().rsplit(")", 1)[1].split()[:2]
                count += state == "Z" and int(parent) == self.agent
        return count

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run.terminate()
        self.run.wait()
        self.temporary.cleanup()
        self.jobs.cleanup()
