# SPDX-License-Identifier: Apache-2.0
"""
shim.py: what the shim tells of real PyTorch, and that PyTorch does not see it: shim_job.py prints
the same with and without the probe, graph breaks and all, and the ring then holds what it did.

Exit 77: there is no PyTorch here.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.join(os.environ["srcdir"], "tests/torch")
build = os.environ["top_builddir"]
torch = os.environ.get("INQUEST_TORCH") or os.path.join(build, "torch")
probe = os.path.join(build, ".libs/libinquest-probe.so")


def fail(what):
    print("shim: FAIL:", what)
    sys.exit(1)


def run(folder, **environment):
    """What the job prints."""
    os.mkdir(folder)
    env = dict(os.environ, OMP_NUM_THREADS="1", TORCHINDUCTOR_CACHE_DIR=folder + "/cache",
               **environment)
    ran = subprocess.run([os.path.join(torch, "bin/python3"), os.path.join(here, "shim_job.py")],
                         cwd=folder, env=env, capture_output=True, text=True)
    if ran.returncode != 3:
        fail("status %d: %s" % (ran.returncode, ran.stderr[-2000:]))
    return json.loads(ran.stdout.strip().split("\n")[-1])


def records(job):
    """All that is pinned, and the latest of each loader and the steps."""
    found = []
    for name in sorted(os.listdir(job)):
        if name.endswith(".ring"):
            shown = subprocess.run([os.environ["INQUEST"], "ring", "--json",
                                    os.path.join(job, name)], stdout=subprocess.PIPE, check=True)
            ring = json.loads(shown.stdout)
            found += [r for pinned in ring["pinned"] for r in pinned["records"]]
            found += [r for r in ring["lanes"][0]["records"] if r["type"] in ("SHARD", "STEP")]
    return found


def check(found):
    traits = {r["key"]: r for r in found if r["type"] == "TRAIT"}
    begun = [r for r in found if r["type"] == "SPAN_BEGIN"]
    names = [r["name"] for r in begun]
    shards = [(r["index"], r["rows"], r["elements"]) for r in found if r["type"] == "SHARD"
              and r["loader"] == "Tokens"]
    if "missing" in traits:
        fail("missing: " + traits["missing"]["text"])
    for key in ("framework", "python", "gpus", "backend", "timeout", "world", "cache",
                "cache-bytes", "fx-cache", "aot-cache", "async-error", "input-end"):
        if key not in traits:
            fail("no trait " + key)
    if not traits["framework"]["text"].startswith("torch ") or traits["cache"]["number"] != 0:
        fail("traits: %s" % traits)
    for name in ("dynamo", "graph 0/0", "graph 0/1", "aot", "inductor codegen", "backend compile",
                 "save", "load"):
        if name not in names:
            fail("no span %s in %s" % (name, names))
    for span in begun:
        if span["name"].startswith("graph ") != ("detail" in span) and span["kind"] == "compile":
            fail("an identity: %s" % span)
        if "detail" in span and span["kind"] == "compile" and not re.match(
                r"[0-9a-f]{8} \d+ nodes \d+ collectives$", span["detail"]):
            fail("an identity: %s" % span)
    for shard in ((0, 2, 16), (1, 2, 16), (2, 3, 24), (3, 4, 32), (0, 1, 4), (1, 0, 0)):
        if shard not in shards:
            fail("no shard %s in %s" % (shard, shards))
    steps = [r["step"] for r in found if r["type"] == "STEP"]
    if set(steps) < {1, 2, 3, 4}:
        fail("steps: %s" % steps)


def main():
    if not os.path.exists(os.path.join(torch, "bin/python3")):
        print("no PyTorch in", torch)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        job = os.path.join(scratch, "inquest/job")
        os.makedirs(job, 0o700)
        bare = run(os.path.join(scratch, "bare"))
        probed = run(os.path.join(scratch, "probed"), LD_PRELOAD=probe,
                     INQUEST_DIR=os.path.dirname(job), INQUEST_JOB_DIR=job)
        for key in bare:
            if bare[key] != probed[key]:
                fail("%s: %s with the probe, %s without" % (key, probed[key], bare[key]))
        check(records(job))
        print("as without, graph breaks too:", json.dumps(bare["train"]))


main()
