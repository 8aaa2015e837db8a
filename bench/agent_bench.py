# SPDX-License-Identifier: Apache-2.0
"""
What the agent costs: of a core, and in memory, while a hang of 8 and of 256 ranks stands that was
said a while ago; while 8 ranks run well; and after a thousand ranks came and went, two by two.
BENCH_STRETCH is how many seconds each is watched for, BENCH_PAIRS how many pairs there are.
"""
import os
import time

from agent_job import LAUNCH, Job
from figure import Machine, figure

STRETCH = float(os.environ.get("BENCH_STRETCH", 60))
PAIRS = int(os.environ.get("BENCH_PAIRS", 500))
# From then on a verdict is old news (src/cmd/agent/agent-pace.c).
OLD_NEWS = 25


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
