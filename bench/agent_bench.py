# SPDX-License-Identifier: Apache-2.0
"""
What the agent costs: of a core, and in memory, while a hang of 8 and of 256 ranks stands that was
said a while ago; while 8 ranks run well; and after a thousand ranks came and went, two by two.
BENCH_STRETCH is how many seconds each is watched for, BENCH_PAIRS how many pairs there are.
"""
import contextlib
import glob
import os
import subprocess
import tempfile
import time

from figure import Machine, figure

BUILT = os.environ["top_builddir"]
SRC = os.environ["srcdir"]
INQUEST = os.environ["INQUEST"]
LAUNCH = os.path.join(SRC, "tests", "trouble", "launch.sh")
STRETCH = float(os.environ.get("BENCH_STRETCH", 60))
PAIRS = int(os.environ.get("BENCH_PAIRS", 500))
TICK = os.sysconf("SC_CLK_TCK")
# From then on a verdict is old news (src/cmd/agent-pace.c).
OLD_NEWS = 25


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

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.agent))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run.terminate()
        self.run.wait()
        self.temporary.cleanup()
        self.jobs.cleanup()


def hang(ranks, core, memory):
    words = "sum timed sum stay:5 sum".split()
    with Job(LAUNCH, "{}/play", str(ranks), *words) as job:
        job.wait(lambda: job.says("INQUEST_VERDICT"), 180)
        time.sleep(OLD_NEWS)
        figure("agent, %d ranks hang" % ranks, job.watch(STRETCH), "% core", core)
        figure("  its memory at most", job.memory(), "MiB", memory)


def well(ranks):
    words = "sum nap ".split() * int(STRETCH * 12)
    with Job(LAUNCH, "{}/play", str(ranks), *words) as job:
        time.sleep(8)
        before = job.memory("VmRSS"), job.shared(), job.descriptors()
        figure("agent, %d ranks run well" % ranks, job.watch(STRETCH - 8), "% core", 1)
        after = job.memory("VmRSS"), job.shared(), job.descriptors()
        # Its samples of /proc take room for two minutes, and no more from then on.
        for what, unit, bar, then, now in zip(("its memory", "shared memory", "descriptors"),
                                              ("MiB", "MiB", ""), (4, 1, 1), before, after):
            figure("  %s grows by" % what, now - then, unit, bar)


def passing():
    script = "for i in $(seq %d); do %s {}/play/$i 2 sum; rm -rf {}/play/$i; done; " % (
        PAIRS, LAUNCH) + ": >{}/over; exec sleep 600"
    with Job("sh", "-c", script) as job:
        job.wait(lambda: os.path.exists(job.folder + "/over"), 60 + PAIRS)
        time.sleep(10)
        figure("agent, after %d ranks that came and went" % (2 * PAIRS), job.memory("VmRSS"),
               "MiB", 64)
        figure("  its memory at most", job.memory(), "MiB")
        figure("  their shared memory", job.shared(), "MiB", 64)
        figure("  descriptors", job.descriptors(), "", 64)


def main():
    machine = Machine()
    print("== agent: stretches of %.0f s" % STRETCH)
    hang(8, 1, 64)
    hang(256, 5, 300)
    well(8)
    passing()
    machine.say()


main()
