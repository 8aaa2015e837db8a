# SPDX-License-Identifier: Apache-2.0
"""
An hour of an agent: a job of four ranks that restarts again and again as torchrun does it, runs
well, hangs and is said to hang until its launcher ends it, or loses a rank. Each 10 s a line says
what the agent has: memory, descriptors, the files and MiB of the job in shared memory, zombies.
What it has at most in the last third must be no more than in the third before. AGENT_SECONDS is
how long.
"""
import os
import statistics
import sys
import time

from agent_job import LAUNCH, Job

SECONDS = float(os.environ.get("AGENT_SECONDS", 3600))
EVERY = 10
# Names, and by how much the last third may be above the second.
BARS = (("resident MiB", 2), ("descriptors", 2), ("files", 16), ("shared MiB", 8), ("zombies", 2))

ATTEMPTS = """
attempt=0
while :; do
	export TORCHELASTIC_RESTART_COUNT=$attempt
	case $((attempt % 4)) in
	1) words="sum sum stay:2 sum" seconds=30 ;;
	3) words="sum sum die:1 sum" seconds=15 ;;
	*) words="$(printf 'sum nap %.0s' $(seq 150))" seconds=120 ;;
	esac
	timeout -k 5 $seconds {launch} {{}}/play/$attempt 4 $words
	rm -rf {{}}/play/$attempt
	attempt=$((attempt + 1))
	echo $attempt >{{}}/attempts
done
"""


def sample(job):
    return (job.memory("VmRSS"), job.descriptors(), job.files(), job.shared(), job.zombies())


def attempts(job):
    with open(job.folder + "/attempts", encoding="utf-8") as file:
        return int(file.read())


def show(samples):
    third = len(samples) // 3
    grown = False
    for i, (name, bar) in enumerate(BARS):
        parts = [[s[i] for s in samples[third * k:third * (k + 1)]] for k in range(3)]
        most = [max(part) for part in parts]
        over = most[2] > most[1] + bar
        grown |= over
        print("%-14s %s%s" % (name, ", ".join(
            "%.1f (median %.1f)" % (top, statistics.median(part))
            for top, part in zip(most, parts)), "  GROWS" if over else ""))
    return grown


def main():
    samples = []
    print("== an agent, %.0f s" % SECONDS)
    with Job("sh", "-c", ATTEMPTS.format(launch=LAUNCH)) as job:
        begun, used = time.monotonic(), job.cpu()
        while time.monotonic() - begun < SECONDS:
            time.sleep(EVERY)
            if job.run.poll() is not None:
                sys.exit("agent_hour: the job has ended")
            samples.append(sample(job))
            print("%5.0f s " % (time.monotonic() - begun) +
                  " ".join("%s %.1f" % (name, value) for (name, _), value
                           in zip(BARS, samples[-1])), flush=True)
        print("%d attempts, %.1f %% of a core; at most in each third:" % (
            attempts(job), (job.cpu() - used) / (time.monotonic() - begun) * 100))
    return show(samples)


sys.exit(main())
